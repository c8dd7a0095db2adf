//! A customer's Worker: its own routes, and one path at which Toolgate calls its tools.
//!
//! The shop keeps its orders in the memory of the isolate, which a real one would not: another isolate has orders of its
//! own. Enough to see a tool being called, and for tests that run one isolate.

mod shop;
mod tools;

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use toolgate_sdk::{Endpoint, Secret, mount_tools};
use worker::{Context, Env, Request, Response, Result, console_error, event};

use crate::shop::Shop;

/// The path of the pool's URL: `https://…/toolgate`.
const TOOLGATE: &str = "/toolgate";

thread_local! {
    static SHOP: Rc<Shop> = Rc::new(Shop::seeded());
    /// Built once per isolate, so that it remembers which writes it has run. A new secret is a new deployment, which
    /// starts new isolates.
    static ENDPOINT: OnceCell<Rc<Endpoint>> = const { OnceCell::new() };
}

#[event(start)]
fn start() {
    console_error_panic_hook::set_once();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> Result<Response> {
    match request.path().as_str() {
        TOOLGATE => match endpoint(&env) {
            Ok(endpoint) => mount_tools(request, &context, endpoint).await,
            Err(fault) => {
                console_error!("the tools are not served: {fault}");
                Response::error("not configured", 500)
            }
        },
        "/runs" if shows_runs(&env) => Response::from_json(&SHOP.with(|shop| shop.runs())),
        _ => Response::error("not found", 404),
    }
}

fn endpoint(env: &Env) -> std::result::Result<Rc<Endpoint>, String> {
    if let Some(endpoint) = ENDPOINT.with(|built| built.get().cloned()) {
        return Ok(endpoint);
    }
    let text = env.secret("TOOLGATE_WEBHOOK_SECRET").map(|secret| secret.to_string()).unwrap_or_default();
    let secrets = Secret::parse_list(&text).map_err(|fault| format!("TOOLGATE_WEBHOOK_SECRET: {fault}"))?;
    let shop = SHOP.with(Rc::clone);
    let endpoint = Endpoint::builder(secrets)
        .tools(tools::all(&shop, payment(env)))
        .context(tools::order_detail())
        .path(TOOLGATE)
        .build()
        .map_err(|fault| fault.to_string())?;
    Ok(ENDPOINT.with(|built| Rc::clone(built.get_or_init(|| Rc::new(endpoint)))))
}

/// How long a payment takes; nothing, unless a test says otherwise.
fn payment(env: &Env) -> Duration {
    let millis = env.var("EDGE_SHOP_PAYMENT_MS").ok().and_then(|value| value.to_string().parse().ok());
    Duration::from_millis(millis.unwrap_or(0))
}

/// Whoever reads the list learns of other people's orders, so only a test switches it on.
fn shows_runs(env: &Env) -> bool {
    env.var("EDGE_SHOP_SHOW_RUNS").is_ok_and(|value| value.to_string() == "1")
}
