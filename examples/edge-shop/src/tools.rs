//! The shop's functions as tools: one of each class, and a list.

use std::rc::Rc;
use std::time::Duration;

use serde::Deserialize;
use toolgate_sdk::{CallContext, ContextDefinition, ContextScope, DigestField, HandlerError, SideEffect, Tool};
use worker::Delay;

use crate::shop::{Order, Shop};

#[derive(Deserialize)]
struct GetOrder {
    order_id: u64,
}

#[derive(Deserialize)]
struct ListOrders {
    status: Option<String>,
}

#[derive(Deserialize)]
struct AddNote {
    order_id: u64,
    note: String,
}

#[derive(Deserialize)]
struct RefundOrder {
    order_id: u64,
    amount_cents: u64,
}

/// Every tool of the shop, whose payments take so long.
pub fn all(shop: &Rc<Shop>, payment: Duration) -> [Tool; 4] {
    let shop = || Rc::clone(shop);
    [get_order(shop()), list_orders(shop()), add_note(shop()), refund_order(shop(), payment)]
}

fn get_order(shop: Rc<Shop>) -> Tool {
    Tool::new("get_order", SideEffect::ReadOnly)
        .description("Look up an order's status, carrier, notes, and what was paid and refunded.")
        .input("order_id", "integer")
        .keyword("order")
        .keyword("where is")
        .handler(async move |GetOrder { order_id }: GetOrder, context: CallContext| {
            shop.note_run(&context);
            shop.order(&context.principal.tenant_id, order_id)
        })
}

fn list_orders(shop: Rc<Shop>) -> Tool {
    Tool::new("list_orders", SideEffect::ReadOnly)
        .description("List the orders, all or those with one status (processing, shipped, delivered).")
        .input("status", "string?")
        .keyword("orders")
        .handler(async move |ListOrders { status }: ListOrders, context: CallContext| {
            shop.note_run(&context);
            Ok::<Vec<Order>, HandlerError>(shop.orders(&context.principal.tenant_id, status.as_deref()))
        })
}

fn add_note(shop: Rc<Shop>) -> Tool {
    Tool::new("add_note", SideEffect::ReversibleWrite)
        .description("Add a note to an order, for the people who pack it.")
        .input("order_id", "integer")
        .input("note", "string")
        .keyword("note")
        .handler(async move |AddNote { order_id, note }: AddNote, context: CallContext| {
            shop.note_run(&context);
            shop.add_note(&context, order_id, note)
        })
}

fn refund_order(shop: Rc<Shop>, payment: Duration) -> Tool {
    Tool::new("refund_order", SideEffect::Consequential)
        .description("Refund part or all of what was paid for an order, in cents.")
        .input("order_id", "integer")
        .input("amount_cents", "integer")
        .permission("refunds:write")
        .keyword("refund")
        .keyword("money back")
        .handler(async move |RefundOrder { order_id, amount_cents }: RefundOrder, context: CallContext| {
            shop.note_run(&context);
            // Where a real shop asks its bank.
            Delay::from(payment).await;
            shop.refund(&context, order_id, amount_cents)
        })
}

/// The screen of one order.
pub fn order_detail() -> ContextDefinition {
    let field = |path: &str, label: &str| DigestField { path: path.to_owned(), label: label.to_owned() };
    ContextDefinition {
        context_type: "order_detail".to_owned(),
        scope: ContextScope::Entity,
        pinned_tools: vec!["refund_order".to_owned()],
        prefetch_tool: Some("get_order".to_owned()),
        prefetch_args: [("order_id".to_owned(), "$context_id".into())].into_iter().collect(),
        digest_fields: vec![field("status", "Status"), field("carrier", "Carrier")],
    }
}
