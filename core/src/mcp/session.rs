//! Sessions of clients before 2026-07-28, of which nothing is kept but a level of log messages. What a client declared in
//! `initialize` is the session's id, under our MAC, and comes back with each of its requests: a restart loses no session.
//! The same key seals the ids of what such a client is asked, so that an id is good for the session that was asked, and for
//! as long as somebody waits.
//!
//! Sources: revision 2025-11-25, "Session Management" (an id of visible ASCII; 404 for one that is over). A session grants
//! nothing: each request brings its key, and counts for what that may do. So none has an end, and another key of the same
//! principal goes on with it: many clients do not begin anew when they are told that their session is over.

use serde_json::value::RawValue;
use toolgate_protocol::limits::MCP_SESSION_CHARS_MAX;

use super::{Capability, Headers, MODERN, Message, Method};
use crate::hash::{DerivedKey, base64url, from_base64url};
use crate::keys::Identity;
use crate::time::UnixMillis;

/// A client that began with `initialize` and said then what it can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its own, of no meaning.
    pub id: String,
    /// What the client can be asked for.
    pub answers: Vec<Capability>,
}

/// Which question of which call a client is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The first call.
    pub call: String,
    /// How many questions were answered in full before it.
    pub question: u32,
    /// Which of the requests that this client is sent.
    pub at: usize,
}

/// How a request to the client stands whose id is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is still time to answer.
    Open(Asked),
    /// Nobody waits any more.
    Over,
}

/// Begins and reads sessions.
pub struct Sessions(DerivedKey);

impl Sessions {
    /// A key derived from the master key.
    pub fn new(master: &[u8]) -> Sessions {
        Sessions(DerivedKey::derive(master, "mcp session v1"))
    }

    /// The id of a new session: `capabilities.chance.mac`.
    pub fn begin(&self, who: &Identity, answers: &[Capability], entropy: &[u8; 16]) -> String {
        let letters: String = answers.iter().map(|capability| capability.letter()).collect();
        let id = base64url(entropy);
        let mac = self.0.mac(&owned(who, &["session", &letters, &id]));
        format!("{letters}.{id}.{}", base64url(&mac))
    }

    /// The session of an id that was given to this agent for this principal.
    pub fn open(&self, who: &Identity, text: &str) -> Option<Session> {
        if text.len() > MCP_SESSION_CHARS_MAX {
            return None;
        }
        let (says, mac) = text.rsplit_once('.')?;
        let (letters, id) = says.split_once('.')?;
        if !self.is_ours(&owned(who, &["session", letters, id]), mac) {
            return None;
        }
        let answers = Capability::ALL.into_iter().filter(|capability| letters.contains(capability.letter())).collect();
        Some(Session { id: id.to_owned(), answers })
    }

    /// The id of a request to the client: `call.question.at.until.mac`.
    pub fn ask(&self, who: &Identity, session: &Session, asked: &Asked, until: UnixMillis) -> String {
        let says = format!("{}.{}.{}.{}", asked.call, asked.question, asked.at, until.0);
        let mac = self.0.mac(&owned(who, &["question", &session.id, &says]));
        format!("{says}.{}", base64url(&mac))
    }

    /// What the session was asked under this id; nothing where it was asked nothing under it.
    pub fn asked(&self, who: &Identity, session: &Session, id: &str, now: UnixMillis) -> Option<Standing> {
        let (says, mac) = id.rsplit_once('.')?;
        if !self.is_ours(&owned(who, &["question", &session.id, says]), mac) {
            return None;
        }
        let [call, question, at, until] = <[&str; 4]>::try_from(says.split('.').collect::<Vec<_>>()).ok()?;
        let asked = Asked { call: call.to_owned(), question: question.parse().ok()?, at: at.parse().ok()? };
        let is_open = until.parse().is_ok_and(|until| now.0 < until);
        Some(if is_open { Standing::Open(asked) } else { Standing::Over })
    }

    fn is_ours(&self, parts: &[&[u8]], mac: &str) -> bool {
        from_base64url(mac).is_some_and(|mac| mac.len() == 32 && self.0.verify(parts, &mac))
    }
}

