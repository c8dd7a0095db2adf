//! Putting an endpoint together.

use toolgate_protocol::definitions::{ContextDefinition, ToolDefinition};
use toolgate_protocol::limits::SIGNATURE_TOLERANCE_SECONDS;
use toolgate_signing::Secret;

use crate::definition::{ConfigurationFault, fault};
use crate::endpoint::Endpoint;
use crate::manifest::ManifestText;
use crate::memory::InMemory;
use crate::receiver::Receiver;
use crate::tool::Tool;

/// Longest tolerance: replies are remembered for twice as long.
const TOLERANCE_SECONDS_MAX: u64 = 3_600;

/// An endpoint under construction.
#[must_use = "`build` makes the endpoint"]
pub struct EndpointBuilder<M = InMemory> {
    secrets: Vec<Secret>,
    tools: Vec<Tool>,
    contexts: Vec<ContextDefinition>,
    tolerance_seconds: u64,
    path: Option<String>,
    memory: M,
}

impl EndpointBuilder {
    pub(crate) fn new(secrets: Vec<Secret>) -> EndpointBuilder {
        EndpointBuilder {
            secrets,
            tools: Vec::new(),
            contexts: Vec::new(),
            tolerance_seconds: SIGNATURE_TOLERANCE_SECONDS,
            path: None,
            memory: InMemory::default(),
        }
    }
}

impl<M> EndpointBuilder<M> {
    /// Serves a tool.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Serves tools.
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Announces a screen type.
    pub fn context(mut self, context: ContextDefinition) -> Self {
        self.contexts.push(context);
        self
    }

    /// How far a request's timestamp may be from the clock, either way; 300 s unless said otherwise, 3,600 s at most.
    pub fn tolerance_seconds(mut self, seconds: u64) -> Self {
        self.tolerance_seconds = seconds;
        self
    }

    /// The only path at which the endpoint answers, such as `/toolgate`; without one it answers at every path.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Where replies are remembered; in the process itself unless said otherwise.
    pub fn memory<N>(self, memory: N) -> EndpointBuilder<N> {
        let EndpointBuilder { secrets, tools, contexts, tolerance_seconds, path, memory: _ } = self;
        EndpointBuilder { secrets, tools, contexts, tolerance_seconds, path, memory }
    }

    /// The endpoint.
    ///
    /// # Errors
    /// The first fault in the secrets, the tools or the contexts. An endpoint that is built is one whose manifest the
    /// gateway takes, but for what only the gateway knows (names of other pools, fences, patterns).
    pub fn build(self) -> Result<Endpoint<M>, ConfigurationFault> {
        if self.tools.is_empty() {
            return fault("endpoint", "has no tool");
        }
        if !(1..=TOLERANCE_SECONDS_MAX).contains(&self.tolerance_seconds) {
            let what = format!("is {}; it needs 1 to {TOLERANCE_SECONDS_MAX} seconds", self.tolerance_seconds);
            return fault("tolerance_seconds", what);
        }
        if let Some(path) = self.path.as_ref().filter(|path| !path.starts_with('/')) {
            return fault("path", format!("{path:?} does not begin with a slash"));
        }
        let definitions: Vec<ToolDefinition> = self.tools.iter().map(|tool| tool.definition().clone()).collect();
        let manifest = ManifestText::new(&definitions, &self.contexts)?;
        let names = definitions.into_iter().map(|definition| definition.name);
        let tools = self.tools.into_iter().map(Tool::into_served).collect::<Result<Vec<_>, _>>()?;
        let Ok(receiver) = Receiver::new(self.secrets, self.tolerance_seconds) else {
            return fault("secrets", "there is none; without a secret nobody can be told from anybody");
        };
        Ok(Endpoint { receiver, tools: names.zip(tools).collect(), manifest, memory: self.memory, path: self.path })
    }
}
