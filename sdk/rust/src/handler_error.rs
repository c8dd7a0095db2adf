//! A handler's own no.

use toolgate_protocol::limits::ERROR_MESSAGE_CHARS_MAX;
use toolgate_protocol::workers::HandlerError as WireError;

/// Why a handler gives no result. The words reach the model and its user, so there is no conversion from other errors:
/// what an internal failure says to the outside is for the handler to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerError {
    code: Option<String>,
    message: String,
}

impl HandlerError {
    /// An error in words.
    pub fn new(message: impl Into<String>) -> HandlerError {
        HandlerError { code: None, message: message.into() }
    }

    /// An error with a code of your own, `[a-z0-9_]{1,64}`, that programs may compare.
    pub fn coded(code: impl Into<String>, message: impl Into<String>) -> HandlerError {
        HandlerError { code: Some(code.into()), message: message.into() }
    }

    pub(crate) fn into_wire(self) -> WireError {
        WireError { message: self.message.chars().take(ERROR_MESSAGE_CHARS_MAX).collect(), code: self.code }
    }
}

impl From<String> for HandlerError {
    fn from(message: String) -> HandlerError {
        HandlerError::new(message)
    }
}

impl From<&str> for HandlerError {
    fn from(message: &str) -> HandlerError {
        HandlerError::new(message)
    }
}
