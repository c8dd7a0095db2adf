//! The webhook deliverer at the edge, on a bad day, and the endpoint behind it: deliveries arrive late, twice or never;
//! it refuses, cannot resolve, has a write accepted and does not hear the answer, sends, loses the reply, dies at any
//! point, and reports late or twice. What it never does: send a write without a clear yes, or say of something sent
//! that it was not.

use serde_json::value::RawValue;
use toolgate_core::ids::IdKind;
use toolgate_core::queue::call::Call;
use toolgate_core::queue::delivery::{Delivery, DeliveryEnvelope, Report};
use toolgate_core::queue::messages::{Answer, VERSION};
use toolgate_core::queue::store::Store as _;
use toolgate_core::queue::{Event, Outcome};
use toolgate_protocol::webhooks::CallReply;
use toolgate_protocol::workers::HandlerError;

use crate::bugs::Bug;
use crate::checks::{self, Checked, LOST};
use crate::truth::Policy;
use crate::world::World;

/// More than this under way: some edge's memory is gone.
const TASKS_MAX: usize = 300;

/// Where a delivery stands at the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not resolved yet.
    Arrived,
    /// A write's accept was sent and its answer did not come: it is not sent, unless a second one is answered yes.
    Unsure,
    /// May be sent.
    Cleared,
    /// Was sent; whether the code got it.
    Sent(bool),
}

/// A delivery at the edge.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub delivery: Delivery,
    pub stage: Stage,
}

impl World {
    /// What a step says is to be delivered, on its way through the edge's own route.
    pub(crate) fn send_to_edge(&mut self, delivery: Delivery) -> Checked {
        let id = self.check_delivery(&delivery)?.id.clone();
        match self.random.below(100) {
            // Lost, and nobody knows.
            0..4 => {}
            // Lost, and the object knows; or it only believes so.
            4..8 => self.report_later(&delivery, Report::NotTried),
            8..10 => {
                self.report_later(&delivery, Report::NotTried);
                self.take_up(delivery);
            }
            10..18 => {
                self.ledger.doubled.insert(id);
                self.take_up(delivery.clone());
                self.take_up(delivery);
            }
            _ => self.take_up(delivery),
        }
        Ok(())
    }

    pub(crate) fn take_up(&mut self, delivery: Delivery) {
        if self.tasks.len() >= TASKS_MAX {
            let dies = self.random.below(self.tasks.len());
            self.tasks.remove(dies);
        }
        self.tasks.push(Task { delivery, stage: Stage::Arrived });
    }

    /// A delivery is of a call as it was accepted, and goes where the policy says.
    pub(crate) fn check_delivery(&self, delivery: &Delivery) -> Result<&Call, String> {
        let (call, hand_over) = self.delivered(delivery)?;
        checks::delivery(&self.ledger, call, delivery, self.now)?;
        let revision = self.queue.memory.snapshot.as_ref().map_or(0, |policy| policy.endpoint_revision);
        let endpoint = checks::endpoint(delivery)?;
        if endpoint.revision != revision || endpoint.url != Policy::url(revision) || hand_over != call.hand_overs {
            return Err(format!("8: {:?} is delivered to {endpoint:?}, not to revision {revision}", call.id));
        }
        Ok(call)
    }

    fn delivered(&self, delivery: &Delivery) -> Result<(&Call, u32), String> {
        let ids = &self.queue.ids;
        let claim = ids.read_claim(&self.place, &delivery.claim).ok_or("6: a delivery's claim does not read")?;
        let (_, id) = ids.read(IdKind::Call, "acme", &delivery.call).ok_or("9: a delivery's call id does not read")?;
        let call = self.store.peek(&id).filter(|_| id == claim.0);
        call.map(|call| (call, claim.1)).ok_or_else(|| format!("9: the delivery of {id:?} is of no call"))
    }

    /// The edge does something: a report that was late arrives, or a delivery goes on.
    pub(crate) fn edge(&mut self) -> Checked {
        if self.random.chance(120) && !self.reports.is_empty() {
            return self.arrive_report();
        }
        if self.tasks.is_empty() {
            return Ok(());
        }
        // Mostly the newest: a write that waits for its turn has lapsed.
        let newest = self.tasks.len() - 1;
        let at = if self.random.chance(600) { newest } else { self.random.below(newest + 1) };
        let mut task = self.tasks.swap_remove(at);
        loop {
            if !self.go_on(&mut task)? {
                return Ok(());
            }
            if self.random.chance(350) {
                self.tasks.push(task);
                return Ok(());
            }
        }
    }

    pub(crate) fn arrive_report(&mut self) -> Checked {
        if self.reports.is_empty() {
            return Ok(());
        }
        let at = self.random.below(self.reports.len());
        let late = self.reports.swap_remove(at);
        self.step(Event::Report(Box::new(late))).map(|_| ())
    }

