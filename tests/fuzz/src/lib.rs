//! What strangers may send, as functions of bytes: each target reads them as the gateway does and checks what must hold
//! of the outcome. A finding is a panic; `scripts/fuzz` looks for one, and the tests replay the corpus.
#![forbid(unsafe_code)]
#![allow(clippy::panic, clippy::expect_used, clippy::unwrap_used, reason = "a finding is a panic")]

use toolgate_core::chat::input::{InMessage, RunInput, is_thread_id};
use toolgate_core::chat::model::{Delta, ModelError, TurnReader};
use toolgate_core::chat::transcript::Transcript;
use toolgate_core::delivery::{Incoming, Message, call_reply, challenge_reply, manifest_reply, outgoing, signed};
use toolgate_core::egress::{DevDestinations, RecordType, check_url, query, read_answer};
use toolgate_core::json::parse;
use toolgate_core::registration::{canonical_manifest, read_manifest};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::definitions::Manifest;
use toolgate_protocol::limits::MODEL_EXTRA_BYTES_MAX;
use toolgate_signing::{Secret, sign, verify};

/// A target.
pub type Target = fn(&[u8]);

/// The targets by name; each has a folder in `corpus`.
pub const TARGETS: [(&str, Target); 7] = [
    ("url", url),
    ("dns", dns),
    ("signature", signature),
    ("reply", reply),
    ("manifest", manifest),
    ("model", model),
    ("chat", chat),
];

const NOW: UnixMillis = UnixMillis(1_700_000_000_000);
const NOW_SECONDS: u64 = 1_700_000_000;

fn secrets() -> Vec<Secret> {
    vec![Secret::from_bytes(&[7; 32]).expect("32 bytes are a secret")]
}

/// A URL of a customer. What is accepted is read in the same way by everybody, and stays as it is.
pub fn url(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let none = DevDestinations::default();
    let Ok(destination) = check_url(text, &[], &none) else { return };
    let again = check_url(&destination.url, &[], &none).expect("a canonical text is accepted");
    assert_eq!(again, destination, "the canonical text of a canonical text is itself");
    let parsed = url::Url::parse(&destination.url).expect("the parser that `fetch` uses reads it");
    assert_eq!(parsed.as_str(), destination.url, "and changes nothing");
    assert_eq!((parsed.scheme(), parsed.host_str()), ("https", Some(destination.host.as_str())));
    assert!(parsed.port_or_known_default() == Some(443) && parsed.username().is_empty() && parsed.password().is_none());
    assert!(matches!(parsed.host(), Some(url::Host::Domain(_))), "never an address");
    assert!(query(&destination.host, RecordType::A).is_some(), "its host can be asked for");
}

/// The input of a chat's run. What it names has its form, and whatever it says goes into an empty thread as words of its
/// user alone.
pub fn chat(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(input) = RunInput::read(text) else { return };
    assert!(is_thread_id(&input.thread) && is_thread_id(&input.run));
    for tool in &input.tools {
        let definition: serde_json::Value = serde_json::from_str(&tool.definition).expect("a definition is JSON");
        assert_eq!(definition.pointer("/function/name").and_then(serde_json::Value::as_str), Some(tool.name.as_str()));
    }
    let (mut transcript, mut rounds) = (Transcript::default(), 0);
    let said = input.messages.iter().filter(|message| matches!(message, InMessage::User { .. })).count();
    if transcript.merge(&input.messages, &mut rounds).is_ok() {
        assert!(transcript.items().len() <= said && transcript.calls().next().is_none());
        let again = transcript.clone().merge(&input.messages, &mut rounds).expect("the same again");
        assert!(!again.user && again.results == 0, "the same message twice");
    }
}

/// A message of a resolver. Addresses come from a chain that begins at the name asked for.
pub fn dns(bytes: &[u8]) {
    const NAME: &str = "hooks.example.com";
    for kind in RecordType::BOTH {
        if let Ok(answer) = read_answer(NAME, kind, bytes) {
            assert_eq!(answer.names.first().map(String::as_str), Some(NAME));
            assert!(answer.names.len() <= 9 && answer.addresses.len() <= 64);
            assert!(read_answer("other.example.com", kind, bytes).is_err(), "an answer to another question");
        }
    }
}

/// Headers as lines `name: value`, a blank line, a body. Nobody without the secret gets past; who has it does.
pub fn signature(bytes: &[u8]) {
    let secrets = secrets();
    let (headers, body) = cut(bytes);
    if verify(&secrets, headers.iter().map(|(name, value)| (name, value)), body, NOW_SECONDS, 300).is_ok() {
        let made = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("webhook-signature")
                .then(|| value.split(' ').map(str::to_owned).collect::<Vec<_>>())
        };
        let id = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("webhook-id")).expect("it was verified");
        let time = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("webhook-timestamp"));
        let time: u64 = time.and_then(|(_, time)| time.parse().ok()).expect("it was verified");
        let own = sign(&secrets, &id.1, time, body).expect("it was verified");
        assert!(headers.iter().find_map(made).is_some_and(|tokens| tokens.contains(&own)), "a forged signature");
    }
    let header = sign(&secrets, "msg_1", NOW_SECONDS, body).expect("any body can be signed");
    let lines = [("webhook-id", "msg_1"), ("webhook-timestamp", "1700000000"), ("webhook-signature", &header)];
    assert!(verify(&secrets, lines, body, NOW_SECONDS, 300).is_ok());
    let mut longer = body.to_vec();
    longer.push(b' ');
    assert!(verify(&secrets, lines, &longer, NOW_SECONDS, 300).is_err(), "one byte more");
}

