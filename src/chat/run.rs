//! A run: it holds its thread by a lease, settles what an earlier run left, and lets the model and the calls take turns
//! until nothing is left but what waits for somebody.
//!
//! It is driven apart from the answer's stream, so that a client that leaves cuts nothing off in the middle: what was
//! submitted is in the thread, with its idempotency key, before it is submitted, and the next run settles it.

use std::rc::Rc;

use toolgate_core::chat::events::{Event, Outcome, PROTOCOL_VERSION, TokenUsage};
use toolgate_core::chat::input::RunInput;
use toolgate_core::chat::model::{AgentRecord, ModelError};
use toolgate_core::chat::threads::{self, Begin, Head, Kept, KeptOffer, Reply, Write};
use toolgate_core::chat::transcript::{Next, Standing, Transcript, interrupt};
use toolgate_core::hash::hex;
use toolgate_core::problem::Problem;
use toolgate_durable::now;
use toolgate_protocol::limits::{CHAT_RENEW_SECONDS, CHAT_TURNS_MAX};
use toolgate_protocol::problems;
use worker::{Response, console_error};

use super::model::Model;
use super::sink::{self, Sink};
use super::{Person, offer};
use crate::edge::Edge;
use crate::http::internal;

/// A run under way.
pub struct Run {
    pub(super) edge: Rc<Edge>,
    pub(super) person: Person,
    pub(super) agent: AgentRecord,
    pub(super) input: RunInput,
    pub(super) head: Head,
    pub(super) transcript: Transcript,
    pub(super) model: Rc<Model>,
    pub(super) sink: Sink,
    pub(super) usage: Vec<TokenUsage>,
    pub(super) token: String,
    /// What is said once the thread has it.
    pub(super) unsaid: Vec<Event>,
}

/// Why a run ends without an outcome.
pub(super) enum Fault {
    /// The model.
    Model(ModelError),
    /// The gateway, or the key.
    Problem(Problem),
    /// The thread was deleted, or this run was not heard of for too long and another one has it.
    Lost,
    /// The client left.
    Left,
    /// The model goes on calling.
    Turns,
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault::Problem(problem)
    }
}

/// Begins a run: everything that can be refused is refused here, in HTTP; what follows is a stream.
pub async fn begin(edge: Edge, person: Person, agent: AgentRecord, input: RunInput) -> Result<Response, Problem> {
    offer::check(&person, &input)?;
    let model = Rc::new(person.model(&edge));
    let token = hex(&toolgate_durable::entropy().map_err(|error| internal("reading randomness", error))?);
    let begin = Begin { thread: input.thread.clone(), token: token.clone(), messages: input.messages.clone() };
    let (kept, news) = match person.ask(&edge, &threads::Command::Begin(begin)).await? {
        Reply::Begun(kept, news) => (*kept, news),
        Reply::Refused(problem) => return Err(problem),
        _ => return Err(internal("beginning a run", "its object said something else")),
    };
    let Kept { head, items, .. } = kept;
    let (sink, stream) = Sink::open();
    let edge = Rc::new(edge);
    let run = Run {
        edge: Rc::clone(&edge),
        person,
        agent,
        input,
        head,
        transcript: Transcript::new(items),
        model,
        sink,
        usage: Vec::new(),
        token,
        unsaid: Vec::new(),
    };
    edge.context.wait_until(run.drive(news.settled));
    sink::answer(stream)
}

impl Run {
    async fn drive(mut self, settled: Vec<String>) {
        let (thread_id, run_id) = (self.input.thread.clone(), self.input.run.clone());
        self.sink.say(&Event::RunStarted {
            thread_id: thread_id.clone(),
            run_id: run_id.clone(),
            protocol_version: PROTOCOL_VERSION,
        });
        for id in settled {
            self.say_result(&id);
        }
        let ended = self.go().await;
        // Before the last event: a client may begin its next run at once.
        let released = self.write(None, None, true).await;
        let event = match ended.and_then(|outcome| released.map(|()| outcome)) {
            Ok(outcome) => Event::RunFinished { thread_id, run_id, outcome, usage: std::mem::take(&mut self.usage) },
            Err(fault) => fault.event(),
        };
        self.sink.say(&event);
    }

