//! What goes back over HTTP.

/// An HTTP answer, and a line for the endpoint's own log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status; the gateway looks at the signature, not at it.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// To be sent byte for byte: it is what was signed.
    pub body: String,
    /// Why something was not as it should be, in words for who runs this endpoint; never for the caller.
    pub log: Option<String>,
}

impl Answer {
    /// An answer without a signature: it says the status and nothing else, to anybody.
    pub(crate) fn unsigned(status: u16, log: impl Into<String>) -> Answer {
        let body = match status {
            401 => "unauthorized\n",
            404 => "not found\n",
            405 => "method not allowed\n",
            413 => "too large\n",
            503 => "unavailable\n",
            _ => "bad request\n",
        };
        let headers = vec![("content-type", "text/plain; charset=utf-8".to_owned())];
        Answer { status, headers, body: body.to_owned(), log: Some(log.into()) }
    }

    /// To a signed request that asks for nothing.
    pub(crate) fn nothing() -> Answer {
        Answer { status: 204, headers: Vec::new(), body: String::new(), log: None }
    }

    /// A signed answer.
    pub(crate) fn signed(headers: Vec<(&'static str, String)>, body: String) -> Answer {
        Answer { status: 200, headers, body, log: None }
    }

    pub(crate) fn with_log(mut self, log: Option<String>) -> Answer {
        self.log = log.or(self.log);
        self
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Answer {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The value of a header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}
