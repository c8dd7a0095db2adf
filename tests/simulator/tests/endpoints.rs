//! The registry's webhook pools over a real SQLite: states, revisions, secrets, manifests of endpoints, tools made by
//! hand, and the change of transport. Every answer to a client is searched for the secrets on the way ([`Org::step`]).

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolgate_core::registry::{Answer, Challenged, Command, EndpointManifest, EndpointSpec, NewSecret, Page, Reply};
use toolgate_core::time::UnixMillis;
use toolgate_protocol::control::{EndpointState, Transport};
use toolgate_protocol::limits::{MANIFEST_SYNC_SECONDS, ROTATION_SECONDS};
use toolgate_protocol::workers::{RegistrationResult, RegistrationStatus};
use toolgate_simulator::org::{Org, manifest, statuses, tool};

use RegistrationStatus::{Added, Refused, Unchanged, Updated};

const URL: &str = "https://tools.example.com/hook";
const OTHER_URL: &str = "https://tools.example.com/other";

/// A secret as the edge hands it in; from then on nobody may be shown it.
fn secret(org: &mut Org, name: &str) -> NewSecret {
    let secret = NewSecret { sealed: format!("sealed-{name}"), fingerprint: format!("fingerprint-{name}") };
    org.hidden.extend([secret.sealed.clone(), secret.fingerprint.clone()]);
    secret
}

fn put(org: &mut Org, pool: &str, url: &str, name: Option<&str>, challenged: Challenged) -> Reply {
    let (secret, kept) = (name.map(|name| secret(org, name)), newest(org, pool));
    let spec = EndpointSpec { url: url.into(), timeout_seconds: None, secret, kept, challenged };
    org.ask(Command::PutEndpoint(pool.into(), Box::new(spec)))
}

/// The newest secret of a pool, as the edge knows it.
fn newest(org: &mut Org, pool: &str) -> Option<String> {
    match org.ask(Command::EndpointFor { pool: pool.into(), fingerprint: None }) {
        Ok(Answer::Endpoint(Some(endpoint))) => endpoint.secrets.first().map(|secret| secret.sealed.clone()),
        _ => None,
    }
}

fn put_active(org: &mut Org, pool: &str, url: &str, name: &str) {
    let reply = put(org, pool, url, Some(name), Challenged::Passed);
    assert!(matches!(reply, Ok(Answer::Body(200 | 201, _))), "{reply:?}");
}

fn put_worker(org: &mut Org, pool: &str) -> Value {
    org.body("pool", Command::PutPool(pool.into(), serde_json::from_value(json!({"transport":"worker"})).unwrap()))
}

fn rotate(org: &mut Org, pool: &str, name: &str) -> Reply {
    let secret = secret(org, name);
    org.ask(Command::RotateSecret(pool.into(), secret))
}

fn challenge(org: &mut Org, pool: &str, revision: u64, failed: Option<&str>) -> Reply {
    let secret = newest(org, pool).unwrap_or_default();
    org.ask(Command::Challenged { pool: pool.into(), revision, secret, failed: failed.map(str::to_owned) })
}

fn suspend(org: &mut Org, pool: &str, revision: u64) -> Reply {
    org.ask(Command::Suspend { pool: pool.into(), revision, reason: "it leads to 10.0.0.1".into() })
}

fn sync(org: &mut Org, pool: &str, revision: u64, manifest: &Value, hash: &str) -> Reply {
    let manifest = RawValue::from_string(manifest.to_string()).unwrap();
    let manifest = EndpointManifest { pool: pool.into(), revision, manifest, hash: Some(hash.into()) };
    org.ask(Command::SyncManifest(Box::new(manifest)))
}

fn synced(org: &mut Org, tools: &[Value]) -> RegistrationResult {
    let revision = org.policy("hook").endpoint_revision;
    match sync(org, "hook", revision, &manifest(tools), "h") {
        Ok(Answer::Registered(result)) => result,
        other => panic!("{other:?}"),
    }
}

