//! The registry's decisions over a real SQLite: keys, grants, fences, rolling deploys, policies and their versions.

use serde_json::{Value, json};
use toolgate_core::keys::KeyRing;
use toolgate_core::registry::{Answer, Command, Page};
use toolgate_protocol::limits::{APPROVAL_SECONDS_MAX, APPROVAL_SECONDS_MIN};
use toolgate_protocol::workers::RegistrationStatus;
use toolgate_simulator::org::{MASTER, Org, manifest, statuses, tool};

use RegistrationStatus::{Added, Refused, Unchanged, Updated};

#[test]
fn an_announcement_writes_definitions_and_never_grants() {
    let mut org = Org::new();
    assert_eq!(
        org.refused(Command::PutCapability("c".into(), serde_json::from_value(json!({"tools":["refund"]})).unwrap())),
        "unknown_tool"
    );
    org.announce("shop", &manifest(&[tool("look", "read_only", &[])]), &[]);
    assert!(org.put_capability("c", json!({"tools":["look"]})).is_ok());
    assert!(
        org.ask(Command::PutAgent("bot".into(), serde_json::from_value(json!({"capabilities":["c"]})).unwrap()))
            .is_ok()
    );
    org.announce("shop", &manifest(&[tool("look", "read_only", &[]), tool("refund", "consequential", &[])]), &[]);
    let policy = org.policy("shop");
    assert!(policy.grant("bot", "look").is_some());
    assert!(policy.tools.contains_key("refund") && policy.grant("bot", "refund").is_none());
}

#[test]
fn weakening_and_dropping_are_refused_and_the_last_accepted_definition_stays() {
    let mut org = Org::new();
    let first = manifest(&[tool("a", "consequential", &["p"]), tool("b", "read_only", &[])]);
    assert_eq!(statuses(&org.announce("shop", &first, &[])), [("a", Added, None), ("b", Added, None)]);
    let weaker = manifest(&[tool("a", "read_only", &["p"]), tool("b", "reversible_write", &[])]);
    assert_eq!(
        statuses(&org.announce("shop", &weaker, &[])),
        [("a", Refused, Some("side_effect_weakened")), ("b", Updated, None)]
    );
    let dropping = manifest(&[tool("a", "consequential", &[]), tool("b", "reversible_write", &[])]);
    assert_eq!(
        statuses(&org.announce("shop", &dropping, &[])),
        [("a", Refused, Some("permission_dropped")), ("b", Unchanged, None)]
    );
    let shown = org.tool("a");
    assert_eq!(shown["definition"]["side_effect"], "consequential");
    assert_eq!(shown["definition"]["permissions"], json!(["p"]));
    assert_eq!(shown["refused"]["code"], "permission_dropped");
    let changes = org.tool("b")["versions"][0]["changes"].clone();
    assert_eq!(changes, json!([{"field":"side_effect","from":"read_only","to":"reversible_write"}]));
}

#[test]
fn a_missing_tool_is_disabled_keeps_its_grants_and_meets_the_fences_when_it_comes_back() {
    let mut org = Org::new();
    let (both, one) = (
        manifest(&[tool("a", "read_only", &[]), tool("b", "consequential", &[])]),
        manifest(&[tool("a", "read_only", &[])]),
    );
    org.announce("shop", &both, &[]);
    org.live(&[&both]);
    assert!(org.put_capability("c", json!({"tools":["b"]})).is_ok());
    assert_eq!(org.announce("shop", &one, &[]).disabled, ["b"]);
    assert!(!org.policy("shop").tools["b"].enabled);
    assert_eq!(org.body("capability", Command::GetCapability("c".into()))["tools"], json!(["b"]));
    let back = manifest(&[tool("a", "read_only", &[]), tool("b", "read_only", &[])]);
    let result = org.announce("shop", &back, &[]);
    assert_eq!(statuses(&result)[1], ("b", Refused, Some("side_effect_weakened")));
    assert!(result.disabled.is_empty() && org.policy("shop").tools["b"].enabled);
}

