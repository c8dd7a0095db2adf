//! `/v1/agents/{agent}/agui`: AG-UI 1.0. What may be refused is refused in HTTP; a run that began is a stream.

use serde_json::value::RawValue;
use toolgate_core::chat::input::RunInput;
use toolgate_protocol::chat::{
    ChatCapabilities, ChatCustom, ChatIdentity, ChatModel, ChatPeople, ChatState, ChatTool, ChatToolMetadata,
    ChatTools, ChatTransport,
};
use toolgate_protocol::definitions::Profile;
use toolgate_protocol::limits::CHAT_BODY_BYTES_MAX;

use super::Handled;
use crate::chat::{self, Person};
use crate::edge::Edge;
use crate::http::{self, internal};

/// `POST /v1/agents/{agent}/agui`
pub async fn run(mut edge: Edge, agent: String) -> Handled {
    let person = match Person::of(&edge).await? {
        Ok(person) => person,
        Err(refusal) => return Ok(refusal),
    };
    let agent = person.at(&agent)?.clone();
    let input = RunInput::read(&http::json_text(&mut edge.request, CHAT_BODY_BYTES_MAX).await?)?;
    chat::begin(edge, person, agent, input).await
}

/// `GET /v1/agents/{agent}/agui`
pub async fn capabilities(edge: Edge, agent: String) -> Handled {
    let person = match Person::of(&edge).await? {
        Ok(person) => person,
        Err(refusal) => return Ok(refusal),
    };
    person.at(&agent)?;
    let model = person.model(&edge);
    let names = person.offers.listed(&agent, &person.principal.permissions, None);
    let items: Option<Vec<ChatTool>> = names.iter().map(|name| tool(&person, name)).collect();
    let capabilities = ChatCapabilities {
        identity: ChatIdentity { name: agent, provider: "toolgate".to_owned() },
        tools: ChatTools {
            supported: true,
            items: items.ok_or_else(|| internal("describing tools", "one has no definition"))?,
            client_provided: true,
            parallel_calls: true,
        },
        human_in_the_loop: ChatPeople { supported: true, approvals: true, interrupts: true },
        state: ChatState { snapshots: false, deltas: false, memory: false, persistent_state: false },
        transport: ChatTransport { streaming: true, resumable: false },
        custom: ChatCustom { model: ChatModel { label: model.label().to_owned(), demo: model.is_demo() } },
    };
    http::json_answer(200, &capabilities)
}

fn tool(person: &Person, name: &str) -> Option<ChatTool> {
    #[derive(serde::Deserialize)]
    struct Definition {
        function: Function,
    }
    #[derive(serde::Deserialize)]
    struct Function {
        parameters: Box<RawValue>,
    }
    let catalogue = &person.offers.catalogue;
    let known = catalogue.policy.tools.get(name)?;
    let definition = person.offers.definition(Profile::Openai, name)?;
    let Definition { function } = serde_json::from_str(definition.get()).ok()?;
    Some(ChatTool {
        name: name.to_owned(),
        description: known.definition.description.clone(),
        parameters: function.parameters,
        metadata: ChatToolMetadata {
            side_effect: known.definition.side_effect,
            pool: catalogue.pools.get(name)?.clone(),
            managed_by: catalogue.managers.get(name).cloned().unwrap_or_default(),
        },
    })
}