/// What is said, and to whom: to an agent for a principal, in its run. A key that takes the place of another goes on.
fn owned<'a>(who: &'a Identity, says: &[&'a str]) -> Vec<&'a [u8]> {
    let scope = &who.scope;
    let agent = scope.agent.as_deref().unwrap_or_default();
    let run = scope.run.as_ref().map_or("", |run| run.run.as_str());
    let principal = scope.principal.as_deref().map_or("", RawValue::get);
    [who.org.as_str(), agent, principal, run].into_iter().chain(says.iter().copied()).map(str::as_bytes).collect()
}

/// Does a session count for this message? The newer era has none, and `initialize` begins one.
pub fn has_session(message: &Message, headers: &Headers) -> bool {
    match message {
        Message::Request(request) => {
            request.era == super::Era::Legacy && !matches!(request.method, Method::Initialize(_))
        }
        Message::Notification | Message::Response(_) => headers.version.as_deref() != Some(MODERN),
    }
}

#[cfg(test)]
mod tests {
    use toolgate_protocol::control::Role;

    use super::*;
    use crate::keys::Scope;

    const NOW: UnixMillis = UnixMillis(1_700_000_000_000);

    fn who() -> Identity {
        let principal = RawValue::from_string(r#"{"id":"u"}"#.to_owned()).unwrap();
        let scope = Scope { agent: Some("bot".into()), principal: Some(principal), ..Scope::default() };
        let named = |text: &str| text.to_owned();
        let (org, key_id, name, sha256) = (named("acme"), named("key_1"), named("n"), named("s"));
        Identity { org, role: Role::Agent, key_id, name, sha256, scope, expires: None }
    }

    /// The same, but for one thing each.
    fn others() -> Vec<Identity> {
        let changed = |change: fn(&mut Identity)| {
            let mut other = who();
            change(&mut other);
            other
        };
        vec![
            changed(|who| who.org = "other".into()),
            changed(|who| who.scope.agent = Some("other".into())),
            changed(|who| who.scope.principal = RawValue::from_string(r#"{"id":"v"}"#.to_owned()).ok()),
        ]
    }

    #[test]
    fn a_session_comes_back_as_it_began_to_its_own_agent_and_principal() {
        let sessions = Sessions::new(b"0123456789abcdef0123456789abcdef");
        for count in 0..=Capability::ALL.len() {
            let answers = &Capability::ALL[..count];
            let text = sessions.begin(&who(), answers, &[7; 16]);
            assert!(text.bytes().all(|byte| byte.is_ascii_graphic()) && text.len() <= MCP_SESSION_CHARS_MAX, "{text}");
            let session = sessions.open(&who(), &text).unwrap();
            assert_eq!((session.answers.as_slice(), &session.id), (answers, &base64url(&[7; 16])));
            let rotated = Identity { key_id: "key_2".into(), ..who() };
            assert_eq!(sessions.open(&rotated, &text), Some(session), "another key of the same principal");
            assert!(others().iter().all(|other| sessions.open(other, &text).is_none()));
        }
        let text = sessions.begin(&who(), &[Capability::Form], &[7; 16]);
        let other = Sessions::new(b"another0another0another0another0");
        assert_eq!(other.open(&who(), &text), None);
        for forged in [
            String::new(),
            "x".to_owned(),
            "x".repeat(MCP_SESSION_CHARS_MAX + 1),
            format!("s{text}"),
            format!("{text}x"),
            format!(".{text}"),
            text.replacen("f.", "fs.", 1),
            text.replacen('.', ".1.", 1),
            text.replace(&base64url(&[7; 16]), &base64url(&[8; 16])),
        ] {
            assert_eq!(sessions.open(&who(), &forged), None, "{forged}");
        }
    }

    #[test]
    fn only_who_was_asked_can_answer_and_in_time() {
        let sessions = Sessions::new(b"0123456789abcdef0123456789abcdef");
        let begun = |byte: u8| {
            let text = sessions.begin(&who(), &[Capability::Form], &[byte; 16]);
            sessions.open(&who(), &text).unwrap()
        };
        let (session, until) = (begun(1), NOW.plus_seconds(300));
        let asked = Asked { call: "call_x_main-0-shop_y".into(), question: 1, at: 2 };
        let id = sessions.ask(&who(), &session, &asked, until);
        assert_eq!(sessions.asked(&who(), &session, &id, NOW), Some(Standing::Open(asked)));
        assert_eq!(sessions.asked(&who(), &session, &id, until), Some(Standing::Over), "late, and ours");
        let rotated = Identity { key_id: "key_2".into(), ..who() };
        assert!(sessions.asked(&rotated, &session, &id, NOW).is_some(), "another key of the same principal");
        assert_eq!(sessions.asked(&who(), &begun(2), &id, NOW), None, "another session of the same key");
        assert!(others().iter().all(|other| sessions.asked(other, &session, &id, NOW).is_none()));
        for forged in [
            String::new(),
            "1".to_owned(),
            id.replace(".1.2.", ".1.1."),
            id.replace(".1.2.", ".0.2."),
            id.replace("call_x", "call_z"),
            id.replace(&until.0.to_string(), &until.plus_seconds(1).0.to_string()),
            format!("{id}x"),
            format!("x.{id}"),
        ] {
            assert_eq!(sessions.asked(&who(), &session, &forged, NOW), None, "{forged}");
        }
        let begins = sessions.begin(&who(), &[Capability::Form], &[1; 16]);
        assert_eq!(sessions.asked(&who(), &session, &begins, NOW), None, "the id of a session is none of a question");
    }
}
