//! The shop's own business code; it knows nothing of agents. An order of another tenant is as unknown as one that does
//! not exist, and a write is kept with its call id, so that a repeat answers with the same outcome and changes nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::Serialize;
use toolgate_sdk::{CallContext, HandlerError};

/// An order as the shop shows it.
#[derive(Clone, Serialize)]
pub struct Order {
    pub order_id: u64,
    pub status: &'static str,
    pub carrier: Option<&'static str>,
    pub notes: Vec<String>,
    pub paid_cents: u64,
    pub refunded_cents: u64,
    #[serde(skip)]
    tenant_id: &'static str,
}

/// What a handler was called for.
#[derive(Clone, Serialize)]
struct Run {
    tool: String,
    call: String,
    attempt: u32,
}

#[derive(Default)]
pub struct Shop {
    orders: RefCell<BTreeMap<u64, Order>>,
    written: RefCell<BTreeMap<String, Order>>,
    runs: RefCell<Vec<Run>>,
}

impl Shop {
    pub fn seeded() -> Shop {
        let order = |order_id, tenant_id, status, carrier, paid_cents| {
            (order_id, Order { order_id, status, carrier, notes: Vec::new(), paid_cents, refunded_cents: 0, tenant_id })
        };
        let orders = [
            order(1001, "acme", "shipped", Some("Northpost"), 4_990),
            order(1002, "acme", "delivered", Some("Northpost"), 12_900),
            // An id that a double cannot hold.
            order(9_007_199_254_740_993, "acme", "processing", None, 750),
            order(2001, "globex", "shipped", Some("Quick Mule"), 25_000),
        ];
        Shop { orders: RefCell::new(orders.into_iter().collect()), ..Shop::default() }
    }

    /// Notes that a handler started.
    pub fn note_run(&self, context: &CallContext) {
        let CallContext { tool, call_id, attempt, .. } = context;
        self.runs.borrow_mut().push(Run { tool: tool.clone(), call: call_id.clone(), attempt: *attempt });
    }

    /// What ran so far, oldest first.
    pub fn runs(&self) -> impl Serialize + use<> {
        self.runs.borrow().clone()
    }

    pub fn order(&self, tenant_id: &str, order_id: u64) -> Result<Order, HandlerError> {
        let orders = self.orders.borrow();
        let order = orders.get(&order_id).filter(|order| order.tenant_id == tenant_id);
        order.cloned().ok_or_else(|| HandlerError::coded("unknown_order", format!("There is no order {order_id}.")))
    }

    pub fn orders(&self, tenant_id: &str, status: Option<&str>) -> Vec<Order> {
        let orders = self.orders.borrow();
        let own = orders.values().filter(|order| order.tenant_id == tenant_id);
        own.filter(|order| status.is_none_or(|status| order.status == status)).cloned().collect()
    }

    pub fn add_note(&self, context: &CallContext, order_id: u64, note: String) -> Result<Order, HandlerError> {
        self.once(context, order_id, |order| {
            order.notes.push(note);
            Ok(())
        })
    }

    pub fn refund(&self, context: &CallContext, order_id: u64, amount_cents: u64) -> Result<Order, HandlerError> {
        self.once(context, order_id, |order| {
            let left = order.paid_cents.saturating_sub(order.refunded_cents);
            if amount_cents == 0 || amount_cents > left {
                let message = format!("Order {order_id} has {left} cents left to refund; {amount_cents} cannot be.");
                return Err(HandlerError::coded("refund_refused", message));
            }
            order.refunded_cents = order.refunded_cents.saturating_add(amount_cents);
            Ok(())
        })
    }

    fn once(
        &self,
        context: &CallContext,
        order_id: u64,
        write: impl FnOnce(&mut Order) -> Result<(), HandlerError>,
    ) -> Result<Order, HandlerError> {
        if let Some(before) = self.written.borrow().get(&context.call_id) {
            return Ok(before.clone());
        }
        let mut order = self.order(&context.principal.tenant_id, order_id)?;
        write(&mut order)?;
        self.orders.borrow_mut().insert(order_id, order.clone());
        self.written.borrow_mut().insert(context.call_id.clone(), order.clone());
        Ok(order)
    }
}
