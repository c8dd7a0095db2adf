//! Messages to endpoints and their replies: what is sent, and what counts as an answer.
//!
//! A validly signed reply is the endpoint's word, whatever its HTTP status. Everything else is discarded unread: here,
//! not one byte of an unsigned body is looked at, so a URL that leads to the wrong place can never be read.

use chrono::DateTime;
use serde::de::DeserializeOwned;
use toolgate_protocol::limits::{RETRY_AFTER_SECONDS_MAX, SIGNATURE_TOLERANCE_SECONDS};
use toolgate_protocol::webhooks::{
    CALL, CHALLENGE, CONTENT_DIGEST, CallMessage, CallReply, ChallengeMessage, ChallengeReply, MANIFEST,
    ManifestMessage, ManifestReply, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP,
};
use toolgate_signing::{Secret, content_digest, sign, verify};

use crate::hash::hex;
use crate::queue::delivery::Delivery;
use crate::time::UnixMillis;

/// What is sent to an endpoint.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// Is it there, and does it hold the secret?
    Challenge,
    /// What tools does it have?
    Manifest,
    /// Run a tool; with the seconds that are left for it.
    Call(&'a Delivery, u64),
}

/// A message, ready to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The `webhook-id` of a valid reply.
    pub reply_id: String,
    /// A challenge's nonce.
    pub nonce: String,
    /// The headers that carry the signature.
    pub headers: [(&'static str, String); 4],
    /// The body, byte for byte.
    pub body: String,
}

/// Why there is no answer: a stable code, for outcomes and for the admin's view.
pub type Lost = &'static str;
/// No connection, or it broke.
pub const UNREACHABLE: Lost = "endpoint_unreachable";
/// The deadline came first.
pub const TIMEOUT: Lost = "endpoint_timeout";
/// A redirect, which is never followed.
pub const REDIRECTED: Lost = "endpoint_redirected";
/// Something other than a reply that this endpoint signed for this message.
pub const UNSIGNED: Lost = "reply_unsigned";
/// More than a reply may have.
pub const TOO_LARGE: Lost = "reply_too_large";
/// Signed, and not a reply of the protocol.
pub const INVALID: Lost = "reply_invalid";

/// Builds and signs a message. `None` only for secrets or ids that no caller of ours has.
pub fn outgoing(secrets: &[Secret], message: &Message<'_>, now: UnixMillis, entropy: &[u8; 16]) -> Option<Outgoing> {
    let random = hex(entropy);
    let reply_id = format!("re_{random}");
    // No secret: the signature proves who answers, the nonce only that the body was read.
    let nonce = crate::hash::sha256_hex(random.as_bytes());
    let fresh = format!("msg_{random}");
    let (id, body) = match message {
        Message::Challenge => {
            let message = ChallengeMessage { kind: CHALLENGE.into(), reply_id: reply_id.clone(), nonce: nonce.clone() };
            (fresh, serde_json::to_string(&message))
        }
        Message::Manifest => {
            (fresh, serde_json::to_string(&ManifestMessage { kind: MANIFEST.into(), reply_id: reply_id.clone() }))
        }
        Message::Call(delivery, deadline_seconds) => {
            let message = CallMessage {
                kind: CALL.into(),
                reply_id: reply_id.clone(),
                call: delivery.call.clone(),
                tool: delivery.tool.clone(),
                arguments: delivery.arguments.clone(),
                principal: delivery.principal.clone(),
                run: delivery.run.clone(),
                input: delivery.input.clone(),
                attempt: delivery.attempt,
                side_effect: delivery.side_effect,
                deadline_seconds: *deadline_seconds,
            };
            (delivery.call.clone(), serde_json::to_string(&message))
        }
    };
    let body = body.ok()?;
    let headers = signature_headers(secrets, &id, &body, now)?;
    Some(Outgoing { reply_id, nonce, headers, body })
}

/// The headers that carry the signature of a body sent now under this id. `None` as above.
pub fn signature_headers(
    secrets: &[Secret],
    id: &str,
    body: &str,
    now: UnixMillis,
) -> Option<[(&'static str, String); 4]> {
    let seconds = now.0.div_euclid(1_000);
    Some([
        (WEBHOOK_ID, id.to_owned()),
        (WEBHOOK_TIMESTAMP, seconds.to_string()),
        (WEBHOOK_SIGNATURE, sign(secrets, id, seconds, body.as_bytes()).ok()?),
        (CONTENT_DIGEST, content_digest(body.as_bytes())),
    ])
}

/// A reply as it came off the wire.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// Each header line.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

/// The reply's body, if this endpoint signed it for this message just now.
pub fn signed<'a>(secrets: &[Secret], sent: &Outgoing, reply: &'a Incoming, now: UnixMillis) -> Result<&'a [u8], Lost> {
    let headers = reply.headers.iter().map(|(name, value)| (name, value));
    let seconds = now.0.div_euclid(1_000);
    let verified = verify(secrets, headers, &reply.body, seconds, SIGNATURE_TOLERANCE_SECONDS).map_err(|_| UNSIGNED)?;
    // Our own message sent back names its own id; the reply of another attempt names that one's.
    if verified.id == sent.reply_id { Ok(&reply.body) } else { Err(UNSIGNED) }
}

