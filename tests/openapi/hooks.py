"""What schemathesis is told about this gateway: which key an operation needs, and what there is to be found.

Every request gets a key of a role that may, or one in eight of one that may not. Of the values that it makes up, many are
exchanged for real ones, so that requests come further than a 404. Which ones is decided by a checksum of the request: the
same seed is the same run.
"""

import atexit
import json
import os
import zlib

import schemathesis

with open(os.environ["TOOLGATE_SCENE"], encoding="utf-8") as file:
    SCENE = json.load(file)

ROLES = ["admin", "worker", "caller", "approver", "agent", "run"]
SEEN = {}

# Real values of path parameters. What breaks what others need (a revoked key, a pool with another transport) is done to
# things of its own.
PATHS = {
    "revokeKey": SCENE["spare_keys"],
    "putPool": ["spare", "spare", "other"],
    "putCapability": ["spare"],
    "getCapability": ["bot"],
    "putAgent": ["spare"],
    "getAgent": ["bot"],
    "putTool": ["made", "look", "find"],
    "getTool": ["find", "look", "note"],
    "acceptRefused": ["changed"],
    "releaseTool": ["made", "gone"],
    "putNotification": ["ops", "more"],
    "getNotification": ["ops"],
    "deleteNotification": ["more", "ops"],
    "rotateSecret": ["turning"],
    "challengeEndpoint": ["hooks", "turning"],
    "syncManifest": ["hooks"],
    "getPool": ["main", "hooks"],
    "poolStats": ["main", "hooks"],
    "getRun": [SCENE["run"]],
    "takeTurn": [SCENE["run"]],
    "renewToken": [SCENE["run"]],
    "getCall": SCENE["calls"],
    "callEvents": SCENE["calls"],
    "cancelCall": SCENE["cancelled"],
    "resolveCall": SCENE["unknown"],
    "getApproval": SCENE["approvals"],
    "decide": SCENE["approvals"],
    "mcp": ["bot"],
    "chat": ["bot"],
    "chatCapabilities": ["bot"],
    "getThread": ["t-0", "t-1"],
    "putThread": ["t-0", "t-1"],
    "deleteThread": ["t-2"],
    "resourceMetadata": ["bot"],
}
WORKERS = ["register", "goodbye", "poll", "accept", "renew", "giveBack", "results"]


def pick(values, number):
    return values[number % len(values)]