#[test]
fn in_a_rolling_deploy_the_newer_manifest_counts_until_its_last_session_is_gone() {
    let mut org = Org::new();
    let mut newer_a = tool("a", "read_only", &[]);
    newer_a["description"] = json!("newer");
    let (old, new) = (manifest(&[tool("a", "read_only", &[]), tool("b", "read_only", &[])]), manifest(&[newer_a]));
    org.announce("shop", &old, &[]);
    org.live(&[&old]);
    let rolled = org.announce("shop", &new, &[&old]);
    assert_eq!(
        (statuses(&rolled), rolled.disabled.clone()),
        (vec![("a", Updated, None)], vec![]),
        "b is still announced by the old one"
    );
    // Another replica of the old deploy comes while the new one lives: it changes nothing.
    let late = org.announce("shop", &old, &[&new]);
    assert_eq!(statuses(&late), [("a", Refused, Some("older_manifest")), ("b", Unchanged, None)]);
    assert_eq!(org.tool("a")["definition"]["description"], "newer");
    org.live(&[&new, &old]);
    org.live(&[&new]);
    assert_eq!(org.tool("b")["enabled"], false);
    // The new deploy is rolled back: no live session has it any more.
    let back = org.announce("shop", &old, &[]);
    assert_eq!((statuses(&back), back.disabled.clone()), (vec![("a", Updated, None), ("b", Unchanged, None)], vec![]));
    assert_eq!(org.tool("b")["enabled"], true);
    org.live(&[]);
    assert_eq!(org.tool("b")["enabled"], true, "a pool without a live session disables nothing");
}

#[test]
fn a_list_of_live_sessions_that_is_older_than_an_announcement_disables_nothing() {
    let mut org = Org::new();
    let (old, new) = (manifest(&[tool("a", "read_only", &[])]), manifest(&[tool("b", "read_only", &[])]));
    org.announce("shop", &old, &[]);
    org.live(&[&old]);
    org.announce("shop", &new, &[&old]);
    // Told again, or late: from before the new worker's session.
    org.live(&[&old]);
    assert_eq!(org.tool("b")["enabled"], true);
    org.live(&[&old, &new]);
    assert_eq!(org.tool("b")["enabled"], true);
    org.live(&[&old]);
    assert_eq!(org.tool("b")["enabled"], false, "now its session is gone");
}

#[test]
fn a_context_stands_while_it_is_announced_and_its_prefetch_only_reads() {
    let mut org = Org::new();
    let context = json!({"context_type":"order","scope":"entity","pinned_tools":["a"],"prefetch_tool":"a","prefetch_args":{},"digest_fields":[]});
    let with = |class: &str| json!({"tools":[tool("a", class, &[])],"contexts":[context]});
    let result = org.announce("shop", &with("read_only"), &[]);
    assert_eq!(result.contexts[0].status, Added);
    let writes = org.announce("shop", &with("reversible_write"), &[]);
    assert_eq!((writes.contexts[0].status, writes.contexts[0].code.as_deref()), (Refused, Some("prefetch_writes")));
    let audit = org.body("audit", Command::ListAudit(Page { limit: 100, cursor: None })).to_string();
    assert!(audit.contains("context.disabled"));
}

#[test]
fn a_pool_that_is_full_refuses_the_tool_that_does_not_fit_and_no_other() {
    let mut org = Org::new();
    let large = |name: &str| {
        let mut large = tool(name, "read_only", &[]);
        large["description"] = json!("é".repeat(2_000));
        large["input"] = (0..64)
            .map(|n| (format!("{}{n}", "f".repeat(60)), json!("datetime[]?")))
            .collect::<serde_json::Map<_, _>>()
            .into();
        large
    };
    let mut full = None;
    for batch in 0..20 {
        let tools: Vec<Value> = (0..10).map(|n| large(&format!("t{batch}_{n}"))).collect();
        let result = org.announce("shop", &manifest(&tools), &[]);
        full = full.or(result.tools.iter().find(|tool| tool.status == Refused).cloned());
    }
    assert_eq!(full.and_then(|tool| tool.code).as_deref(), Some("pool_full"));
    assert_eq!(
        statuses(&org.announce("shop", &manifest(&[tool("small", "read_only", &[])]), &[])),
        [("small", Added, None)]
    );
}