/// The challenge was answered.
///
/// # Errors
/// [`INVALID`] for anything but the nonce that was sent.
pub fn challenge_reply(sent: &Outgoing, body: &[u8]) -> Result<(), Lost> {
    let reply: ChallengeReply = closed(body)?;
    if reply.nonce == sent.nonce { Ok(()) } else { Err(INVALID) }
}

/// A manifest.
///
/// # Errors
/// [`INVALID`] for anything else.
pub fn manifest_reply(body: &[u8]) -> Result<ManifestReply, Lost> {
    closed(body)
}

/// What became of a call: exactly one of a result and an error.
///
/// # Errors
/// [`INVALID`] for anything else.
pub fn call_reply(body: &[u8]) -> Result<CallReply, Lost> {
    let reply: CallReply = closed(body)?;
    let odd = reply.result.is_some() == reply.error.is_some() || (reply.error.is_some() && reply.activity.is_some());
    if odd { Err(INVALID) } else { Ok(reply) }
}

fn closed<T: DeserializeOwned>(body: &[u8]) -> Result<T, Lost> {
    // The members of a struct may also be read from a list; a reply is an object.
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(INVALID);
    }
    serde_json::from_slice(body).map_err(|_| INVALID)
}

/// Seconds of a `Retry-After` (RFC 9110, section 10.2.3: seconds or a date), capped; `None` when there is none.
pub fn retry_after(headers: &[(String, String)], now: UnixMillis) -> Option<u64> {
    let (_, value) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"))?;
    let value = value.trim();
    let seconds = seconds(value).or_else(|| {
        let at = DateTime::parse_from_rfc2822(value).ok()?.timestamp_millis();
        Some(UnixMillis(u64::try_from(at).ok()?).seconds_from(now))
    })?;
    Some(seconds.min(RETRY_AFTER_SECONDS_MAX))
}

