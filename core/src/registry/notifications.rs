//! Notifications: where events of approvals are told, to which of them, and with which secret.
//!
//! The edge has judged the address and sealed the secret, bound to the notification's place, which is none of a pool.
//! What is gathered and sent is in `notices`; here it is decided who hears of it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolgate_protocol::answers::NotificationView;
use toolgate_protocol::limits::NOTIFICATIONS_MAX;
use toolgate_protocol::lists::NotificationPage;
use toolgate_protocol::notifications::{NotificationEvent, NotificationState};

use super::endpoints::{KeptSecret, NewSecret, Served};
use super::{Page, Step, Stepped, body};
use crate::names;
use crate::policy::SealedSecret;
use crate::problem::Problem;

/// A notification as the registry keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NotificationRecord {
    pub url: String,
    /// What links in messages begin with.
    pub base_url: String,
    pub events: Vec<NotificationEvent>,
    pub state: NotificationState,
    /// Rises with each write: what an earlier receiver said is not said of this one.
    pub revision: u64,
    pub secret: KeptSecret,
}

/// A notification on its way in; the edge has judged the address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NotificationSpec {
    /// The canonical text.
    pub url: String,
    /// The address by which the admin reached the gateway.
    pub base_url: String,
    /// What it wants to hear of.
    pub events: Vec<NotificationEvent>,
    /// Bound to org and notification.
    pub secret: NewSecret,
    /// It is the customer's own; else it was made by the edge, for a notification that has none.
    pub is_given: bool,
}

/// The place that a notification's secret is sealed for: a list that no pool has.
pub fn notification_place<'a>(org: &'a str, name: &'a str) -> [&'a str; 3] {
    [org, "notification", name]
}

/// At least one event, each once.
///
/// # Errors
/// 422 that names the member.
pub fn check_events(events: &[NotificationEvent]) -> Result<(), Problem> {
    if events.is_empty() {
        return Err(Problem::invalid("events", "needs at least one."));
    }
    let twice = events.iter().enumerate().find(|(at, event)| events.iter().take(*at).any(|other| other == *event));
    match twice {
        Some((_, event)) => Err(Problem::invalid("events", format!("names {} twice.", event.name()))),
        None => Ok(()),
    }
}

impl NotificationRecord {
    /// Whether it is to hear of this.
    pub(super) fn wants(&self, event: NotificationEvent) -> bool {
        self.state == NotificationState::Active && self.events.contains(&event)
    }

    /// As an admin sees it; never a secret.
    fn view(&self, name: &str) -> NotificationView {
        NotificationView {
            name: name.to_owned(),
            url: self.url.clone(),
            events: self.events.clone(),
            state: self.state,
            waiting: None,
            secret: None,
        }
    }
}

impl Step<'_> {
    pub(super) fn put_notification(&mut self, name: &str, spec: NotificationSpec) -> Stepped {
        let checked = names::plain("name", name).and_then(|()| check_events(&spec.events));
        if let Err(problem) = checked {
            return Ok(Err(problem));
        }
        let fingerprint = spec.is_given.then_some(spec.secret.fingerprint.as_str());
        if let Some(problem) = self.used_elsewhere(Served::Notification(name), fingerprint)? {
            return Ok(Err(problem));
        }
        let known = self.docs.find::<NotificationRecord>("notification", name)?;
        if known.is_none() && self.docs.count("notification")? >= NOTIFICATIONS_MAX {
            let what = format!("an org has at most {NOTIFICATIONS_MAX} notifications; delete one first.");
            return Ok(Err(Problem::invalid("name", what)));
        }
        let status = if known.is_some() { 200 } else { 201 };
        let revision = known.as_ref().map_or(1, |known| known.revision.saturating_add(1));
        let new = KeptSecret {
            secret: SealedSecret { sealed: spec.secret.sealed, until: None },
            fingerprint: spec.secret.fingerprint,
        };
        let secret = known.filter(|_| !spec.is_given).map_or(new, |known| known.secret);
        let NotificationSpec { url, base_url, events, .. } = spec;
        let record = NotificationRecord { url, base_url, events, state: NotificationState::Active, revision, secret };
        self.docs.put("notification", name, &record)?;
        self.resume_notices(name, &record)?;
        self.audit("notification.written", name, json!({ "events": record.events, "revision": revision }))?;
        body(status, &record.view(name))
    }

    pub(super) fn get_notification(&mut self, name: &str) -> Stepped {
        let Some(record) = self.docs.find::<NotificationRecord>("notification", name)? else {
            return Ok(Err(Problem::not_found()));
        };
        let waiting = Some(self.waiting_notices(name)?);
        body(200, &NotificationView { waiting, ..record.view(name) })
    }

    pub(super) fn list_notifications(&mut self, asked: &Page) -> Stepped {
        let (found, next_cursor) = self.docs.listed::<NotificationRecord>("notification", asked)?;
        let notifications = found.iter().map(|(name, record)| record.view(name)).collect();
        body(200, &NotificationPage { notifications, next_cursor })
    }

    /// What was gathered for it goes with it.
    pub(super) fn delete_notification(&mut self, name: &str) -> Stepped {
        let Some(record) = self.docs.find::<NotificationRecord>("notification", name)? else {
            return Ok(Err(Problem::not_found()));
        };
        self.docs.delete("notification", name)?;
        let dropped = self.forget_notices(name, |_| true)?;
        self.audit("notification.deleted", name, json!({ "dropped": dropped }))?;
        body(200, &record.view(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_checked() {
        use NotificationEvent::{Decided, Expired, Requested};
        for (events, good) in [
            (&[][..], false),
            (&[Requested], true),
            (&[Expired, Decided, Requested], true),
            (&[Decided, Requested, Decided], false),
        ] {
            assert_eq!(check_events(events).is_ok(), good, "{events:?}");
        }
    }
}
