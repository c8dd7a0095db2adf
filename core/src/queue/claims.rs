//! What the holder of a claim may say: accept, renew, give back, result.

use toolgate_protocol::calls::CallError;
use toolgate_protocol::limits::{
    ACTIVITY_BYTES_MAX, CLAIMS_MAX, ERROR_MESSAGE_CHARS_MAX, LEASE_SECONDS, RESULT_BYTES_MAX, RESULT_PREVIEW_BYTES,
};
use toolgate_protocol::workers::{ClaimStatus, ClaimsRequest, HandlerError, ResultEntry};

use super::call::{Bucket, Call, Outcome};
use super::machine::{self, CallEvent, Phase, Verdict};
use super::messages::Answer;
use super::store::Stored;
use super::{Step, Stepped};
use crate::problem::Problem;

fn status(claim: &str, word: &str) -> ClaimStatus {
    ClaimStatus { claim: claim.to_owned(), status: word.to_owned(), lease_seconds: None, cancel_requested: None }
}

impl Step<'_> {
    /// Writes about to start; the session must be live.
    pub fn accept(&mut self, request: &ClaimsRequest) -> Stepped {
        if let Err(problem) = check_count("claims", request.claims.len()) {
            return Ok(Err(problem));
        }
        if let Err(problem) = self.taker(&request.session)? {
            return Ok(Err(problem));
        }
        self.accept_claims(&request.session, &request.claims).map(|statuses| Ok(Answer::Claims(statuses)))
    }

    pub(super) fn accept_claims(&mut self, session: &str, claims: &[String]) -> Stored<Vec<ClaimStatus>> {
        claims.iter().map(|claim| self.accept_one(session, claim)).collect()
    }

    fn accept_one(&mut self, session: &str, token: &str) -> Stored<ClaimStatus> {
        let Some((mut call, hand_over)) = self.claimed(token)? else { return Ok(status(token, "claim_lost")) };
        if call.claim.as_ref().is_none_or(|claim| claim.session != session) {
            return Ok(status(token, lost_word(&call, hand_over)));
        }
        let was = Bucket::of(call.state);
        // Between hand-out and accept a grant may have gone: the write has certainly not started, so it need not.
        if machine::phase(&call) == Phase::HandedOver
            && let Some(withdrawn) =
                self.queue.memory.snapshot.clone().and_then(|policy| policy.withdrawn(&call.accepted_under()))
        {
            self.invalidate(&mut call, withdrawn, was)?;
            return Ok(status(token, "claim_lost"));
        }
        let by = worker_of(&call, hand_over);
        Ok(match self.change(&mut call, CallEvent::Accept(hand_over), &by, None, Some(was))? {
            Verdict::Done | Verdict::Repeated => {
                let until = self.queue.memory.leases.get(&call.id).copied().unwrap_or(self.now);
                ClaimStatus { lease_seconds: Some(until.seconds_from(self.now)), ..status(token, "accepted") }
            }
            _ => status(token, lost_word(&call, hand_over)),
        })
    }

    /// Signs of life. A lost claim is told so, for that job only.
    pub fn renew(&mut self, request: &ClaimsRequest) -> Stepped {
        if let Err(problem) = check_count("claims", request.claims.len()) {
            return Ok(Err(problem));
        }
        self.saw(&request.session);
        let statuses: Stored<Vec<ClaimStatus>> = request.claims.iter().map(|claim| self.renew_one(claim)).collect();
        statuses.map(|statuses| Ok(Answer::Claims(statuses)))
    }

    fn renew_one(&mut self, token: &str) -> Stored<ClaimStatus> {
        let Some((mut call, hand_over)) = self.claimed(token)? else { return Ok(status(token, "claim_lost")) };
        let holds = call.claim.as_ref().is_some_and(|claim| claim.hand_over == hand_over);
        let until = match machine::phase(&call) {
            // Before accept a renewal extends nothing.
            Phase::HandedOver if holds => call.due().unwrap_or(self.now),
            Phase::Reading | Phase::Writing if holds => {
                self.set_lease(&call, LEASE_SECONDS);
                self.end_grace(&mut call)?;
                self.queue.memory.leases.get(&call.id).copied().unwrap_or(self.now)
            }
            _ => return Ok(status(token, lost_word(&call, hand_over))),
        };
        let cancel_requested = call.cancel_requested.then_some(true);
        Ok(ClaimStatus {
            lease_seconds: Some(until.seconds_from(self.now)),
            cancel_requested,
            ..status(token, "renewed")
        })
    }

    /// A claim that outlived a rebuild has shown life: it may be granted a period again.
    fn end_grace(&mut self, call: &mut Call) -> Stored<()> {
        match &mut call.claim {
            Some(claim) if claim.grace_until.is_some() => {
                claim.grace_until = None;
                self.store.update(call, Bucket::Running)
            }
            _ => Ok(()),
        }
    }

    /// What has not started goes back, under its old deadline.
    pub fn give_back(&mut self, request: &ClaimsRequest) -> Stepped {
        if let Err(problem) = check_count("claims", request.claims.len()) {
            return Ok(Err(problem));
        }
        self.saw(&request.session);
        let mut statuses = Vec::new();
        for token in &request.claims {
            statuses.push(self.give_back_one(token)?);
        }
        self.run_due()?;
        self.dispatch()?;
        Ok(Ok(Answer::Claims(statuses)))
    }

    fn give_back_one(&mut self, token: &str) -> Stored<ClaimStatus> {
        let Some((mut call, hand_over)) = self.claimed(token)? else { return Ok(status(token, "claim_lost")) };
        let (was, by) = (Bucket::of(call.state), worker_of(&call, hand_over));
        Ok(match self.change(&mut call, CallEvent::Return(hand_over), &by, None, Some(was))? {
            Verdict::Done => status(token, "returned"),
            Verdict::AlreadyAccepted => status(token, "already_accepted"),
            _ => status(token, lost_word(&call, hand_over)),
        })
    }

    /// Outcomes. A faulty entry refuses the request before any of it is used.
    pub fn results(&mut self, session: &str, entries: Vec<ResultEntry>) -> Stored<Result<Vec<ClaimStatus>, Problem>> {
        if let Err(problem) = check_count("results", entries.len()) {
            return Ok(Err(problem));
        }
        if let Some(index) = entries.iter().position(|entry| entry.result.is_some() && entry.error.is_some()) {
            return Ok(Err(Problem::invalid(
                &format!("results[{index}]"),
                "has both a result and an error; send one of them.",
            )));
        }
        self.saw(session);
        let statuses: Stored<Vec<ClaimStatus>> = entries.into_iter().map(|entry| self.result_one(entry)).collect();
        statuses.map(Ok)
    }

    fn result_one(&mut self, entry: ResultEntry) -> Stored<ClaimStatus> {
        let token = entry.claim.clone();
        let Some((mut call, hand_over)) = self.claimed(&token)? else { return Ok(status(&token, "claim_lost")) };
        let (was, by) = (Bucket::of(call.state), worker_of(&call, hand_over));
        let outcome = outcome_of(entry);
        let failed = outcome.error.is_some();
        let verdict = self.change(&mut call, CallEvent::Settle(hand_over, outcome), &by, None, Some(was))?;
        if matches!(verdict, Verdict::Done | Verdict::Late) {
            self.count(&by, failed);
        }
        Ok(status(
            &token,
            match verdict {
                Verdict::Done => "recorded",
                Verdict::Repeated => "repeated",
                Verdict::Late => "late",
                _ => "claim_lost",
            },
        ))
    }

    /// The call and hand-over of a genuine token.
    pub(super) fn claimed(&mut self, token: &str) -> Stored<Option<(Call, u32)>> {
        let Some((id, hand_over)) = self.queue.ids.read_claim(&self.place(), token) else { return Ok(None) };
        Ok(self.current(&id)?.map(|call| (call, hand_over)))
    }

    /// Counts a worker's outcome.
    pub(super) fn count(&mut self, worker: &str, failed: bool) {
        let health = self.queue.memory.health.entry(worker.to_owned()).or_default();
        let counter = if failed { &mut health.failed } else { &mut health.succeeded };
        *counter = counter.saturating_add(1);
    }
}