/// Digits alone; more than can be counted is as much as can be.
fn seconds(value: &str) -> Option<u64> {
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| value.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_700_000_000_500);

    fn secrets() -> Vec<Secret> {
        vec![Secret::from_bytes(&[1; 32]).unwrap()]
    }

    fn challenge(entropy: u8) -> Outgoing {
        outgoing(&secrets(), &Message::Challenge, NOW, &[entropy; 16]).unwrap()
    }

    fn reply(secrets: &[Secret], id: &str, at: u64, body: &str) -> Incoming {
        let headers = vec![
            ("Webhook-Id".to_owned(), id.to_owned()),
            ("webhook-timestamp".to_owned(), at.to_string()),
            ("webhook-signature".to_owned(), sign(secrets, id, at, body.as_bytes()).unwrap()),
        ];
        Incoming { headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn a_reply_is_taken_for_its_own_message_alone() {
        let (sent, other) = (challenge(1), challenge(2));
        let body = format!("{{\"nonce\":\"{}\"}}", sent.nonce);
        let good = reply(&secrets(), &sent.reply_id, 1_700_000_000, &body);
        assert_eq!(signed(&secrets(), &sent, &good, NOW).and_then(|body| challenge_reply(&sent, body)), Ok(()));
        // The reply of another attempt; our own message sent back; another secret; too old; no signature; altered.
        assert_eq!(signed(&secrets(), &other, &good, NOW), Err(UNSIGNED));
        let own = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
        let reflected =
            Incoming { headers: sent.headers.iter().map(own).collect(), body: sent.body.clone().into_bytes() };
        assert_eq!(signed(&secrets(), &sent, &reflected, NOW), Err(UNSIGNED));
        let stranger = [Secret::from_bytes(&[2; 32]).unwrap()];
        assert_eq!(
            signed(&secrets(), &sent, &reply(&stranger, &sent.reply_id, 1_700_000_000, &body), NOW),
            Err(UNSIGNED)
        );
        for at in [1_699_999_699, 1_700_000_301] {
            assert_eq!(signed(&secrets(), &sent, &reply(&secrets(), &sent.reply_id, at, &body), NOW), Err(UNSIGNED));
        }
        assert_eq!(signed(&secrets(), &sent, &Incoming { headers: vec![], ..good.clone() }, NOW), Err(UNSIGNED));
        let altered = Incoming { body: body.replace('"', "' ").into_bytes(), ..good.clone() };
        assert_eq!(signed(&secrets(), &sent, &altered, NOW), Err(UNSIGNED));
        let twice = Incoming { headers: [good.headers.clone(), good.headers].concat(), ..Incoming::default() };
        assert_eq!(signed(&secrets(), &sent, &twice, NOW), Err(UNSIGNED));
    }

    #[test]
    fn replies_are_closed_objects() {
        for (body, good) in [
            (r#"{"result":null}"#, true),
            (r#"{"result":9007199254740993,"manifest":"h"}"#, true),
            (r#"{"result":1,"activity":{"type":"t","content":1e400}}"#, true),
            (r#"{"error":{"message":"no"}}"#, true),
            (r#"{"error":{"message":"no","code":"x"},"manifest":"h"}"#, true),
            ("{}", false),
            (r#"{"result":1,"error":{"message":"no"}}"#, false),
            (r#"{"error":{"message":"no"},"activity":{"type":"t","content":1}}"#, false),
            (r#"{"result":1,"result":2}"#, false),
            (r#"{"result":1,"extra":2}"#, false),
            (r#"{"error":"no"}"#, false),
            (r#"{"error":{"message":"no","extra":1}}"#, false),
            (r#"{"result":1} x"#, false),
            ("\u{feff}{\"result\":1}", false),
            ("[1]", false),
            ("", false),
        ] {
            assert_eq!(call_reply(body.as_bytes()).is_ok(), good, "{body}");
        }
        let big = call_reply(br#"{"result":{"id":9007199254740993,"e":1e400}}"#).unwrap();
        assert_eq!(big.result.unwrap().get(), r#"{"id":9007199254740993,"e":1e400}"#);
        assert_eq!(challenge_reply(&challenge(1), br#"{"nonce":"other"}"#), Err(INVALID));
        assert_eq!(manifest_reply(br#"{"tools":[],"more":1}"#).err(), Some(INVALID));
        assert_eq!(manifest_reply(br#"{"tools":[7],"hash":"h"}"#).unwrap().tools.len(), 1);
    }

    #[test]
    fn pauses_that_endpoints_ask_for() {
        let now = UnixMillis(784_111_770_000);
        for (value, seconds) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("3600", Some(30)),
            ("18446744073709551616", Some(30)),
            ("00000000000000000000000000007", Some(7)),
            ("99999999999999999999999999999999999999999999", Some(30)),
            ("+7", None),
            ("7.5", None),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7)),
            ("Sun, 06 Nov 1994 08:40:37 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(retry_after(&[("Retry-After".into(), value.into())], now), seconds, "{value}");
        }
        assert_eq!(retry_after(&[], now), None);
    }
}
