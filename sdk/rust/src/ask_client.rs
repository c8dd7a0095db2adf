//! A read that asks its client for something before it can answer.

use serde::Serialize;
use serde_json::value::to_raw_value;
use toolgate_protocol::calls::{Activity, INPUT_REQUIRED};

use crate::handler_error::HandlerError;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Question<'a, R, S> {
    input_requests: &'a R,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<&'a S>,
}

/// What the handler of a read returns ([`Tool::handler_with_activity`](crate::Tool::handler_with_activity)) to ask the
/// client for something first: by key, objects with `method` and `params` of the Model Context Protocol ("Multi Round-Trip
/// Requests"). The call ends with it; the client's answer comes with another call, in
/// [`CallContext::input`](crate::CallContext::input), with `state` as it was given here. Only a client that declares what
/// it is asked for can be asked.
///
/// # Errors
/// `result_not_serializable` where the question cannot be written as JSON.
pub fn ask_client<R: Serialize, S: Serialize>(requests: &R, state: Option<&S>) -> Result<Activity, HandlerError> {
    let question = Question { input_requests: requests, request_state: state };
    let content = to_raw_value(&question).map_err(|error| {
        HandlerError::coded("result_not_serializable", format!("the question cannot be written as JSON: {error}"))
    })?;
    Ok(Activity { kind: INPUT_REQUIRED.to_owned(), content })
}
