//! The vectors that every SDK passes, verdict by verdict.
#![expect(clippy::unwrap_used, reason = "a vector that cannot be read fails the test")]

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use toolgate_signing::{Secret, sign, verify};

#[derive(Deserialize)]
struct Case {
    name: String,
    secret: OneOrMore,
    id: String,
    timestamp: String,
    body_base64: String,
    headers: Vec<(String, String)>,
    now: u64,
    tolerance: u64,
    verdict: String,
    why: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/signature-cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

impl Case {
    /// A secret that cannot be read refuses everything, as an endpoint that does not start.
    fn secrets(&self) -> Option<Vec<Secret>> {
        let texts = match &self.secret {
            OneOrMore::One(text) => std::slice::from_ref(text),
            OneOrMore::More(texts) => texts,
        };
        texts.iter().map(|text| Secret::parse(text).ok()).collect()
    }

    fn body(&self) -> Vec<u8> {
        STANDARD.decode(&self.body_base64).unwrap()
    }

    fn is_accepted(&self) -> bool {
        let headers = self.headers.iter().map(|(name, value)| (name, value));
        self.secrets().is_some_and(|secrets| verify(&secrets, headers, &self.body(), self.now, self.tolerance).is_ok())
    }
}

#[test]
fn every_verdict() {
    let cases = cases();
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| case.is_accepted() != (case.verdict == "accept"))
        .map(|case| format!("{}: not {} ({})", case.name, case.verdict, case.why))
        .collect();
    assert!(cases.iter().any(|case| case.verdict == "accept") && cases.iter().any(|case| case.verdict == "reject"));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_accepted_is_what_we_would_sign() {
    for case in cases().iter().filter(|case| case.verdict == "accept") {
        let made = sign(&case.secrets().unwrap(), &case.id, case.timestamp.parse().unwrap(), &case.body()).unwrap();
        let signature = case.headers.iter().find(|(name, _)| name == "webhook-signature").map(|(_, value)| value);
        assert!(signature.unwrap().split(' ').any(|token| token == made), "{}: {made}", case.name);
    }
}