fn begins(org: &mut Org, revision: u64, hash: &str) -> bool {
    match org.ask(Command::BeginSync { pool: "hook".into(), revision, hash: hash.into() }) {
        Ok(Answer::Endpoint(endpoint)) => endpoint.is_some(),
        other => panic!("{other:?}"),
    }
}

fn endpoint(org: &mut Org, pool: &str) -> Value {
    org.body("pool", Command::GetPool(pool.into()))["endpoint"].clone()
}

fn state(org: &mut Org, pool: &str) -> (String, Option<String>) {
    let endpoint = endpoint(org, pool);
    (endpoint["state"].as_str().unwrap().into(), endpoint["reason"].as_str().map(str::to_owned))
}

/// Sealed texts in the policy, newest first, and when each ends.
fn secrets(org: &mut Org, pool: &str) -> Vec<(String, Option<UnixMillis>)> {
    let endpoint = org.policy(pool).endpoint.expect("an endpoint");
    endpoint.secrets.into_iter().map(|secret| (secret.sealed, secret.until)).collect()
}

fn code(reply: &Reply) -> &'static str {
    match reply {
        Err(problem) => problem.kind.code,
        Ok(_) => "ok",
    }
}

fn put_tool(org: &mut Org, name: &str, pool: &str, class: &str, permissions: &[&str]) -> Reply {
    let request = json!({
        "pool": pool, "description": "by hand", "side_effect": class, "input": {}, "permissions": permissions,
    });
    org.ask(Command::PutTool(name.into(), Box::new(serde_json::from_value(request).unwrap())))
}

#[test]
fn an_endpoint_is_pending_until_a_challenge_passes_and_suspended_until_the_next() {
    let mut org = Org::new();
    assert_eq!(code(&put(&mut org, "hook", URL, None, Challenged::Passed)), "secret_refused");
    let made = put(&mut org, "hook", URL, Some("a"), Challenged::NotTried);
    let Ok(Answer::Body(201, body)) = made else { panic!("{made:?}") };
    assert_eq!((&body["transport"], &body["endpoint"]["state"]), (&json!("webhook"), &json!("pending")));
    assert_eq!(state(&mut org, "hook"), ("pending".into(), Some("It was not challenged yet.".into())));
    let policy = org.policy("hook");
    assert_eq!(policy.transport, Transport::Webhook);
    assert_eq!(policy.endpoint.map(|endpoint| endpoint.state), Some(EndpointState::Pending));
    // A failed challenge still saves, and says why.
    let failed = put(&mut org, "hook", URL, None, Challenged::Failed("no answer".into()));
    assert!(matches!(failed, Ok(Answer::Body(200, _))), "{failed:?}");
    assert_eq!(state(&mut org, "hook"), ("pending".into(), Some("no answer".into())));
    assert!(challenge(&mut org, "hook", 1, Some("not yet")).is_ok());
    assert_eq!(state(&mut org, "hook"), ("pending".into(), Some("not yet".into())));
    assert!(challenge(&mut org, "hook", 1, None).is_ok());
    assert_eq!(state(&mut org, "hook"), ("active".into(), None));
    // What is active stays so when a challenge fails.
    let Ok(Answer::Body(200, shown)) = challenge(&mut org, "hook", 1, Some("down")) else { panic!("no answer") };
    assert_eq!(shown, json!({"state": "active", "failed": "down"}));
    assert_eq!(state(&mut org, "hook"), ("active".into(), None));
    assert!(suspend(&mut org, "hook", 1).is_ok());
    assert_eq!(state(&mut org, "hook"), ("suspended".into(), Some("it leads to 10.0.0.1".into())));
    assert_eq!(org.policy("hook").endpoint.map(|endpoint| endpoint.state), Some(EndpointState::Suspended));
    assert!(challenge(&mut org, "hook", 1, Some("still")).is_ok());
    assert_eq!(state(&mut org, "hook").0, "suspended");
    assert!(challenge(&mut org, "hook", 1, None).is_ok());
    assert_eq!(state(&mut org, "hook"), ("active".into(), None));
    assert!(put(&mut org, "hook", URL, None, Challenged::Passed).is_ok());
    assert_eq!(state(&mut org, "hook"), ("active".into(), None));
}

