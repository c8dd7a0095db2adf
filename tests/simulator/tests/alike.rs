//! The same consequential call through a door that has no keys: one call while it waits and shortly after, then a new one.

use serde_json::value::RawValue;
use toolgate_core::ids::Place;
use toolgate_core::queue::messages::{Answer, Ask, Envelope, Submit, VERSION};
use toolgate_core::queue::sql::SqlStore;
use toolgate_core::queue::{Event, Outcome, Queue};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::approvals::{DecisionKind, DecisionRequest};
use toolgate_protocol::calls::{CallState, CallView};
use toolgate_protocol::control::Role;
use toolgate_protocol::limits::REPLAY_SECONDS;
use toolgate_simulator::port::Sqlite;
use toolgate_simulator::truth::{Policy, identity};
use toolgate_simulator::world::ids;

const START: UnixMillis = UnixMillis(1_764_500_000_000);

struct Scene {
    sqlite: Sqlite,
    queue: Queue,
    entropy: u8,
}

impl Scene {
    fn new() -> Scene {
        Scene { sqlite: Sqlite::queue(), queue: Queue::new(ids()), entropy: 0 }
    }

    fn step(&mut self, event: Event, now: UnixMillis) -> Outcome {
        self.entropy += 1;
        let mut store = SqlStore::new(&self.sqlite, now);
        self.queue.step(&mut store, event, now, [self.entropy; 16]).expect("storage").outcome
    }

    fn ask(&mut self, role: Role, name: &str, ask: Ask, now: UnixMillis) -> Outcome {
        let (place, who) = (Place::of("acme", "shop"), identity(role, name));
        self.step(Event::Ask(Box::new(Envelope { v: VERSION, place, who, base_url: "http://gate".into(), ask })), now)
    }

    /// The same call once more, with a key of its own, as that door makes one.
    fn submit(&mut self, tool: &str, run: Option<&str>, n: u32, now: UnixMillis) -> Result<CallView, &'static str> {
        let raw = |text: String| RawValue::from_string(text).expect("json");
        let submit = Submit {
            run: run.map(str::to_owned),
            purpose: None,
            tool: tool.into(),
            agent: "alice".into(),
            principal: raw(r#"{"id":"u","tenant_id":"t","permissions":["use"]}"#.into()),
            arguments: Some(raw(format!(r#"{{"n":{n}}}"#))),
            input: None,
            profile: None,
            idempotency_key: Some(format!("fresh-{}", self.entropy)),
            alike: true,
            moves: None,
            wait_seconds: 0,
        };
        // A policy is trusted for minutes only.
        self.step(Event::Snapshot(Box::new(Policy::first().snapshot())), now);
        match self.ask(Role::Caller, "caller", Ask::Submit(submit), now) {
            Outcome::Reply(Ok(Answer::Call { view, .. })) => Ok(*view),
            Outcome::Reply(Err(problem)) => Err(problem.kind.code),
            other => panic!("{other:?}"),
        }
    }

    fn reject(&mut self, call: &CallView, now: UnixMillis) {
        let link = call.approval.clone().expect("parked");
        let request = DecisionRequest {
            decision: DecisionKind::Reject,
            digest: None,
            reason: Some("no".into()),
            arguments: None,
        };
        let (_, id) = ids().read(toolgate_core::ids::IdKind::Approval, "acme", &link.id).expect("ours");
        let outcome = self.ask(Role::Approver, "ann", Ask::Decide(id, request), now);
        assert!(matches!(outcome, Outcome::Reply(Ok(_))), "{outcome:?}");
    }
}

#[test]
fn the_same_call_joins_then_is_answered_with_the_outcome_then_is_a_new_one() {
    let mut scene = Scene::new();
    let parked = scene.submit("refund", None, 1, START).expect("parked");
    assert_eq!((parked.state, parked.replayed), (CallState::WaitingApproval, false));
    let joined = scene.submit("refund", None, 1, START.plus_seconds(60)).expect("joined");
    assert_eq!((joined.call.as_str(), joined.replayed), (parked.call.as_str(), false));
    for other in [scene.submit("refund", None, 2, START), scene.submit("refund", Some("run_a"), 1, START)] {
        assert_ne!(other.expect("parked").call, parked.call);
    }
    let end = START.plus_seconds(100);
    scene.reject(&parked, end);
    let last = end.plus_seconds(REPLAY_SECONDS - 1);
    let told = scene.submit("refund", None, 1, last).expect("told");
    assert_eq!((told.call.as_str(), told.state, told.replayed), (parked.call.as_str(), CallState::Rejected, true));
    // After that the refusal of a repeat within the hour stands, and after the hour it is a new call.
    assert_eq!(scene.submit("refund", None, 1, end.plus_seconds(REPLAY_SECONDS)).err(), Some("recently_rejected"));
    let anew = scene.submit("refund", None, 1, end.plus_seconds(3_601)).expect("a new one");
    assert_eq!((anew.state, anew.replayed), (CallState::WaitingApproval, false));
    assert_ne!(anew.call, parked.call);
    assert_eq!(scene.submit("refund", None, 1, end.plus_seconds(3_700)).expect("joined").call, anew.call);
}

#[test]
fn only_consequential_calls_go_by_what_they_ask_for() {
    let mut scene = Scene::new();
    for tool in ["look", "mark"] {
        let one = scene.submit(tool, None, 1, START).expect("accepted");
        assert_ne!(scene.submit(tool, None, 1, START).expect("accepted").call, one.call, "{tool}");
    }
}
