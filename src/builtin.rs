//! The tools that ship with the gateway, run at the edge as a delivery of their pool.

use toolgate_core::builtin::data::Ask;
use toolgate_core::builtin::{self, Call, DATA_UNREACHABLE, Fault, chart, map};
use toolgate_core::queue::delivery::{Delivery, Report};
use toolgate_core::queue::target::BuiltinTarget;
use toolgate_durable::now;
use toolgate_protocol::webhooks::CallReply;
use worker::{Env, console_error};

use crate::data::{self, Unread};

/// Runs a call, and says what became of it.
pub async fn run(env: &Env, delivery: &Delivery, target: &BuiltinTarget) -> Report {
    let reply = match builtin::read(&delivery.tool, delivery.arguments.get()) {
        Ok(Call::Chart(config)) => builtin::drawn(builtin::ECHART, chart::create(config)),
        Ok(Call::Map(data)) => builtin::drawn(builtin::LEAFLET, map::create(data)),
        Ok(Call::Schema) => return asked(env, delivery, target, Ask::Schema).await,
        Ok(Call::Query(query)) => return asked(env, delivery, target, Ask::Query(query)).await,
        Err(fault) => builtin::failed(fault),
    };
    replied(reply)
}

/// What the agent's data set says.
async fn asked(env: &Env, delivery: &Delivery, target: &BuiltinTarget, ask: Ask) -> Report {
    let Some(name) = &target.dataset else {
        let message =
            "The agent has no data set; an admin gives it one with the member `dataset` of PUT /v1/agents/{name}.";
        return replied(builtin::failed(Fault::new("no_dataset", message)));
    };
    let deadline = now().plus_seconds(delivery.timeout_seconds);
    let answer = Box::pin(data::ask(env, &delivery.place.org, name, ask));
    match toolgate_durable::before(deadline, answer).await {
        Some(Ok(text)) => replied(builtin::answered(text)),
        Some(Err(Unread::Fault(fault))) => replied(builtin::failed(fault)),
        Some(Err(Unread::Unreachable(why))) => {
            console_error!("the data set {name} could not be asked: {why}");
            lost()
        }
        None => lost(),
    }
}

fn replied(reply: CallReply) -> Report {
    Report::Replied(Box::new(reply))
}

fn lost() -> Report {
    Report::Lost { code: DATA_UNREACHABLE.to_owned(), retry_after_seconds: None }
}