#[test]
fn a_deadline_is_within_its_limits() {
    let mut org = Org::new();
    for (seconds, good) in [(0, false), (1, true), (25, true), (26, false)] {
        let secret = Some(secret(&mut org, "a"));
        let (timeout_seconds, challenged) = (Some(seconds), Challenged::Passed);
        let spec = EndpointSpec { url: URL.into(), timeout_seconds, secret, kept: None, challenged };
        let reply = org.ask(Command::PutEndpoint("hook".into(), Box::new(spec)));
        assert_eq!(code(&reply), if good { "ok" } else { "invalid_request" }, "{seconds}");
        if good {
            assert_eq!(org.policy("hook").endpoint.map(|endpoint| endpoint.timeout_seconds), Some(seconds));
        }
    }
}

#[test]
fn the_revision_rises_when_calls_go_elsewhere_and_at_nothing_else() {
    let mut org = Org::new();
    assert_eq!(org.policy("shop").endpoint_revision, 0, "workers alone have ever served it");
    type Change = fn(&mut Org);
    let changes: [(&str, Change, u64); 12] = [
        ("new", |org| put_active(org, "hook", URL, "a"), 1),
        ("again", |org| put_active(org, "hook", URL, "a"), 1),
        ("another secret", |org| put_active(org, "hook", URL, "b"), 1),
        ("not challenged", |org| drop(put(org, "hook", URL, None, Challenged::NotTried)), 1),
        ("challenged", |org| drop(challenge(org, "hook", 1, None)), 1),
        ("suspended", |org| drop(suspend(org, "hook", 1)), 1),
        ("rotated", |org| drop(rotate(org, "hook", "c")), 1),
        ("another URL", |org| drop(put(org, "hook", OTHER_URL, None, Challenged::Passed)), 2),
        ("and back", |org| drop(put(org, "hook", URL, None, Challenged::Passed)), 3),
        ("workers", |org| drop(put_worker(org, "hook")), 4),
        ("workers again", |org| drop(put_worker(org, "hook")), 4),
        ("the same URL again", |org| put_active(org, "hook", URL, "d"), 5),
    ];
    for (what, change, revision) in changes {
        change(&mut org);
        let policy = org.policy("hook");
        assert_eq!(policy.endpoint_revision, revision, "{what}");
        let shown = policy.endpoint.map_or(revision, |endpoint| endpoint.revision);
        assert_eq!(shown, revision, "{what}");
    }
    assert_eq!(org.policy("shop").endpoint_revision, 0);
}

#[test]
fn a_secret_serves_one_pool_until_it_has_ended_there() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    let asked = |org: &mut Org, name: &str| {
        let fingerprint = Some(secret(org, name).fingerprint);
        code(&org.ask(Command::EndpointFor { pool: "second".into(), fingerprint }))
    };
    let taken = |org: &mut Org, name: &str| code(&put(org, "second", OTHER_URL, Some(name), Challenged::Passed));
    assert_eq!((asked(&mut org, "a"), taken(&mut org, "a")), ("secret_in_use", "secret_in_use"));
    assert_eq!(org.refused(Command::GetPool("second".into())), "not_found", "a refused pool is not made");
    // The pool's own secret may come again.
    put_active(&mut org, "hook", URL, "a");
    assert!(rotate(&mut org, "hook", "b").is_ok());
    for name in ["a", "b"] {
        assert_eq!((asked(&mut org, name), taken(&mut org, name)), ("secret_in_use", "secret_in_use"), "{name}");
    }
    org.now = org.now.plus_seconds(ROTATION_SECONDS);
    assert_eq!((asked(&mut org, "b"), taken(&mut org, "b")), ("secret_in_use", "secret_in_use"));
    assert_eq!((asked(&mut org, "a"), taken(&mut org, "a")), ("ok", "ok"), "it signs nothing any more");
    // Now it is in use over there.
    assert_eq!(code(&put(&mut org, "hook", URL, Some("a"), Challenged::Passed)), "secret_in_use");
    put_worker(&mut org, "second");
    put_active(&mut org, "hook", URL, "a");
}

