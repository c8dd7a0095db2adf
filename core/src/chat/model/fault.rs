//! Why a turn failed, in words for a person who chats. What a model's endpoint says of it is a stranger's text: it is
//! cut, stripped of what does not print, and never holds the key.

use toolgate_protocol::limits::MODEL_ERROR_CHARS_MAX;

use super::ModelError;
use crate::json::{Json, parse};
use crate::visible::is_unseen;

/// The model could not be reached, or is too busy.
pub const UNAVAILABLE: &str = "model_unavailable";
/// The model refused, or answered what is no answer.
pub const ERROR: &str = "model_error";
/// The answer ended before its end.
pub const STREAM_CUT: &str = "model_stream_cut";
/// Its address may not be called.
pub const REFUSED_ADDRESS: &str = "model_refused_address";

/// Shorter pieces of a key are words that anybody might say.
const KEY_PIECE_BYTES_MIN: usize = 8;

impl ModelError {
    /// An error of this code.
    pub fn new(code: &'static str, message: impl Into<String>) -> ModelError {
        ModelError { code, message: message.into() }
    }

    /// The model's answer is none.
    pub fn malformed(what: &str) -> ModelError {
        ModelError::new(ERROR, format!("The model's answer could not be read: {what}."))
    }

    /// The answer has its end, and nothing before it. Asked again at once it would say the same, at a price.
    pub fn nothing() -> ModelError {
        ModelError::new(ERROR, "The model ended its answer with neither text nor a call.")
    }

    /// The answer ended before its end.
    pub fn cut(how: &str) -> ModelError {
        ModelError::new(STREAM_CUT, format!("The model's answer was cut: {how}."))
    }

    /// What the endpoint reports in the middle of its answer.
    pub fn told(words: Option<&str>) -> ModelError {
        ModelError::new(ERROR, joined("The model reports an error", words.map(|words| cleaned(words, None))))
    }

    /// The same without any longer piece of the key: an endpoint may repeat it in whatever it reports.
    pub fn without(self, key: Option<&str>) -> ModelError {
        ModelError { message: without_key(&self.message, key.unwrap_or_default()), ..self }
    }

    /// A status other than 200, with what was said along with it. What is said of a refused key is not passed on:
    /// endpoints repeat parts of it.
    pub fn refused(status: u16, body: &[u8], key: Option<&str>) -> ModelError {
        let code = if status == 429 || status >= 500 { UNAVAILABLE } else { ERROR };
        let what = match status {
            401 | 403 => {
                return ModelError::new(code, format!("The model's endpoint refused the key (status {status})."));
            }
            300..=399 => {
                return ModelError::new(
                    code,
                    format!("The model's endpoint redirects (status {status}), which is not followed."),
                );
            }
            429 => "The model's endpoint asks for a pause (status 429)".to_owned(),
            _ => format!("The model's endpoint refused the request (status {status})"),
        };
        let said = std::str::from_utf8(body).ok().and_then(|text| parse(text).ok());
        let words = said.as_ref().and_then(words_of).map(|words| cleaned(&words, key));
        ModelError::new(code, joined(&what, words))
    }
}

fn joined(what: &str, words: Option<String>) -> String {
    match words.filter(|words| !words.is_empty()) {
        Some(words) => format!("{what}: {words}"),
        None => format!("{what}."),
    }
}

/// The message in an object of an error, in any of the usual shapes; only ever a text.
pub(super) fn words_of(said: &Json) -> Option<String> {
    let said = match said {
        Json::List(all) => all.first()?,
        other => other,
    };
    if let Some(error) = said.get("error").filter(|error| **error != Json::Null) {
        return error.as_str().map(str::to_owned).or_else(|| words_of(error));
    }
    // Of Workers AI: a list of errors, or a description.
    if let Some(Json::List(errors)) = said.get("errors") {
        return words_of(errors.first()?);
    }
    ["message", "detail", "description"].into_iter().find_map(|member| said.get(member)?.as_str()).map(str::to_owned)
}

/// One line of printable text, without markup, capped, without any longer piece of the key.
fn cleaned(words: &str, key: Option<&str>) -> String {
    if words.contains('<') && words.contains('>') {
        return String::new();
    }
    let words = without_key(words, key.unwrap_or_default());
    let blanks = words.chars().map(|each| if each.is_whitespace() { ' ' } else { each });
    let printable: String = blanks.filter(|each| !is_unseen(*each)).collect();
    let line = printable.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MODEL_ERROR_CHARS_MAX) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

