//! Judging requests and signing replies, without input, output or clock.
//!
//! Whoever cannot sign is told nothing: the same 401 whatever was wrong. The endpoint's own log is told which half is at
//! fault. A signed caller is told the truth, by a signed reply; a reply names the request's `reply_id`, so that neither
//! the request sent back nor an older reply passes for it.

use toolgate_protocol::webhooks::{
    CALL, CHALLENGE, CONTENT_DIGEST, CallMessage, CallReply, ChallengeMessage, MANIFEST, MessageHead, WEBHOOK_ID,
    WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP,
};
use toolgate_signing::{Refused, Secret, SecretFault, Verified, digest_matches, sign, verify};

use crate::answer::Answer;
use crate::handler_error::HandlerError;

/// Holds the secrets and the tolerance.
#[derive(Clone, Debug)]
pub struct Receiver {
    secrets: Vec<Secret>,
    tolerance_seconds: u64,
}

/// A verified request.
#[derive(Clone, Debug)]
pub struct Received {
    /// What is asked.
    pub message: Message,
    /// `webhook-id`: a call's id, or a fresh one.
    pub id: String,
    /// `webhook-timestamp`, Unix seconds; fresh at each attempt.
    pub timestamp_seconds: u64,
    reply: ReplyAddress,
}

/// What the gateway asks.
#[derive(Clone, Debug)]
pub enum Message {
    /// Whether the endpoint is there and holds the secret.
    Challenge {
        /// To be sent back.
        nonce: String,
    },
    /// What tools there are.
    Manifest,
    /// To run a tool.
    Call(Box<CallMessage>),
}

/// Which request a reply answers, and with which of the secrets.
#[derive(Clone, Debug)]
struct ReplyAddress {
    id: String,
    secret: usize,
}

impl Receiver {
    /// A receiver for requests signed with any of the secrets: two while a secret is rotated.
    ///
    /// # Errors
    /// [`SecretFault::Empty`] when there is none.
    pub fn new(secrets: Vec<Secret>, tolerance_seconds: u64) -> Result<Receiver, SecretFault> {
        if secrets.is_empty() { Err(SecretFault::Empty) } else { Ok(Receiver { secrets, tolerance_seconds }) }
    }

    pub(crate) fn tolerance_seconds(&self) -> u64 {
        self.tolerance_seconds
    }

    /// Reads a request: its header lines as they came, and its body byte for byte as it came off the wire, before any
    /// parser or decoder.
    ///
    /// # Errors
    /// The answer to send instead: unsigned and mute to a stranger, signed to a holder of a secret whose request is
    /// stale or cannot be read.
    pub fn receive<N: AsRef<str>, V: AsRef<[u8]>>(
        &self,
        headers: impl IntoIterator<Item = (N, V)>,
        body: &[u8],
        now_seconds: u64,
    ) -> Result<Received, Answer> {
        let lines: Vec<(N, V)> = headers.into_iter().collect();
        let pairs = || lines.iter().map(|(name, value)| (name.as_ref(), value.as_ref()));
        match verify(&self.secrets, pairs(), body, now_seconds, self.tolerance_seconds) {
            // A ping is sound and asks for nothing.
            Ok(_) if body.is_empty() => Err(Answer::nothing()),
            Ok(verified) => {
                let head = head(body)?;
                let reply = ReplyAddress { id: head.reply_id, secret: verified.secret };
                self.read(&head.kind, reply, verified, body, now_seconds)
            }
            Err(Refused::Stale { verified, now_seconds }) => Err(self.stale(verified, body, now_seconds)),
            Err(refused) => Err(Answer::unsigned(401, why(&refused, digest_fits(pairs(), body)))),
        }
    }

    fn read(
        &self,
        kind: &str,
        reply: ReplyAddress,
        verified: Verified,
        body: &[u8],
        now_seconds: u64,
    ) -> Result<Received, Answer> {
        let message = match kind {
            CHALLENGE => serde_json::from_slice::<ChallengeMessage>(json(body))
                .map(|ChallengeMessage { nonce, .. }| Message::Challenge { nonce }),
            MANIFEST => Ok(Message::Manifest),
            CALL => serde_json::from_slice(json(body)).map(|call| Message::Call(Box::new(call))),
            _ => {
                let error = HandlerError::coded("unknown_message", "This endpoint does not know this kind of message.");
                let log = "signed, but of an unknown kind: this package is older than the gateway";
                return Err(self.refuse(&reply, error, now_seconds, log.to_owned()));
            }
        };
        match message {
            Ok(message) => {
                Ok(Received { message, id: verified.id, timestamp_seconds: verified.timestamp_seconds, reply })
            }
            Err(error) => {
                let log = format!("signed, but the message cannot be read: {error}");
                let error = HandlerError::coded("malformed_message", format!("The message cannot be read: {error}."));
                Err(self.refuse(&reply, error, now_seconds, log))
            }
        }
    }

