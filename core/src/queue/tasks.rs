//! Calls as tasks: a read whose tool asks its client for something goes on, once that has answered, as another call with
//! the same arguments. The first call keeps which one that is, and the answers that came so far, in its own row: both are
//! written in the step that makes the next call, so there is never an answer without its call, and never two.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use toolgate_protocol::calls::{Activity, CallInput, CallState, INPUT_REQUIRED};
use toolgate_protocol::limits::MCP_INPUT_BYTES_MAX;

use super::call::{Bucket, Call, Dialogue};
use super::messages::{Answer, AnswerTask, Reply, Submit, TaskView, ToDeliver};
use super::store::Stored;
use super::views::raw;
use super::{Step, Stepped};
use crate::ids::LocalId;
use crate::keys::Identity;
use crate::problem::Problem;

/// A task as it stands.
struct Followed {
    first: Call,
    dialogue: Dialogue,
    /// The call that stands for it now, where that is another one.
    later: Option<Call>,
}

impl Followed {
    fn latest(&self) -> &Call {
        self.later.as_ref().unwrap_or(&self.first)
    }

    /// Does its tool wait for an answer?
    fn asks(&self) -> bool {
        !self.dialogue.cancelled && asks(self.latest())
    }
}

/// Did the call end with a question that may be answered? A write that asks has run, and is told so.
fn asks(call: &Call) -> bool {
    let activity = call.outcome.as_ref().and_then(|outcome| outcome.activity.as_deref());
    let kind = activity.and_then(|text| serde_json::from_str::<Activity>(text).ok()).map(|activity| activity.kind);
    call.state == CallState::Succeeded && !call.asked.side_effect.is_write() && kind.as_deref() == Some(INPUT_REQUIRED)
}

