//! Offers of turns over a catalogue: what is offered, in which order, why, and what is left out.
#![allow(clippy::unwrap_used, reason = "a fault ends the test")]
#![allow(clippy::indexing_slicing, reason = "a fault ends the test")]
#![allow(clippy::arithmetic_side_effects, reason = "a fault ends the test")]

use serde_json::{Value, json};
use toolgate_core::registry::OfferCatalogue;
use toolgate_core::run::{OfferedTurn, Offers, Run};
use toolgate_protocol::definitions::{ContextDefinition, Profile};

fn tool(name: &str, description: &str, side_effect: &str, more: Value) -> (String, Value) {
    let mut definition = json!({ "name": name, "description": description, "side_effect": side_effect, "input": {} });
    definition.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let hash = "0".repeat(32);
    let tool = json!({ "definition": definition, "version": hash, "approval_hash": hash, "contract_hash": hash, "enabled": true });
    (name.to_owned(), tool)
}

fn catalogue() -> OfferCatalogue {
    let tools: serde_json::Map<String, Value> = [
        tool(
            "get_order_status",
            "Where an order is now, who carries it, and on which day it is expected to arrive.",
            "read_only",
            json!({}),
        ),
        tool(
            "refund_order",
            "Give the money of an order back.",
            "consequential",
            json!({ "permissions": ["refunds"] }),
        ),
        tool("list_invoices", "Invoices of a customer.", "read_only", json!({})),
        tool("rename_customer", "Change the name of a customer.", "reversible_write", json!({})),
        tool("foreign_tool", "Not granted: order, invoice, customer.", "read_only", json!({})),
    ]
    .into_iter()
    .collect();
    let pools: serde_json::Map<String, Value> = tools.keys().map(|name| (name.clone(), json!("main"))).collect();
    let capability = |tools: &[&str], writes: bool| json!({ "tools": tools, "allow_reversible_writes": writes });
    serde_json::from_value(json!({
        "version": "1",
        "policy": {
            "epoch": 0, "version": 0, "transport": "worker", "tools": tools, "keys": {},
            "capabilities": { "shop": capability(&["get_order_status", "refund_order", "list_invoices"], false), "desk": capability(&["rename_customer", "list_invoices"], false) },
            "agents": { "bot": ["shop", "desk"] },
        },
        "pools": pools, "contexts": {},
        "agents": { "bot": { "capabilities": ["shop", "desk"], "pinned_tools": ["list_invoices"] } },
    }))
    .unwrap()
}

fn run(budget_tokens: u32) -> Run {
    serde_json::from_value(json!({
        "agent": "bot", "principal": {}, "profile": "anthropic", "budget_tokens": budget_tokens, "doors": ["rest"], "origins": [],
        "created_at": 0, "turned_at": 0, "turns": 0, "text": "", "offered": [],
    }))
    .unwrap()
}

