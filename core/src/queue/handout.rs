//! Who gets which call: polls, and calls that find a poll waiting.

use std::rc::Rc;

use toolgate_protocol::calls::CallState;
use toolgate_protocol::limits::{POLL_JOBS_MAX, POLL_SECONDS_MAX, SESSION_SEEN_SECONDS};
use toolgate_protocol::workers::{Job, PollAnswer, PollRequest};

use super::call::{Bucket, Call};
use super::claims::check_count;
use super::machine::CallEvent;
use super::memory::{WaiterId, Waiting};
use super::messages::Answer;
use super::store::{Head, KnownManifest, Session, Stored};
use super::{Outcome, Step};
use crate::policy::Snapshot;

/// Queued calls looked at per page.
const PAGE: usize = 64;

/// A session that may be handed jobs.
#[derive(Clone)]
pub(super) struct Taker {
    pub session: Session,
    pub manifest: Rc<KnownManifest>,
}

impl Taker {
    /// It announced the tool with this class and input.
    fn announced(&self, tool: &str, contract_hash: &str) -> bool {
        self.manifest.contracts.get(tool).is_some_and(|contract| contract == contract_hash)
    }
}

impl Step<'_> {
    /// A poll: results and accepts first, then jobs; held when there is nothing to say.
    pub fn poll(&mut self, poll: PollRequest) -> Stored<Outcome> {
        if let Err(problem) = check_count("accepts", poll.accepts.len()) {
            return Ok(Outcome::Reply(Err(problem)));
        }
        let talks = !poll.results.is_empty() || !poll.accepts.is_empty();
        // Results count whatever became of the session: told again after a refusal they are `repeated`.
        let results = match self.results(&poll.session, poll.results)? {
            Ok(results) => results,
            Err(problem) => return Ok(Outcome::Reply(Err(problem))),
        };
        let taker = match self.taker(&poll.session)? {
            Ok(taker) => taker,
            Err(problem) => return Ok(Outcome::Reply(Err(problem))),
        };
        let accepts = self.accept_claims(&poll.session, &poll.accepts)?;
        let max = usize::try_from(poll.max).unwrap_or(usize::MAX).min(POLL_JOBS_MAX);
        let jobs = self.take(&taker, max)?;
        let seconds = poll.wait_seconds.unwrap_or(POLL_SECONDS_MAX).min(POLL_SECONDS_MAX);
        if talks || !jobs.is_empty() {
            return Ok(Outcome::Reply(Ok(Answer::Poll(Box::new(PollAnswer { jobs, accepts, results })))));
        }
        if max == 0 || seconds == 0 {
            return Ok(Outcome::Reply(Ok(Answer::Idle)));
        }
        Ok(self.hold(Waiting::Poll { session: poll.session, max }, seconds))
    }

    /// Up to `max` jobs for a session, oldest calls first; calls whose ground is gone are ended on the way.
    fn take(&mut self, taker: &Taker, max: usize) -> Stored<Vec<Job>> {
        let (mut jobs, mut after) = (Vec::new(), None);
        let Ok(policy) = self.policy() else {
            self.effects.wants_snapshot = true;
            return Ok(jobs);
        };
        while jobs.len() < max {
            let heads = self.store.queued(self.now, after.as_ref(), PAGE)?;
            let Some(last) = heads.last() else { break };
            after = Some(last.id.clone());
            for head in heads {
                if jobs.len() < max
                    && let Some(job) = self.take_one(&policy, taker, &head)?
                {
                    jobs.push(job);
                }
            }
        }
        Ok(jobs)
    }

    fn take_one(&mut self, policy: &Snapshot, taker: &Taker, head: &Head) -> Stored<Option<Job>> {
        let tool = policy.tools.get(&head.tool);
        let changed = tool.is_none_or(|tool| tool.contract_hash != head.contract_hash);
        let fits = tool.is_some_and(|tool| tool.enabled) && taker.announced(&head.tool, &head.contract_hash);
        if !changed && !fits {
            return Ok(None);
        }
        let Some(mut call) = self.current(&head.id)?.filter(|call| call.state == CallState::Queued) else {
            return Ok(None);
        };
        if let Some(withdrawn) = policy.withdrawn(&call.accepted_under()) {
            self.invalidate(&mut call, withdrawn, Bucket::Queued)?;
            return Ok(None);
        }
        if !fits {
            return Ok(None);
        }
        self.hand_over(&mut call, taker, Some(Bucket::Queued)).map(Some)
    }

    fn hand_over(&mut self, call: &mut Call, taker: &Taker, was: Option<Bucket>) -> Stored<Job> {
        let (session, worker) = (taker.session.id.clone(), taker.session.worker.clone());
        let by = worker.clone();
        self.change(call, CallEvent::HandOut { session, worker }, &by, None, was)?;
        Ok(self.job(call))
    }

    /// Gives a new call to the poll that has waited longest among those that can run it. Nothing older is passed by:
    /// a poll waits only while no queued call fits it.
    pub fn hand_to_waiting(&mut self, call: &mut Call) -> Stored<bool> {
        let names: Vec<WaiterId> = self.queue.memory.waiters.keys().copied().collect();
        for name in names {
            let Some(session) = self.queue.memory.polling(name) else { continue };
            let Ok(taker) = self.taker_unseen(&session)? else { continue };
            if taker.announced(&call.asked.tool, &call.asked.contract_hash) {
                let job = self.hand_over(call, &taker, None)?;
                self.answer(name, jobs_answer(vec![job]));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives queued calls to polls that wait; after anything that may have made a call ready.
    pub fn dispatch(&mut self) -> Stored<()> {
        if self.queue.memory.snapshot.as_ref().is_some_and(|policy| policy.is_delivered()) {
            return self.deliver_queued();
        }
        for (name, session, max) in self.queue.memory.polls() {
            if self.store.queued(self.now, None, 1)?.is_empty() {
                break;
            }
            let Ok(taker) = self.taker_unseen(&session)? else { continue };
            let jobs = self.take(&taker, max)?;
            if !jobs.is_empty() {
                self.answer(name, jobs_answer(jobs));
            }
        }
        Ok(())
    }

    /// The session of a poll that waits: as it is, without counting as a sign of life.
    fn taker_unseen(&mut self, session: &str) -> Stored<Result<Taker, ()>> {
        let seen = self.queue.memory.seen.get(session).map(|live| live.at).unwrap_or_default();
        match self.store.session(session)? {
            Some(session) if session.gone.is_none() && self.now < seen.plus_seconds(SESSION_SEEN_SECONDS) => {
                let manifest = self.manifest(&session.manifest)?;
                Ok(Ok(Taker { session, manifest }))
            }
            _ => Ok(Err(())),
        }
    }

    /// A manifest; the content of a hash never changes, so it is read once.
    pub fn manifest(&mut self, hash: &str) -> Stored<Rc<KnownManifest>> {
        if let Some(known) = self.queue.memory.manifests.get(hash) {
            return Ok(Rc::clone(known));
        }
        let manifest = Rc::new(self.store.manifest(hash)?.unwrap_or_default());
        self.queue.memory.manifests.insert(hash.to_owned(), Rc::clone(&manifest));
        Ok(manifest)
    }
}

fn jobs_answer(jobs: Vec<Job>) -> super::messages::Reply {
    Ok(Answer::Poll(Box::new(PollAnswer { jobs, ..PollAnswer::default() })))
}
