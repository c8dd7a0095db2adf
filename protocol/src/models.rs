//! Which model an agent's chat is driven by.

use core::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The name that stands for the demo model.
pub const DEMO_MODEL: &str = "demo";

/// The `model` of an agent, as it is sent in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ModelSetting {
    /// `demo`, or a model at the deployment's own endpoint.
    Name(String),
    /// A model at an endpoint of the agent's own.
    Endpoint(ModelEndpoint),
}

/// An endpoint that speaks as OpenAI's chat completions do.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelEndpoint {
    /// What `/chat/completions` is added to.
    pub url: String,
    /// The model's name there.
    pub name: String,
    /// Sent as a bearer token, and never shown. Left out, the key that was given for this URL stays; an empty text
    /// takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
}

/// What is logged by accident must not hold a key.
impl fmt::Debug for ModelEndpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ModelEndpoint").field("url", &self.url).field("name", &self.name).finish_non_exhaustive()
    }
}

/// The `model` of an agent, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ModelView {
    /// `demo`, or a model at the deployment's own endpoint.
    Name(String),
    /// A model at an endpoint of the agent's own.
    Endpoint {
        /// The canonical text.
        url: String,
        /// The model's name there.
        name: String,
        /// Whether a key is kept for it.
        api_key_set: bool,
    },
}

/// By hand, so that a fault names the member and not the shapes that were tried.
impl<'de> Deserialize<'de> for ModelSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ModelSetting, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = ModelSetting;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("\"demo\", the name of a model, or an object with url and name")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<ModelSetting, E> {
                Ok(ModelSetting::Name(name.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ModelSetting, A::Error> {
                ModelEndpoint::deserialize(MapAccessDeserializer::new(map)).map(ModelSetting::Endpoint)
            }
        }

        deserializer.deserialize_any(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_the_member() {
        for (text, fault) in [
            (r#""demo""#, ""),
            (r#""gpt-9""#, ""),
            (r#"{"url":"https://models.example.com/v1","name":"m"}"#, ""),
            (r#"{"url":"https://models.example.com/v1","name":"m","api_key":"k"}"#, ""),
            (r#"{"url":"https://models.example.com/v1"}"#, "missing field `name`"),
            (r#"{"name":"m"}"#, "missing field `url`"),
            (r#"{"url":"u","name":"m","key":"k"}"#, "unknown field `key`"),
            (r#"{"url":"u","name":"m","api_key_set":true}"#, "unknown field `api_key_set`"),
            (r#"{"url":1,"name":"m"}"#, "invalid type: integer `1`, expected a string"),
            ("7", "an object with url and name"),
            ("[]", "an object with url and name"),
            ("true", "\"demo\", the name of a model"),
        ] {
            let read = serde_json::from_str::<ModelSetting>(text);
            match read {
                Ok(setting) => {
                    assert_eq!(fault, "", "{text}");
                    assert_eq!(serde_json::to_string(&setting).ok().as_deref(), Some(text));
                }
                Err(error) => {
                    assert!(!fault.is_empty() && error.to_string().contains(fault), "{text}: {error}");
                }
            }
        }
    }

    #[test]
    fn a_key_is_in_no_log() {
        let endpoint = ModelEndpoint { url: "u".into(), name: "m".into(), api_key: Some("hidden".into()) };
        assert!(!format!("{:?}", ModelSetting::Endpoint(endpoint)).contains("hidden"));
    }
}
