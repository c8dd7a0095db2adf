//! What a model is told of a call that has no result of its own: one fixed sentence per state, with what the error says.

use toolgate_protocol::calls::CallState;

use super::call::Call;

/// A sentence fit to be a tool result; `None` for a call that has a result. `pool`: whose code it is for.
pub fn told(call: &Call, pool: &str) -> Option<String> {
    let error = call.outcome.as_ref().and_then(|outcome| outcome.error.as_ref());
    let why = error.map(|error| format!(" {}", error.message)).unwrap_or_default();
    Some(match call.state {
        CallState::Succeeded => return None,
        CallState::WaitingApproval => {
            "This call waits for a person's decision and has not run. Do not ask for it again; go on with what does not need it, or tell the user that it waits.".to_owned()
        }
        CallState::Queued => format!(
            "This call waits for the pool {pool}, of which nobody has taken it yet, and has no result yet. Do not ask for it again; its result can be read later."
        ),
        CallState::Running => {
            "This call is under way and has no result yet. Do not ask for it again; its result can be read later.".to_owned()
        }
        CallState::Failed => format!("This call failed.{why}"),
        CallState::Rejected => format!("A person rejected this call, so it did not run.{why}"),
        CallState::Expired => format!("This call was not run in time and will not be.{why}"),
        CallState::Cancelled => format!("This call was cancelled and has no result.{why}"),
        CallState::Invalidated => format!("This call did not run.{why}"),
        CallState::Unknown => {
            format!("Whether this call happened is not known, and it will not be run again.{why} Tell the user; a person can find out.")
        }
    })
}
