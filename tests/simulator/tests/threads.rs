//! The threads of a person over SQL: a seeded client and a seeded run do whatever they may and may not, in any order, and
//! after every step the conversation is one that each provider takes.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolgate_core::chat::events::Author;
use toolgate_core::chat::input::InMessage;
use toolgate_core::chat::model::Message;
use toolgate_core::chat::threads::{Begin, Command, Kept, KeptOffer, Reply, Write, step};
use toolgate_core::chat::transcript::{CallItem, Item, Next, Parked, Said, Side, Standing, Transcript};
use toolgate_core::sql_port::Sql as _;
use toolgate_core::time::UnixMillis;
use toolgate_protocol::limits::{CHAT_LEASE_SECONDS, CHAT_ROUNDS_MAX, CHAT_THREADS_MAX};
use toolgate_simulator::port::Sqlite;
use toolgate_simulator::random::Random;

const START: UnixMillis = UnixMillis(1_764_500_000_000);
const SEEDS: u64 = 300;
const STEPS: usize = 20;

fn author() -> Author {
    Author { model: "m".into(), demo: false }
}

fn said(id: &str, text: &str) -> InMessage {
    InMessage::User { id: id.into(), text: text.into() }
}

fn whole(id: &str, text: &str, calls: Vec<CallItem>) -> Said {
    Said { id: id.into(), text: text.into(), author: author(), calls, returns: false }
}

fn result(id: &str, call: &str, content: &str) -> InMessage {
    InMessage::Tool { id: id.into(), call: call.into(), content: content.into() }
}

struct Thread {
    sql: Sqlite,
    now: UnixMillis,
}

impl Thread {
    fn new() -> Thread {
        Thread { sql: Sqlite::queue(), now: START }
    }

    fn ask(&self, command: Command) -> Reply {
        step(&self.sql, command, self.now).expect("storage")
    }

    fn begin(&self, thread: &str, token: &str, messages: Vec<InMessage>) -> Reply {
        self.ask(Command::Begin(Begin { thread: thread.into(), token: token.into(), messages }))
    }

    fn begun(&self, thread: &str, token: &str, messages: Vec<InMessage>) -> Kept {
        match self.begin(thread, token, messages) {
            Reply::Begun(kept, _) => *kept,
            other => panic!("{other:?}"),
        }
    }

    fn refused(&self, thread: &str, messages: Vec<InMessage>) -> &'static str {
        match self.begin(thread, "t", messages) {
            Reply::Refused(problem) => problem.kind.code,
            other => panic!("{other:?}"),
        }
    }

    fn write(&self, thread: &str, token: &str, transcript: &mut Transcript, release: bool) -> Reply {
        let items = transcript.take_changed();
        let summary = Some(transcript.summary());
        let (thread, token) = (thread.into(), token.into());
        self.ask(Command::Write(Write { thread, token, items, summary, offered: None, offer: None, release }))
    }

    fn kept(&self, thread: &str) -> Kept {
        match self.ask(Command::Read(thread.into())) {
            Reply::Thread(kept) => *kept,
            other => panic!("{other:?}"),
        }
    }
}

fn call(id: &str, side: Side) -> CallItem {
    CallItem::new(id.into(), "tool".into(), "{}".into(), side, format!("key-{id}"), START)
}

fn parked(id: &str) -> Parked {
    Parked {
        call: format!("call_{id}"),
        approval: format!("apr_{id}"),
        url: "u".into(),
        digest: "d".into(),
        expires_at: "e".into(),
        told: "It waits.".into(),
        superseded: false,
    }
}