fn without_key(words: &str, key: &str) -> String {
    let (mut rest, mut kept) = (words, String::new());
    while let Some(first) = rest.chars().next() {
        let shared = shared_with(rest, key);
        let step = if shared >= KEY_PIECE_BYTES_MIN {
            kept.push('…');
            shared
        } else {
            kept.push(first);
            first.len_utf8()
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    kept
}

/// How many bytes at the beginning of the text stand somewhere in the key. A key is ASCII, so these are whole characters.
fn shared_with(text: &str, key: &str) -> usize {
    let from = |at: usize| {
        let key = key.as_bytes().get(at..).unwrap_or_default();
        text.bytes().zip(key).take_while(|(one, other)| one == *other).count()
    };
    (0..key.len()).map(from).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_endpoint_says_is_passed_on_in_part() {
        let key = Some("sk-verysecretkey-0123456789");
        let long = format!(r#"{{"error":{{"message":"{}"}}}}"#, "x".repeat(2_000));
        for (status, body, code, message) in [
            (
                400,
                r#"{"error":{"message":"bad tool","type":"x"}}"#,
                ERROR,
                "The model's endpoint refused the request (status 400): bad tool",
            ),
            (400, r#"{"error":"bad tool"}"#, ERROR, "The model's endpoint refused the request (status 400): bad tool"),
            (
                400,
                r#"[{"error":{"message":"bad tool"}}]"#,
                ERROR,
                "The model's endpoint refused the request (status 400): bad tool",
            ),
            (422, r#"{"detail":"bad tool"}"#, ERROR, "The model's endpoint refused the request (status 422): bad tool"),
            (422, r#"{"detail":[{"loc":1}]}"#, ERROR, "The model's endpoint refused the request (status 422)."),
            (
                404,
                r#"{"object":"error","message":"no model m"}"#,
                ERROR,
                "The model's endpoint refused the request (status 404): no model m",
            ),
            (404, "<html>not here</html>", ERROR, "The model's endpoint refused the request (status 404)."),
            (
                400,
                r#"{"error":{"message":"<b>x</b>"}}"#,
                ERROR,
                "The model's endpoint refused the request (status 400).",
            ),
            (
                400,
                r#"{"error":{"message":" two\n\tlines \u0000\u202e "}}"#,
                ERROR,
                "The model's endpoint refused the request (status 400): two lines",
            ),
            (
                400,
                r#"{"error":{"message":"key sk-verysecretkey-0123456789 is bad"}}"#,
                ERROR,
                "The model's endpoint refused the request (status 400): key … is bad",
            ),
            (
                400,
                r#"{"error":{"message":"key sk-verys***23456789, bad"}}"#,
                ERROR,
                "The model's endpoint refused the request (status 400): key …***…, bad",
            ),
            (
                401,
                r#"{"error":{"message":"Incorrect key sk-v***6789"}}"#,
                ERROR,
                "The model's endpoint refused the key (status 401).",
            ),
            (
                400,
                r#"{"errors":[{"message":"AiError: no such model","code":5007}],"success":false,"result":{},"messages":[]}"#,
                ERROR,
                "The model's endpoint refused the request (status 400): AiError: no such model",
            ),
            (
                500,
                r#"{"internalCode":3040,"name":"InferenceUpstreamError","description":"out of capacity"}"#,
                UNAVAILABLE,
                "The model's endpoint refused the request (status 500): out of capacity",
            ),
            (403, "{}", ERROR, "The model's endpoint refused the key (status 403)."),
            (302, "", ERROR, "The model's endpoint redirects (status 302), which is not followed."),
            (
                429,
                r#"{"error":{"message":"slow down"}}"#,
                UNAVAILABLE,
                "The model's endpoint asks for a pause (status 429): slow down",
            ),
            (503, "", UNAVAILABLE, "The model's endpoint refused the request (status 503)."),
            (500, "\u{0}", UNAVAILABLE, "The model's endpoint refused the request (status 500)."),
        ] {
            let found = ModelError::refused(status, body.as_bytes(), key);
            assert_eq!((found.code, found.message.as_str()), (code, message), "{status} {body}");
        }
        let capped = ModelError::refused(400, long.as_bytes(), key).message;
        assert!(capped.ends_with('…') && capped.chars().count() < MODEL_ERROR_CHARS_MAX + 80);
        assert_eq!(
            ModelError::refused(400, &[0xff, 0xfe], None).message,
            "The model's endpoint refused the request (status 400)."
        );
    }

    #[test]
    fn errors_inside_an_answer() {
        assert_eq!(ModelError::told(Some("overloaded")).message, "The model reports an error: overloaded");
        assert_eq!(ModelError::told(None).message, "The model reports an error.");
        assert_eq!(ModelError::told(Some("<script>")).message, "The model reports an error.");
    }
}
