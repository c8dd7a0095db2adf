export { type Activity, askClient, type ClientRequest, type ResultWithActivity, withActivity } from "./activity.js";
export type { CallContext, CallInput, Deadline, Principal } from "./call-context.js";
export {
  type AbortCode,
  CallAborted,
  ConfigurationError,
  GatewayProblem,
  KeyRefused,
  SessionSuperseded,
  ToolgateError,
  TransportError,
  WorkerStopped,
} from "./errors.js";
export type { FieldMap, FieldType } from "./fields.js";
export type { ContextDefinition, DigestField } from "./grounding.js";
export type { ArgumentsOf, IntegerMode } from "./inference.js";
export type { Logger } from "./logger.js";
export type { WorkerOptions } from "./options.js";
export { type RunningWorker, runWorker } from "./run-worker.js";
export { type Routing, type SideEffect, type Tool, tool, type ToolContract, type ToolOptions } from "./tool.js";
export type { ContextStatus, Registration, ToolStatus } from "./wire.js";
export * from "./caller/caller.js";
export * from "./webhook/transport.js";