/// Is this a conversation that every provider takes?
fn check_prompt(messages: &[Message], at: &str) {
    let mut ids = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    let mut last = "";
    for message in messages {
        let role = match message {
            Message::User { text } => {
                assert!(open.is_empty() && !text.trim().is_empty() && last != "user", "{at}: {messages:?}");
                "user"
            }
            Message::Assistant { text, calls, .. } => {
                assert!(open.is_empty() && matches!(last, "user" | "tool"), "{at}: {messages:?}");
                assert!(!text.is_empty() || !calls.is_empty(), "{at}: an empty message: {messages:?}");
                for call in calls {
                    assert!(ids.insert(&call.id), "{at}: {} is there twice: {messages:?}", call.id);
                    let arguments: Value = serde_json::from_str(&call.arguments).expect("arguments are JSON");
                    assert!(arguments.is_object(), "{at}");
                }
                open = calls.iter().map(|call| call.id.as_str()).collect();
                "assistant"
            }
            Message::Tool { call, content, .. } => {
                assert!(!open.is_empty() && open.remove(0) == call, "{at}: {messages:?}");
                assert!(!content.is_empty(), "{at}");
                "tool"
            }
        };
        last = role;
    }
    assert!(open.is_empty(), "{at}: a call without a result: {messages:?}");
    assert!(messages.is_empty() || last != "assistant", "{at}: the model would answer itself: {messages:?}");
}

/// What a model wants back goes to it alone, and thoughts only where tools were called.
fn check_returned(transcript: &Transcript, at: &str) {
    for message in transcript.prompt("another") {
        let Message::Assistant { reasoning, calls, .. } = message else { continue };
        assert!(reasoning.is_none() && calls.iter().all(|call| call.extra.is_none()), "{at}");
    }
    let messages = transcript.prompt("m");
    for turn in messages.chunk_by(|_, next| !matches!(next, Message::User { .. })) {
        let thinks = |message: &Message| matches!(message, Message::Assistant { reasoning: Some(_), .. });
        let is_tool = |message: &Message| matches!(message, Message::Tool { .. });
        assert!(!turn.iter().any(thinks) || turn.iter().any(is_tool), "{at}: {turn:?}");
    }
    let sent = messages.iter().flat_map(|message| match message {
        Message::Assistant { calls, .. } => calls.as_slice(),
        _ => &[],
    });
    for call in sent {
        let kept = transcript.call(&call.id).expect("the call");
        assert_eq!(call.extra.as_deref(), kept.extra.as_deref(), "{at}: of {}", call.id);
    }
}

/// Are these messages that a client takes?
fn check_shown(transcript: &Transcript, at: &str) {
    let mut ids = BTreeSet::new();
    let mut calls: Vec<String> = Vec::new();
    for message in transcript.messages() {
        let message: Value = serde_json::from_str(message.get()).expect("a message");
        assert!(ids.insert(message["id"].as_str().expect("an id").to_owned()), "{at}: {message}");
        if let Some(call) = message["toolCallId"].as_str() {
            assert!(calls.iter().any(|known| known == call), "{at}: {call} is not directly behind its call");
            calls.retain(|known| known != call);
        } else {
            calls = message["toolCalls"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|call| call["id"].as_str())
                .map(str::to_owned)
                .collect();
        }
    }
}

/// What one seed has done so far.
struct World {
    random: Random,
    thread: Thread,
    made: usize,
    /// Results that a call behind the gate came to, as it was told.
    truth: Vec<(String, String)>,
}

