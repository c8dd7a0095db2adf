//! Which model an agent has: what may be written, what is kept, and what comes of it in this deployment.
//!
//! A key is sealed at the edge for its org, its agent and its URL: it opens nowhere else, so no change of the address
//! can take it along.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_protocol::answers::AgentView;
use toolgate_protocol::chat::ChatModel;
use toolgate_protocol::control::Agent;
use toolgate_protocol::limits::{MODEL_KEY_BYTES_MAX, MODEL_NAME_CHARS_MAX};
use toolgate_protocol::models::{DEMO_MODEL, ModelSetting, ModelView};
use url::Url;

use super::demo;
use crate::problem::Problem;

/// An agent as the registry keeps it.
pub type AgentRecord = Agent<ModelRecord>;

/// Names that begin so are models of Workers AI.
const WORKERS_AI: &str = "@cf/";
const COMPLETIONS: &str = "/chat/completions";

/// The model of an agent, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub enum ModelRecord {
    /// `demo`, or a model at the deployment's own endpoint.
    Name(String),
    /// A model at an endpoint of the agent's own.
    Endpoint {
        /// The canonical text.
        url: String,
        /// The model's name there.
        name: String,
        /// Sealed for [`model_place`].
        #[serde(skip_serializing_if = "Option::is_none")]
        api_key: Option<String>,
    },
    /// Something older that nobody understands any more: the agent stands, its chat says so.
    Unreadable,
}

/// What cannot be read is one setting that is out of order, and no reason to lose the org's other agents.
impl From<Value> for ModelRecord {
    fn from(value: Value) -> ModelRecord {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        if let Some(name) = text(value.get("Name")) {
            return ModelRecord::Name(name);
        }
        let Some(endpoint) = value.get("Endpoint") else { return ModelRecord::Unreadable };
        match (text(endpoint.get("url")), text(endpoint.get("name"))) {
            (Some(url), Some(name)) => ModelRecord::Endpoint { url, name, api_key: text(endpoint.get("api_key")) },
            _ => ModelRecord::Unreadable,
        }
    }
}

/// The model of an agent on its way in; the edge has judged the address and sealed the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelSpec {
    /// `demo`, or a model at the deployment's own endpoint.
    Name(String),
    /// A model at an endpoint of the agent's own.
    Endpoint {
        /// The canonical text.
        url: String,
        /// The model's name there.
        name: String,
        /// What becomes of its key.
        api_key: KeyChange,
    },
}

/// What becomes of the key of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyChange {
    /// The one that is kept for this URL stays, if there is one.
    Keep,
    /// None from now on.
    Drop,
    /// This one, sealed.
    New(String),
}

impl ModelSpec {
    /// What is kept, over what was.
    pub fn over(self, known: Option<&ModelRecord>) -> ModelRecord {
        match self {
            ModelSpec::Name(name) => ModelRecord::Name(name),
            ModelSpec::Endpoint { url, name, api_key } => {
                let api_key = match (api_key, known) {
                    (KeyChange::New(sealed), _) => Some(sealed),
                    (KeyChange::Keep, Some(ModelRecord::Endpoint { url: old, api_key, .. })) if *old == url => {
                        api_key.clone()
                    }
                    (KeyChange::Keep | KeyChange::Drop, _) => None,
                };
                ModelRecord::Endpoint { url, name, api_key }
            }
        }
    }
}

/// As an admin sees the agent; never a key.
pub fn agent_view(agent: &AgentRecord) -> Agent<ModelView> {
    let model = agent.model.as_ref().and_then(|model| match model {
        ModelRecord::Name(name) => Some(ModelView::Name(name.clone())),
        ModelRecord::Endpoint { url, name, api_key } => {
            Some(ModelView::Endpoint { url: url.clone(), name: name.clone(), api_key_set: api_key.is_some() })
        }
        ModelRecord::Unreadable => None,
    });
    agent.clone().with_model(model)
}

/// The agent with its name. What the deployment has is not known to who keeps agents: see [`tell_model`].
pub fn named_view(name: &str, agent: &AgentRecord) -> AgentView {
    // This one alone cannot be told from what is shown of it.
    let is_unreadable = agent.model == Some(ModelRecord::Unreadable);
    let chat_model = is_unreadable.then(|| Choice::Unusable(UNREADABLE).shown());
    AgentView { name: name.to_owned(), agent: agent_view(agent), chat_model }
}

