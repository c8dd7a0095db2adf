/**
 * The webhook transport by itself: nothing of the worker comes along, and no module of Node is needed, so this entry runs
 * wherever there are `Request`, `Response` and WebCrypto.
 */
export { type Activity, askClient, type ClientRequest, type ResultWithActivity, withActivity } from "../activity.js";
export type { CallContext, CallInput, Deadline, Principal } from "../call-context.js";
export { CallAborted, ConfigurationError, ToolgateError } from "../errors.js";
export type { ContextDefinition, DigestField } from "../grounding.js";
export type { Logger } from "../logger.js";
export { type Routing, type SideEffect, type Tool, tool, type ToolContract, type ToolOptions } from "../tool.js";
export * from "./transport.js";