def bodies(operation, case, number):
    """Members that make a body a likely one."""
    claims = [pick(SCENE["claims"], number)]
    who = {"agent": "bot", "principal": SCENE["principal"]}
    if operation == "decide":
        digest = SCENE["digests"].get(case.path_parameters.get("id"), "x")
        return pick([{"decision": "approve", "digest": digest, "reason": None, "arguments": None}, {"decision": "reject", "reason": "no", "digest": None, "arguments": None}], number)
    return {
        "resolveCall": {"outcome": pick(["succeeded", "failed"], number), "note": "Looked it up."},
        "acceptRefused": {"version": SCENE["refused"]},
        "submitCall": {"tool": pick(["find", "note", "refund", "look", "edit"], number), "arguments": pick([{"id": 7}, {}], number // 5), **who},
        "createRun": {**who, "context": pick([None, {"context_type": "order", "context_id": "7"}], number), "budget_tokens": None, "doors": None, "origins": None},
        "takeTurn": {"context": None},
        "createSession": {"role": pick(["approver", "admin"], number)},
        "createOrg": {"jurisdiction": None, "id": f"org-{number % 1000}"},
        "createKey": pick([{"role": "worker", "pools": ["main"]}, {"role": "caller"}, {"role": "approver"}, {"role": "agent", **who}], number) | {"name": "made", "expires_in_days": None},
        "putCapability": {"tools": ["find"], "approvals_required": 1},
        "putAgent": {"capabilities": ["bot"], "pinned_tools": ["find"], "mcp": pick([None, {"headers": {"find": {"id": "Id"}}, "tasks_required": ["note"]}], number)},
        "putPool": pick([{"transport": "worker", "url": None, "secret": None, "timeout_seconds": None}, {"transport": "webhook", "url": SCENE["url"], "secret": None, "timeout_seconds": 5}], number),
        "putTool": {"pool": "turning", "input": {"id": "integer"}, "description": "Made by hand.", "permissions": [], "routing": {}, "queue_deadline_seconds": None, "execution_deadline_seconds": None},
        "putNotification": {"url": SCENE["url"], "secret": None, "events": ["approval.requested"]},
        "register": {"manifest": {"tools": SCENE["tools"]}, "worker": f"w-{number % 5}"},
        "goodbye": {"session": "ses_none"},
        "poll": {"session": SCENE["session"], "max": 1, "accepts": [], "results": []},
        "accept": {"session": SCENE["session"], "claims": claims},
        "renew": {"session": SCENE["session"], "claims": claims},
        "giveBack": {"session": SCENE["session"], "claims": claims},
        "results": {"session": SCENE["session"], "results": [{"claim": claims[0], "result": {"done": True}}]},
        # It says nothing that a tool would be called for: nobody serves the calls of a chat here.
        "chat": {"threadId": f"t-{number % 3}", "runId": "r-1", "messages": [{"id": f"u-{number % 7}", "role": "user", "content": "hello"}], "tools": [], "context": [], "forwardedProps": {}},
        "putThread": {"title": "A title"},
        "mcp": pick([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"jsonrpc": "2.0", "method": "notifications/initialized"}], number),
    }.get(operation, {})


@schemathesis.hook
def before_call(context, case, kwargs):
    definition = case.operation.definition.raw
    operation = definition["operationId"]
    text = json.dumps([operation, repr(case.path_parameters), repr(case.query), repr(case.body)])
    number = zlib.crc32(text.encode("utf-8", "replace"))
    number, chance = divmod(number, 8)
    # Several requests share what was made up: each changes a copy.
    case.path_parameters, case.headers = dict(case.path_parameters or {}), dict(case.headers or {})
    names = list(case.path_parameters)
    if names and chance != 1:
        known = ["main"] if operation in WORKERS else PATHS.get(operation)
        if known:
            case.path_parameters[names[0]] = pick(known, number)
    if isinstance(case.body, dict) and chance not in (2, 3):
        case.body = {**case.body, **bodies(operation, case, number)}
    # Nobody waits for calls that nobody ends.
    if isinstance(case.body, dict) and operation == "poll" and case.body.get("wait_seconds", 1) in (None, *range(1, 26)):
        case.body = {**case.body, "wait_seconds": 0}
    if operation == "listCalls" and isinstance(case.query, dict) and "pool" in case.query and chance != 1:
        case.query = {**case.query, "pool": "main"}
    if "wait=" in str(case.headers.get("Prefer", "")):
        del case.headers["Prefer"]
    # Who signed in is whom the team of Access says, not a key.
    if operation == "createSession" and chance != 0:
        case.headers.update(SCENE["sign_in"])
    roles = definition.get("x-roles", [])
    if roles:
        wrong = [role for role in ROLES if role not in roles and role != "run"]
        role = pick(wrong, number) if chance == 0 and wrong else pick(roles, number)
        if operation == "takeTurn":
            role = "run"
        case.headers["Authorization"] = f"Bearer {SCENE['keys'][role]}"


@schemathesis.hook
def after_call(context, case, response):
    operation = case.operation.definition.raw["operationId"]
    # Methods that the path does not have are asked under the name of one that it has.
    if case.method.upper() == case.operation.method.upper():
        counts = SEEN.setdefault(operation, {})
        counts[str(response.status_code)] = counts.get(str(response.status_code), 0) + 1


@atexit.register
def write_seen():
    with open(os.environ["TOOLGATE_SEEN"], "w", encoding="utf-8") as out:
        json.dump(SEEN, out)
