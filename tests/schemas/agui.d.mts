export function wrong(kind: "Event" | "Message" | "RunAgentInput" | "AgentCapabilities", value: unknown): string | undefined;
