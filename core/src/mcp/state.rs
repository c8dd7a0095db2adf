//! What an `input_required` answer gives for the repeat. It comes back from a client, so it is believed by its MAC alone,
//! for a time, and only for the same agent, principal, tool and arguments. It is not secret. That a call runs once is the
//! queue's to see to: a state may come back twice.

use serde_json::value::RawValue;

use crate::hash::{DerivedKey, base64url, from_base64url, sha256_hex};
use crate::time::UnixMillis;

/// Makes and checks such states.
pub struct RequestStates(DerivedKey);

/// What a state is bound to.
pub struct Bound<'a> {
    /// The org.
    pub org: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// Canonical text of the principal.
    pub principal: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Canonical text of the arguments.
    pub arguments: &'a str,
}

/// What a state says.
#[derive(Clone, Debug)]
pub enum Carried {
    /// The call that waits for a decision.
    Call(String),
    /// A tool asked for something, and this was its own state.
    Input(Option<Box<RawValue>>),
}

impl Carried {
    fn text(&self) -> (&'static str, &str) {
        match self {
            Carried::Call(call) => ("call", call),
            Carried::Input(state) => ("input", state.as_deref().map_or("", RawValue::get)),
        }
    }

    fn read(kind: &str, text: String) -> Option<Carried> {
        match kind {
            "call" => Some(Carried::Call(text)),
            "input" if text.is_empty() => Some(Carried::Input(None)),
            "input" => RawValue::from_string(text).ok().map(|state| Carried::Input(Some(state))),
            _ => None,
        }
    }
}

impl RequestStates {
    /// A key derived from the master key.
    pub fn new(master: &[u8]) -> RequestStates {
        RequestStates(DerivedKey::derive(master, "mcp request state v1"))
    }

    /// `kind.until.text.mac`, the last two in base64url.
    pub fn seal(&self, bound: &Bound<'_>, carried: &Carried, until: UnixMillis) -> String {
        let (kind, text) = carried.text();
        let until = until.0.to_string();
        let mac = self.0.mac(&parts(bound, &sha256_hex(bound.arguments.as_bytes()), [kind, &until, text]));
        format!("{kind}.{until}.{}.{}", base64url(text.as_bytes()), base64url(&mac))
    }

    /// What a state says that was made for just this request, and not too long ago.
    pub fn open(&self, bound: &Bound<'_>, state: &str, now: UnixMillis) -> Option<Carried> {
        let mut pieces = state.split('.');
        let (kind, until) = (pieces.next()?, pieces.next()?);
        let text = String::from_utf8(from_base64url(pieces.next()?)?).ok()?;
        let mac = from_base64url(pieces.next()?).filter(|mac| mac.len() == 32 && pieces.next().is_none())?;
        let arguments = sha256_hex(bound.arguments.as_bytes());
        let ours = self.0.verify(&parts(bound, &arguments, [kind, until, &text]), &mac);
        let fresh = until.parse().is_ok_and(|until| now.0 < until);
        if ours && fresh { Carried::read(kind, text) } else { None }
    }
}

fn parts<'a>(bound: &Bound<'a>, arguments: &'a str, says: [&'a str; 3]) -> [&'a [u8]; 8] {
    let [kind, until, text] = says;
    [bound.org, bound.agent, bound.principal, bound.tool, arguments, kind, until, text].map(str::as_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_700_000_000_000);

    #[test]
    fn a_state_is_for_its_own_request() {
        let states = RequestStates::new(b"0123456789abcdef0123456789abcdef");
        let bound = Bound { org: "o", agent: "a", principal: "{}", tool: "t", arguments: "{\"x\":1}" };
        let until = NOW.plus_seconds(60);
        let state = states.seal(&bound, &Carried::Call("call_1".into()), until);
        let opened = |bound: &Bound<'_>, state: &str, now| {
            states.open(bound, state, now).map(|carried| carried.text().1.to_owned())
        };
        assert_eq!(opened(&bound, &state, NOW).as_deref(), Some("call_1"));
        assert_eq!(opened(&bound, &state, until), None, "too late");
        for other in [
            Bound { org: "p", ..bound },
            Bound { agent: "b", ..bound },
            Bound { principal: "{\"id\":1}", ..bound },
            Bound { tool: "u", ..bound },
            Bound { arguments: "{\"x\":2}", ..bound },
        ] {
            assert_eq!(opened(&other, &state, NOW), None);
        }
        let later = until.plus_seconds(1).0.to_string();
        let other = base64url(b"call_2");
        for forged in [
            "".to_owned(),
            "call_1".to_owned(),
            state.replace(&base64url(b"call_1"), &other),
            state.replace(&until.0.to_string(), &later),
            state.replace("call.", "input."),
            format!("{state}x"),
            format!("{state}.x"),
            format!("{state}-TAMPERED"),
        ] {
            assert_eq!(opened(&bound, &forged, NOW), None, "{forged}");
        }
    }

    #[test]
    fn a_tools_own_state_comes_back_as_it_was() {
        let states = RequestStates::new(b"0123456789abcdef0123456789abcdef");
        let bound = Bound { org: "o", agent: "a", principal: "{}", tool: "t", arguments: "{}" };
        let back = |state: Option<&str>| {
            let state = state.map(|text| RawValue::from_string(text.to_owned()).unwrap());
            match states.open(&bound, &states.seal(&bound, &Carried::Input(state), NOW.plus_seconds(1)), NOW) {
                Some(Carried::Input(state)) => state.map(|raw| raw.get().to_owned()),
                other => panic!("{other:?}"),
            }
        };
        for text in [r#"{"id":9007199254740993,"e":1e400}"#, "null", "\"\"", "\"a.b\""] {
            assert_eq!(back(Some(text)).as_deref(), Some(text));
        }
        assert_eq!(back(None), None);
    }
}