#[test]
fn rotations_keep_what_customers_may_have_deployed_for_a_day_each() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    assert_eq!(secrets(&mut org, "hook"), [("sealed-a".into(), None)]);
    let rotated = rotate(&mut org, "hook", "b");
    let first_end = org.now.plus_seconds(ROTATION_SECONDS);
    let Ok(Answer::Body(200, body)) = rotated else { panic!("{rotated:?}") };
    assert_eq!(body["old_secret_until"], first_end.rfc3339());
    assert_eq!(endpoint(&mut org, "hook")["old_secret_until"], first_end.rfc3339());
    let both = [("sealed-b".to_owned(), None), ("sealed-a".to_owned(), Some(first_end))];
    assert_eq!(secrets(&mut org, "hook"), both);
    let Ok(Answer::Endpoint(Some(known))) = org.ask(Command::EndpointFor { pool: "hook".into(), fingerprint: None })
    else {
        panic!("no endpoint")
    };
    assert_eq!(known.secrets.len(), 2, "the edge signs with both");
    assert!(rotate(&mut org, "hook", "c").is_ok());
    let second_end = org.now.plus_seconds(ROTATION_SECONDS);
    let three = [
        ("sealed-c".to_owned(), None),
        ("sealed-b".to_owned(), Some(second_end)),
        ("sealed-a".to_owned(), Some(first_end)),
    ];
    assert_eq!(secrets(&mut org, "hook"), three, "each keeps its own end");
    assert!(rotate(&mut org, "hook", "x").is_ok() && rotate(&mut org, "hook", "y").is_ok());
    let names: Vec<String> = secrets(&mut org, "hook").into_iter().map(|(sealed, _)| sealed).collect();
    assert_eq!(names, ["sealed-y", "sealed-x", "sealed-c", "sealed-b"], "four at most: the oldest goes first");
    org.now = first_end.plus_seconds(ROTATION_SECONDS);
    assert!(rotate(&mut org, "hook", "z").is_ok());
    assert_eq!(secrets(&mut org, "hook").len(), 2, "what has ended goes");
    // A secret that is set takes the place of all.
    put_active(&mut org, "hook", URL, "d");
    assert_eq!(secrets(&mut org, "hook"), [("sealed-d".into(), None)]);
    assert_eq!(code(&rotate(&mut org, "shop", "e")), "not_found", "a pool of workers has none");
}

#[test]
fn a_challenge_proves_the_secret_that_it_was_made_with_and_no_other() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    let new = put(&mut org, "hook", URL, Some("b"), Challenged::Failed("not deployed".into()));
    assert_eq!(code(&new), "ok");
    let (pool, secret) = ("hook".to_owned(), "sealed-a".to_owned());
    let late = org.ask(Command::Challenged { pool, revision: 1, secret, failed: None });
    assert_eq!(code(&late), "endpoint_suspended");
    assert_eq!(state(&mut org, "hook").0, "pending");
    // The same of a PUT that keeps a secret which was replaced meanwhile.
    let spec = EndpointSpec {
        url: URL.into(),
        timeout_seconds: None,
        secret: None,
        kept: Some("sealed-a".into()),
        challenged: Challenged::Passed,
    };
    assert_eq!(code(&org.ask(Command::PutEndpoint("hook".into(), Box::new(spec)))), "endpoint_suspended");
    assert_eq!(state(&mut org, "hook").0, "pending");
}