    /// Dated as the request was: by the clock that is so far off the gateway would refuse it in its turn. What makes it
    /// fresh is its `reply_id`.
    fn stale(&self, verified: Verified, body: &[u8], now_seconds: u64) -> Answer {
        let (secret, sent_seconds) = (verified.secret, verified.timestamp_seconds);
        let refused = Refused::Stale { verified, now_seconds };
        let log = format!("refused: signed, but {refused}; one of the clocks is off, or an old request was sent again");
        let Ok(head) = head(body) else { return Answer::unsigned(401, log) };
        let error = HandlerError::coded("stale_timestamp", format!("Not run: {refused}."));
        self.refuse(&ReplyAddress { id: head.reply_id, secret }, error, sent_seconds, log)
    }

    fn refuse(&self, reply: &ReplyAddress, error: HandlerError, now_seconds: u64, log: String) -> Answer {
        let body = CallReply { error: Some(error.into_wire()), ..CallReply::default() };
        self.sealed(reply, serde_json::to_string(&body).unwrap_or_default(), now_seconds).with_log(Some(log))
    }

    /// The signed answer to a request, with this text as its body.
    pub fn reply(&self, received: &Received, body: String, now_seconds: u64) -> Answer {
        self.sealed(&received.reply, body, now_seconds)
    }

    /// Signed with the secret that verified the request: the gateway holds that one for certain.
    fn sealed(&self, reply: &ReplyAddress, body: String, now_seconds: u64) -> Answer {
        let secret: Vec<Secret> = self.secrets.get(reply.secret).cloned().into_iter().collect();
        match sign(&secret, &reply.id, now_seconds, body.as_bytes()) {
            Ok(signature) => Answer::signed(
                vec![
                    ("content-type", "application/json".to_owned()),
                    (WEBHOOK_ID, reply.id.clone()),
                    (WEBHOOK_TIMESTAMP, now_seconds.to_string()),
                    (WEBHOOK_SIGNATURE, signature),
                ],
                body,
            ),
            Err(fault) => Answer::unsigned(400, format!("the reply cannot be signed: {fault}")),
        }
    }
}

/// A byte order mark is signed like any other bytes, and is not part of the JSON (RFC 8259, 8.1).
fn json(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// Without a `reply_id` nothing can be answered.
fn head(body: &[u8]) -> Result<MessageHead, Answer> {
    serde_json::from_slice(json(body))
        .map_err(|error| Answer::unsigned(400, format!("signed, but no message of the gateway: {error}")))
}

/// Whether the body is the one that the sender's digest names. Anybody can write that header: it is a hint for the log.
fn digest_fits<'a>(headers: impl Iterator<Item = (&'a str, &'a [u8])>, body: &[u8]) -> Option<bool> {
    let values: Vec<&str> = headers
        .filter(|(name, _)| name.eq_ignore_ascii_case(CONTENT_DIGEST))
        .filter_map(|(_, value)| std::str::from_utf8(value).ok())
        .collect();
    digest_matches(&values.join(","), body)
}

fn why(refused: &Refused, digest_fits: Option<bool>) -> String {
    let hint = match (refused, digest_fits) {
        (Refused::WrongSignature, Some(false)) => {
            "the body was altered: it is not the one that the sender's content-digest names. Something before this \
             handler parses, decodes or cuts it; hand over the raw bytes"
        }
        (Refused::WrongSignature, Some(true)) => {
            "the key is wrong: the body is as it was sent. This endpoint's secret is not the one that the gateway holds \
             for this pool"
        }
        (Refused::WrongSignature, None) => "the key is wrong or the body was altered (no content-digest came to tell)",
        (Refused::Missing(_), _) => "not a request of the gateway, or something before this handler drops headers",
        (Refused::Duplicate(_), _) => "something before this handler repeats headers",
        _ => "not a request of the gateway, or something before this handler rewrites headers",
    };
    format!("refused: {refused}: {hint}")
}