    /// One step of a delivery; false when that was its last.
    fn go_on(&mut self, task: &mut Task) -> Result<bool, String> {
        if self.random.chance(25) {
            return Ok(false);
        }
        let delivery = task.delivery.clone();
        let chance = self.random.below(100);
        task.stage = match task.stage {
            Stage::Arrived if chance < 8 => {
                let reason = "the name leads to 10.0.0.1".to_owned();
                return self.report(&delivery, Report::Refused { reason });
            }
            Stage::Arrived if chance < 15 => return self.report(&delivery, Report::NotTried),
            Stage::Arrived if !delivery.side_effect.is_write() => Stage::Cleared,
            Stage::Arrived => return self.ask_leave(task),
            Stage::Unsure if chance < 40 => return self.ask_leave(task),
            Stage::Unsure if chance < 60 => return self.report(&delivery, self.lost(chance)),
            Stage::Unsure if chance < 80 => return self.report(&delivery, Report::NotTried),
            Stage::Unsure => return Ok(false),
            // No connection, or one that broke before the code had it.
            Stage::Cleared if chance < 8 => Stage::Sent(false),
            Stage::Cleared => {
                self.start_at_endpoint(&delivery)?;
                Stage::Sent(true)
            }
            Stage::Sent(ran) => {
                let said = self.heard(ran, chance);
                if ran && chance < 3 && matches!(said, Report::Lost { .. }) {
                    // The answer came after all, after it was given up.
                    self.report_later(&delivery, reply(chance));
                }
                return self.report(&delivery, said);
            }
        };
        Ok(true)
    }

    /// What the deliverer heard of something that it sent.
    fn heard(&self, ran: bool, chance: usize) -> Report {
        if ran && self.bug == Some(Bug::RefusesWhatItSent) {
            return Report::Refused { reason: "planted".into() };
        }
        if !ran || chance < 15 { self.lost(chance) } else { reply(chance) }
    }

    fn lost(&self, chance: usize) -> Report {
        let code = LOST[1 + chance % 3].to_owned();
        let retry_after_seconds = chance.is_multiple_of(2).then_some(chance as u64);
        Report::Lost { code, retry_after_seconds }
    }

    /// May this write be sent? Anything but a clear yes is a no.
    fn ask_leave(&mut self, task: &mut Task) -> Result<bool, String> {
        let endpoint = checks::endpoint(&task.delivery)?;
        let revision = endpoint.revision;
        let secret = endpoint.secrets.first().map(|newest| newest.sealed.clone()).unwrap_or_default();
        let envelope = self.envelope(&task.delivery, Report::Accept { revision, secret });
        match self.random.below(100) {
            // Lost on its way there, or late: then its answer finds nobody.
            0..4 => {
                task.stage = Stage::Unsure;
                return Ok(true);
            }
            4..8 => {
                self.reports.push(envelope);
                task.stage = Stage::Unsure;
                return Ok(true);
            }
            _ => {}
        }
        let effects = self.step(Event::Report(Box::new(envelope)))?;
        let answer = effects.map(|effects| effects.outcome).filter(|_| !self.random.chance(60));
        let may = match answer {
            Some(Outcome::Reply(Ok(Answer::MaySend(may)))) => may,
            _ => {
                task.stage = Stage::Unsure;
                return Ok(true);
            }
        };
        if !may && self.random.chance(100) {
            self.report_later(&task.delivery, Report::NotTried);
        }
        task.stage = Stage::Cleared;
        Ok(may || self.bug == Some(Bug::SendsWithoutLeave))
    }

    /// The endpoint's code gets it.
    fn start_at_endpoint(&mut self, delivery: &Delivery) -> Checked {
        // A record may be old and gone before a late read is sent.
        let Ok((call, hand_over)) = self.delivered(delivery).map(|(call, at)| (call.clone(), at)) else {
            return Ok(());
        };
        checks::starts(&mut self.ledger, &call, hand_over, Some(checks::endpoint(delivery)?.revision))
    }

    /// The last thing that a delivery says: lost on the way, late, twice, or just so.
    fn report(&mut self, delivery: &Delivery, report: Report) -> Result<bool, String> {
        let envelope = self.envelope(delivery, report);
        match self.random.below(100) {
            0..4 => return Ok(false),
            4..12 => {
                self.reports.push(envelope);
                return Ok(false);
            }
            12..16 => self.reports.push(envelope.clone()),
            _ => {}
        }
        self.step(Event::Report(Box::new(envelope))).map(|_| false)
    }

    fn report_later(&mut self, delivery: &Delivery, report: Report) {
        let envelope = self.envelope(delivery, report);
        self.reports.push(envelope);
    }

    fn envelope(&self, delivery: &Delivery, report: Report) -> DeliveryEnvelope {
        let (place, claim) = (delivery.place.clone(), delivery.claim.clone());
        DeliveryEnvelope { v: VERSION, place, base_url: "http://gate".into(), claim, waits: None, report }
    }

    /// As many run as the object may have under way, and it knows which.
    pub(crate) fn check_running(&self) -> Checked {
        use toolgate_core::queue::call::Bucket;
        use toolgate_protocol::limits::DELIVERIES_MAX;
        let running = self.store.in_bucket(Bucket::Running, None, usize::MAX).map_err(|error| error.to_string())?;
        if running.len() > DELIVERIES_MAX {
            return Err(format!("14: {} deliveries are under way", running.len()));
        }
        if !running.iter().eq(self.queue.memory.running.keys()) {
            return Err("14: what the object believes to be running does not run, or something else does".into());
        }
        Ok(())
    }
}

/// The endpoint's word: mostly a result.
fn reply(chance: usize) -> Report {
    let fails = chance.is_multiple_of(7);
    let error = fails.then(|| HandlerError { message: "no".into(), code: None });
    let result = (!fails).then(|| RawValue::from_string("9007199254740993".into()).expect("json"));
    Report::Replied(Box::new(CallReply { result, error, activity: None, manifest: Some("m".into()) }))
}