    async fn go(&mut self) -> Result<Outcome, Fault> {
        self.look_at_parked().await?;
        let (mut turns, mut told) = (0_usize, None);
        loop {
            match self.transcript.next() {
                Next::Settle => self.settle().await?,
                Next::Wait | Next::Done => return Ok(self.outcome()),
                Next::Model if self.sink.is_gone() => return Err(Fault::Left),
                Next::Model if turns >= CHAT_TURNS_MAX => return Err(Fault::Turns),
                Next::Model => {
                    turns = turns.saturating_add(1);
                    let told = match &mut told {
                        Some(told) => told,
                        none => none.insert(self.offer().await?),
                    };
                    self.take_turn(told).await?;
                }
            }
        }
    }

    /// What waits for somebody, at the end.
    fn outcome(&self) -> Outcome {
        let parked = self.transcript.calls().filter_map(|call| match &call.standing {
            Standing::Parked(parked) if !parked.superseded => Some(interrupt(call, parked)),
            _ => None,
        });
        let interrupts: Vec<_> = parked.collect();
        if !interrupts.is_empty() {
            return Outcome::Interrupt { interrupts };
        }
        let waiting = self.transcript.calls().filter(|call| call.standing == Standing::Client);
        Outcome::Success { pending_tool_call_ids: waiting.map(|call| call.id.clone()).collect() }
    }

    /// Says what a call came to.
    pub(super) fn say_result(&self, id: &str) {
        if let Some(event) = self.result_event(id) {
            self.sink.say(&event);
        }
    }

    /// The same of a server's call that never was one, with that.
    pub(super) fn say_end(&self, id: &str) {
        for event in self.end_event(id).into_iter().chain(self.result_event(id)) {
            self.sink.say(&event);
        }
    }

    pub(super) fn result_event(&self, id: &str) -> Option<Event> {
        match &self.transcript.call(id)?.standing {
            Standing::Answered { content, .. } => Some(Event::result(id, content)),
            _ => None,
        }
    }

    /// Keeps what changed, and the thread for a while longer.
    pub(super) async fn keep(&mut self) -> Result<(), Fault> {
        self.write(None, None, false).await
    }

    /// The same, with what an offer added, and the offer itself.
    pub(super) async fn write(
        &mut self,
        offered: Option<Vec<String>>,
        offer: Option<KeptOffer>,
        release: bool,
    ) -> Result<(), Fault> {
        let items = self.transcript.take_changed();
        let summary = (!items.is_empty()).then(|| self.transcript.summary());
        let (thread, token) = (self.input.thread.clone(), self.token.clone());
        let write = Write { thread, token, items, summary, offered, offer, release };
        match self.person.ask(&self.edge, &threads::Command::Write(write)).await? {
            Reply::Done => Ok(()),
            _ => Err(Fault::Lost),
        }
    }

    /// What the future gives; meanwhile the thread is kept.
    pub(super) async fn hold<F: Future>(&mut self, future: F) -> Result<F::Output, Fault> {
        let mut future = Box::pin(future);
        loop {
            match toolgate_durable::before(now().plus_seconds(CHAT_RENEW_SECONDS), &mut future).await {
                Some(output) => return Ok(output),
                None => self.keep().await?,
            }
        }
    }
}

impl Fault {
    fn event(self) -> Event {
        let (code, message) = match self {
            Fault::Model(ModelError { code, message }) => (code, message),
            Fault::Problem(problem) if problem.kind == problems::INVALID_KEY => (problem.kind.code, problem.detail),
            Fault::Problem(problem) => {
                console_error!("a run of a thread failed: {}", problem.detail);
                ("internal", "Something failed at the gateway. Run the thread again: nothing is done twice.".to_owned())
            }
            Fault::Lost => ("thread_lost", "The thread was deleted, or another run has it now.".to_owned()),
            Fault::Left => ("client_left", "The client left.".to_owned()),
            Fault::Turns => (
                "turn_limit",
                format!("The model did not come to an end in {CHAT_TURNS_MAX} turns. Say something to go on."),
            ),
        };
        Event::RunError { message, code: code.to_owned() }
    }
}
