//! A tool: its contract, and the function behind it.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use toolgate_protocol::calls::Activity;
use toolgate_protocol::definitions::{Routing, SideEffect, ToolDefinition};

use crate::call_context::CallContext;
use crate::definition::{ConfigurationFault, fault};
use crate::handler_error::HandlerError;
use crate::outcome::Outcome;

/// A running handler; it stays on the thread that started it.
pub(crate) type Running = Pin<Box<dyn Future<Output = Outcome>>>;
type Handler = Rc<dyn Fn(&RawValue, CallContext) -> Running>;

/// A tool under construction. [`EndpointBuilder::build`](crate::EndpointBuilder::build) says what is wrong with it.
#[must_use = "a tool is served by `Endpoint::builder(…).tool(…)`"]
#[derive(Clone)]
pub struct Tool {
    definition: ToolDefinition,
    input_twice: Option<String>,
    handler: Option<Handler>,
}

impl Tool {
    /// A tool with what it does to the world; the gateway applies the control that belongs to it.
    pub fn new(name: impl Into<String>, side_effect: SideEffect) -> Tool {
        let definition = ToolDefinition {
            name: name.into(),
            description: String::new(),
            side_effect,
            input: BTreeMap::new(),
            permissions: Vec::new(),
            routing: Routing::default(),
            queue_deadline_seconds: None,
            execution_deadline_seconds: None,
        };
        Tool { definition, input_twice: None, handler: None }
    }

    /// What the model reads. Required.
    pub fn description(mut self, text: impl Into<String>) -> Tool {
        self.definition.description = text.into();
        self
    }

    /// A field of the arguments, with its type: `string`, `integer`, `number`, `boolean`, `date`, `datetime`, `uuid`,
    /// `email`, `url` or `json`, with `[]` after it for a list and a `?` last for an optional one.
    pub fn input(mut self, field: impl Into<String>, kind: impl Into<String>) -> Tool {
        let field = field.into();
        if self.definition.input.insert(field.clone(), kind.into()).is_some() {
            self.input_twice = Some(field);
        }
        self
    }

    /// What the principal must hold.
    pub fn permission(mut self, permission: impl Into<String>) -> Tool {
        self.definition.permissions.push(permission.into());
        self
    }

    /// A word that speaks for the tool when tools are chosen for a turn.
    pub fn keyword(mut self, word: impl Into<String>) -> Tool {
        self.definition.routing.keywords.push(word.into());
        self
    }

    /// A regular expression (of the linear-time kind) that speaks for the tool.
    pub fn pattern(mut self, pattern: impl Into<String>) -> Tool {
        self.definition.routing.patterns.push(pattern.into());
        self
    }

    /// How long a call may wait to be sent, 1 to 3,600 s.
    pub fn queue_deadline_seconds(mut self, seconds: u64) -> Tool {
        self.definition.queue_deadline_seconds = Some(seconds);
        self
    }

    /// How long an attempt may take, 1 to 900 s; a delivery ends at the pool's own deadline in any case.
    pub fn execution_deadline_seconds(mut self, seconds: u64) -> Tool {
        self.definition.execution_deadline_seconds = Some(seconds);
        self
    }

    /// The function behind the tool. The arguments are read from their JSON text into `A`: integers of 64 bits arrive
    /// digit by digit, and a field of type `Box<RawValue>` keeps its text. Arguments that do not fit `A` are answered
    /// as `invalid_arguments`, and the function does not run. The future need not be `Send`.
    pub fn handler<A, R, F>(self, handler: F) -> Tool
    where
        A: DeserializeOwned + 'static,
        R: Serialize + 'static,
        F: AsyncFn(A, CallContext) -> Result<R, HandlerError> + 'static,
    {
        let handler = Rc::new(handler);
        self.handler_with_activity(async move |arguments: A, context| {
            handler(arguments, context).await.map(|result| (result, None))
        })
    }

    /// As [`Tool::handler`], for a function that may give something for the screen beside its result.
    pub fn handler_with_activity<A, R, F>(mut self, handler: F) -> Tool
    where
        A: DeserializeOwned + 'static,
        R: Serialize + 'static,
        F: AsyncFn(A, CallContext) -> Result<(R, Option<Activity>), HandlerError> + 'static,
    {
        let handler = Rc::new(handler);
        self.handler = Some(Rc::new(move |arguments, context| match serde_json::from_str::<A>(arguments.get()) {
            Ok(arguments) => {
                let handler = Rc::clone(&handler);
                Box::pin(async move { Outcome::returned(handler(arguments, context).await) })
            }
            Err(error) => Box::pin(std::future::ready(Outcome::coded("invalid_arguments", error.to_string()))),
        }));
        self
    }

    pub(crate) fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    pub(crate) fn into_served(self) -> Result<ServedTool, ConfigurationFault> {
        let name = &self.definition.name;
        if let Some(field) = self.input_twice {
            return fault(format!("tool {name}: input.{field}"), "is defined twice");
        }
        match self.handler {
            Some(handler) => Ok(ServedTool { side_effect: self.definition.side_effect, handler }),
            None => fault(format!("tool {name}"), "has no handler"),
        }
    }
}

/// A tool that can be run.
pub(crate) struct ServedTool {
    pub side_effect: SideEffect,
    handler: Handler,
}

impl ServedTool {
    pub fn run(&self, arguments: &RawValue, context: CallContext) -> Running {
        (self.handler)(arguments, context)
    }
}
