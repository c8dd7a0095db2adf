//! A refusal: whose fault, a stable code, words for the outside. Nothing internal is ever in it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use toolgate_protocol::problems::{self, ProblemKind};

/// A refusal on its way to an answer (RFC 9457).
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Code, status, title.
    pub kind: &'static ProblemKind,
    /// What was wrong, where, and what to do.
    pub detail: String,
    /// More members for the answer.
    pub members: Map<String, Value>,
}

impl Problem {
    /// A refusal of this kind.
    pub fn new(kind: &'static ProblemKind, detail: impl Into<String>) -> Problem {
        Problem { kind, detail: detail.into(), members: Map::new() }
    }

    /// With one more member.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Problem {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// The one answer for what is absent, foreign or malformed.
    pub fn not_found() -> Problem {
        Problem::new(problems::NOT_FOUND, "No such thing, or not yours.")
    }

    /// A fault in a request's member.
    pub fn invalid(field: &str, what: impl AsRef<str>) -> Problem {
        Problem::new(problems::INVALID_REQUEST, format!("{field}: {}", what.as_ref())).with("field", field)
    }

    /// Over a limit: which, and by how much.
    pub fn too_large(what: &str, bytes: usize, limit: usize) -> Problem {
        Problem::new(problems::PAYLOAD_TOO_LARGE, format!("{what} has {bytes} bytes; the limit is {limit} bytes."))
            .with("limit_bytes", limit)
            .with("bytes", bytes)
    }

    /// The storage said no: nothing was accepted.
    pub fn storage() -> Problem {
        Problem::new(problems::STORAGE_UNAVAILABLE, "Nothing was changed; try again.")
    }

    /// A refusal as it was answered; `None` for a body that is none of ours.
    pub fn read(status: u16, body: &str) -> Option<Problem> {
        #[derive(Deserialize)]
        struct Body {
            code: String,
            detail: String,
        }
        let Body { code, detail } = serde_json::from_str(body).ok()?;
        let kind = problems::ALL.iter().copied().find(|kind| kind.code == code && kind.status == status)?;
        Some(Problem::new(kind, detail))
    }

    /// The answer's body: `type`, `title`, `status`, `detail`, `code` and the further members.
    pub fn body(&self) -> Value {
        let mut body = self.members.clone();
        body.insert("type".into(), format!("urn:toolgate:problem:{}", self.kind.code).into());
        body.insert("title".into(), self.kind.title.into());
        body.insert("status".into(), self.kind.status.into());
        body.insert("detail".into(), self.detail.clone().into());
        body.insert("code".into(), self.kind.code.into());
        Value::Object(body)
    }
}

/// Between edge and objects a problem travels as its code, status, detail and members.
#[derive(Serialize, Deserialize)]
struct Wire {
    code: String,
    status: u16,
    detail: String,
    members: Map<String, Value>,
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            code: self.kind.code.into(),
            status: self.kind.status,
            detail: self.detail.clone(),
            members: self.members.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let kind = problems::ALL
            .iter()
            .copied()
            .find(|kind| kind.code == wire.code && kind.status == wire.status)
            .unwrap_or(problems::INTERNAL);
        Ok(Problem { kind, detail: wire.detail, members: wire.members })
    }
}
