//! The principal: carried verbatim, read for three members only.

use toolgate_protocol::limits::PRINCIPAL_BYTES_MAX;

use crate::json::{self, Json};
use crate::problem::Problem;

/// On whose behalf a call acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Unique within the tenant.
    pub id: String,
    /// The customer's own tenant.
    pub tenant_id: String,
    /// What it may do.
    pub permissions: Vec<String>,
    /// Everything, as canonical text: what the handler receives.
    pub text: String,
}

impl Principal {
    /// Reads `{"id","tenant_id","permissions":[…], …}`; further members are carried.
    pub fn parse(text: &str) -> Result<Principal, Problem> {
        if text.len() > PRINCIPAL_BYTES_MAX {
            return Err(Problem::too_large("principal", text.len(), PRINCIPAL_BYTES_MAX));
        }
        let json = json::parse(text)
            .map_err(|fault| Problem::invalid("principal", format!("{} at byte {}.", fault.what, fault.at)))?;
        let member = |name: &str| {
            json.get(name)
                .and_then(Json::as_str)
                .filter(|text| (1..=256).contains(&text.len()))
                .map(str::to_owned)
                .ok_or_else(|| Problem::invalid(&format!("principal.{name}"), "must be a string of 1 to 256 bytes."))
        };
        Ok(Principal {
            id: member("id")?,
            tenant_id: member("tenant_id")?,
            permissions: permissions(&json)?,
            text: json.canonical(),
        })
    }

    /// Whether this is the same principal: tenant and id.
    pub fn same(&self, other: &Principal) -> bool {
        self.id == other.id && self.tenant_id == other.tenant_id
    }
}

fn permissions(json: &Json) -> Result<Vec<String>, Problem> {
    let fault = || Problem::invalid("principal.permissions", "must be a list of strings.");
    match json.get("permissions") {
        None => Ok(Vec::new()),
        Some(Json::List(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(fault)).collect()
        }
        Some(_) => Err(fault()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_members_are_carried_and_digits_kept() {
        let principal =
            Principal::parse(r#"{"tenant_id":"t","id":"u","permissions":["a"],"account":9007199254740993}"#).unwrap();
        assert_eq!(principal.text, r#"{"account":9007199254740993,"id":"u","permissions":["a"],"tenant_id":"t"}"#);
        assert_eq!(principal.permissions, ["a"]);
        for text in [
            "{}",
            "[]",
            "{",
            r#"{"id":"u"}"#,
            r#"{"id":"u","tenant_id":7}"#,
            r#"{"id":"","tenant_id":"t"}"#,
            r#"{"id":"u","tenant_id":"t","permissions":[1]}"#,
        ] {
            assert!(Principal::parse(text).is_err(), "{text}");
        }
        assert!(Principal::parse(&format!(r#"{{"id":"u","tenant_id":"t","x":"{}"}}"#, "y".repeat(9000))).is_err());
    }
}
