//! Grounding a turn: the screen's own tool is called like any other, with the turn's key, through every check and the
//! queue. Whatever goes wrong leaves the turn ungrounded and says why.

use serde::Deserialize;
use serde_json::value::RawValue;
use toolgate_core::keys::Identity;
use toolgate_core::problem::Problem;
use toolgate_core::queue::messages::Submit;
use toolgate_core::run::{self, Offers, Run};
use toolgate_protocol::calls::{CallState, CallView};
use toolgate_protocol::definitions::ContextDefinition;
use toolgate_protocol::limits::PREFETCH_SECONDS;
use toolgate_protocol::runs::{ContextReference, Grounding};
use worker::console_error;

use crate::edge::Edge;
use crate::handlers::carry;

/// A screen as a turn names it, with its definition where one stands.
#[derive(Clone, Copy)]
pub struct Screen<'a> {
    reference: &'a ContextReference,
    /// What its manifest says.
    pub definition: Option<&'a ContextDefinition>,
}

/// The screen that a turn names.
///
/// # Errors
/// A refusal when the reference does not fit the screen.
pub fn screen<'a>(offers: &'a Offers, reference: Option<&'a ContextReference>) -> Result<Option<Screen<'a>>, Problem> {
    let Some(reference) = reference else { return Ok(None) };
    let definition = offers.catalogue.contexts.get(&reference.context_type);
    run::screen(reference, definition)?;
    Ok(Some(Screen { reference, definition }))
}

/// The facts of the screen in view.
pub async fn ground(
    edge: &Edge,
    who: &Identity,
    offers: &Offers,
    run: &Run,
    run_id: Option<&str>,
    screen: Option<Screen<'_>>,
) -> Option<Grounding> {
    let Screen { reference, definition } = screen?;
    let mut grounding = Grounding {
        context_type: reference.context_type.clone(),
        context_id: reference.context_id.clone(),
        digest: None,
        text: None,
        failed: None,
    };
    match prefetch(edge, who, offers, run, run_id, reference, definition).await {
        Ok(None) => grounding.digest = Some(Vec::new()),
        Ok(Some((definition, result))) => {
            let facts = run::facts(definition, &result);
            grounding.text = Some(run::fenced(reference, &facts));
            grounding.digest = Some(facts);
        }
        Err(code) => grounding.failed = Some(code),
    }
    Some(grounding)
}

/// What the screen's tool returned; `None` when it has none. Else a code.
async fn prefetch<'a>(
    edge: &Edge,
    who: &Identity,
    offers: &Offers,
    run: &Run,
    run_id: Option<&str>,
    reference: &ContextReference,
    definition: Option<&'a ContextDefinition>,
) -> Result<Option<(&'a ContextDefinition, String)>, String> {
    let definition = definition.ok_or("unknown_context")?;
    let Some(name) = &definition.prefetch_tool else { return Ok(None) };
    let tool = offers.catalogue.policy.tools.get(name).ok_or("unknown_tool")?;
    // The fence at registration refuses such a context; a tool that became a write since then is never called unasked.
    if tool.definition.side_effect.is_write() {
        return Err("prefetch_writes".to_owned());
    }
    let arguments = run::prefetch_arguments(definition, reference.context_id.as_deref(), &tool.definition)
        .and_then(|text| RawValue::from_string(text).ok())
        .ok_or("invalid_context_id")?;
    let submit = Submit {
        tool: name.clone(),
        agent: run.agent.clone(),
        run: run_id.map(str::to_owned),
        input: None,
        profile: None,
        purpose: None,
        principal: run.principal.clone(),
        arguments: Some(arguments),
        // A read needs none; a tool that became a write a moment ago is refused for the lack of it.
        idempotency_key: None,
        alike: false,
        moves: None,
        wait_seconds: PREFETCH_SECONDS,
    };
    let deadline = toolgate_durable::now().plus_seconds(PREFETCH_SECONDS);
    let carried = toolgate_durable::before(deadline, Box::pin(carry(edge, who, submit))).await;
    // What goes on is a read, and ends by its own deadlines.
    let carried = carried.ok_or_else(|| "deadline_exceeded".to_owned())?;
    let mut answer = carried.map_err(|problem| problem.kind.code.to_owned())?;
    let status = answer.status_code();
    let text = answer.text().await.map_err(|error| {
        console_error!("the answer to a prefetch could not be read: {error}");
        "internal".to_owned()
    })?;
    if status == 200 { result_of(&text).map(|result| Some((definition, result))) } else { Err(code_of(status, &text)) }
}

fn result_of(text: &str) -> Result<String, String> {
    let view: CallView = serde_json::from_str(text).map_err(|_| "internal".to_owned())?;
    match view.state {
        CallState::Succeeded => Ok(view.returned().get().to_owned()),
        _ => Err(view.error.map_or_else(|| "internal".to_owned(), |error| error.code)),
    }
}

fn code_of(status: u16, text: &str) -> String {
    #[derive(Deserialize)]
    struct Refusal {
        code: String,
    }
    match status {
        202 => "deadline_exceeded".to_owned(),
        _ => serde_json::from_str::<Refusal>(text).map_or_else(|_| "internal".to_owned(), |refusal| refusal.code),
    }
}
