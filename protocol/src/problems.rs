//! Problem codes (RFC 9457): a stable code, its HTTP status, its title. docs/errors has a page for each.

/// One kind of refusal.
#[derive(Debug, PartialEq, Eq)]
pub struct ProblemKind {
    /// The stable code.
    pub code: &'static str,
    /// HTTP status of the answer.
    pub status: u16,
    /// What went wrong, in a few words.
    pub title: &'static str,
}

macro_rules! problems {
    ($($name:ident = $code:literal, $status:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &ProblemKind = &ProblemKind { code: $code, status: $status, title: $title };)*
        /// Every kind there is.
        pub const ALL: &[&ProblemKind] = &[$($name),*];
    };
}

problems! {
    INVALID_JSON = "invalid_json", 400, "The body is not valid JSON";
    INVALID_RUN_INPUT = "invalid_run_input", 400, "The run input has a fault in the named member";
    FORGED_TOOL_RESULT = "forged_tool_result", 400, "A client says what a call behind the gateway came to";
    TOOL_NAME_CLASH = "tool_name_clash", 400, "A client tool has the name of a tool behind the gateway";
    INVALID_KEY = "invalid_key", 401, "The key is missing, malformed, expired or revoked";
    ACCESS_REFUSED = "access_refused", 401, "The sign-in by Cloudflare Access was not accepted";
    NOT_GRANTED = "not_granted", 403, "The agent has no grant of this tool";
    TOOL_DISABLED = "tool_disabled", 403, "No live worker announces this tool any more";
    PERMISSION_MISSING = "permission_missing", 403, "The principal lacks a permission that the tool requires";
    WRITE_NOT_ENABLED = "write_not_enabled", 403, "No capability of the agent opts in to reversible writes";
    ROLE_NOT_ALLOWED = "role_not_allowed", 403, "A key of this role may not do this";
    AGENT_NOT_IN_SCOPE = "agent_not_in_scope", 403, "The key's scope does not hold this agent";
    DOOR_NOT_ALLOWED = "door_not_allowed", 403, "The run token may not be used at this door";
    ORIGIN_NOT_ALLOWED = "origin_not_allowed", 403, "A page of this web origin may not use the key";
    POOL_NOT_IN_SCOPE = "pool_not_in_scope", 403, "The key's scope does not hold this pool";
    REQUESTER_MAY_NOT_APPROVE = "requester_may_not_approve", 403, "Who asked may not approve";
    NOT_FOUND = "not_found", 404, "There is nothing here";
    UNKNOWN_TOOL = "unknown_tool", 404, "No tool has this name";
    METHOD_NOT_ALLOWED = "method_not_allowed", 405, "The path exists, the method does not";
    ALREADY_ENDED = "already_ended", 409, "The call has ended";
    ALREADY_RUNNING = "already_running", 409, "The write has started and cannot be taken back";
    ALREADY_DECIDED = "already_decided", 409, "Somebody decided before";
    APPROVAL_EXPIRED = "approval_expired", 409, "The time to decide is over";
    APPROVAL_WITHDRAWN = "approval_withdrawn", 409, "The call no longer waits for a decision";
    DIGEST_MISMATCH = "digest_mismatch", 409, "The digest is not that of the call's exact bytes";
    ENDPOINT_SUSPENDED = "endpoint_suspended", 409, "The pool's endpoint is not active";
    MANAGED_ELSEWHERE = "managed_elsewhere", 409, "The tool is managed by something else";
    IDEMPOTENCY_CONFLICT = "idempotency_conflict", 409, "The idempotency key was used with other arguments";
    NOTHING_TO_ACCEPT = "nothing_to_accept", 409, "No refused definition has this hash";
    NOT_UNKNOWN = "not_unknown", 409, "Only a call whose outcome is unknown can be resolved";
    RECENTLY_REJECTED = "recently_rejected", 409, "A person rejected the same call within the hour";
    ORG_EXISTS = "org_exists", 409, "The org exists";
    UNKNOWN_SESSION = "unknown_session", 409, "The session is not live; register again";
    THREAD_BUSY = "thread_busy", 409, "Another run of the thread is under way";
    THREAD_FULL = "thread_full", 409, "The thread has as many entries as it may";
    TOO_MANY_THREADS = "too_many_threads", 409, "There are as many threads as there may be";
    TOOL_IN_USE = "tool_in_use", 409, "The tool is enabled; only a disabled name can be released";
    TRANSPORT_IN_USE = "transport_in_use", 409, "The pool does not have this transport";
    PAYLOAD_TOO_LARGE = "payload_too_large", 413, "The body or a part of it is over its limit";
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type", 415, "The body must be application/json";
    INVALID_REQUEST = "invalid_request", 422, "The request has a fault in the named member";
    INVALID_ARGUMENTS = "invalid_arguments", 422, "The arguments do not fit the tool's input";
    DEFINITION_REFUSED = "definition_refused", 422, "The definition met a fence of registration";
    DESTINATION_REFUSED = "destination_refused", 422, "The URL is no destination that may be called";
    SECRET_REFUSED = "secret_refused", 422, "The signing secret cannot be used";
    SECRET_IN_USE = "secret_in_use", 422, "The signing secret serves something else already";
    UNKNOWN_CAPABILITY = "unknown_capability", 422, "A named capability does not exist";
    UNKNOWN_GRANTED_TOOL = "unknown_tool", 422, "Only registered tools can be granted";
    JURISDICTION_UNSUPPORTED = "jurisdiction_unsupported", 422, "This runtime keeps no data in a jurisdiction";
    IDEMPOTENCY_KEY_REQUIRED = "idempotency_key_required", 428, "A write needs an Idempotency-Key";
    LOOP_DETECTED = "loop_detected", 508, "The request came from a gateway";
    TOO_MANY_PENDING = "too_many_pending", 429, "Too many calls wait for a decision already";
    INTERNAL = "internal", 500, "Something failed here; the reference is in our log";
    MANIFEST_UNAVAILABLE = "manifest_unavailable", 502, "The endpoint did not answer with a manifest";
    ACCESS_UNAVAILABLE = "access_unavailable", 503, "The keys of Cloudflare Access cannot be read now";
    BUSY = "busy", 503, "Too much waits here already";
    OBJECT_UNAVAILABLE = "object_unavailable", 503, "What keeps this could not be reached";
    REGISTRY_UNAVAILABLE = "registry_unavailable", 503, "The policy cannot be read now";
    RESOLVER_UNAVAILABLE = "resolver_unavailable", 503, "No name server could be asked";
    STORAGE_UNAVAILABLE = "storage_unavailable", 503, "The storage cannot be read or written now";
}

/// The kind with this code; of two with one code the first.
pub fn by_code(code: &str) -> Option<&'static ProblemKind> {
    ALL.iter().copied().find(|kind| kind.code == code)
}