#[test]
fn a_name_belongs_to_one_pool() {
    let mut org = Org::new();
    org.body("pool", Command::PutPool("other".into(), serde_json::from_value(json!({"transport":"worker"})).unwrap()));
    org.announce("shop", &manifest(&[tool("a", "read_only", &[])]), &[]);
    let stolen = org.announce("other", &manifest(&[tool("a", "read_only", &[]), tool("z", "read_only", &[])]), &[]);
    assert_eq!(statuses(&stolen), [("a", Refused, Some("name_taken")), ("z", Added, None)]);
    assert!(!org.policy("other").tools.contains_key("a"));
    assert_eq!(pool_of(&mut org, "z"), ("other".to_owned(), Vec::new()));
}

/// The pool of a tool, and those that it had before.
fn pool_of(org: &mut Org, tool: &str) -> (String, Vec<String>) {
    match org.ask(Command::FindTool { tool: tool.into(), agent: "x".into() }) {
        Ok(Answer::Pool(found)) => (found.pool, found.former),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_name_that_moves_says_where_it_was() {
    let mut org = Org::new();
    org.body("pool", Command::PutPool("other".into(), serde_json::from_value(json!({"transport":"worker"})).unwrap()));
    let (with, without) = (manifest(&[tool("a", "read_only", &[])]), manifest(&[tool("b", "read_only", &[])]));
    org.announce("shop", &with, &[]);
    org.live(&[&with]);
    assert_eq!(pool_of(&mut org, "a"), ("shop".to_owned(), vec![]));
    assert_eq!(org.announce("shop", &without, &[]).disabled, ["a"]);
    org.body("release", Command::Release("a".into()));
    assert!(org.ask(Command::FindTool { tool: "a".into(), agent: "x".into() }).is_err(), "nobody's");
    org.announce("other", &with, &[]);
    assert_eq!(pool_of(&mut org, "a"), ("other".to_owned(), vec!["shop".to_owned()]));
}

#[test]
fn a_policy_changes_its_version_only_when_its_content_does_and_is_pushed_to_pools_that_exist() {
    let mut org = Org::new();
    let quiet = org.step(Command::ListTools(Page { limit: 10, cursor: None }));
    assert!(quiet.pushes.is_empty() && quiet.alarm.is_none());
    let first = org.policy("shop");
    let again = org.policy("shop");
    assert_eq!((first.epoch, first.version), (again.epoch, again.version));
    let spec = serde_json::from_value(json!({"role":"caller","name":"c"})).unwrap();
    let made = org.step(Command::CreateKey(Box::new(spec)));
    let [push] = made.pushes.as_slice() else { panic!("one pool exists: {:?}", made.pushes.len()) };
    assert_eq!(push.snapshot.version, first.version + 1);
    assert!(made.alarm.is_some(), "until it is stored, an alarm goes on");
    let told = org.step(Command::Stored { pool: "shop".into(), version: push.snapshot.version });
    assert!(told.pushes.is_empty() && told.alarm.is_none());
}

#[test]
fn a_revoked_key_is_in_no_policy_and_may_do_nothing() {
    let mut org = Org::new();
    let spec = serde_json::from_value(json!({"role":"admin","name":"second"})).unwrap();
    let made = org.body("key", Command::CreateKey(Box::new(spec)));
    let second = org.verify(&made["key"]);
    assert!(org.policy("shop").is_live(&second.key_id, &second.sha256));
    let shown = org.body("revoked", Command::RevokeKey(second.key_id.clone()));
    assert!(shown["revoked_at"].is_string() && shown.get("key").is_none());
    assert!(!org.policy("shop").is_live(&second.key_id, &second.sha256));
    org.admin = Some(second.clone());
    assert_eq!(org.refused(Command::ListKeys(Page { limit: 10, cursor: None })), "invalid_key");
    // A key of this id that the registry never made: well signed, and not live.
    let (_, forged) = KeyRing::new(MASTER).mint("acme", second.role, &second.key_id, "x", second.scope.clone(), None);
    org.admin = Some(forged);
    assert_eq!(org.refused(Command::ListAudit(Page { limit: 10, cursor: None })), "invalid_key");
}

#[test]
fn keys_are_checked_member_by_member() {
    let mut org = Org::new();
    for (spec, good) in [
        (json!({"role":"worker","name":"w","pools":["not_there_yet"]}), true),
        (json!({"role":"worker","name":"w"}), false),
        (json!({"role":"worker","name":"w","pools":[]}), false),
        (json!({"role":"worker","name":"w","pools":["Bad Name"]}), false),
        (json!({"role":"caller","name":"c","agents":["a"]}), true),
        (json!({"role":"caller","name":"c","pools":["shop"]}), false),
        (json!({"role":"caller","name":""}), false),
        (json!({"role":"agent","name":"a","agent":"bot"}), false),
        (json!({"role":"agent","name":"a","agent":"bot","principal":{"id":"u","tenant_id":"t","big":null}}), true),
        (json!({"role":"agent","name":"a","agent":"bot","principal":{"id":"u"}}), false),
        (json!({"role":"approver","name":"p","principal_id":"u","expires_in_days":30}), true),
        (json!({"role":"approver","name":"p","expires_in_days":0}), false),
    ] {
        let text = spec.to_string().replace("null", "1e400"); // a number that no Rust literal holds;
        let parsed = serde_json::from_str(&text).unwrap();
        let answer = org.ask(Command::CreateKey(Box::new(parsed)));
        assert_eq!(answer.is_ok(), good, "{text}: {answer:?}");
    }
    let listed = org.body("list", Command::ListKeys(Page { limit: 100, cursor: None }));
    assert!(!listed.to_string().contains("tg_"), "no key's text is kept");
}

#[test]
fn one_strict_capability_makes_every_approval_of_the_tool_strict() {
    let mut org = Org::new();
    org.announce(
        "shop",
        &manifest(&[tool("refund", "consequential", &[]), tool("mark", "reversible_write", &[])]),
        &[],
    );
    assert!(org.put_capability("wide", json!({"tools":["refund","mark"],"allow_reversible_writes":true})).is_ok());
    let strict = json!({"tools":["refund","mark"],"approvals_required":2,"requester_may_approve":false});
    assert!(org.put_capability("strict", strict).is_ok());
    assert!(
        org.ask(Command::PutAgent(
            "bot".into(),
            serde_json::from_value(json!({"capabilities":["wide","strict"]})).unwrap()
        ))
        .is_ok()
    );
    let grant = org.policy("shop").grant("bot", "refund").expect("granted");
    assert_eq!((grant.reversible_writes, grant.approvals_required, grant.requester_may_approve), (true, 2, false));
    assert_eq!(grant.approval_seconds, None, "neither says how long there is to decide");
    assert!(org.put_capability("c", json!({"tools":[],"approvals_required":6})).is_err());
    for seconds in [0, APPROVAL_SECONDS_MIN - 1, APPROVAL_SECONDS_MAX + 1] {
        let refused = org.put_capability("c", json!({"tools":[],"approval_seconds":seconds}));
        assert!(refused.is_err_and(|problem| problem.kind.code == "invalid_request"), "{seconds}");
    }
    let held = |org: &mut Org, name: &str, seconds: u64| {
        assert!(org.put_capability(name, json!({"tools":["refund","mark"],"approval_seconds":seconds})).is_ok());
        org.policy("shop").grant("bot", "refund").and_then(|grant| grant.approval_seconds)
    };
    assert_eq!(held(&mut org, "wide", APPROVAL_SECONDS_MAX), Some(APPROVAL_SECONDS_MAX), "the one that says so");
    assert_eq!(held(&mut org, "strict", APPROVAL_SECONDS_MIN), Some(APPROVAL_SECONDS_MIN), "the shortest of two");
}