fn names(turn: &OfferedTurn) -> Vec<&str> {
    turn.offer.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn left(turn: &OfferedTurn) -> Vec<(&str, &str)> {
    turn.offer.left_out.iter().map(|left| (left.name.as_str(), left.reason.as_str())).collect()
}

fn permissions() -> Vec<String> {
    vec!["refunds".to_owned()]
}

#[test]
fn what_may_be_called_and_fits_is_offered_the_pinned_first() {
    let offers = Offers::new(catalogue());
    let turn = offers.turn(&run(4_000), &permissions(), "refund my order", None);
    assert_eq!(names(&turn), ["list_invoices", "refund_order", "get_order_status"]);
    assert_eq!(left(&turn), [("rename_customer", "write_not_enabled")]);
    assert!(turn.offer.tools.iter().all(|tool| tool.added) && turn.offer.no_tools.is_none());
    let of = |at: usize| turn.offer.tools[at].reasons.iter().map(|reason| reason.part.as_str()).collect::<Vec<_>>();
    assert_eq!(of(0), ["pinned"]);
    assert!(!of(1).is_empty() && of(1).iter().all(|part| *part != "all_fit"));
    for tool in &turn.offer.tools {
        assert_eq!(tool.score, tool.reasons.iter().map(|reason| reason.points).sum::<u32>(), "{}", tool.name);
    }
    assert_eq!(turn.offer.used_tokens, turn.offer.tools.iter().map(|tool| tool.tokens).sum::<u32>());
    let poor = offers.turn(&run(4_000), &[], "refund my order", None);
    assert!(left(&poor).contains(&("refund_order", "permission_missing")));
}

#[test]
fn a_small_budget_leaves_out_what_nothing_speaks_for_and_what_does_not_fit() {
    let offers = Offers::new(catalogue());
    let tokens =
        |turn: &OfferedTurn, name: &str| turn.offer.tools.iter().find(|tool| tool.name == name).unwrap().tokens;
    let all = offers.turn(&run(4_000), &permissions(), "refund my order", None);
    let (pinned, refund, status) =
        (tokens(&all, "list_invoices"), tokens(&all, "refund_order"), tokens(&all, "get_order_status"));
    // All of them fit a whole budget; its first 70 % have room for two.
    let budget = pinned + refund + status;
    assert!(budget * 7 / 10 >= pinned + refund);
    let mut small = run(budget);
    let first = offers.turn(&small, &permissions(), "refund my order", None);
    assert_eq!(names(&first), ["list_invoices", "refund_order"]);
    assert!(left(&first).contains(&("get_order_status", "budget")));
    small.turns = 1;
    small.offered = first.added.clone();
    // The rest of the budget is a later turn's.
    let later = offers.turn(&small, &permissions(), "order status", None);
    assert_eq!(names(&later), ["list_invoices", "refund_order", "get_order_status"]);
    assert_eq!(later.added, ["get_order_status"]);
    assert!(later.offer.used_tokens <= budget);
    small.budget_tokens = pinned + refund;
    let mute = offers.turn(&small, &permissions(), "zzzz", None);
    assert_eq!(mute.offer.tools[1].reasons[0].part, "offered_before");
    assert!(mute.added.is_empty() && mute.offer.tools.iter().all(|tool| !tool.added));
    // Without a pin, and with nothing that matches, there is nothing.
    let mut bare = catalogue();
    bare.agents.get_mut("bot").unwrap().pinned_tools.clear();
    let none = Offers::new(bare).turn(&run(20), &permissions(), "zzzz", None);
    assert_eq!(none.offer.no_tools.unwrap().causes, ["no_match", "write_not_enabled"]);
    assert_eq!(
        Offers::new(catalogue())
            .turn(&Run { agent: "nobody".into(), ..run(4_000) }, &[], "refund", None)
            .offer
            .no_tools
            .unwrap()
            .causes,
        ["nothing_granted"]
    );
}

#[test]
fn the_screen_pins_before_the_agent_and_only_what_may_be_called() {
    let offers = Offers::new(catalogue());
    let screen: ContextDefinition =
        serde_json::from_value(json!({ "context_type": "order", "scope": "screen", "pinned_tools": ["refund_order", "foreign_tool", "rename_customer"] })).unwrap();
    let turn = offers.turn(&run(1), &permissions(), "", Some(&screen));
    assert_eq!(names(&turn), ["refund_order", "list_invoices"], "pinned is advertised whatever the budget says");
    assert_eq!(turn.offer.tools[0].reasons[0].what.as_deref(), Some("screen order"));
    let poor = offers.turn(&run(1), &[], "", Some(&screen));
    assert_eq!(names(&poor), ["list_invoices"]);
}

#[test]
fn what_ships_and_is_granted_is_pinned_behind_the_rest_as_far_as_it_may_be_called() {
    let mut catalogue = catalogue();
    for shipped in ["get_order_status", "rename_customer", "foreign_tool", "list_invoices"] {
        catalogue.managers.insert(shipped.to_owned(), "builtin".to_owned());
    }
    catalogue.managers.insert("refund_order".to_owned(), "worker".to_owned());
    let turn = Offers::new(catalogue).turn(&run(1), &permissions(), "refund my order", None);
    assert_eq!(names(&turn), ["list_invoices", "get_order_status"], "neither a foreign tool nor one that is barred");
    let by = |at: usize| {
        let pins = turn.offer.tools[at].reasons.iter().filter(|reason| reason.part == "pinned");
        pins.map(|reason| reason.what.as_deref().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((by(0), by(1)), (vec!["agent"], vec!["builtin"]));
    assert_eq!(left(&turn), [("refund_order", "budget"), ("rename_customer", "write_not_enabled")]);
}

#[test]
fn the_same_input_gives_the_same_bytes_and_each_profile_its_form() {
    let text = "invoices of my customer, and the order";
    let offer = |profile: Profile| {
        let run = Run { profile, ..run(900) };
        serde_json::to_string(&Offers::new(catalogue()).turn(&run, &permissions(), text, None).offer).unwrap()
    };
    for profile in Profile::ALL {
        assert_eq!(offer(profile), offer(profile));
    }
    assert!(offer(Profile::Openai).contains(r#""definition":{"type":"function""#));
    assert!(offer(Profile::Anthropic).contains(r#""input_schema":"#));
    assert!(offer(Profile::Mcp).contains(r#""inputSchema":"#));
}

#[test]
fn a_disabled_tool_stays_where_it_was_offered_and_is_not_offered_anew() {
    let mut catalogue = catalogue();
    catalogue.policy.tools.get_mut("refund_order").unwrap().enabled = false;
    let offers = Offers::new(catalogue);
    let fresh = offers.turn(&run(4_000), &permissions(), "refund", None);
    assert!(left(&fresh).contains(&("refund_order", "tool_disabled")));
    let before = Run { turns: 1, offered: vec!["refund_order".into()], ..run(4_000) };
    assert_eq!(names(&offers.turn(&before, &permissions(), "refund", None))[0], "refund_order");
    assert_eq!(
        offers.listed("bot", &permissions(), Some(before.offered)),
        Vec::<String>::new(),
        "a list shows what may be called"
    );
    assert_eq!(offers.listed("bot", &permissions(), None), ["get_order_status", "list_invoices"]);
}
