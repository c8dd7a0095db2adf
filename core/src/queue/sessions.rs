//! Sessions of workers: registration, goodbye, being seen.

use std::collections::BTreeSet;

use toolgate_protocol::control::Transport;
use toolgate_protocol::limits::{LEASE_SECONDS, POLL_SECONDS_MAX, SESSION_REMEMBERED_SECONDS, SESSION_SEEN_SECONDS};
use toolgate_protocol::problems;
use toolgate_protocol::workers::{RegisterAnswer, RegistrationResult, RegistrationStatus};

use super::handout::Taker;
use super::memory::WaiterId;
use super::messages::{Answer, PoolMessage, Register};
use super::store::{Gone, KnownManifest, Session, Stored};
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
        let live = self.live_manifests()?;
        let result = match &register.result {
            Some(result) => result.clone(),
            None if live.contains(&register.manifest) => unchanged(&self.manifest(&register.manifest)?.result),
            None => return Ok(Ok(Answer::NewManifest(live))),
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
        self.queue.memory.seen.insert(session.id.clone(), self.now);
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
        let before = self.live_manifests()?;
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
        let seen = self.queue.memory.seen.get(id).copied().unwrap_or_default();
        if seen.plus_seconds(SESSION_SEEN_SECONDS) <= self.now {
            let before = self.live_manifests()?;
            self.end_session(id, Gone::Lapsed)?;
            self.tell_live(&before)?;
            return Ok(Err(unknown_session()));
        }
        self.queue.memory.seen.insert(id.to_owned(), self.now);
        let manifest = self.manifest(&session.manifest)?;
        Ok(Ok(Taker { session, manifest }))
    }

    /// A sign of life of a session, if it is live.
    pub(super) fn saw(&mut self, id: &str) -> Stored<()> {
        if let Some(seen) = self.queue.memory.seen.get_mut(id) {
            *seen = self.now;
        }
        Ok(())
    }

    /// The manifests that live sessions announce, sorted.
    pub(super) fn live_manifests(&self) -> Stored<Vec<String>> {
        let mut live = Vec::new();
        for id in self.queue.memory.seen.keys() {
            live.extend(
                self.store.session(id)?.filter(|session| session.gone.is_none()).map(|session| session.manifest),
            );
        }
        live.sort();
        live.dedup();
        Ok(live)
    }

    /// Tells the registry when the set of live manifests changed.
    pub(super) fn tell_live(&mut self, before: &[String]) -> Stored<()> {
        let live = self.live_manifests()?;
        if live == before { Ok(()) } else { self.tell(&PoolMessage::Live(live)) }
    }

    pub(super) fn end_session(&mut self, id: &str, why: Gone) -> Stored<()> {
        self.queue.memory.seen.remove(id);
        if let Some(mut session) = self.store.session(id)?.filter(|session| session.gone.is_none()) {
            session.gone = Some((self.now, why));
            self.store.put_session(&session)?;
            let polls: Vec<WaiterId> = self
                .queue
                .memory
                .polls()
                .into_iter()
                .filter(|(_, owner, _)| owner == id)
                .map(|(name, ..)| name)
                .collect();
            for name in polls {
                let reply = match why {
                    Gone::Superseded => Err(superseded(&session.worker)),
                    Gone::Revoked => Err(Problem::new(problems::INVALID_KEY, "The key was revoked; use another.")),
                    Gone::Goodbye | Gone::Lapsed => Ok(Answer::Idle),
                };
                self.answer(name, reply);
            }
        }
        Ok(())
    }

    /// A revoked key takes its sessions with it: a poll that waits is handed nothing more.
    pub(super) fn end_revoked_sessions(&mut self) -> Stored<()> {
        let Some(policy) = self.queue.memory.snapshot.clone() else { return Ok(()) };
        let before = self.live_manifests()?;
        for session in self.store.sessions()? {
            if session.gone.is_none() && !policy.keys.contains_key(&session.key_id) {
                self.end_session(&session.id, Gone::Revoked)?;
            }
        }
        self.tell_live(&before)
    }

    fn supersede(&mut self, worker: &str) -> Stored<()> {
        for session in self.store.sessions()? {
            if session.worker == worker && session.gone.is_none() {
                self.end_session(&session.id, Gone::Superseded)?;
            }
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
        self.queue.memory.health.retain(|worker, _| workers.contains(worker));
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

fn superseded(worker: &str) -> Problem {
    Problem::new(
        problems::SESSION_SUPERSEDED,
        format!("Another process registered with the worker id {worker:?}; give each process its own id."),
    )
}

fn wrong_transport() -> Problem {
    Problem::new(problems::TRANSPORT_IN_USE, "The pool is not served by workers.")
}
