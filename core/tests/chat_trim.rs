//! A long conversation is sent to the model in part: always one that each provider takes, and always the end of it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "faults end it")]

use std::collections::BTreeSet;

use serde_json::Value;
use toolgate_core::chat::events::Author;
use toolgate_core::chat::model::{Called, Message, Prompt, completions_body};
use toolgate_core::chat::transcript::{CallItem, Item, Parked, Side, Standing, Transcript};
use toolgate_core::time::UnixMillis;

const NOTE: &str = "older messages were left out";
const CUT: &str = "[Cut here: the conversation is too long for all of this result.]";

fn user(text: &str) -> Message {
    Message::User { text: text.into() }
}

fn says(text: &str, calls: &[&str]) -> Message {
    let called = |id: &&str| Called { id: (*id).into(), name: "look".into(), arguments: "{}".into(), extra: None };
    Message::Assistant { text: text.into(), reasoning: None, calls: calls.iter().map(called).collect() }
}

fn result(call: &str, content: &str) -> Message {
    Message::Tool { call: call.into(), name: "look".into(), content: content.into() }
}

fn fitted(messages: &[Message], bytes_max: usize) -> Prompt {
    Prompt::fitted("Be brief.", messages.to_vec(), Vec::new(), bytes_max)
}

/// A few letters of each message.
fn words(messages: &[Message]) -> Vec<String> {
    let word = |message: &Message| match message {
        Message::User { text } => text.chars().take(2).collect(),
        Message::Assistant { text, calls, .. } => {
            let calls: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            format!("{}[{}]", text.chars().take(2).collect::<String>(), calls.join(" "))
        }
        Message::Tool { call, content, .. } => format!("={call}{}", if content.ends_with(CUT) { " cut" } else { "" }),
    };
    messages.iter().map(word).collect()
}

#[test]
fn whole_turns_go_from_the_front_and_then_steps_of_the_last_one() {
    let long = "x".repeat(1_000);
    let text = |name: &str| format!("{name}{long}");
    let conversation = [
        user(&text("u1")),
        says(&text("a1"), &["c1"]),
        result("c1", &long),
        says(&text("b1"), &[]),
        user(&text("u2")),
        says(&text("a2"), &[]),
        user(&text("u3")),
        says("", &["c2", "c3"]),
        result("c2", &text("r2")),
        result("c3", &text("r3")),
        says(&text("a3"), &["c4"]),
        result("c4", &text("r4").repeat(2)),
    ];
    for (bytes_max, expected) in [
        (20_000, "u1 a1[c1] =c1 b1[] u2 a2[] u3 [c2 c3] =c2 =c3 a3[c4] =c4"),
        (10_000, "u2 a2[] u3 [c2 c3] =c2 =c3 a3[c4] =c4"),
        (7_600, "u3 [c2 c3] =c2 =c3 a3[c4] =c4"),
        (5_000, "u3 a3[c4] =c4"),
        (3_000, "u3 a3[c4] =c4 cut"),
        (10, "u3 a3[c4] =c4 cut"),
    ] {
        let prompt = fitted(&conversation, bytes_max);
        assert_eq!(words(&prompt.messages).join(" "), expected, "{bytes_max}");
        assert_eq!(prompt.system.contains(NOTE), prompt.messages.len() < conversation.len(), "{bytes_max}");
        assert!(prompt.system.starts_with("Be brief."));
    }
    // Between two long turns a short one does not come back: what is left out is the beginning.
    let gap = [user("u1"), says("a1", &[]), user(&text("u2")), says(&text("a2"), &[]), user("u3")];
    assert_eq!(words(&fitted(&gap, 1_000).messages), ["u3"]);
    // Large results share what there is; small ones stay whole.
    let shared = [
        user("u1"),
        says("", &["a", "b", "c"]),
        result("a", &"x".repeat(9_000)),
        result("b", "tiny"),
        result("c", &"y\"".repeat(9_000)),
    ];
    let prompt = fitted(&shared, 8_000);
    assert_eq!(words(&prompt.messages), ["u1", "[a b c]", "=a cut", "=b", "=c cut"]);
    assert!(!prompt.system.contains(NOTE) && completions_body(&prompt, "m").len() < 8_100);
    // Where nobody told the model anything, the note is told alone.
    assert!(Prompt::fitted("", gap.to_vec(), Vec::new(), 1_000).system.starts_with("The beginning"));
}