/// Adds the model that the agent's chat has in this deployment.
pub fn tell_model(view: &mut AgentView, deployment: &Deployment) {
    if view.chat_model.is_some() {
        return;
    }
    let record = view.agent.model.clone().map(|model| match model {
        ModelView::Name(name) => ModelRecord::Name(name),
        ModelView::Endpoint { url, name, api_key_set: _ } => ModelRecord::Endpoint { url, name, api_key: None },
    });
    view.chat_model = Some(choose(record.as_ref(), deployment).shown());
}

/// The place that a model's key is sealed for: a list that no pool and no notification has.
pub fn model_place<'a>(org: &'a str, agent: &'a str, url: &'a str) -> [&'a str; 4] {
    [org, "agent", agent, url]
}

/// Checks what needs no look at the outside.
///
/// # Errors
/// 422 that names the member.
pub fn check_setting(setting: &ModelSetting, deployment: &Deployment) -> Result<(), Problem> {
    match setting {
        ModelSetting::Name(name) => {
            check_name("model", name)?;
            match choose(Some(&ModelRecord::Name(name.clone())), deployment) {
                Choice::Unusable(why) => Err(Problem::invalid("model", why)),
                _ => Ok(()),
            }
        }
        ModelSetting::Endpoint(endpoint) => {
            check_name("model.name", &endpoint.name)?;
            let path = endpoint.url.split(['?', '#']).next().unwrap_or_default();
            if path.trim_end_matches('/').ends_with(COMPLETIONS) {
                let what = format!("is the base that {COMPLETIONS} is added to; leave that part out.");
                return Err(Problem::invalid("model.url", what));
            }
            match endpoint.api_key.as_deref() {
                Some(key) if key.len() > MODEL_KEY_BYTES_MAX || !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                    let what =
                        format!("travels in a header: at most {MODEL_KEY_BYTES_MAX} printable ASCII, without blanks.");
                    Err(Problem::invalid("model.api_key", what))
                }
                _ => Ok(()),
            }
        }
    }
}

fn check_name(field: &str, name: &str) -> Result<(), Problem> {
    let printable = name.bytes().all(|byte| byte.is_ascii_graphic());
    if printable && (1..=MODEL_NAME_CHARS_MAX).contains(&name.len()) {
        return Ok(());
    }
    Err(Problem::invalid(
        field,
        format!("needs 1 to {MODEL_NAME_CHARS_MAX} printable ASCII characters, without blanks."),
    ))
}

/// The URL that is called, for a base.
pub fn completions_url(base: &str) -> Option<String> {
    let mut url = Url::parse(base).ok()?;
    let path = format!("{}{COMPLETIONS}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Some(url.into())
}

/// What this deployment has for models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deployment {
    /// `TOOLGATE_MODEL_URL`; empty where it is not set.
    pub url: String,
    /// `TOOLGATE_MODEL_NAME`; empty where it is not set.
    pub name: String,
    /// Whether there is a binding of Workers AI.
    pub has_workers_ai: bool,
}

/// The model that a turn goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice<'a> {
    /// The demo model.
    Demo,
    /// A model at the deployment's endpoint.
    Deployment {
        /// Its name.
        name: &'a str,
    },
    /// A model of Workers AI.
    WorkersAi {
        /// Its name.
        name: &'a str,
    },
    /// A model at the agent's own endpoint.
    Own {
        /// The base.
        url: &'a str,
        /// Its name.
        name: &'a str,
        /// Sealed for [`model_place`].
        api_key: Option<&'a str>,
    },
    /// What is set leads nowhere; how, of the agent's model.
    Unusable(&'static str),
}

impl Choice<'_> {
    /// As people read it.
    pub fn shown(&self) -> ChatModel {
        let label = match self {
            Choice::Demo => demo::LABEL,
            Choice::Deployment { name } | Choice::WorkersAi { name } | Choice::Own { name, .. } => name,
            Choice::Unusable(_) => "",
        };
        ChatModel { label: label.to_owned(), demo: matches!(self, Choice::Demo) }
    }
}

const NO_URL: &str = "names a model at the deployment's endpoint, and TOOLGATE_MODEL_URL is not set.";
const NO_NAME: &str = "is left out, and the deployment has TOOLGATE_MODEL_URL without TOOLGATE_MODEL_NAME.";
const UNREADABLE: &str = "cannot be read; write the agent again.";