impl Step<'_> {
    /// A call as a task, for who may see it.
    pub fn task(&mut self, who: &Identity, base_url: &str, id: &LocalId) -> Stepped {
        Ok(match self.followed(who, id)? {
            Ok(followed) => Ok(self.task_answer(&followed, base_url)),
            Err(problem) => Err(problem),
        })
    }

    fn followed(&mut self, who: &Identity, id: &LocalId) -> Stored<Result<Followed, Problem>> {
        let first = match self.visible(who, id)? {
            Ok(first) => first,
            Err(problem) => return Ok(Err(problem)),
        };
        let dialogue = first.dialogue.clone().unwrap_or_default();
        let later = match &dialogue.latest {
            None => None,
            // It ended later than the first, so its record is kept longer.
            Some(latest) => match self.current(latest)? {
                Some(call) => Some(call),
                None => return Ok(Err(Problem::not_found())),
            },
        };
        Ok(Ok(Followed { first, dialogue, later }))
    }

    fn task_answer(&self, followed: &Followed, base_url: &str) -> Answer {
        let (first, dialogue, latest) = (&followed.first, &followed.dialogue, followed.latest());
        let changed = latest.ended_at.unwrap_or(latest.asked.at).max(dialogue.at);
        Answer::Task(Box::new(TaskView {
            task: self.call_id(first),
            created_at: first.asked.at.rfc3339(),
            changed_at: changed.rfc3339(),
            view: self.call_view(latest, base_url),
            asks: followed.asks(),
            answered: dialogue.answered,
            has: dialogue.answers.keys().cloned().collect(),
            cancelled: dialogue.cancelled,
        }))
    }

    /// Takes a client's answers; when none is wanted any more, the tool is called again with all of them. Answers to what
    /// is not asked (any more) change nothing.
    pub fn answer_task(&mut self, who: &Identity, base_url: &str, given: AnswerTask) -> Stepped {
        let mut followed = match self.followed(who, &given.call)? {
            Ok(followed) => followed,
            Err(problem) => return Ok(Err(problem)),
        };
        if !followed.asks() || followed.dialogue.answered != given.answered {
            return Ok(self.nothing_new(&followed, base_url, &given));
        }
        if given.gives_up {
            return self.withdraw(followed, base_url);
        }
        let mut answers = followed.dialogue.answers.clone();
        for key in &given.wanted {
            // The first answer counts: what a client has answered it is not asked again.
            if let (Some(answer), false) = (given.answers.get(key), answers.contains_key(key)) {
                answers.insert(key.clone(), answer.get().to_owned());
            }
        }
        let bytes = answers.iter().fold(0, |sum: usize, (_, answer)| sum.saturating_add(answer.len()));
        if bytes > MCP_INPUT_BYTES_MAX {
            return Ok(Err(Problem::too_large("inputResponses", bytes, MCP_INPUT_BYTES_MAX)));
        }
        let complete = given.wanted.iter().all(|key| answers.contains_key(key));
        if !complete && answers == followed.dialogue.answers {
            return Ok(self.nothing_new(&followed, base_url, &given));
        }
        followed.dialogue.answers = answers;
        let mut delivery = None;
        if complete {
            let submit = again(who, followed.latest(), &followed.dialogue.answers, given.state);
            let (call, made) = match self.find_or_make(who, &submit)? {
                Ok(made) => made,
                Err(problem) => {
                    self.audit_refusal(who, &submit, &problem)?;
                    return Ok(Err(problem));
                }
            };
            let answered = followed.dialogue.answered.saturating_add(1);
            followed.dialogue = Dialogue { latest: Some(call.id.clone()), answered, ..Dialogue::default() };
            (followed.later, delivery) = (Some(call), made);
        }
        self.keep(&mut followed)?;
        Ok(Ok(match delivery {
            Some(delivery) => {
                let view = self.call_view(followed.latest(), base_url);
                Answer::Deliver(Box::new(ToDeliver { view, delivery }))
            }
            None => self.task_answer(&followed, base_url),
        }))
    }

    /// Takes a task back: the call that runs, or the question that waits.
    pub fn cancel_task(&mut self, who: &Identity, base_url: &str, id: &LocalId) -> Stepped {
        let followed = match self.followed(who, id)? {
            Ok(followed) => followed,
            Err(problem) => return Ok(Err(problem)),
        };
        if !followed.asks() {
            let latest = followed.latest().id.clone();
            return self.cancel(who, base_url, &latest);
        }
        self.withdraw(followed, base_url)
    }

    /// What is told of answers that change nothing.
    fn nothing_new(&self, followed: &Followed, base_url: &str, given: &AnswerTask) -> Reply {
        if given.once { Err(Problem::not_found()) } else { Ok(self.task_answer(followed, base_url)) }
    }

    fn withdraw(&mut self, mut followed: Followed, base_url: &str) -> Stepped {
        followed.dialogue.cancelled = true;
        followed.dialogue.answers.clear();
        self.keep(&mut followed)?;
        Ok(Ok(self.task_answer(&followed, base_url)))
    }

    /// The first call has ended: only what its row says of the rest changes.
    fn keep(&mut self, followed: &mut Followed) -> Stored<()> {
        followed.dialogue.at = self.now;
        followed.first.dialogue = Some(followed.dialogue.clone());
        self.store.update(&followed.first, Bucket::of(followed.first.state))
    }
}

/// The same call once more, with what the client answered, for the principal as the key that answers has it: what the
/// principal may may have changed.
fn again(who: &Identity, call: &Call, answers: &BTreeMap<String, String>, state: Option<Box<RawValue>>) -> Submit {
    let responses: BTreeMap<&String, Box<RawValue>> = answers.iter().map(|(key, text)| (key, raw(text))).collect();
    let responses = serde_json::value::to_raw_value(&responses).unwrap_or_default();
    Submit {
        tool: call.asked.tool.clone(),
        agent: call.asked.agent.clone(),
        run: call.asked.run.clone(),
        purpose: None,
        principal: who.scope.principal.clone().unwrap_or_else(|| raw(&call.asked.principal)),
        arguments: Some(raw(&call.asked.arguments)),
        input: Some(CallInput { responses, state }),
        profile: None,
        idempotency_key: None,
        alike: false,
        moves: None,
        wait_seconds: 0,
    }
}