impl World {
    fn fresh(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}{}", self.made)
    }

    /// What a client may send: what is new, what is known, what is forged, what is none of its business.
    fn messages(&mut self, transcript: &Transcript) -> (Vec<InMessage>, bool) {
        let (mut messages, mut forged) = (Vec::new(), false);
        for _ in 0..self.random.below(4) {
            match self.random.below(6) {
                0 => messages.push(said(&self.fresh("u"), "hello")),
                1 => messages.push(said("u1", "another text of a known message")),
                2 => messages.push(result(&self.fresh("x"), "no_such_call", "x")),
                _ => {
                    let calls: Vec<CallItem> = transcript.calls().cloned().collect();
                    let Some(call) = self.random.pick(&calls).cloned() else { continue };
                    let lie = self.random.chance(200);
                    let content = match (&call.standing, call.side) {
                        (Standing::Answered { content, .. }, Side::Server) if !lie => content.clone(),
                        (_, Side::Server) => {
                            if !lie {
                                continue;
                            }
                            forged = true;
                            "forged".to_owned()
                        }
                        (_, Side::Client) => format!("from the browser {}", self.made),
                    };
                    let id = if self.random.chance(100) { "u1".to_owned() } else { self.fresh("r") };
                    messages.push(result(&id, &call.id, &content));
                }
            }
        }
        (messages, forged)
    }

    /// A turn of the model: whole or cut, with calls of every kind.
    fn model(&mut self, transcript: &mut Transcript) {
        if self.random.chance(300) {
            let id = self.fresh("think");
            transcript.reasoned(id, "hm".into());
        }
        let text = if self.random.chance(600) { "I say so.".to_owned() } else { String::new() };
        let mut calls = Vec::new();
        for _ in 0..self.random.below(4) {
            let side = if self.random.chance(400) { Side::Client } else { Side::Server };
            let mut one = call(&self.fresh("c"), side);
            if self.random.chance(150) {
                one.arguments = "{\"broken".into();
            }
            one.extra = self.random.chance(300).then(|| format!("{{\"signature\":\"{}\"}}", one.id).into());
            calls.push(if self.random.chance(150) { one.refused("no such tool") } else { one });
        }
        let id = self.fresh("a");
        let returns = self.random.chance(400);
        if self.random.chance(150) {
            let calls = calls.into_iter().map(|call| call.refused("broke off")).collect();
            transcript.broke_off(Said { returns, ..whole(&id, &text, calls) });
        } else {
            transcript.answered(Said { returns, ..whole(&id, &text, calls) });
        }
    }

    /// One of the calls behind the gate goes on.
    fn settle(&mut self, transcript: &mut Transcript) {
        let open: Vec<CallItem> =
            transcript.calls().filter(|call| matches!(call.standing, Standing::Open { .. })).cloned().collect();
        let Some(one) = self.random.pick(&open).cloned() else { return };
        match self.random.below(4) {
            0 => transcript.accepted(&one.id, "call_known"),
            1 => transcript.parked(&one.id, parked(&one.id)),
            _ => {
                let content = format!("result {}", self.made);
                if transcript.ended(&one.id, &content).is_some() {
                    self.truth.push((one.id.clone(), content));
                }
                if self.random.chance(300) {
                    transcript.showed(&one.id, "x/y".into(), "{\"n\":9007199254740993}".into());
                }
            }
        }
    }

    fn decide(&mut self, transcript: &mut Transcript) {
        let parked: Vec<String> = transcript
            .calls()
            .filter(|call| matches!(call.standing, Standing::Parked(_)))
            .map(|call| call.id.clone())
            .collect();
        if let Some(id) = self.random.pick(&parked) {
            transcript.decided(id);
        }
    }

    fn check(&self, transcript: &Transcript, at: &str) {
        check_prompt(&transcript.prompt("m"), at);
        check_returned(transcript, at);
        check_shown(transcript, at);
        for (id, content) in &self.truth {
            let found = transcript.call(id).expect("the call");
            let Standing::Answered { content: told, .. } = &found.standing else {
                panic!("{at}: {id} lost its result")
            };
            assert_eq!(told, content, "{at}: a client wrote the result of {id}");
        }
        assert!(transcript.next() != Next::Model || !transcript.prompt("m").is_empty(), "{at}");
    }

    /// One run: it begins, does some of what it has to, and ends or dies.
    fn run(&mut self, at: &str) {
        let before = match self.thread.ask(Command::Read("t".into())) {
            Reply::Thread(kept) => Transcript::new(kept.items),
            _ => Transcript::default(),
        };
        let (mut messages, forged) = self.messages(&before);
        if before.items().is_empty() {
            messages = vec![said("u1", "first")];
        }
        let token = self.fresh("token");
        let news = match self.thread.begin("t", &token, messages) {
            Reply::Begun(kept, news) => (kept, news),
            Reply::Refused(problem) => {
                assert!(
                    problem.kind.code == "forged_tool_result" && forged || problem.kind.code == "thread_full",
                    "{at}: {problem:?}"
                );
                self.check(&before, at);
                return;
            }
            other => panic!("{at}: {other:?}"),
        };
        assert!(!forged || before.items().is_empty(), "{at}: a forged result was taken");
        let (kept, news) = news;
        let mut transcript = Transcript::new(kept.items);
        let waits = transcript.calls().filter(|call| call.standing == Standing::Client).count();
        assert!(!(news.user || kept.head.rounds >= CHAT_ROUNDS_MAX && news.results > 0) || waits == 0, "{at}");
        for _ in 0..self.random.below(12) {
            match transcript.next() {
                Next::Settle => self.settle(&mut transcript),
                Next::Model => self.model(&mut transcript),
                Next::Wait => self.decide(&mut transcript),
                Next::Done => break,
            }
            self.check(&transcript, at);
            if self.random.chance(700) {
                assert!(matches!(self.thread.write("t", &token, &mut transcript, false), Reply::Done));
            }
        }
        // It dies: what it did not write is gone, and so is what it was told of it.
        if self.random.chance(150) {
            self.thread.now = self.thread.now.plus_seconds(CHAT_LEASE_SECONDS);
            let kept = Transcript::new(self.thread.kept("t").items);
            self.truth
                .retain(|(id, _)| kept.call(id).is_some_and(|call| matches!(call.standing, Standing::Answered { .. })));
        } else {
            assert!(matches!(self.thread.write("t", &token, &mut transcript, true), Reply::Done));
            assert_eq!(self.thread.kept("t").items, transcript.items(), "{at}");
        }
        self.check(&Transcript::new(self.thread.kept("t").items), at);
    }
}

