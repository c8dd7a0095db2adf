//! What an `input_required` answer gives for the repeat. It comes back from a client, so it is believed by its MAC alone,
//! and only for the same agent, tool and arguments; that a call runs once is the queue's to see to.

use crate::hash::{DerivedKey, base64url, from_base64url, sha256_hex};

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

impl RequestStates {
    /// A key derived from the master key.
    pub fn new(master: &[u8]) -> RequestStates {
        RequestStates(DerivedKey::derive(master, "mcp request state v1"))
    }

    /// The state of a call that waits.
    pub fn seal(&self, bound: &Bound<'_>, call: &str) -> String {
        let arguments = sha256_hex(bound.arguments.as_bytes());
        format!("{call}.{}", base64url(&self.0.mac(&parts(bound, &arguments, call))))
    }

    /// The call of a state that belongs to just this request.
    pub fn open(&self, bound: &Bound<'_>, state: &str) -> Option<String> {
        let (call, mac) = state.rsplit_once('.')?;
        let mac = from_base64url(mac).filter(|mac| mac.len() == 32)?;
        let arguments = sha256_hex(bound.arguments.as_bytes());
        self.0.verify(&parts(bound, &arguments, call), &mac).then(|| call.to_owned())
    }
}

fn parts<'a>(bound: &Bound<'a>, arguments: &'a str, call: &'a str) -> [&'a [u8]; 6] {
    [bound.org, bound.agent, bound.principal, bound.tool, arguments, call].map(str::as_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_for_its_own_request() {
        let states = RequestStates::new(b"0123456789abcdef0123456789abcdef");
        let bound = Bound { org: "o", agent: "a", principal: "{}", tool: "t", arguments: "{\"x\":1}" };
        let state = states.seal(&bound, "call_1");
        assert_eq!(states.open(&bound, &state).as_deref(), Some("call_1"));
        for other in [
            Bound { org: "p", ..bound },
            Bound { agent: "b", ..bound },
            Bound { principal: "{\"id\":1}", ..bound },
            Bound { tool: "u", ..bound },
            Bound { arguments: "{\"x\":2}", ..bound },
        ] {
            assert_eq!(states.open(&other, &state), None);
        }
        for forged in ["", "call_1", "call_1.", &state.replace("call_1", "call_2"), &format!("{state}x")] {
            assert_eq!(states.open(&bound, forged), None, "{forged}");
        }
    }
}
