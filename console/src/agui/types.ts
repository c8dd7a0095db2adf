/** What AG-UI 1.0 says over the wire, as far as a page needs its shape. */

/** Any JSON value. */
export type Json = unknown;
export type Metadata = Record<string, Json>;

export interface TextPart { type: "text"; text: string; id?: string; metadata?: Json }
export interface SourcePart { type: "image" | "audio" | "video" | "document"; source: { type: string; value: string; [member: string]: Json }; id?: string; metadata?: Json }
export type Content = string | (TextPart | SourcePart)[];

export interface ToolCall {
  id: string;
  type: "function";
  /** `arguments` is JSON text, as the model wrote it: it may be cut off, and no number of it is ever parsed to be shown. */
  function: { name: string; arguments: string };
  encryptedValue?: string;
  metadata?: Metadata;
}

export type Role = "developer" | "system" | "assistant" | "user" | "tool" | "activity" | "reasoning";

/** A message of any role; which members it has depends on the role. */
export interface Message {
  id: string;
  role: Role;
  content?: Content | Record<string, Json>;
  name?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  error?: string;
  activityType?: string;
  encryptedValue?: string;
  metadata?: Metadata;
  subagentRunId?: string;
}

export interface Interrupt {
  id: string;
  reason: string;
  message?: string;
  toolCallId?: string;
  responseSchema?: Record<string, Json>;
  /** ISO 8601 by convention. */
  expiresAt?: string;
  metadata?: Metadata;
  subagentRunId?: string;
}

/** How a run ended. `failed` is ours: a RUN_ERROR, a stream that broke a rule, or one that stopped without a word. */
export type Outcome =
  | { type: "success"; pendingToolCallIds: string[] }
  | { type: "interrupt"; interrupts: Interrupt[] }
  | { type: "cancelled" }
  | { type: "failed"; message: string; code?: string };

/** An event that was checked: its members have the types that its `type` promises. */
export interface Event { type: string; metadata?: Metadata; subagentRunId?: string; [member: string]: Json }

/** A stream broke a rule. `rule` is a short stable word for tests; the message is for people. */
export class ProtocolError extends Error {
  readonly rule: string;
  constructor(rule: string, message: string) {
    super(message);
    this.name = "ProtocolError";
    this.rule = rule;
  }
}