#[test]
fn a_report_on_an_endpoint_that_was_replaced_changes_nothing() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    assert!(put(&mut org, "hook", OTHER_URL, None, Challenged::NotTried).is_ok());
    let before = (org.policy("hook"), endpoint(&mut org, "hook"));
    let tools = manifest(&[tool("a", "read_only", &[])]);
    for revision in [0, 1, 3] {
        assert_eq!(code(&challenge(&mut org, "hook", revision, None)), "endpoint_suspended");
        assert_eq!(code(&challenge(&mut org, "hook", revision, Some("late"))), "endpoint_suspended");
        assert_eq!(code(&sync(&mut org, "hook", revision, &tools, "h")), "endpoint_suspended");
    }
    assert_eq!((org.policy("hook"), endpoint(&mut org, "hook")), before);
    assert!(challenge(&mut org, "hook", 2, None).is_ok());
    let before = (org.policy("hook"), endpoint(&mut org, "hook"));
    assert!(suspend(&mut org, "hook", 1).is_ok());
    assert!(!begins(&mut org, 1, "news") && !begins(&mut org, 3, "news"));
    assert_eq!((org.policy("hook"), endpoint(&mut org, "hook")), before);
    assert!(begins(&mut org, 2, "news"), "the present one is listened to");
    // And of one that is gone altogether.
    put_worker(&mut org, "hook");
    let before = org.policy("hook");
    assert_eq!(code(&challenge(&mut org, "hook", 3, None)), "not_found");
    assert_eq!(code(&sync(&mut org, "hook", 3, &tools, "h")), "not_found");
    assert!(suspend(&mut org, "hook", 3).is_ok() && !begins(&mut org, 3, "news"));
    assert_eq!(org.policy("hook"), before);
}

#[test]
fn a_sync_begins_for_news_of_an_active_endpoint_and_not_too_often() {
    let mut org = Org::new();
    assert!(put(&mut org, "hook", URL, Some("a"), Challenged::NotTried).is_ok());
    assert!(!begins(&mut org, 1, "h"), "nothing is sent to an endpoint that is pending");
    assert!(challenge(&mut org, "hook", 1, None).is_ok());
    let pushed = org.policy("hook").version;
    assert!(begins(&mut org, 1, "h"));
    assert!(!begins(&mut org, 1, "h") && !begins(&mut org, 1, "newer"), "one is under way");
    org.now = org.now.plus_seconds(MANIFEST_SYNC_SECONDS - 4);
    assert!(!begins(&mut org, 1, "h"));
    org.now = org.now.plus_seconds(3);
    assert!(begins(&mut org, 1, "h"), "it came to nothing; the next reply asks again");
    assert_eq!(org.policy("hook").version, pushed, "that is nothing to the pool");
    synced(&mut org, &[tool("a", "read_only", &[])]);
    assert_eq!(org.policy("hook").endpoint.and_then(|endpoint| endpoint.manifest).as_deref(), Some("h"));
    assert!(!begins(&mut org, 1, "newer"), "the sync itself counts");
    org.now = org.now.plus_seconds(MANIFEST_SYNC_SECONDS);
    assert!(!begins(&mut org, 1, "h"), "that is no news");
    assert!(begins(&mut org, 1, "newer"));
    org.now = org.now.plus_seconds(MANIFEST_SYNC_SECONDS);
    assert!(suspend(&mut org, "hook", 1).is_ok());
    assert!(!begins(&mut org, 1, "newer"), "nothing is sent to an endpoint that is suspended");
    // Another URL is another endpoint: what is known of the first says nothing about it.
    assert!(put(&mut org, "hook", OTHER_URL, None, Challenged::Passed).is_ok());
    assert!(begins(&mut org, 2, "h"));
}