/// Why a claim is not held any more, as far as its holder can use it.
fn lost_word(call: &Call, hand_over: u32) -> &'static str {
    let was_last = call.claim.as_ref().is_some_and(|claim| claim.hand_over == hand_over);
    let too_late = call
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.error.as_ref())
        .is_some_and(|error| error.code == "deadline_exceeded");
    if was_last && too_late { "deadline_exceeded" } else { "claim_lost" }
}

/// Who was given this hand-over: the holder, or, of an earlier one, whom the timeline names.
pub(super) fn worker_of(call: &Call, hand_over: u32) -> String {
    if let Some(claim) = call.claim.as_ref().filter(|claim| claim.hand_over == hand_over) {
        return claim.worker.clone();
    }
    let back = usize::try_from(call.hand_overs.saturating_sub(hand_over)).unwrap_or(usize::MAX);
    let given = call.timeline.iter().rev().filter(|entry| entry.event == "hand_out").nth(back);
    given.map_or_else(|| "a former worker".to_owned(), |entry| entry.by.clone())
}

pub(super) fn check_count(field: &str, count: usize) -> Result<(), Problem> {
    if count <= CLAIMS_MAX {
        Ok(())
    } else {
        Err(Problem::invalid(field, format!("has {count} entries; the limit is {CLAIMS_MAX}.")))
    }
}

pub(super) fn outcome_of(entry: ResultEntry) -> Outcome {
    let activity = entry
        .activity
        .and_then(|activity| serde_json::to_string(&activity).ok())
        .filter(|text| text.len() <= ACTIVITY_BYTES_MAX);
    match entry.error {
        Some(error) => Outcome { error: Some(handler_error(error)), activity, ..Outcome::default() },
        None => Outcome {
            result: Some(keep_result(entry.result.as_deref().map_or("null", |raw| raw.get()))),
            activity,
            ..Outcome::default()
        },
    }
}

fn handler_error(error: HandlerError) -> CallError {
    let is_code = |code: &String| {
        (1..=64).contains(&code.len())
            && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    CallError {
        code: error.code.filter(is_code).unwrap_or_else(|| "handler_error".to_owned()),
        message: error.message.chars().take(ERROR_MESSAGE_CHARS_MAX).collect(),
    }
}

/// A result over the limit does not fail a call that happened: it is kept as a preview.
pub fn keep_result(text: &str) -> String {
    if text.len() <= RESULT_BYTES_MAX {
        return text.to_owned();
    }
    let mut preview = String::new();
    for character in text.chars() {
        if preview.len().saturating_add(character.len_utf8()) > RESULT_PREVIEW_BYTES {
            break;
        }
        preview.push(character);
    }
    serde_json::json!({ "truncated": true, "bytes": text.len(), "preview": preview }).to_string()
}