/// Chance that is the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    fn text(&mut self) -> String {
        let letters = ["a", "\"", "\n", "é", "😀", "\u{1}", " ", "\\"];
        let length = [0, 1, 20, 400, 3_000][self.below(5)];
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }
}

/// A thread as runs leave it: broken answers, calls that never ran, arguments that are no JSON, people who speak twice.
fn thread(chance: &mut Chance) -> Transcript {
    let author = || Author { model: "m".into(), demo: false };
    let mut items = vec![Item::User { id: "u".into(), text: "Hello".into() }];
    for at in 0..chance.below(40) {
        match chance.below(5) {
            0 | 1 => items.push(Item::User { id: format!("u{at}"), text: format!("?{}", chance.text()) }),
            2 => items.push(Item::Reasoning { id: format!("r{at}"), text: chance.text() }),
            _ => {
                let calls = chance.below(4);
                let text = if calls == 0 { format!("!{}", chance.text()) } else { chance.text() };
                let (id, cut, returns) = (format!("a{at}"), chance.below(4) == 0, chance.below(2) == 0);
                items.push(Item::Assistant { id, text, author: author(), cut, returns });
                for call in 0..calls {
                    let arguments = ["{}", "{\"n\":9007199254740993}", "{\"cut", ""][chance.below(4)].to_owned();
                    let id = format!("c{at}-{call}");
                    let standing = match chance.below(6) {
                        0 => Standing::Client,
                        1 => Standing::Open { call: (chance.below(2) == 0).then(|| format!("call_{id}")) },
                        2 => parked(&id, chance.below(2) == 0, chance.text()),
                        _ => Standing::Answered { message: format!("m{id}"), content: chance.text() },
                    };
                    let name = ["look", "a b", ""][chance.below(3)].to_owned();
                    let item = CallItem::new(id, name, arguments, Side::Server, String::new(), UnixMillis(0));
                    let extra = (chance.below(3) == 0).then(|| r#"{"google":{"thought_signature":"Ab+/="}}"#.into());
                    items.push(Item::Call(CallItem { standing, extra, ..item }));
                }
            }
        }
    }
    Transcript::new(items)
}

/// A call that waits for a decision, while the conversation waits for it or goes on.
fn parked(id: &str, superseded: bool, told: String) -> Standing {
    Standing::Parked(Box::new(Parked {
        call: format!("call_{id}"),
        approval: format!("apr_{id}"),
        url: "https://gate.test/a".into(),
        digest: "d".into(),
        expires_at: "2030-01-01T00:00:00Z".into(),
        told,
        superseded,
    }))
}

/// What the providers ask of a conversation, in the form in which all of them are asked.
fn check(provider: &str, messages: &[Value], seed: u64) {
    let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
    let calls = |message: &Value| message["tool_calls"].as_array().cloned().unwrap_or_default();
    let mut open: Vec<Value> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut before = String::new();
    for (at, message) in messages.iter().enumerate() {
        let (now, place) = (role(message), format!("{provider}, seed {seed}, message {at}"));
        assert!(message["content"].is_string(), "{place}: content");
        assert!(now != "system" || at == 0, "{place}: a system message in the middle");
        match provider {
            // Each call has one result, directly behind it and in its order; ids are unique.
            "openai" => match now.as_str() {
                "tool" => assert_eq!(message["tool_call_id"], open.remove(0)["id"], "{place}"),
                _ => assert!(open.is_empty(), "{place}: a call without its result"),
            },
            // The first to speak is the person, and speakers take turns; results are the person's side.
            "anthropic" => {
                let side = |role: &str| if role == "assistant" { "assistant" } else { "user" };
                assert!(at > 1 || now == "user" || now == "system", "{place}: begins with {now}");
                assert!(now != "assistant" || side(&before) == "user", "{place}: two of the model");
                assert!(now != "user" || before != "user", "{place}: two of the person");
            }
            // Gemini: a call comes directly behind the person or results, and there are as many results as calls.
            _ => {
                assert!(
                    calls(message).is_empty() || matches!(before.as_str(), "user" | "tool"),
                    "{place}: a call behind {before}"
                );
                let results = messages[at + 1..].iter().take_while(|next| role(next) == "tool").count();
                assert!(now != "assistant" || results == calls(message).len(), "{place}: results");
            }
        }
        for call in calls(message) {
            assert!(seen.insert(call["id"].to_string()), "{place}: an id twice");
            assert!(
                serde_json::from_str::<Value>(call["function"]["arguments"].as_str().unwrap()).unwrap().is_object()
            );
            open.push(call);
        }
        before = now;
    }
    assert!(before == "user" || before == "tool", "{provider}, seed {seed}: nothing is asked");
    assert!(provider != "openai" || open.is_empty(), "seed {seed}: calls at the end without results");
}

#[test]
fn whatever_is_left_of_a_conversation_every_provider_takes() {
    let mut trimmed = 0;
    for seed in 1..=150 {
        let mut chance = Chance(seed * 0x9e37_79b9);
        let messages = thread(&mut chance).prompt("m");
        if messages.is_empty() || matches!(messages.last(), Some(Message::Assistant { .. })) {
            continue;
        }
        let whole = completions_body(&fitted(&messages, usize::MAX), "m").len();
        for bytes_max in [1, whole / 7, whole / 3, whole / 2, whole - 1, whole * 2].map(|max| max + chance.below(50)) {
            let prompt = fitted(&messages, bytes_max);
            assert_eq!(prompt.messages, fitted(&messages, bytes_max).messages, "the same each time");
            let text = completions_body(&prompt, "m");
            let body: Value = serde_json::from_str(&text).unwrap();
            for provider in ["openai", "anthropic", "gemini"] {
                check(provider, body["messages"].as_array().unwrap(), seed);
            }
            let is_shorter = prompt.messages.len() < messages.len();
            assert_eq!(prompt.system.contains(NOTE), is_shorter, "seed {seed}");
            trimmed += usize::from(is_shorter);
            // What is kept is the end, and what the person said last, word by word but for results that were cut.
            let said = messages.iter().rposition(|message| matches!(message, Message::User { .. })).unwrap();
            let (first, rest) = prompt.messages.split_first().unwrap();
            assert!(matches!(first, Message::User { .. }), "seed {seed}");
            assert!(prompt.messages.contains(&messages[said]), "seed {seed}");
            let end = &messages[messages.len() - rest.len()..];
            let alike = |(one, other): (&Message, &Message)| match (one, other) {
                (Message::Tool { call, content, .. }, Message::Tool { call: same, content: all, .. }) => {
                    call == same
                        && (content == all
                            || (content.ends_with(CUT)
                                && all.starts_with(content.trim_end_matches(CUT).trim_end_matches('\n'))))
                }
                (one, other) => one == other,
            };
            assert!(rest.iter().zip(end).all(alike), "seed {seed}");
            // It fits, where nothing stayed that is larger by itself.
            if is_shorter && prompt.messages.len() > 1 && !text.contains("[Cut here") && bytes_max > whole / 2 {
                let least = completions_body(&fitted(&messages, 1), "m").len();
                assert!(text.len() <= bytes_max.max(least) + 40, "seed {seed}: {} of {bytes_max}", text.len());
            }
        }
    }
    assert!(trimmed > 300, "{trimmed}");
}