#[test]
fn a_tool_that_an_endpoint_lacks_is_disabled_by_the_second_sync_that_agrees() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    let (a, b) = (tool("a", "read_only", &[]), tool("b", "consequential", &["p"]));
    let both = [a.clone(), b.clone()];
    assert_eq!(statuses(&synced(&mut org, &both)), [("a", Added, None), ("b", Added, None)]);
    assert!(org.put_capability("c", json!({"tools": ["b"]})).is_ok());
    let enabled = |org: &mut Org| org.policy("hook").tools["b"].enabled;
    let once = synced(&mut org, std::slice::from_ref(&a));
    assert!(once.disabled.is_empty() && enabled(&mut org), "one reply of a half-deployed endpoint takes nothing away");
    let known = org.policy("hook").endpoint.and_then(|endpoint| endpoint.manifest);
    assert_eq!(known, None, "so that the next reply has it synced again");
    // It was there after all.
    synced(&mut org, &both);
    assert!(synced(&mut org, std::slice::from_ref(&a)).disabled.is_empty() && enabled(&mut org));
    let twice = synced(&mut org, std::slice::from_ref(&a));
    assert_eq!((twice.disabled.as_slice(), enabled(&mut org)), (&["b".to_owned()][..], false));
    assert_eq!(org.tool("b")["enabled"], false);
    assert_eq!(org.body("capability", Command::GetCapability("c".into()))["tools"], json!(["b"]));
    // It meets the fences when it comes back, against its last accepted definition.
    let weaker = synced(&mut org, &[a.clone(), tool("b", "read_only", &["p"])]);
    assert_eq!(statuses(&weaker)[1], ("b", Refused, Some("side_effect_weakened")));
    assert_eq!(org.policy("hook").tools["b"].definition.permissions, ["p"]);
    synced(&mut org, std::slice::from_ref(&a));
    assert_eq!(synced(&mut org, std::slice::from_ref(&a)).disabled, ["b"]);
    let back = synced(&mut org, &both);
    assert_eq!((statuses(&back)[1], back.disabled.len()), (("b", Unchanged, None), 0));
    assert!(enabled(&mut org));
}

#[test]
fn a_tool_made_by_hand_meets_the_fences() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    org.announce("shop", &manifest(&[tool("theirs", "read_only", &[])]), &[]);
    let made = put_tool(&mut org, "refund", "hook", "reversible_write", &["p"]);
    let Ok(Answer::Body(201, shown)) = made else { panic!("{made:?}") };
    let managed = |shown: &Value| (shown["managed_by"].clone(), shown["enabled"].clone(), shown["status"].clone());
    assert_eq!(managed(&shown), (json!("console"), json!(true), json!("added")));
    let version = |org: &mut Org| org.tool("refund")["version"].clone();
    let first = version(&mut org);
    for (class, permissions, status, word) in [
        ("reversible_write", &["p"][..], 200, "unchanged"),
        ("consequential", &["p"], 200, "updated"),
        ("consequential", &["p", "q"], 200, "updated"),
    ] {
        match put_tool(&mut org, "refund", "hook", class, permissions) {
            Ok(Answer::Body(found, shown)) => assert_eq!((found, &shown["status"]), (status, &json!(word))),
            other => panic!("{other:?}"),
        }
    }
    let accepted = version(&mut org);
    assert_ne!(first, accepted);
    for (name, pool, class, permissions, refusal, fence) in [
        ("refund", "hook", "reversible_write", &["p", "q"][..], "definition_refused", Some("side_effect_weakened")),
        ("refund", "hook", "consequential", &["q"], "definition_refused", Some("permission_dropped")),
        ("theirs", "hook", "consequential", &[], "definition_refused", Some("name_taken")),
        ("Bad-Name", "hook", "read_only", &[], "invalid_request", None),
        ("toolgate_x", "hook", "read_only", &[], "invalid_request", None),
        ("fresh", "shop", "read_only", &[], "transport_in_use", None),
        ("fresh", "nowhere", "read_only", &[], "invalid_request", None),
        ("fresh", "Bad Pool", "read_only", &[], "invalid_request", None),
    ] {
        let reply = put_tool(&mut org, name, pool, class, permissions);
        let Err(problem) = &reply else { panic!("{name} in {pool}: {reply:?}") };
        let met = problem.members.get("fence").and_then(Value::as_str);
        assert_eq!((problem.kind.code, met), (refusal, fence), "{name} in {pool} as {class}");
    }
    assert_eq!(version(&mut org), accepted, "the last accepted definition stays");
    assert_eq!(org.tool("refund")["refused"]["code"], "permission_dropped");
    assert_eq!(org.tool("theirs")["pool"], "shop");
    assert_eq!(org.refused(Command::GetTool("fresh".into())), "unknown_tool");
}

