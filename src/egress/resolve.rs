//! Asking the resolvers: DNS over HTTPS in wire format (RFC 8484), both resolvers and both families at once.

use futures_util::future::join_all;
use toolgate_core::delivery::TOO_LARGE;
use toolgate_core::egress::{
    DNS_MESSAGE_BYTES_MAX, Fault, Lookup, RESOLVERS, RecordType, Reply, Verdict, judge, query, read_answer,
};
use toolgate_core::time::UnixMillis;
use toolgate_durable::now;
use toolgate_protocol::limits::RESOLVE_SECONDS;
use worker::js_sys::Uint8Array;

use super::exchange::{Capped, post_capped};

const MEDIA_TYPE: &str = "application/dns-message";

/// What all resolvers together say of a name.
pub async fn judge_name(host: &str) -> Verdict {
    let deadline = now().plus_seconds(RESOLVE_SECONDS);
    judge(&join_all(RESOLVERS.iter().map(|resolver| look_up(resolver, host, deadline))).await)
}

async fn look_up(resolver: &str, host: &str, deadline: UnixMillis) -> Lookup {
    let a = ask(resolver, host, RecordType::A, deadline);
    let aaaa = ask(resolver, host, RecordType::Aaaa, deadline);
    let (a, aaaa) = futures_util::join!(a, aaaa);
    Lookup { a, aaaa }
}

async fn ask(resolver: &str, host: &str, kind: RecordType, deadline: UnixMillis) -> Reply {
    let Some(question) = query(host, kind) else { return Reply::Unreachable };
    let headers = [("accept", MEDIA_TYPE), ("content-type", MEDIA_TYPE)];
    let body = Uint8Array::from(question.as_slice());
    let answer = post_capped(resolver, &headers, body.into(), deadline, DNS_MESSAGE_BYTES_MAX).await;
    let Capped { status, incoming } = match answer {
        Ok(answer) => answer,
        Err(TOO_LARGE) => return Reply::Message(Err(Fault::TooLarge)),
        Err(_) => return Reply::Unreachable,
    };
    let is_message = incoming.headers.iter().any(|(name, value)| name == "content-type" && is_media_type(value));
    if status != 200 || !is_message {
        return Reply::Unreachable;
    }
    Reply::Message(read_answer(host, kind, &incoming.body))
}

fn is_media_type(value: &str) -> bool {
    value.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(MEDIA_TYPE)
}