#[test]
fn whatever_happens_the_conversation_stays_one_that_providers_take() {
    let mut items = 0;
    for seed in 0..SEEDS {
        let random = Random::new(seed);
        let mut world = World { random, thread: Thread::new(), made: 0, truth: Vec::new() };
        for step in 0..STEPS {
            world.run(&format!("seed {seed}, step {step}"));
        }
        items += world.thread.kept("t").items.len();
    }
    assert!(items > 10_000, "the seeds did too little: {items} items");
}

#[test]
fn one_run_at_a_time_and_a_dead_one_is_taken_over() {
    let mut thread = Thread::new();
    let kept = thread.begun("t", "one", vec![said("u", "hello there,\n how are you?")]);
    assert_eq!(kept.head.title, "hello there, how are you?");
    assert_eq!(thread.refused("t", vec![]), "thread_busy");
    let mut transcript = Transcript::new(kept.items);
    assert!(matches!(thread.write("t", "other", &mut transcript, false), Reply::LeaseLost));
    thread.now = thread.now.plus_seconds(CHAT_LEASE_SECONDS - 1);
    assert_eq!(thread.refused("t", vec![]), "thread_busy");
    assert!(matches!(thread.write("t", "one", &mut transcript, false), Reply::Done));
    thread.now = thread.now.plus_seconds(CHAT_LEASE_SECONDS - 1);
    assert_eq!(thread.refused("t", vec![]), "thread_busy");
    thread.now = thread.now.plus_seconds(1);
    thread.begun("t", "two", vec![]);
    assert!(matches!(thread.write("t", "one", &mut transcript, false), Reply::LeaseLost));
    assert!(matches!(thread.write("t", "two", &mut transcript, true), Reply::Done));
    assert!(matches!(thread.write("t", "two", &mut transcript, false), Reply::LeaseLost));
    assert!(matches!(thread.ask(Command::Delete("t".into())), Reply::Done));
    assert!(matches!(thread.ask(Command::Read("t".into())), Reply::Absent));
    assert_eq!(thread.sql.exec("SELECT COUNT(*) FROM chat_items", &[]).expect("rows")[0][0].integer(), Some(0));
}

