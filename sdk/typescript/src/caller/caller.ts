export type { Approval, ApprovalState, ArgumentChange, Decision, EarlierDecision } from "./approval.js";
export type { ApprovalFilter, Approvals, ApproveOptions, ShownApproval, WatchOptions } from "./approvals.js";
export {
  type ApprovalLink,
  type Call,
  type CallError,
  type CallFacts,
  type CallState,
  type CallSummary,
  type EndedCall,
  type EndedState,
  isEnded,
  type OpenCall,
  type OpenState,
  type ParkedCall,
  type SucceededCall,
  type UnsuccessfulCall,
} from "./call.js";
export type { CallEvent, CallFilter, CallHistory, CallRef, Calls, Evidence, GetOptions, ReadOptions, Resolution, WaitOptions } from "./calls.js";
export { ToolgateClient } from "./client.js";
export { CallUnanswered, WaitTimeout } from "./errors.js";
export type { ClientOptions, ClientTiming } from "./options.js";
export { isProblem, type KnownProblem, knownProblem, PROBLEM_CODES, type ProblemCode, type ProblemMembers, type ProblemOf } from "./problems.js";
export type { Arguments, CallRequest, SubmittedCall } from "./submission.js";
export { toolResult } from "./tool-result.js";