#[test]
fn what_a_manifest_manages_is_read_only_for_people_and_the_other_way_round() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    let (a, by_hand) = (tool("a", "read_only", &[]), tool("by_hand", "consequential", &[]));
    synced(&mut org, std::slice::from_ref(&a));
    assert!(put_tool(&mut org, "by_hand", "hook", "read_only", &[]).is_ok());
    assert_eq!(code(&put_tool(&mut org, "a", "hook", "consequential", &[])), "managed_elsewhere");
    let both = [a.clone(), by_hand.clone()];
    let result = synced(&mut org, &both);
    assert_eq!(statuses(&result), [("a", Unchanged, None), ("by_hand", Refused, Some("managed_elsewhere"))]);
    let shown = org.tool("by_hand");
    assert_eq!((&shown["managed_by"], &shown["definition"]["side_effect"]), (&json!("console"), &json!("read_only")));
    assert_eq!(org.tool("a")["definition"]["side_effect"], "read_only");
    // No manifest takes it away.
    for _ in 0..3 {
        assert!(synced(&mut org, std::slice::from_ref(&a)).disabled.is_empty());
    }
    assert!(org.policy("hook").tools["by_hand"].enabled);
}

#[test]
fn a_change_of_transport_keeps_grants_and_history_and_hands_the_definitions_over() {
    let mut org = Org::new();
    let (a, b) = (tool("a", "read_only", &[]), tool("b", "consequential", &["p"]));
    let announced = manifest(&[a.clone(), b.clone()]);
    org.announce("shop", &announced, &[]);
    org.live(&[&announced]);
    assert!(org.put_capability("c", json!({"tools": ["a", "b"]})).is_ok());
    let agent = serde_json::from_value(json!({"capabilities": ["c"]})).unwrap();
    assert!(org.ask(Command::PutAgent("bot".into(), agent)).is_ok());
    let managers = |org: &mut Org| (org.tool("a")["managed_by"].clone(), org.tool("b")["managed_by"].clone());
    let granted = |org: &mut Org| {
        let policy = org.policy("shop");
        policy.grant("bot", "a").is_some() && policy.grant("bot", "b").is_some() && policy.tools["b"].enabled
    };
    let version = org.tool("b")["version"].clone();

    put_active(&mut org, "shop", URL, "s");
    assert_eq!(managers(&mut org), (json!("webhook"), json!("webhook")));
    assert!(granted(&mut org));
    assert_eq!(org.tool("b")["version"], version);
    // Workers are not heard any more, nor what is told of their sessions.
    assert_eq!(code(&org.try_announce("shop", &announced, &[])), "transport_in_use");
    org.live(&[]);
    org.live(&[&manifest(&[])]);
    assert!(granted(&mut org));
    let mut reworded = a.clone();
    reworded["description"] = json!("reworded");
    let weaker = tool("b", "read_only", &["p"]);
    let revision = org.policy("shop").endpoint_revision;
    match sync(&mut org, "shop", revision, &manifest(&[reworded, weaker]), "h") {
        Ok(Answer::Registered(result)) => {
            assert_eq!(statuses(&result), [("a", Updated, None), ("b", Refused, Some("side_effect_weakened"))]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(org.tool("a")["versions"].as_array().map(Vec::len), Some(2), "one history");
    assert!(put_tool(&mut org, "by_hand", "shop", "read_only", &[]).is_ok());

    put_worker(&mut org, "shop");
    assert_eq!(managers(&mut org), (json!("worker"), json!("worker")));
    assert_eq!(org.tool("by_hand")["managed_by"], "console", "what a person made stays hers");
    assert!(granted(&mut org));
    assert_eq!(code(&sync(&mut org, "shop", revision, &announced, "h")), "not_found");
    let back = org.announce("shop", &announced, &[]);
    assert_eq!(statuses(&back), [("a", Updated, None), ("b", Unchanged, None)]);
    assert_eq!(org.tool("a")["versions"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_pool_that_workers_serve_again_has_no_endpoint_and_keeps_no_secret() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    assert!(rotate(&mut org, "hook", "b").is_ok());
    let kept = |org: &Org| -> i64 {
        let count = "SELECT count(*) FROM documents WHERE value LIKE '%sealed-%' OR value LIKE '%fingerprint-%'";
        org.sql.0.query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(kept(&org), 1);
    let shown = put_worker(&mut org, "hook");
    assert_eq!(shown, json!({"pool": "hook", "transport": "worker"}));
    assert_eq!(kept(&org), 0);
    assert_eq!(endpoint(&mut org, "hook"), Value::Null);
    let policy = org.policy("hook");
    assert_eq!((policy.transport, policy.endpoint), (Transport::Worker, None));
    assert_eq!(code(&put(&mut org, "hook", URL, None, Challenged::Passed)), "secret_refused", "the old one is gone");
}

#[test]
fn a_pool_that_exists_is_told_of_every_change_of_its_endpoint() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    let mut version = org.policy("hook").version;
    let revision = 1;
    let new = secret(&mut org, "b");
    for command in [
        Command::Suspend { pool: "hook".into(), revision, reason: "why".into() },
        Command::Challenged { pool: "hook".into(), revision, secret: "sealed-a".into(), failed: None },
        Command::RotateSecret("hook".into(), new),
        Command::PutPool("hook".into(), serde_json::from_value(json!({"transport": "worker"})).unwrap()),
    ] {
        let effects = org.step(command.clone());
        let pushed = effects.pushes.iter().find(|push| push.place.pool == "hook").expect("a push");
        version += 1;
        assert_eq!(pushed.snapshot.version, version, "{command:?}");
    }
}

#[test]
fn no_answer_and_no_record_shows_a_secret() {
    let mut org = Org::new();
    put_active(&mut org, "hook", URL, "a");
    assert!(rotate(&mut org, "hook", "b").is_ok());
    assert!(suspend(&mut org, "hook", 1).is_ok());
    assert!(challenge(&mut org, "hook", 1, None).is_ok());
    assert!(put_tool(&mut org, "by_hand", "hook", "read_only", &[]).is_ok());
    synced(&mut org, &[tool("a", "read_only", &[])]);
    let page = || Page { limit: 100, cursor: None };
    for command in [
        Command::GetPool("hook".into()),
        Command::ListTools(page()),
        Command::GetTool("a".into()),
        Command::ListKeys(page()),
        Command::ListAudit(page()),
        Command::ListApprovals(None, page()),
    ] {
        // Each answer is searched where it is made; that there is one shows that something was.
        assert!(org.ask(command).is_ok());
    }
    let audit = org.body("audit", Command::ListAudit(page())).to_string();
    assert!(audit.contains("endpoint.secret_rotated") && audit.contains("endpoint.suspended"));
    let entries: i64 = org
        .sql
        .0
        .query_row(
            "SELECT count(*) FROM audit WHERE entry LIKE '%sealed-%' OR entry LIKE '%fingerprint-%'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(entries, 0);
}
