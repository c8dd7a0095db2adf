/**
 * The caller's side by itself: submitting calls, waiting, deciding approvals. Nothing of the worker comes along, and no
 * module of Node is needed, so this entry runs wherever there are `fetch` and `crypto`, browsers among them.
 */
export type { Activity } from "../activity.js";
export type { Principal } from "../call-context.js";
export { ConfigurationError, GatewayProblem, ToolgateError, TransportError } from "../errors.js";
export * from "./caller.js";
