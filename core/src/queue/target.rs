//! What runs a call that no worker polls for, and how it is called as the holder of a claim.

use serde::{Deserialize, Serialize};
use toolgate_protocol::limits::DELIVERY_SECONDS;

use crate::policy::PolicyEndpoint;

/// The holder of a claim whose call goes to an endpoint, in timelines and numbers.
pub const DELIVERER: &str = "webhook";
/// The same where the tool ships with the gateway.
pub const BUILTIN: &str = "builtin";

/// Is this the deliverer, and no worker's session?
pub fn is_deliverer(session: &str) -> bool {
    session == DELIVERER || session == BUILTIN
}

/// What runs a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Target {
    /// The endpoint as the policy has it.
    Endpoint(PolicyEndpoint),
    /// The gateway's own code.
    Builtin(BuiltinTarget),
}

/// What a tool that ships with the gateway is given beside its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuiltinTarget {
    /// The data set of the agent that asks.
    pub dataset: Option<String>,
}

impl Target {
    /// Who holds the claim.
    pub fn holder(&self) -> &'static str {
        match self {
            Target::Endpoint(_) => DELIVERER,
            Target::Builtin(_) => BUILTIN,
        }
    }

    /// The deadline of a delivery, unless the tool has a shorter one.
    pub fn timeout_seconds(&self) -> u64 {
        match self {
            Target::Endpoint(endpoint) => endpoint.timeout_seconds,
            Target::Builtin(_) => DELIVERY_SECONDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn during_a_deploy_each_version_reads_what_it_knows_and_nothing_else() {
        let endpoint = r#"{"url":"https://a.example.com/","state":"active","revision":3,"timeout_seconds":15,"secrets":[],"manifest":null}"#;
        assert!(matches!(serde_json::from_str(endpoint), Ok(Target::Endpoint(PolicyEndpoint { revision: 3, .. }))));
        for builtin in [r#"{"dataset":null}"#, r#"{"dataset":"city_permits"}"#] {
            let target: Target = serde_json::from_str(builtin).unwrap();
            assert!(matches!(&target, Target::Builtin(_)), "{builtin}");
            assert_eq!(serde_json::to_string(&target).unwrap(), builtin);
            assert!(
                serde_json::from_str::<PolicyEndpoint>(builtin).is_err(),
                "an older edge refuses it, and it comes again"
            );
        }
        assert!(serde_json::from_str::<Target>(r#"{"dataset":null,"more":1}"#).is_err());
        assert!(is_deliverer("webhook") && is_deliverer("builtin") && !is_deliverer("ses_1"));
    }
}