/// The model for this setting. Where neither the agent nor the deployment names one, the demo model.
pub fn choose<'a>(setting: Option<&'a ModelRecord>, deployment: &'a Deployment) -> Choice<'a> {
    let name = match setting {
        Some(ModelRecord::Endpoint { url, name, api_key }) => {
            return Choice::Own { url, name, api_key: api_key.as_deref() };
        }
        Some(ModelRecord::Unreadable) => return Choice::Unusable(UNREADABLE),
        Some(ModelRecord::Name(name)) => name,
        None if deployment.name.is_empty() && deployment.url.is_empty() => return Choice::Demo,
        None if deployment.name.is_empty() => return Choice::Unusable(NO_NAME),
        None => &deployment.name,
    };
    if name == DEMO_MODEL {
        Choice::Demo
    } else if name.starts_with(WORKERS_AI) && deployment.has_workers_ai {
        Choice::WorkersAi { name }
    } else if deployment.url.is_empty() {
        Choice::Unusable(NO_URL)
    } else {
        Choice::Deployment { name }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolgate_protocol::models::ModelEndpoint;

    use super::*;

    fn at(url: &str, api_key: Option<&str>) -> ModelRecord {
        ModelRecord::Endpoint { url: url.into(), name: "m".into(), api_key: api_key.map(str::to_owned) }
    }

    #[test]
    fn a_key_stays_for_its_url_alone() {
        let spec = |url: &str, api_key| ModelSpec::Endpoint { url: url.into(), name: "m".into(), api_key };
        for (change, known, kept) in [
            (KeyChange::Keep, None, None),
            (KeyChange::Keep, Some(at("u", Some("old"))), Some("old")),
            (KeyChange::Keep, Some(at("u", None)), None),
            (KeyChange::Keep, Some(at("other", Some("old"))), None),
            (KeyChange::Keep, Some(ModelRecord::Name("m".into())), None),
            (KeyChange::Drop, Some(at("u", Some("old"))), None),
            (KeyChange::New("new".into()), Some(at("u", Some("old"))), Some("new")),
            (KeyChange::New("new".into()), Some(at("other", Some("old"))), Some("new")),
        ] {
            assert_eq!(spec("u", change.clone()).over(known.as_ref()), at("u", kept), "{change:?} over {known:?}");
        }
        assert_eq!(ModelSpec::Name("m".into()).over(Some(&at("u", Some("old")))), ModelRecord::Name("m".into()));
    }

    #[test]
    fn what_is_kept_is_read_again_and_what_is_not_understood_harms_nobody() {
        for record in [ModelRecord::Name("demo".into()), at("u", Some("k")), at("u", None), ModelRecord::Unreadable] {
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<ModelRecord>(&text).unwrap(), record);
        }
        for old in [json!({"provider": "x"}), json!([1]), json!("gpt"), json!(7), json!({"Endpoint": {"url": 1}})] {
            assert_eq!(serde_json::from_value::<ModelRecord>(old.clone()).unwrap(), ModelRecord::Unreadable, "{old}");
        }
        let agent: AgentRecord = serde_json::from_value(json!({"capabilities": [], "model": {"old": 1}})).unwrap();
        assert_eq!(agent.model, Some(ModelRecord::Unreadable));
    }

    #[test]
    fn nobody_is_shown_a_key() {
        let agent: AgentRecord = serde_json::from_value(json!({"capabilities": ["c"]})).unwrap();
        let shown = |model| serde_json::to_value(agent_view(&agent.clone().with_model(Some(model)))).unwrap();
        let set = shown(at("u", Some("sealed")));
        assert_eq!(set["model"], json!({"url": "u", "name": "m", "api_key_set": true}));
        assert_eq!(shown(at("u", None))["model"]["api_key_set"], json!(false));
        assert_eq!(shown(ModelRecord::Name("demo".into()))["model"], json!("demo"));
        assert_eq!(shown(ModelRecord::Unreadable).get("model"), None);
        assert!(!set.to_string().contains("sealed"));
    }

    #[test]
    fn what_may_be_written() {
        let deployment = Deployment { url: "https://models.example.com/v1".into(), ..Deployment::default() };
        let endpoint = |url: &str, name: &str, key: Option<&str>| {
            let api_key = key.map(str::to_owned);
            ModelSetting::Endpoint(ModelEndpoint { url: url.into(), name: name.into(), api_key })
        };
        let base = "https://models.example.com/v1";
        for (setting, member) in [
            (ModelSetting::Name("demo".into()), None),
            (ModelSetting::Name("meta-llama/Llama-4:70b".into()), None),
            (ModelSetting::Name(String::new()), Some("model")),
            (ModelSetting::Name("two words".into()), Some("model")),
            (ModelSetting::Name("x".repeat(MODEL_NAME_CHARS_MAX + 1)), Some("model")),
            (endpoint(base, "m", None), None),
            (endpoint(base, "m", Some("")), None),
            (endpoint(base, "m", Some("sk-1")), None),
            (endpoint(base, "", None), Some("model.name")),
            (endpoint(base, "m", Some("with blank")), Some("model.api_key")),
            (endpoint(base, "m", Some("line\r\nx: y")), Some("model.api_key")),
            (endpoint(base, "m", Some(&"k".repeat(MODEL_KEY_BYTES_MAX + 1))), Some("model.api_key")),
            (endpoint("https://models.example.com/v1/chat/completions", "m", None), Some("model.url")),
            (endpoint("https://models.example.com/v1/chat/completions/?v=1", "m", None), Some("model.url")),
        ] {
            let refused = check_setting(&setting, &deployment).err();
            let named = refused.as_ref().and_then(|problem| problem.members["field"].as_str());
            assert_eq!(named, member, "{setting:?}");
            assert!(refused.is_none_or(|problem| !problem.detail.contains("with blank")), "a key is never repeated");
        }
        let bare = Deployment::default();
        let refused = check_setting(&ModelSetting::Name("gpt".into()), &bare).unwrap_err();
        assert!(refused.detail.contains("TOOLGATE_MODEL_URL is not set"));
        assert!(check_setting(&ModelSetting::Name("demo".into()), &bare).is_ok());
    }

    #[test]
    fn the_model_of_a_turn() {
        let deployment =
            |url: &str, name: &str, has_workers_ai| Deployment { url: url.into(), name: name.into(), has_workers_ai };
        let named = |name: &str| Some(ModelRecord::Name(name.into()));
        for (setting, here, choice) in [
            (None, deployment("", "", false), Choice::Demo),
            (None, deployment("", "", true), Choice::Demo),
            (None, deployment("u", "m", false), Choice::Deployment { name: "m" }),
            (None, deployment("u", "", false), Choice::Unusable(NO_NAME)),
            (None, deployment("", "m", false), Choice::Unusable(NO_URL)),
            (None, deployment("", "@cf/x", true), Choice::WorkersAi { name: "@cf/x" }),
            (None, deployment("u", "demo", false), Choice::Demo),
            (named("demo"), deployment("u", "m", true), Choice::Demo),
            (named("n"), deployment("u", "m", true), Choice::Deployment { name: "n" }),
            (named("n"), deployment("", "", true), Choice::Unusable(NO_URL)),
            (named("@cf/x"), deployment("u", "m", true), Choice::WorkersAi { name: "@cf/x" }),
            (named("@cf/x"), deployment("u", "m", false), Choice::Deployment { name: "@cf/x" }),
            (
                Some(at("own", Some("k"))),
                deployment("u", "m", true),
                Choice::Own { url: "own", name: "m", api_key: Some("k") },
            ),
            (Some(ModelRecord::Unreadable), deployment("u", "m", true), Choice::Unusable(UNREADABLE)),
        ] {
            assert_eq!(choose(setting.as_ref(), &here), choice, "{setting:?} {here:?}");
            // Who reads the agent is told of the same one, also by what another object answered.
            let agent: AgentRecord = serde_json::from_value(json!({"capabilities": []})).unwrap();
            let answer = serde_json::to_string(&named_view("bot", &agent.with_model(setting))).unwrap();
            let mut view: AgentView = serde_json::from_str(&answer).unwrap();
            tell_model(&mut view, &here);
            assert_eq!(view.chat_model, Some(choice.shown()), "{answer}");
            assert_eq!(choice.shown().demo, choice == Choice::Demo);
            assert_eq!(choice.shown().label.is_empty(), matches!(choice, Choice::Unusable(_)));
        }
    }

    #[test]
    fn the_url_that_is_called() {
        for (base, url) in [
            ("https://m.example.com/v1", Some("https://m.example.com/v1/chat/completions")),
            ("https://m.example.com/v1/", Some("https://m.example.com/v1/chat/completions")),
            ("https://m.example.com", Some("https://m.example.com/chat/completions")),
            (
                "https://m.example.com/o/v1?api-version=2",
                Some("https://m.example.com/o/v1/chat/completions?api-version=2"),
            ),
            ("http://localhost:11434/v1", Some("http://localhost:11434/v1/chat/completions")),
            ("no url", None),
        ] {
            assert_eq!(completions_url(base).as_deref(), url, "{base}");
        }
    }
}