#[test]
fn five_rounds_and_then_the_rest_is_answered() {
    let thread = Thread::new();
    let mut kept = thread.begun("t", "0", vec![said("u", "hi")]);
    for round in 1..=CHAT_ROUNDS_MAX {
        let mut transcript = Transcript::new(kept.items);
        let pair = [format!("c{round}"), format!("d{round}")];
        let calls = pair.iter().map(|id| call(id, Side::Client)).collect();
        transcript.answered(whole(&format!("a{round}"), "", calls));
        assert_eq!(transcript.next(), Next::Wait);
        let last = round == CHAT_ROUNDS_MAX;
        thread.write("t", &(round - 1).to_string(), &mut transcript, true);
        // In the last round one of two is answered: nobody will answer the other.
        let answered = if last { &pair[..1] } else { &pair[..] };
        let results = answered.iter().map(|id| result(&format!("r-{id}"), id, "ok")).collect();
        kept = thread.begun("t", &round.to_string(), results);
        assert_eq!(kept.head.rounds, round);
        let now = Transcript::new(kept.items.clone());
        assert_eq!(now.next(), Next::Model);
        if last {
            let Standing::Answered { content, .. } = &now.call(&pair[1]).expect("it").standing else { panic!() };
            assert_eq!(content, r#"{"error":"round limit reached"}"#);
        }
    }
    let mut transcript = Transcript::new(kept.items);
    thread.write("t", &CHAT_ROUNDS_MAX.to_string(), &mut transcript, true);
    assert_eq!(thread.begun("t", "n", vec![said("u2", "again")]).head.rounds, 0);
}

#[test]
fn a_new_message_settles_what_waits_for_the_browser_and_leaves_what_is_parked() {
    let thread = Thread::new();
    let mut transcript = Transcript::new(thread.begun("t", "0", vec![said("u", "hi")]).items);
    transcript.answered(whole("a", "well", vec![call("s", Side::Server), call("b", Side::Client)]));
    transcript.parked("s", parked("s"));
    assert_eq!(transcript.next(), Next::Wait);
    thread.write("t", "0", &mut transcript, true);
    let Reply::Begun(kept, news) = thread.begin("t", "1", vec![said("v", "never mind")]) else { panic!() };
    assert_eq!(news.settled, ["b"]);
    assert_eq!(kept.head.summary.parked, 1);
    let mut transcript = Transcript::new(kept.items);
    assert_eq!(transcript.next(), Next::Model);
    let told: Vec<String> = transcript
        .prompt("m")
        .into_iter()
        .filter_map(|message| match message {
            Message::Tool { content, .. } => Some(content),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["It waits.", r#"{"error":"superseded by a new message"}"#]);
    // Decided at last, it takes its own place.
    transcript.answered(whole("b2", "fine", vec![]));
    transcript.decided("s");
    assert_eq!(transcript.next(), Next::Settle);
    transcript.ended("s", "done");
    assert_eq!(transcript.next(), Next::Done);
    assert!(
        matches!(&transcript.items()[2], Item::Call(call) if call.standing == Standing::Answered { message: "result-s".into(), content: "done".into() })
    );
}

#[test]
fn threads_are_listed_newest_first_by_page_and_their_number_has_an_end() {
    let mut thread = Thread::new();
    for number in 0..CHAT_THREADS_MAX {
        thread.now = UnixMillis(START.0 + u64::try_from(number / 3).expect("small"));
        thread.begun(&format!("t{number:04}"), "x", vec![said("u", "hi")]);
    }
    assert_eq!(thread.refused("one-more", vec![said("u", "hi")]), "too_many_threads");
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let Reply::Threads { heads, next } = thread.ask(Command::List { limit: 70, cursor }) else { panic!() };
        seen.extend(heads.into_iter().map(|head| (head.updated_at, head.thread)));
        match next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    let mut sorted = seen.clone();
    sorted.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    assert_eq!((seen.len(), &seen), (CHAT_THREADS_MAX, &sorted));
    let reply = thread.ask(Command::List { limit: 1, cursor: Some("x".into()) });
    assert!(matches!(reply, Reply::Refused(problem) if problem.kind.code == "invalid_request"));
}

#[test]
fn a_new_thread_begins_with_its_user() {
    let thread = Thread::new();
    assert_eq!(thread.refused("t", vec![]), "invalid_run_input");
    assert_eq!(thread.refused("t", vec![result("r", "c", "x")]), "invalid_run_input");
    assert_eq!(thread.refused("t", vec![said("u", "  ")]), "invalid_run_input");
    assert_eq!(thread.refused("t", vec![said("u", &"x".repeat(32_001))]), "invalid_run_input");
    assert!(matches!(thread.ask(Command::Read("t".into())), Reply::Absent));
    let text = json!({ "n": 1 }).to_string();
    assert_eq!(thread.begun("t", "t", vec![said("u", &text), said("u", "twice")]).items.len(), 1);
}

#[test]
fn a_thread_remembers_its_last_offer_and_the_gates_ids_of_its_calls() {
    let it = Thread::new();
    let offer = |tool: &str| {
        let tools = json!([{ "name": tool, "score": 3, "reasons": [], "tokens": 9, "added": true }]);
        let offer = json!({ "tools": tools, "left_out": [], "budget_tokens": 100, "used_tokens": 9 });
        KeptOffer::new(1, serde_json::from_value(offer).expect("an offer"))
    };
    let mut transcript = Transcript::new(it.begun("t", "one", vec![said("u1", "Go")]).items);
    assert_eq!(it.kept("t").offer, None);
    transcript.answered(whole("a1", "", vec![call("c1", Side::Server)]));
    transcript.known_as("c1", "call_1");
    transcript.accepted("c1", "call_1");
    transcript.ended("c1", "done");
    let write = |offer| Write { thread: "t".into(), token: "one".into(), items: Vec::new(), offer, ..Write::default() };
    it.ask(Command::Write(write(offer("first"))));
    assert!(matches!(it.write("t", "one", &mut transcript, false), Reply::Done));
    it.ask(Command::Write(write(offer("second"))));
    let kept = it.kept("t");
    assert_eq!(kept.offer, offer("second"), "the last one counts, and writes without one leave it");
    assert_eq!(kept.offer.as_ref().and_then(|offer| offer.message(&kept.items)), Some("a1"));
    let told = Transcript::new(kept.items);
    assert_eq!(told.call("c1").and_then(|call| call.at_gateway()), Some("call_1"), "also after its end");

    // An object that was made before there were offers, with rows of that time.
    it.sql.exec("DROP TABLE chat_offers", &[]).expect("storage");
    it.sql.exec("UPDATE chat_items SET item = replace(item, ',\"call\":\"call_1\"', '')", &[]).expect("storage");
    let old = it.kept("t");
    assert_eq!((old.offer, Transcript::new(old.items).call("c1").and_then(|call| call.at_gateway())), (None, None));
    assert!(matches!(it.ask(Command::Write(write(offer("third")))), Reply::Done), "a run of that time goes on");
    it.ask(Command::Write(Write { release: true, ..write(None) }));
    it.begun("t", "two", Vec::new());
    it.ask(Command::Write(Write { token: "two".into(), ..write(offer("fourth")) }));
    assert_eq!(it.kept("t").offer, offer("fourth"));
    assert!(matches!(it.ask(Command::Delete("t".into())), Reply::Done));
    it.begun("t", "three", vec![said("u9", "Anew")]);
    assert_eq!(it.kept("t").offer, None);
}
