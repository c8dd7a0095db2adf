//! Sessions of workers: registration, goodbye, being seen.

use std::collections::BTreeSet;

use toolgate_protocol::control::Transport;
use toolgate_protocol::limits::{LEASE_SECONDS, POLL_SECONDS_MAX, SESSION_REMEMBERED_SECONDS, SESSION_SEEN_SECONDS};
use toolgate_protocol::problems;
use toolgate_protocol::workers::{RegisterAnswer, RegistrationResult, RegistrationStatus};

use super::handout::Taker;
use super::memory::{Live, Waiter, Waiting};
use super::messages::{Answer, Manifests, PoolMessage, Register, Reply};
use super::store::{Gone, KnownManifest, Session, Stored};
use super::target::is_deliverer;
use super::{Step, Stepped};
use crate::hash::hex;
use crate::keys::Identity;
use crate::names;
use crate::problem::Problem;

impl Step<'_> {
    /// A worker announces itself. A manifest that a live session has announced is answered from here; any other one
    /// is news for the registry first.
    pub fn register(&mut self, who: &Identity, register: Register) -> Stepped {
        let policy = match self.policy() {
            Ok(policy) => policy,
            Err(problem) => return Ok(Err(problem)),
        };
        if policy.transport != Transport::Worker {
            return Ok(Err(wrong_transport()));
        }
        if let Err(problem) = names::label("worker", &register.worker) {
            return Ok(Err(problem));
        }
        let live = self.live_manifests();
        let result = match &register.result {
            Some(result) => result.clone(),
            None if live.contains(&register.manifest) => unchanged(&self.manifest(&register.manifest)?.result),
            None => {
                let manifests = Manifests { live: self.live_but(&register.worker), seen: self.seen_manifests()? };
                return Ok(Ok(Answer::NewManifest(manifests)));
            }
        };
        self.supersede(&register.worker)?;
        if let Some(result) = register.result {
            let known = KnownManifest { contracts: register.contracts, result };
            self.store.put_manifest(&register.manifest, &known)?;
            self.queue.memory.manifests.remove(&register.manifest);
        }
        let session = Session {
            id: format!("ses_{}", hex(&self.entropy)),
            worker: register.worker,
            key_id: who.key_id.clone(),
            manifest: register.manifest,
            registered_at: self.now,
            gone: None,
        };
        self.store.put_session(&session)?;
        let seen = Live { at: self.now, manifest: session.manifest.clone(), worker: session.worker.clone() };
        self.queue.memory.seen.insert(session.id.clone(), seen);
        self.tell_live(&live)?;
        let RegistrationResult { tools, contexts, disabled } = result;
        let answer = RegisterAnswer {
            session: session.id,
            lease_seconds: LEASE_SECONDS,
            poll_seconds: POLL_SECONDS_MAX,
            tools,
            contexts,
            disabled,
        };
        Ok(Ok(Answer::Registered(Box::new(answer))))
    }

    /// A worker leaves: its polls end empty and it is handed nothing any more.
    pub fn goodbye(&mut self, session: &str) -> Stepped {
        let before = self.live_manifests();
        self.end_session(session, Gone::Goodbye)?;
        self.tell_live(&before)?;
        Ok(Ok(Answer::Stored))
    }

    /// The session may take jobs: live, seen, not superseded. Being asked counts as seen.
    pub(super) fn taker(&mut self, id: &str) -> Stored<Result<Taker, Problem>> {
        if self.queue.memory.snapshot.as_ref().is_some_and(|policy| policy.transport != Transport::Worker) {
            return Ok(Err(wrong_transport()));
        }
        let Some(session) = self.store.session(id)? else { return Ok(Err(unknown_session())) };
        match session.gone {
            Some((_, Gone::Superseded)) => return Ok(Err(superseded(&session.worker))),
            Some(_) => return Ok(Err(unknown_session())),
            None => {}
        }
        let seen = self.queue.memory.seen.get(id).map(|live| live.at).unwrap_or_default();
        if seen.plus_seconds(SESSION_SEEN_SECONDS) <= self.now {
            let before = self.live_manifests();
            self.end_session(id, Gone::Lapsed)?;
            self.tell_live(&before)?;
            return Ok(Err(unknown_session()));
        }
        self.saw(id);
        let manifest = self.manifest(&session.manifest)?;
        Ok(Ok(Taker { session, manifest }))
    }

    /// A sign of life of a session, if it is live.
    pub(super) fn saw(&mut self, id: &str) {
        if let Some(live) = self.queue.memory.seen.get_mut(id) {
            live.at = self.now;
        }
    }

    /// The manifests that live sessions announce, sorted.
    pub(super) fn live_manifests(&self) -> Vec<String> {
        let live: BTreeSet<&String> = self.queue.memory.seen.values().map(|live| &live.manifest).collect();
        live.into_iter().cloned().collect()
    }

    /// The same without a worker that is about to be superseded.
    fn live_but(&self, worker: &str) -> Vec<String> {
        let others = self.queue.memory.seen.values().filter(|live| live.worker != worker);
        let live: BTreeSet<&String> = others.map(|live| &live.manifest).collect();
        live.into_iter().cloned().collect()
    }

    /// The manifests of sessions that are remembered, live or gone.
    fn seen_manifests(&self) -> Stored<Vec<String>> {
        let seen: BTreeSet<String> = self.store.sessions()?.into_iter().map(|session| session.manifest).collect();
        Ok(seen.into_iter().collect())
    }

    /// Tells the registry when the set of live manifests changed.
    pub(super) fn tell_live(&mut self, before: &[String]) -> Stored<()> {
        let live = self.live_manifests();
        if live == before {
            return Ok(());
        }
        let seen = self.seen_manifests()?;
        self.tell(&PoolMessage::Live(Manifests { live, seen }))
    }

    pub(super) fn end_session(&mut self, id: &str, why: Gone) -> Stored<()> {
        self.queue.memory.seen.remove(id);
        if let Some(mut session) = self.store.session(id)?.filter(|session| session.gone.is_none()) {
            session.gone = Some((self.now, why));
            self.store.put_session(&session)?;
            self.end_polls(id, || match why {
                Gone::Superseded => Err(superseded(&session.worker)),
                Gone::Revoked => Err(revoked()),
                Gone::Goodbye | Gone::Lapsed => Ok(Answer::Idle),
            });
        }
        Ok(())
    }

    /// Ends the polls that a session holds.
    pub(super) fn end_polls(&mut self, session: &str, reply: impl Fn() -> Reply) {
        let polls = self.queue.memory.polls().into_iter().filter(|(_, owner, _)| owner == session);
        for (name, ..) in polls.collect::<Vec<_>>() {
            self.answer(name, reply());
        }
    }

    /// What a revoked key waits for is not told any more.
    pub(super) fn end_revoked_waits(&mut self) {
        let Some(policy) = self.queue.memory.snapshot.clone() else { return };
        let lost = |waiter: &Waiter| matches!(&waiter.waiting, Waiting::Call { key_id, .. } if !policy.keys.contains_key(key_id));
        let lost = self.queue.memory.waiters.iter().filter(|(_, waiter)| lost(waiter)).map(|(name, _)| *name);
        for name in lost.collect::<Vec<_>>() {
            self.answer(name, Err(revoked()));
        }
    }

    /// A revoked key takes its sessions with it: a poll that waits is handed nothing more.
    pub(super) fn end_revoked_sessions(&mut self) -> Stored<()> {
        let Some(policy) = self.queue.memory.snapshot.clone() else { return Ok(()) };
        let before = self.live_manifests();
        for session in self.store.sessions()? {
            if session.gone.is_none() && !policy.keys.contains_key(&session.key_id) {
                self.end_session(&session.id, Gone::Revoked)?;
            }
        }
        self.tell_live(&before)
    }

    /// A pool that workers do not serve any more has no use for their polls.
    pub(super) fn end_polls_of_other_transport(&mut self) {
        if self.queue.memory.snapshot.as_ref().is_some_and(|policy| policy.transport != Transport::Worker) {
            for (name, ..) in self.queue.memory.polls() {
                self.answer(name, Err(wrong_transport()));
            }
        }
    }

    fn supersede(&mut self, worker: &str) -> Stored<()> {
        let older = self.queue.memory.seen.iter().filter(|(_, live)| live.worker == worker).map(|(id, _)| id.clone());
        for id in older.collect::<Vec<_>>() {
            self.end_session(&id, Gone::Superseded)?;
        }
        Ok(())
    }

    /// Forgets sessions that are long gone, and manifests that no session has.
    pub(super) fn prune(&mut self) -> Stored<()> {
        let (mut kept, mut workers) = (Vec::new(), BTreeSet::new());
        for session in self.store.sessions()? {
            let over = session.gone.is_some_and(|(at, _)| at.plus_seconds(SESSION_REMEMBERED_SECONDS) <= self.now);
            if over {
                self.store.delete_session(&session.id)?;
            } else {
                kept.push(session.manifest);
                workers.insert(session.worker);
            }
        }
        self.store.keep_manifests(&kept)?;
        self.queue.memory.health.retain(|worker, _| is_deliverer(worker) || workers.contains(worker));
        self.queue.memory.manifests.retain(|hash, _| kept.contains(hash));
        Ok(())
    }
}

/// What a second session with the same manifest is told: what was done is done.
fn unchanged(result: &RegistrationResult) -> RegistrationResult {
    let calm = |status| if status == RegistrationStatus::Refused { status } else { RegistrationStatus::Unchanged };
    let mut result = result.clone();
    result.tools.iter_mut().for_each(|tool| tool.status = calm(tool.status));
    result.contexts.iter_mut().for_each(|context| context.status = calm(context.status));
    result
}

fn unknown_session() -> Problem {
    Problem::new(
        problems::UNKNOWN_SESSION,
        "The session is not live: it said goodbye, was not seen for 60 seconds, or never was. Register again.",
    )
}

/// To be told apart from the others: who was superseded should not come back under the same id.
fn superseded(worker: &str) -> Problem {
    let detail = format!("Another process registered with the worker id {worker:?}; give each process its own id.");
    Problem::new(problems::UNKNOWN_SESSION, detail).with("superseded", true)
}

fn revoked() -> Problem {
    Problem::new(problems::INVALID_KEY, "The key was revoked; use another.")
}

fn wrong_transport() -> Problem {
    Problem::new(problems::TRANSPORT_IN_USE, "The pool is not served by workers.")
}
