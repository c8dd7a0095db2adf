//! Sending a message about approvals: opened, judged, signed, posted once, and reported.
//!
//! The registry decides what an attempt means and when the next one is. When this dies, the message's lease lapses.
//! Of the answer only the status counts; nothing else of it is looked at, so a URL that leads to the wrong place
//! cannot be read by way of an admin's view either.

use toolgate_core::delivery::{Lost, REDIRECTED, signature_headers};
use toolgate_core::egress::Verdict;
use toolgate_core::registry::{Command, Notice, NoticeOutcome, NoticeReport, notification_place};
use toolgate_durable::now;
use toolgate_protocol::limits::NOTICE_SECONDS;
use worker::{Env, console_error};

use crate::egress::{Egress, post_unread};
use crate::endpoint::{opened, seal};
use crate::objects::ask_registry;

/// Another status than 2xx, a redirect or 410.
const NOT_ACCEPTED: Lost = "notice_not_accepted";

/// Sends once, and says what became of it.
pub async fn send(env: &Env, notice: Notice) {
    let outcome = attempt(env, &notice).await;
    let Notice { org, notification, event, revision, id, attempt, .. } = notice;
    let report = NoticeReport { notification, event, revision, id, attempt, outcome };
    if let Err(error) = ask_registry(env, &org, None, Command::NoticeReport(Box::new(report))).await {
        console_error!("the registry could not be told of a notice: {error}");
    }
}

async fn attempt(env: &Env, notice: &Notice) -> NoticeOutcome {
    let not_sent = |why: &str| NoticeOutcome::NotTaken(format!("Nothing was sent: {why}."));
    let place = notification_place(&notice.org, &notice.notification);
    let Some(secret) = seal(env).ok().and_then(|seal| opened(&seal, &place, &notice.sealed)) else {
        console_error!("the secret of a notification of {} does not open: another master key?", notice.org);
        return not_sent("the secret cannot be read; write the notification again with a secret");
    };
    let egress = Egress::new(env, None);
    let destination = match egress.check(&notice.url) {
        Ok(destination) => destination,
        Err(refused) => return not_sent(&refused.reason),
    };
    match egress.judge(&destination).await {
        Verdict::Allowed => {}
        Verdict::Refused(refused) => return not_sent(&refused.reason),
        Verdict::Unreachable => return not_sent("no name server could be asked"),
    }
    let (sent_at, secrets) = (now(), [secret]);
    let Some(signature) = signature_headers(&secrets, &notice.id, &notice.body, sent_at) else {
        return not_sent("the message could not be signed");
    };
    let deadline = sent_at.plus_seconds(NOTICE_SECONDS);
    let answered = post_unread(&destination, &signature, &notice.body, deadline).await;
    // The platform has looked the name up again: where it leads now it may have led then, and nobody there is heard.
    if answered.is_ok()
        && let Verdict::Refused(refused) = egress.judge(&destination).await
        && refused.is_forbidden()
    {
        return NoticeOutcome::NotTaken(format!("It was answered, which does not count: {}.", refused.reason));
    }
    let lost = match answered {
        Ok(410) => return NoticeOutcome::Gone,
        Ok(200..300) => return NoticeOutcome::Taken,
        Ok(300..400) => REDIRECTED,
        Ok(_) => NOT_ACCEPTED,
        Err(lost) => lost,
    };
    NoticeOutcome::NotTaken(format!("The receiver did not take it ({lost})."))
}