/// A reply of an endpoint: unsigned it is nothing, signed it is a closed object.
pub fn reply(bytes: &[u8]) {
    let secrets = secrets();
    let sent = outgoing(&secrets, &Message::Challenge, NOW, &[3; 16]).expect("a challenge can be made");
    let (headers, body) = cut(bytes);
    let stranger = Incoming { headers, body: body.to_vec() };
    assert!(signed(&secrets, &sent, &stranger, NOW).is_err(), "who does not hold the secret is not read");
    if let Ok(reply) = call_reply(body) {
        assert!(reply.result.is_some() != reply.error.is_some());
        let text = serde_json::to_string(&reply).expect("what was read can be written");
        assert_eq!(call_reply(text.as_bytes()).ok().map(|again| serde_json::to_string(&again).ok()), Some(Some(text)));
    }
    let _ = manifest_reply(body);
    assert!(challenge_reply(&sent, body).is_err() || body.windows(64).any(|part| part == sent.nonce.as_bytes()));
}

/// A manifest: one faulty tool blocks no other, and the canonical text of a canonical text is itself.
pub fn manifest(bytes: &[u8]) {
    let Ok(announced) = serde_json::from_slice::<Manifest>(bytes) else { return };
    let Ok((text, hash)) = canonical_manifest(&announced) else { return };
    let read = read_manifest(&text);
    assert_eq!(read.tools.len(), announced.tools.len());
    let again: Manifest = serde_json::from_str(&text).expect("a canonical text is a manifest");
    assert_eq!(canonical_manifest(&again).expect("and canonical"), (text, hash));
}

/// An answer of a model. How its bytes were cut makes no difference; calls are whole, and nothing follows the end.
pub fn model(bytes: &[u8]) {
    for media_type in ["text/event-stream", "application/json"] {
        let whole = read_turn(media_type, [bytes]);
        let cut = read_turn(media_type, bytes.chunks(3));
        match (&whole, &cut) {
            (Ok(whole), Ok(cut)) => assert_eq!(added_up(whole), added_up(cut)),
            (Err(whole), Err(cut)) => assert_eq!(whole.code, cut.code),
            _ => panic!("{whole:?} in one piece, {cut:?} in many"),
        }
    }
}

fn read_turn<'a>(media_type: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<Delta>, ModelError> {
    let offered = ["get", "get_weather", "refund"].map(str::to_owned).to_vec();
    let (mut turn, mut deltas) = (TurnReader::new(media_type, offered, [7; 16])?, Vec::new());
    for piece in pieces {
        deltas.extend(turn.push(piece)?);
    }
    deltas.extend(turn.end()?);
    Ok(deltas)
}

/// An answer that came to its end.
#[derive(Debug, Default, PartialEq)]
struct AddedUp {
    text: String,
    reasoning: String,
    /// How often it was told that the reasoning goes back.
    returned: usize,
    /// Id, name, arguments.
    calls: Vec<(String, String, String)>,
    /// What goes back with a call.
    extras: Vec<(String, String)>,
}

fn added_up(deltas: &[Delta]) -> AddedUp {
    let (mut told, mut open) = (AddedUp::default(), 0_usize);
    let calls = &mut told.calls;
    for delta in deltas {
        match delta {
            Delta::Text(more) => told.text.push_str(more),
            Delta::Reasoning(more) => told.reasoning.push_str(more),
            Delta::ReasoningReturns => told.returned = told.returned.saturating_add(1),
            Delta::CallStarted { id, name } => {
                assert!(!name.is_empty() && calls.iter().all(|(known, ..)| known != id));
                open = open.saturating_add(1);
                calls.push((id.clone(), name.clone(), String::new()));
            }
            Delta::CallArguments { id, text } => {
                calls.iter_mut().find(|(known, ..)| known == id).expect("it was started").2.push_str(text);
            }
            Delta::CallExtra { id, extra } => {
                assert!(calls.iter().any(|(known, ..)| known == id) && extra.len() <= MODEL_EXTRA_BYTES_MAX);
                assert!(parse(extra).is_ok(), "what goes back is JSON: {extra}");
                told.extras.push((id.clone(), extra.clone()));
            }
            Delta::CallEnded { .. } => open = open.checked_sub(1).expect("it was started"),
            Delta::Usage(_) => {}
            Delta::Finished => assert_eq!(open, 0),
        }
    }
    assert_eq!(deltas.last(), Some(&Delta::Finished));
    assert_eq!(deltas.iter().filter(|delta| **delta == Delta::Finished).count(), 1);
    assert!(told.returned <= 1 && told.calls.iter().all(|(.., arguments)| !arguments.trim().is_empty()));
    told
}

/// Header lines and a body, as a recorded exchange has them.
fn cut(bytes: &[u8]) -> (Vec<(String, String)>, &[u8]) {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n");
    let (head, body) = match end {
        Some(at) => (bytes.get(..at).unwrap_or_default(), bytes.get(at.saturating_add(2)..).unwrap_or_default()),
        None => (&[][..], bytes),
    };
    let head = String::from_utf8_lossy(head).into_owned();
    let line = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    (head.lines().filter_map(line).collect(), body)
}
