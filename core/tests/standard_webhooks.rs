//! The official Rust library of Standard Webhooks on the customer's side: it verifies what the gateway sends, and the
//! gateway takes what it signs, under one secret and while a secret is rotated.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test panics")]

use http::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::Webhook;
use toolgate_core::delivery::{Incoming, Message, Outgoing, UNSIGNED, challenge_reply, outgoing, signed};
use toolgate_core::time::UnixMillis;
use toolgate_signing::Secret;

#[expect(clippy::disallowed_methods, reason = "the library reads the clock itself")]
fn now() -> UnixMillis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    UnixMillis(u64::try_from(since.as_millis()).unwrap())
}

fn secret(byte: u8) -> Secret {
    Secret::from_bytes(&[byte; 32]).unwrap()
}

fn library(byte: u8) -> Webhook {
    Webhook::new(&secret(byte).to_text()).unwrap()
}

fn verifies(library: &Webhook, sent: &Outgoing) -> bool {
    let line =
        |(name, value): &(&'static str, String)| (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    let headers: HeaderMap = sent.headers.iter().map(line).collect();
    library.verify(sent.body.as_bytes(), &headers).is_ok()
}

fn reply(library: &Webhook, sent: &Outgoing, now: UnixMillis) -> Incoming {
    let (body, at) = (format!("{{\"nonce\":\"{}\"}}", sent.nonce), i64::try_from(now.0 / 1_000).unwrap());
    let signature = library.sign(&sent.reply_id, at, body.as_bytes()).unwrap();
    let lines = [
        ("webhook-id", sent.reply_id.clone()),
        ("webhook-timestamp", at.to_string()),
        ("webhook-signature", signature),
    ];
    Incoming { headers: lines.map(|(name, value)| (name.to_owned(), value)).to_vec(), body: body.into_bytes() }
}

#[test]
fn the_library_verifies_our_messages_and_we_take_its_replies() {
    for (secrets, holders) in [(vec![secret(1)], vec![1]), (vec![secret(2), secret(1)], vec![1, 2])] {
        let now = now();
        let sent = outgoing(&secrets, &Message::Challenge, now, &[9; 16]).unwrap();
        for holder in holders {
            assert!(verifies(&library(holder), &sent), "{holder}");
            let reply = reply(&library(holder), &sent, now);
            assert_eq!(signed(&secrets, &sent, &reply, now).and_then(|body| challenge_reply(&sent, body)), Ok(()));
        }
        assert!(!verifies(&library(3), &sent));
        assert_eq!(signed(&secrets, &sent, &reply(&library(3), &sent, now), now), Err(UNSIGNED));
    }
}
