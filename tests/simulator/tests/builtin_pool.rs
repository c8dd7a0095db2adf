//! The registry's builtin pool over a real SQLite: what ships is registered once in an org, a new version of it when it is
//! next seen, and the pool's policy says which data set each agent reads.

use serde_json::{Value, json};
use toolgate_core::builtin::{definitions, definitions_hash};
use toolgate_core::registry::{Answer, Challenged, Command, EndpointSpec, NewSecret, Reply};
use toolgate_core::sql_port::Sql;
use toolgate_protocol::control::Transport;
use toolgate_simulator::org::{Org, manifest, tool};

fn put(org: &mut Org, pool: &str, transport: &str) -> Reply {
    org.ask(Command::PutPool(pool.into(), serde_json::from_value(json!({ "transport": transport })).unwrap()))
}

fn put_agent(org: &mut Org, name: &str, agent: Value) {
    assert!(org.ask(Command::PutAgent(name.into(), serde_json::from_value(agent).unwrap())).is_ok());
}

fn statuses(reply: Reply) -> Vec<String> {
    let Ok(Answer::Body(200 | 201, body)) = reply else { panic!("{reply:?}") };
    let tools = body["registration"]["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["code"].as_str().or(tool["status"].as_str()).unwrap().to_owned()).collect()
}

/// What the registry keeps of the pool, changed by hand as another version of the gateway would have left it.
fn keep(org: &Org, kind: &str, name: &str, change: impl FnOnce(&mut Value)) {
    let found = org.sql.exec("SELECT value FROM documents WHERE kind = ? AND name = ?", &[kind.into(), name.into()]);
    let text = found.unwrap()[0][0].text().unwrap().to_owned();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    change(&mut value);
    let update = "UPDATE documents SET value = ? WHERE kind = ? AND name = ?";
    org.sql.exec(update, &[value.to_string().into(), kind.into(), name.into()]).unwrap();
}

#[test]
fn what_ships_is_registered_once_and_keeps_its_transport() {
    let mut org = Org::new();
    assert_eq!(statuses(put(&mut org, "shipped", "builtin")), ["added"; 4]);
    assert_eq!(statuses(put(&mut org, "shipped", "builtin")), ["unchanged"; 4]);
    for (pool, transport) in [("second", "builtin"), ("shop", "builtin"), ("shipped", "worker")] {
        let refused = put(&mut org, pool, transport).unwrap_err();
        assert_eq!(refused.kind.code, "transport_in_use", "{pool}");
    }
    let secret = Some(NewSecret { sealed: "sealed".into(), fingerprint: "fingerprint".into() });
    let (url, challenged) = ("https://tools.example.com/hook".into(), Challenged::Passed);
    let spec = EndpointSpec { url, timeout_seconds: None, secret, kept: None, challenged };
    assert_eq!(org.refused(Command::PutEndpoint("shipped".into(), Box::new(spec))), "transport_in_use");
    assert_eq!(org.refused(Command::Release("execute_query".into())), "tool_in_use");
    let query = org.tool("execute_query");
    assert_eq!((&query["managed_by"], &query["enabled"]), (&json!("builtin"), &json!(true)));
}

#[test]
fn a_name_that_is_taken_stays_where_it_is_until_it_is_released() {
    let mut org = Org::new();
    let (mine, none) = (manifest(&[tool("create_map", "read_only", &[])]), manifest(&[]));
    org.announce("shop", &mine, &[]);
    org.live(&[&mine]);
    assert_eq!(statuses(put(&mut org, "shipped", "builtin")), ["added", "added", "added", "name_taken"]);
    assert_eq!(org.tool("create_map")["pool"], "shop");
    org.announce("shop", &none, &[&mine]);
    org.live(&[&none]);
    assert!(org.ask(Command::Release("create_map".into())).is_ok());
    assert_eq!(statuses(put(&mut org, "shipped", "builtin")), ["unchanged", "unchanged", "unchanged", "updated"]);
    assert_eq!(
        (&org.tool("create_map")["pool"], &org.tool("create_map")["enabled"]),
        (&json!("shipped"), &json!(true))
    );
}

#[test]
fn another_version_of_the_gateway_registers_what_it_ships_when_the_pool_asks() {
    let mut org = Org::new();
    put(&mut org, "shipped", "builtin").unwrap();
    let first = org.policy("shipped");
    assert_eq!((first.transport, first.tools.len(), first.is_delivered()), (Transport::Builtin, 4, true));
    assert_eq!(org.policy("shipped").version, first.version);
    // An older version: it had another description, a stronger class, and a tool that is gone now.
    keep(&org, "pool", "shipped", |pool| pool["shipped"] = json!("older"));
    keep(&org, "tool", "create_chart", |tool| tool["definition"]["description"] = json!("Old words."));
    keep(&org, "tool", "create_map", |tool| tool["definition"]["side_effect"] = json!("reversible_write"));
    let old = serde_json::to_value(definitions().remove(0)).unwrap();
    let gone =
        json!({ "pool": "shipped", "managed_by": "builtin", "enabled": true, "definition": old, "refused": null });
    org.sql.exec("INSERT INTO documents VALUES ('tool', 'draw_tree', ?)", &[gone.to_string().into()]).unwrap();
    let second = org.policy("shipped");
    assert!(second.version > first.version);
    assert_eq!(second.tools["create_chart"].definition, definitions()[2]);
    assert!(!second.tools["draw_tree"].enabled, "what ships no more is disabled");
    assert_eq!(org.tool("create_map")["refused"]["code"], "side_effect_weakened", "the fences hold for what ships too");
    keep(&org, "pool", "shipped", |pool| assert_eq!(pool["shipped"], json!(definitions_hash())));
    assert_eq!(org.policy("shipped").version, second.version);
}

#[test]
fn the_policy_says_which_data_set_each_agent_reads() {
    let mut org = Org::new();
    put(&mut org, "shipped", "builtin").unwrap();
    org.announce("shop", &manifest(&[tool("get", "read_only", &[])]), &[]);
    org.put_capability("explore", json!({ "tools": ["execute_query"] })).unwrap();
    org.put_capability("shopping", json!({ "tools": ["get"] })).unwrap();
    put_agent(&mut org, "one", json!({ "capabilities": ["explore"], "dataset": "city_permits" }));
    put_agent(&mut org, "two", json!({ "capabilities": ["explore"], "dataset": "research_grants" }));
    put_agent(&mut org, "none", json!({ "capabilities": ["explore"] }));
    put_agent(&mut org, "elsewhere", json!({ "capabilities": ["shopping"], "dataset": "city_permits" }));
    let before = org.policy("shipped");
    let read: Vec<(&str, &str)> = before.datasets.iter().map(|(agent, set)| (agent.as_str(), set.as_str())).collect();
    assert_eq!(read, [("one", "city_permits"), ("two", "research_grants")]);
    assert!(org.policy("shop").datasets.is_empty(), "no pool but the one that needs it is told");
    put_agent(&mut org, "two", json!({ "capabilities": ["explore"], "dataset": "city_permits" }));
    let after = org.policy("shipped");
    assert!(after.version > before.version && after.datasets["two"] == "city_permits");
}
