//! What a run offers its model: the thread's own set, which only grows, and what the browser brings.

use std::rc::Rc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolgate_core::chat::events::Event;
use toolgate_core::chat::input::RunInput;
use toolgate_core::chat::model::OfferedTool;
use toolgate_core::chat::system;
use toolgate_core::chat::threads::KeptOffer;
use toolgate_core::problem::Problem;
use toolgate_core::run;
use toolgate_protocol::chat::ShownOffer;
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::limits::{CHAT_ROUNDS_MAX, OFFER_BUDGET_TOKENS};
use toolgate_protocol::problems;

use super::Person;
use super::run::{Fault, Run};
use crate::grounding;

/// What a run tells its model beside the conversation.
pub(super) struct Told {
    /// The system text.
    pub system: String,
    /// What may be called.
    pub tools: Vec<OfferedTool>,
}

/// Refuses an input that names what it must not.
///
/// # Errors
/// A refusal that names the member.
pub(super) fn check(person: &Person, input: &RunInput) -> Result<(), Problem> {
    // Of the whole org, granted or not: in the conversation nobody could tell a browser's answer from the gateway's.
    let known = &person.offers.catalogue.policy.tools;
    let clashes: Vec<&str> =
        input.tools.iter().map(|tool| tool.name.as_str()).filter(|name| known.contains_key(*name)).collect();
    if let Some(clash) = clashes.first() {
        let detail = format!("tools: {clash:?} is a tool behind the gateway; a client tool needs another name.");
        return Err(Problem::new(problems::TOOL_NAME_CLASH, detail).with("tools", clashes));
    }
    grounding::screen(&person.offers, input.screen.as_ref()).map(drop).map_err(|problem| {
        let field = "forwardedProps.toolgate.context";
        Problem::new(problems::INVALID_RUN_INPUT, format!("{field}: {}", problem.detail)).with("field", field)
    })
}

impl Run {
    /// The offer of this run, said and kept, with the facts of the screen in view.
    pub(super) async fn offer(&mut self) -> Result<Told, Fault> {
        let offers = Rc::clone(&self.person.offers);
        let principal = RawValue::from_string(self.person.principal.text.clone()).unwrap_or_default();
        let thread = run::Run {
            agent: self.person.agent.clone(),
            principal,
            profile: Profile::Openai,
            budget_tokens: self.agent.offer_budget_tokens.unwrap_or(OFFER_BUDGET_TOKENS),
            doors: Vec::new(),
            origins: Vec::new(),
            created_at: self.head.created_at,
            turned_at: self.head.updated_at,
            turns: self.head.turns,
            text: String::new(),
            offered: self.head.offered.clone(),
        };
        let screen = self.input.screen.clone();
        let screen = grounding::screen(&offers, screen.as_ref())?;
        let (edge, who) = (Rc::clone(&self.edge), self.person.who.clone());
        let run_id = who.scope.run.as_ref().map(|scope| scope.run.as_str());
        let grounding = self.hold(grounding::ground(&edge, &who, &offers, &thread, run_id, screen)).await?;
        let permissions = self.person.principal.permissions.clone();
        let definition = screen.and_then(|screen| screen.definition);
        let turn = offers.turn(&thread, &permissions, self.transcript.last_said(), definition);
        self.head.turns = self.head.turns.saturating_add(1);
        self.head.offered.extend(turn.added.iter().cloned());
        let shown = ShownOffer::from(&turn.offer);
        let kept = KeptOffer::new(self.transcript.items().len(), shown.clone());
        self.write(Some(turn.added), kept, false).await?;
        self.say_custom("toolgate.offer", &shown);
        if let Some(grounding) = &grounding {
            self.say_custom("toolgate.grounding", grounding);
        }
        let facts = grounding.as_ref().and_then(|grounding| grounding.text.as_deref());
        let system = system(self.agent.instructions.as_deref(), facts, &self.input.context);
        let mut tools: Vec<OfferedTool> = turn.offer.tools.into_iter().map(offered).collect();
        tools.extend(self.client_tools());
        Ok(Told { system, tools })
    }

    /// What the browser brings, as long as it may still be asked.
    fn client_tools(&self) -> Vec<OfferedTool> {
        if self.head.rounds >= CHAT_ROUNDS_MAX {
            return Vec::new();
        }
        let tool = |tool: &toolgate_core::chat::input::ClientTool| {
            let definition = RawValue::from_string(tool.definition.clone()).ok()?;
            Some(OfferedTool { name: tool.name.clone(), definition, score: 0, client: true })
        };
        self.input.tools.iter().filter_map(tool).collect()
    }

    pub(super) fn say_custom<T: Serialize>(&self, name: &'static str, value: &T) {
        if let Ok(value) = to_raw_value(value) {
            self.sink.say(&Event::Custom { name, value });
        }
    }
}

fn offered(tool: toolgate_protocol::runs::OfferedTool) -> OfferedTool {
    OfferedTool { name: tool.name, definition: tool.definition, score: tool.score, client: false }
}
