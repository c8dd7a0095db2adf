//! What a handler is told beside its arguments.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use toolgate_protocol::calls::CallInput;
use toolgate_protocol::definitions::SideEffect;
use toolgate_protocol::webhooks::CallMessage;

/// The second argument of every handler.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// The call's id, the same at every attempt: the idempotency key for the handler's own writes.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// The run, when there is one.
    pub run: Option<String>,
    /// What the client answered, when the tool had asked it for something ([`ask_client`](crate::ask_client)): data of
    /// the client, with the tool's own state. Reads only.
    pub input: Option<CallInput>,
    /// From 1.
    pub attempt: u32,
    /// The class that the gateway decided under.
    pub side_effect: SideEffect,
    /// How long the gateway waits for the reply, in seconds from when it sent the request.
    pub deadline_seconds: u64,
    /// On whose behalf.
    pub principal: Principal,
}

/// The person or service on whose behalf a call runs.
#[derive(Clone, Debug)]
pub struct Principal {
    /// Who, within the tenant.
    pub id: String,
    /// The principal's own tenant.
    pub tenant_id: String,
    /// What it may do.
    pub permissions: Vec<String>,
    /// All of it as it came, members of your own included.
    pub raw: Box<RawValue>,
}

#[derive(Deserialize)]
struct Known {
    id: String,
    tenant_id: String,
    #[serde(default)]
    permissions: Vec<String>,
}

impl Principal {
    fn parse(raw: &RawValue) -> Result<Principal, serde_json::Error> {
        let Known { id, tenant_id, permissions } = serde_json::from_str(raw.get())?;
        Ok(Principal { id, tenant_id, permissions, raw: raw.to_owned() })
    }

    /// The principal as a type of your own.
    ///
    /// # Errors
    /// When its JSON text does not fit the type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.raw.get())
    }
}

impl CallContext {
    pub(crate) fn of(message: &CallMessage) -> Result<CallContext, serde_json::Error> {
        Ok(CallContext {
            call_id: message.call.clone(),
            tool: message.tool.clone(),
            run: message.run.clone(),
            input: message.input.clone(),
            attempt: message.attempt,
            side_effect: message.side_effect,
            deadline_seconds: message.deadline_seconds,
            principal: Principal::parse(&message.principal)?,
        })
    }
}
