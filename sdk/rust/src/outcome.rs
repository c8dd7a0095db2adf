//! The body of a reply to a call.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_protocol::calls::Activity;
use toolgate_protocol::limits::{REPLY_BYTES_MAX, RESULT_PREVIEW_BYTES};
use toolgate_protocol::webhooks::CallReply;

use crate::handler_error::HandlerError;

/// What became of a call.
pub(crate) struct Outcome {
    result: Result<Box<RawValue>, HandlerError>,
    activity: Option<Activity>,
}

impl Outcome {
    /// What a handler returned.
    pub fn returned<R: Serialize>(returned: Result<(R, Option<Activity>), HandlerError>) -> Outcome {
        let (result, activity) = match returned {
            Ok(returned) => returned,
            Err(error) => return Outcome::from(error),
        };
        match to_raw_value(&result) {
            Ok(result) => Outcome { result: Ok(result), activity },
            Err(error) => Outcome::coded(
                "result_not_serializable",
                format!("the handler finished, but its result cannot be written as JSON: {error}"),
            ),
        }
    }

    pub fn coded(code: &str, message: impl Into<String>) -> Outcome {
        Outcome::from(HandlerError::coded(code, message))
    }

    /// The reply's body. One over the gateway's cap would be thrown away unread and leave a write `unknown`; so the
    /// activity goes first, then the result becomes the gateway's own form of a result over its limit.
    pub fn into_text(self, manifest: &str) -> String {
        let (result, error) = match self.result {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error.into_wire())),
        };
        let mut reply = CallReply { result, error, activity: self.activity, manifest: Some(manifest.to_owned()) };
        let mut text = written(&reply);
        if text.len() > REPLY_BYTES_MAX && reply.activity.take().is_some() {
            text = written(&reply);
        }
        if text.len() > REPLY_BYTES_MAX {
            reply.result = reply.result.map(|result| truncated(&result));
            text = written(&reply);
        }
        text
    }
}

impl From<HandlerError> for Outcome {
    fn from(error: HandlerError) -> Outcome {
        Outcome { result: Err(error), activity: None }
    }
}

#[derive(Serialize)]
struct Truncated<'a> {
    truncated: bool,
    bytes: usize,
    preview: &'a str,
}

fn truncated(result: &RawValue) -> Box<RawValue> {
    let text = result.get();
    let preview = text.get(..text.floor_char_boundary(RESULT_PREVIEW_BYTES)).unwrap_or_default();
    to_raw_value(&Truncated { truncated: true, bytes: text.len(), preview }).unwrap_or_default()
}

/// Text and raw JSON always serialize.
fn written(reply: &CallReply) -> String {
    serde_json::to_string(reply).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(result: Value, activity: Option<Value>) -> Value {
        let activity =
            activity.map(|content| Activity { kind: "a/b".into(), content: to_raw_value(&content).unwrap() });
        let text = Outcome::returned(Ok((result, activity))).into_text("hash");
        assert!(text.len() <= REPLY_BYTES_MAX, "{}", text.len());
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn replies_have_the_exact_members() {
        let text = Outcome::returned(Ok((9_007_199_254_740_993_u64, None))).into_text("h");
        assert_eq!(text, r#"{"result":9007199254740993,"manifest":"h"}"#);
        assert_eq!(Outcome::returned(Ok(((), None))).into_text("h"), r#"{"result":null,"manifest":"h"}"#);
        let text = Outcome::returned::<()>(Err("no".into())).into_text("h");
        assert_eq!(text, r#"{"error":{"message":"no"},"manifest":"h"}"#);
        let text = Outcome::coded("c", "m".repeat(5_000)).into_text("h");
        assert_eq!(text, format!(r#"{{"error":{{"message":"{}","code":"c"}},"manifest":"h"}}"#, "m".repeat(4_000)));
        assert_eq!(
            of(json!(1), Some(json!([2]))),
            json!({"result":1,"activity":{"type":"a/b","content":[2]},"manifest":"hash"})
        );
        let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
        let text = Outcome::returned(Ok((keys, None))).into_text("h");
        assert!(text.contains(r#""code":"result_not_serializable""#), "{text}");
    }

    #[test]
    fn no_reply_is_over_the_cap() {
        let huge = "é".repeat(REPLY_BYTES_MAX);
        let reply = of(json!(huge), Some(json!([2])));
        assert_eq!(reply["result"]["truncated"], true);
        assert_eq!(reply["result"]["bytes"], json!(huge.len() + 2));
        assert_eq!(reply["result"]["preview"], json!(format!("\"{}", "é".repeat(1_023))));
        let reply = of(json!(1), Some(json!(huge)));
        assert_eq!(reply, json!({"result":1,"manifest":"hash"}));
    }
}
