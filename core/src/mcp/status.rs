//! The tool that every agent has at this door: how a call stands that was parked, or is under way.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::STATUS_TOOL;

/// Its definition.
pub fn status_tool() -> Option<Box<RawValue>> {
    let description = "How a pending call stands: whether a person has decided, and the result once it ran. Give the approval_id or call of a pending answer. It changes nothing. Do not ask in a loop: a decision may take hours.";
    to_raw_value(&json!({
        "name": STATUS_TOOL,
        "title": "Status of a pending call",
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": { "id": { "type": "string", "description": "The approval_id or call of a pending answer." } },
            "required": ["id"],
            "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    }))
    .ok()
}

/// Which call it is asked of: the id of the call or of its approval.
pub fn asked_of(arguments: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Asked {
        id: String,
    }
    serde_json::from_str::<Asked>(arguments?.get()).ok().map(|asked| asked.id)
}
