// Made from protocol/openapi.json by wire.mjs. Not to be edited.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Body of `POST /v1/tools/{tool}/acceptances`. */
        readonly AcceptanceRequest: {
            /** @description The hash of the refused definition, as `GET /v1/tools/{tool}` shows it. */
            readonly version: string;
        };
        /** @description Something for the screen beside the result. */
        readonly Activity: {
            /** @description Its content. */
            readonly content: unknown;
            /** @description A content type. */
            readonly type: string;
        };
        /** @description Body of `PUT /v1/agents/{name}`. Its model is kept and shown in other forms than it is sent in. */
        readonly Agent: {
            /** @description What it holds. */
            readonly capabilities: readonly string[];
            /** @description The data set that its database tools read. */
            readonly dataset?: string | null;
            /** @description What the model is told. */
            readonly instructions?: string | null;
            /** @description How its tools are served at the MCP door. */
            readonly mcp?: components["schemas"]["AgentMcp"] | null;
            /** @description The model that the chat door drives: `demo`, a model's name at the deployment's endpoint, or an endpoint. */
            readonly model?: components["schemas"]["ModelSetting"] | null;
            /**
             * Format: uint32
             * @description Tokens that an offer may take.
             */
            readonly offer_budget_tokens?: number | null;
            /**
             * @description Always advertised.
             * @default []
             */
            readonly pinned_tools?: readonly string[];
        };
        /** @description How an agent's tools are served at the MCP door, beyond what is the same for all. */
        readonly AgentMcp: {
            /** @description By tool and field: the argument is mirrored into the header `Mcp-Param-` and this name, for who routes requests. */
            readonly headers?: {
                readonly [key: string]: {
                    readonly [key: string]: string;
                };
            };
            /** @description Tools that only clients with the Tasks extension may call. */
            readonly tasks_required?: readonly string[];
        };
        /** @description A page of agents. */
        readonly AgentPage: {
            /** @description The agents. */
            readonly agents: readonly components["schemas"]["AgentView"][];
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
        };
        /** @description An agent with its name. */
        readonly AgentView: {
            /** @description What it holds. */
            readonly capabilities: readonly string[];
            /** @description The model that its chat has now: what `model` and the deployment come to. No part of what is written. */
            readonly chat_model?: components["schemas"]["ChatModel"];
            /** @description The data set that its database tools read. */
            readonly dataset?: string;
            /** @description What the model is told. */
            readonly instructions?: string;
            /** @description How its tools are served at the MCP door. */
            readonly mcp?: components["schemas"]["AgentMcp"];
            /** @description The model that the chat door drives: `demo`, a model's name at the deployment's endpoint, or an endpoint. */
            readonly model?: components["schemas"]["ModelView"];
            /** @description Its name. */
            readonly name: string;
            /**
             * Format: uint32
             * @description Tokens that an offer may take.
             */
            readonly offer_budget_tokens?: number;
            /**
             * @description Always advertised.
             * @default []
             */
            readonly pinned_tools: readonly string[];
        };
        /** @description The approval that a parked call waits for. */
        readonly ApprovalLink: {
            /** @description What a decision must name. */
            readonly digest: string;
            /** @description RFC 3339. */
            readonly expires_at: string;
            /** @description The approval's id. */
            readonly id: string;
            /** @description The page or resource where it is decided. */
            readonly url: string;
        };
        /** @description A page of approvals. */
        readonly ApprovalPage: {
            /** @description The approvals. */
            readonly approvals: readonly components["schemas"]["ApprovalView"][];
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
        };
        /** @description An approval. */
        readonly ApprovalView: {
            /** @description Who asks. */
            readonly agent: string;
            /** @description Exactly what was asked for, and what the code will receive unless a decision edits it. */
            readonly arguments: unknown;
            /**
             * @description The same as JSON text to be shown: every control, invisible or turning character as an escape.
             * @default
             */
            readonly arguments_text: string;
            /** @description The call that waits. */
            readonly call: string;
            /** @description What the edit changed. */
            readonly changes?: readonly components["schemas"]["ArgumentChange"][];
            /** @description RFC 3339. */
            readonly created_at: string;
            /** @description What was decided so far. */
            readonly decisions: readonly components["schemas"]["DecisionView"][];
            /** @description What a decision must name. */
            readonly digest: string;
            /** @description Earlier decisions on calls of the same tool for the same principal, newest first. */
            readonly earlier: readonly components["schemas"]["EarlierDecision"][];
            /** @description What the code receives instead, after an edit. */
            readonly edited_arguments?: unknown;
            /** @description RFC 3339. */
            readonly expires_at: string;
            /** @description Its id. */
            readonly id: string;
            /** @description On whose behalf. */
            readonly principal: unknown;
            /** @description What the run's last turn said before the call, cut, unseen characters as escapes. Nobody verified it: it says what the agent claims to do, the arguments say what it does. */
            readonly purpose?: string;
            /**
             * Format: uint32
             * @description How many approvers must say yes.
             */
            readonly required: number;
            /**
             * @description `pending`, `approved`, `rejected`, `expired`, `cancelled`, `invalidated`.
             * @enum {string}
             */
            readonly state: "pending" | "approved" | "rejected" | "expired" | "cancelled" | "invalidated";
            /** @description The tool. */
            readonly tool: string;
            /** @description The definition's version. */
            readonly version: string;
        };
        /** @description One member of the arguments that a decision changed. */
        readonly ArgumentChange: {
            /** @description The member. */
            readonly field: string;
            /** @description What was asked for; absent for a new member. */
            readonly from?: unknown;
            /** @description What is sent; absent for a removed member. */
            readonly to?: unknown;
        };
        /** @description A page of entries of the audit record. */
        readonly AuditPage: {
            /** @description The entries of the audit record. */
            readonly audit: readonly components["schemas"]["AuditView"][];
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
        };
        /** @description An entry of the audit record. */
        readonly AuditView: {
            /** @description When. */
            readonly at: string;
            /** @description A key's name and id, a worker, or `gateway`. */
            readonly by: string;
            /** @description More, as the event has it. */
            readonly detail: unknown;
            /** @description What happened. */
            readonly event: string;
            /** @description To what. */
            readonly subject: string;
        };
        /** @description How a call of a thread ended: the state of the gateway's call as the conversation was told it, or `refused`. */
        readonly CallEnd: "succeeded" | "failed" | "rejected" | "expired" | "cancelled" | "invalidated" | "unknown" | "refused";
        /** @description Why a call ended without a result. */
        readonly CallError: {
            /** @description A stable code of ours, or the handler's own. */
            readonly code: string;
            /** @description Words fit for a model and a person. */
            readonly message: string;
        };
        /** @description Answer of `GET /v1/calls/{call}/events`. */
        readonly CallEvents: {
            /** @description Exactly what was asked for. */
            readonly arguments: unknown;
            /** @description The call. */
            readonly call: string;
            /** @description What happened, in order. */
            readonly events: readonly components["schemas"]["EventView"][];
            /** @description What an executor said too late to count. */
            readonly evidence: readonly components["schemas"]["EvidenceView"][];
        };
        /** @description What the client of a call answered to what its tool had asked for. JSON text from edge to handler, like arguments. */
        readonly CallInput: {
            /** @description By the key under which the tool asked: an object of objects. */
            readonly responses: unknown;
            /** @description What the tool gave along with its question, as it was. */
            readonly state?: unknown;
        };
        /** @description A page of calls, newest first. */
        readonly CallPage: {
            /** @description The calls, newest first. */
            readonly calls: readonly components["schemas"]["CallView"][];
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
        };
        /** @description Body of `POST /v1/calls`. */
        readonly CallRequest: {
            /** @description The agent; caller keys only. */
            readonly agent?: string | null;
            /** @description An object, null, absent, or a string that holds JSON text. */
            readonly arguments?: unknown;
            /** @description On whose behalf; caller keys only. */
            readonly principal?: unknown;
            /** @description The tool's name. */
            readonly tool: string;
        };
        /** @description The states of a call on the wire. */
        readonly CallState: "waiting_approval" | "queued" | "running" | "succeeded" | "failed" | "rejected" | "expired" | "cancelled" | "invalidated" | "unknown";
        /** @description Answer of `POST /v1/calls` and `GET /v1/calls/{call}`. */
        readonly CallView: {
            /** @description Something for the screen. */
            readonly activity?: components["schemas"]["Activity"];
            /** @description The agent's name. */
            readonly agent: string;
            /** @description Present while it waits for a decision. */
            readonly approval?: components["schemas"]["ApprovalLink"];
            /** @description The call's id. */
            readonly call: string;
            /** @description RFC 3339. */
            readonly created_at: string;
            /** @description What was sent, where an approver edited the arguments. */
            readonly edited_arguments?: unknown;
            /** @description RFC 3339, once it has ended. */
            readonly ended_at?: string;
            /** @description Why there is none. */
            readonly error?: components["schemas"]["CallError"];
            /** @description This is the outcome of an earlier call of the same run or agent, which was not asked for again. */
            readonly replayed?: boolean;
            /** @description How an unknown outcome became known: `late_result`, or who resolved it. */
            readonly resolved_by?: string;
            /** @description The result as the code returned it. */
            readonly result?: unknown;
            /** @description The run that it was made in, where it was. */
            readonly run?: string;
            /** @description Its state. */
            readonly state: components["schemas"]["CallState"];
            /** @description The tool's name. */
            readonly tool: string;
            /** @description A sentence for the model in place of a result: what became of the call, or what it waits for. */
            readonly tool_result?: string;
        };
        /** @description Body of `PUT /v1/capabilities/{name}`. */
        readonly Capability: {
            /**
             * @description The opt-in.
             * @default false
             */
            readonly allow_reversible_writes?: boolean;
            /**
             * Format: uint64
             * @description Seconds that people have to decide, 60 to 2,592,000 (30 days). Of several that say one the shortest counts; 24 hours where none does.
             */
            readonly approval_seconds?: number | null;
            /**
             * Format: uint32
             * @description How many approvers must say yes, 1 to 5.
             * @default 1
             */
            readonly approvals_required?: number;
            /**
             * @description Whether who asked may approve.
             * @default true
             */
            readonly requester_may_approve?: boolean;
            /** @description Tools granted together. */
            readonly tools: readonly string[];
        };
        /** @description A page of capabilities. */
        readonly CapabilityPage: {
            /** @description The capabilities. */
            readonly capabilities: readonly components["schemas"]["CapabilityView"][];
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
        };
        /** @description A capability with its name. */
        readonly CapabilityView: {
            /**
             * @description The opt-in.
             * @default false
             */
            readonly allow_reversible_writes: boolean;
            /**
             * Format: uint64
             * @description Seconds that people have to decide, 60 to 2,592,000 (30 days). Of several that say one the shortest counts; 24 hours where none does.
             */
            readonly approval_seconds?: number;
            /**
             * Format: uint32
             * @description How many approvers must say yes, 1 to 5.
             * @default 1
             */
            readonly approvals_required: number;
            /** @description Its name. */
            readonly name: string;
            /**
             * @description Whether who asked may approve.
             * @default true
             */
            readonly requester_may_approve: boolean;
            /** @description Tools granted together. */
            readonly tools: readonly string[];
        };
        /** @description Answer of `POST /v1/pools/{pool}/challenges`. */
        readonly ChallengeAnswer: {
            /** @description Why an active endpoint, which stays so, did not pass. */
            readonly failed?: string;
            /** @description Pools that do not have the change yet; with 202. */
            readonly lagging?: readonly string[];
            /** @description Why it is not active. */
            readonly reason?: string;
            /** @description What became of the manifest, where it passed. */
            readonly registration?: components["schemas"]["ManifestTaken"];
            /** @description Where the endpoint stands now. */
            readonly state: components["schemas"]["EndpointState"];
        };
        /** @description Which model wrote a message. */
        readonly ChatAuthor: {
            /** @description It is the demo model: nobody must take its words for a real one's. */
            readonly demo?: boolean;
            /** @description Its label. */
            readonly model: string;
        };
        /** @description Answer of `GET /v1/agents/{agent}/agui`, as AG-UI 1.0 writes it. */
        readonly ChatCapabilities: {
            /** @description What AG-UI has no word for. */
            readonly custom: components["schemas"]["ChatCustom"];
            /** @description Where a person comes in. */
            readonly humanInTheLoop: components["schemas"]["ChatPeople"];
            /** @description Who it is. */
            readonly identity: components["schemas"]["ChatIdentity"];
            /** @description What is kept. */
            readonly state: components["schemas"]["ChatState"];
            /** @description What it may call. */
            readonly tools: components["schemas"]["ChatTools"];
            /** @description How a run arrives. */
            readonly transport: components["schemas"]["ChatTransport"];
        };
        /** @description What AG-UI has no word for. */
        readonly ChatCustom: {
            /** @description The model behind the agent. */
            readonly model: components["schemas"]["ChatModel"];
        };
        /** @description An event of a run. */
        readonly ChatEvent: {
            /** @description `1.0`. */
            readonly protocolVersion: string;
            /** @description The run. */
            readonly runId: string;
            /** @description The thread. */
            readonly threadId: string;
            /** @constant */
            readonly type: "RUN_STARTED";
        } | {
            /** @description How. */
            readonly outcome: components["schemas"]["ChatOutcome"];
            /** @description The run. */
            readonly runId: string;
            /** @description The thread. */
            readonly threadId: string;
            /** @constant */
            readonly type: "RUN_FINISHED";
            /** @description What each turn of the model took. */
            readonly usage?: readonly components["schemas"]["ChatUsage"][];
        } | {
            /** @description Stable. */
            readonly code: string;
            /** @description For a person. */
            readonly message: string;
            /** @constant */
            readonly type: "RUN_ERROR";
        } | {
            /** @description The message. */
            readonly messageId: string;
            /** @description Who wrote it. */
            readonly metadata: components["schemas"]["ChatAuthor"];
            /** @description `assistant`. */
            readonly role: string;
            /** @constant */
            readonly type: "TEXT_MESSAGE_START";
        } | {
            /** @description What is appended. */
            readonly delta: string;
            /** @description The message. */
            readonly messageId: string;
            /** @constant */
            readonly type: "TEXT_MESSAGE_CONTENT";
        } | {
            /** @description The message. */
            readonly messageId: string;
            /** @constant */
            readonly type: "TEXT_MESSAGE_END";
        } | {
            /** @description The stretch. */
            readonly messageId: string;
            /** @constant */
            readonly type: "REASONING_START";
        } | {
            /** @description The message. */
            readonly messageId: string;
            /** @description `reasoning`. */
            readonly role: string;
            /** @constant */
            readonly type: "REASONING_MESSAGE_START";
        } | {
            /** @description What is appended. */
            readonly delta: string;
            /** @description The message. */
            readonly messageId: string;
            /** @constant */
            readonly type: "REASONING_MESSAGE_CONTENT";
        } | {
            /** @description The message. */
            readonly messageId: string;
            /** @constant */
            readonly type: "REASONING_MESSAGE_END";
        } | {
            /** @description The stretch. */
            readonly messageId: string;
            /** @constant */
            readonly type: "REASONING_END";
        } | {
            /** @description Who asks for it. */
            readonly metadata: components["schemas"]["ChatAuthor"];
            /** @description The message that it belongs to. */
            readonly parentMessageId: string;
            /** @description The call. */
            readonly toolCallId: string;
            /** @description The tool. */
            readonly toolCallName: string;
            /** @constant */
            readonly type: "TOOL_CALL_START";
        } | {
            /** @description What is appended. */
            readonly delta: string;
            /** @description The call. */
            readonly toolCallId: string;
            /** @constant */
            readonly type: "TOOL_CALL_ARGS";
        } | {
            /** @description The call. */
            readonly toolCallId: string;
            /** @constant */
            readonly type: "TOOL_CALL_END";
        } | {
            /** @description What the model is shown. */
            readonly content: string;
            /** @description The message that holds it. */
            readonly messageId: string;
            /** @description `tool`. */
            readonly role: string;
            /** @description The call. */
            readonly toolCallId: string;
            /** @constant */
            readonly type: "TOOL_CALL_RESULT";
        } | {
            /** @description Its type. */
            readonly activityType: string;
            /** @description An object. */
            readonly content: unknown;
            /** @description Its message. */
            readonly messageId: string;
            /** @constant */
            readonly type: "ACTIVITY_SNAPSHOT";
        } | {
            /** @description `toolgate.…` */
            readonly name: string;
            /** @constant */
            readonly type: "CUSTOM";
            /** @description Its value. */
            readonly value: unknown;
        };
        /** @description Who an agent is. */
        readonly ChatIdentity: {
            /** @description The agent. */
            readonly name: string;
            /** @description `toolgate`. */
            readonly provider: string;
        };
        /** @description A call that waits for a person's decision. It asks for no answer in a form of its own: no answer decides anything, the decision is the gateway's record. */
        readonly ChatInterrupt: {
            /** @description RFC 3339. */
            readonly expiresAt: string;
            /** @description The approval's id. */
            readonly id: string;
            /** @description For a person. */
            readonly message: string;
            /** @description What a page needs to show and decide it. */
            readonly metadata: components["schemas"]["ChatInterruptMetadata"];
            /** @description `tool_call`. */
            readonly reason: string;
            /** @description The call. */
            readonly toolCallId: string;
        };
        /** @description What a page needs to show and decide an approval. */
        readonly ChatInterruptMetadata: {
            /** @description The approval. */
            readonly approval: string;
            /** @description Where it is decided. */
            readonly approvalUrl: string;
            /** @description What a decision must name. */
            readonly argsDigest: string;
            /** @description The call at the gateway. */
            readonly call: string;
            /** @description `consequential`. */
            readonly sideEffect: string;
            /** @description The tool. */
            readonly tool: string;
        };
        /** @description A model. */
        readonly ChatModel: {
            /** @description It is the demo model, which only plays one. */
            readonly demo: boolean;
            /** @description Its name; empty where what is set leads to no model. */
            readonly label: string;
        };
        /** @description How a run ended. */
        readonly ChatOutcome: {
            /** @description Calls for the browser. */
            readonly pendingToolCallIds?: readonly string[];
            /** @constant */
            readonly type: "success";
        } | {
            /** @description What about. */
            readonly interrupts: readonly components["schemas"]["ChatInterrupt"][];
            /** @constant */
            readonly type: "interrupt";
        };
        /** @description Where a person comes in. */
        readonly ChatPeople: {
            /** @description To approve. */
            readonly approvals: boolean;
            /** @description By interrupts; a resume of one names the stored decision and brings no edit. */
            readonly interrupts: boolean;
            /** @description A person comes in. */
            readonly supported: boolean;
        };
        /** @description What is kept. */
        readonly ChatState: {
            /** @description Nor its changes. */
            readonly deltas: boolean;
            /** @description Nothing is known beyond the thread. */
            readonly memory: boolean;
            /** @description Nor kept but the thread itself. */
            readonly persistentState: boolean;
            /** @description No state is sent. */
            readonly snapshots: boolean;
        };
        /** @description A tool of an agent. */
        readonly ChatTool: {
            /** @description What the model reads. */
            readonly description: string;
            /** @description What AG-UI has no word for. */
            readonly metadata: components["schemas"]["ChatToolMetadata"];
            /** @description Its name. */
            readonly name: string;
            /** @description JSON Schema of its arguments. */
            readonly parameters: unknown;
        };
        /** @description What AG-UI has no word for. */
        readonly ChatToolMetadata: {
            /** @description `worker`, `webhook`, `console` or `builtin`. */
            readonly managed_by: string;
            /** @description The pool that has it. */
            readonly pool: string;
            /** @description The declared class. */
            readonly side_effect: components["schemas"]["SideEffect"];
        };
        /** @description What an agent may call. */
        readonly ChatTools: {
            /** @description It calls tools of the browser too. */
            readonly clientProvided: boolean;
            /** @description Those behind the gateway that it may call now. */
            readonly items: readonly components["schemas"]["ChatTool"][];
            /** @description Several at a time. */
            readonly parallelCalls: boolean;
            /** @description It calls tools. */
            readonly supported: boolean;
        };
        /** @description How a run arrives. */
        readonly ChatTransport: {
            /** @description A stream that broke is not taken up; the thread is read instead. */
            readonly resumable: boolean;
            /** @description As a stream of events. */
            readonly streaming: boolean;
        };
        /** @description What a turn of the model took. Absent is not zero. */
        readonly ChatUsage: {
            /**
             * Format: uint64
             * @description Of those read.
             */
            readonly cachedInputTokens?: number;
            /**
             * Format: uint64
             * @description Read.
             */
            readonly inputTokens?: number;
            /** @description The model's label. */
            readonly model: string;
            /**
             * Format: uint64
             * @description Written.
             */
            readonly outputTokens?: number;
            /**
             * Format: uint64
             * @description Of those written.
             */
            readonly reasoningTokens?: number;
            /**
             * Format: uint64
             * @description Both.
             */
            readonly totalTokens?: number;
        };
        /** @description Status of one claim in an answer. */
        readonly ClaimStatus: {
            /** @description Somebody asked to cancel the running write. */
            readonly cancel_requested?: boolean;
            /** @description The claim. */
            readonly claim: string;
            /**
             * Format: uint64
             * @description With `accepted` and `renewed`.
             */
            readonly lease_seconds?: number;
            /** @description `accepted`, `renewed`, `returned`, `recorded`, `repeated`, `late`, `claim_lost`, `already_accepted`, `deadline_exceeded`. */
            readonly status: string;
        };
        /** @description Answer of `…/accepts`, `…/renewals`, `…/returns`. */
        readonly ClaimsAnswer: {
            /** @description Per claim, in the order asked. */
            readonly claims: readonly components["schemas"]["ClaimStatus"][];
        };
        /** @description Body of `…/accepts`, `…/renewals`, `…/returns`. */
        readonly ClaimsRequest: {
            /** @description The claims. */
            readonly claims: readonly string[];
            /** @description The session. */
            readonly session: string;
        };
        /** @description A call for the browser. */
        readonly ClientCall: {
            /** @description JSON text, as the model wrote it. */
            readonly arguments: string;
            /** @description The tool. */
            readonly name: string;
            /** @description The call. */
            readonly toolCallId: string;
        };
        /** @description A screen type as announced. */
        readonly ContextDefinition: {
            /** @description `[a-z][a-z0-9_-]{0,31}`. */
            readonly context_type: string;
            /**
             * @description What is taken from its result.
             * @default []
             */
            readonly digest_fields?: readonly components["schemas"]["DigestField"][];
            /**
             * @description Tools of the same pool, offered first.
             * @default []
             */
            readonly pinned_tools?: readonly string[];
            /**
             * @description Its arguments, `$context_id` replaced.
             * @default {}
             */
            readonly prefetch_args?: {
                readonly [key: string]: unknown;
            };
            /** @description A `read_only` tool of the same pool. */
            readonly prefetch_tool?: string | null;
            /** @description Entity or screen. */
            readonly scope: components["schemas"]["ContextScope"];
        };
        /** @description A screen by type and id. It has no label: text of a client never reaches a prompt as fact. */
        readonly ContextReference: {
            /** @description 1 to 128 of `[A-Za-z0-9_.:-]`; of a type with the scope `entity` alone. */
            readonly context_id?: string | null;
            /** @description A registered type. */
            readonly context_type: string;
        };
        /** @description What a context type is about. */
        readonly ContextScope: "entity" | "screen";
        /** @description What became of one announced context. */
        readonly ContextStatus: {
            /** @description The fault, when refused. */
            readonly code?: string;
            /** @description The type as announced. */
            readonly context_type: string;
            /** @description Where and what to do, when refused. */
            readonly detail?: string;
            /** @description What was done. */
            readonly status: components["schemas"]["RegistrationStatus"];
        };
        /** @description Yes or no. */
        readonly DecisionKind: "approve" | "reject";
        /** @description Body of `POST /v1/approvals/{id}/decision`. */
        readonly DecisionRequest: {
            /** @description With `approve`: sent in place of the arguments that were asked for, all of them. */
            readonly arguments?: unknown;
            /** @description Yes or no. */
            readonly decision: components["schemas"]["DecisionKind"];
            /** @description Required with `approve`: the digest of what was shown. */
            readonly digest?: string | null;
            /** @description Required with `reject`: goes back to the model. */
            readonly reason?: string | null;
        };
        /** @description A decision that was made. */
        readonly DecisionView: {
            /** @description RFC 3339. */
            readonly at: string;
            /** @description The approver's name. */
            readonly by: string;
            /** @description Yes or no. */
            readonly decision: components["schemas"]["DecisionKind"];
            /** @description The digest it named: that of what was shown. */
            readonly digest?: string;
            /** @description The key it was made with. */
            readonly key: string;
            /** @description Who the approver is as a principal, where the key says so. */
            readonly principal_id?: string;
            /** @description Why not. */
            readonly reason?: string;
            /** @description The digest of what is sent, where the decision edited it. */
            readonly sent_digest?: string;
        };
        /** @description A member in which two definitions differ. */
        readonly DefinitionChange: {
            /** @description The member. */
            readonly field: string;
            /** @description Its value before; null where it was absent. */
            readonly from: unknown;
            /** @description Its value after; null where it is absent. */
            readonly to: unknown;
        };
        /** @description A fact taken from what the prefetch tool returned. */
        readonly DigestField: {
            /** @description The label shown. */
            readonly label: string;
            /** @description Dotted path in the result. */
            readonly path: string;
        };
        /** @description A way in: where a run token may be used. */
        readonly Door: "rest" | "mcp" | "agui";
        /** @description A decision on an earlier call of the same tool for the same principal. */
        readonly EarlierDecision: {
            /** @description That approval. */
            readonly approval: string;
            /** @description RFC 3339. */
            readonly at: string;
            /** @description The approver's name. */
            readonly by: string;
            /** @description Yes or no. */
            readonly decision: components["schemas"]["DecisionKind"];
            /** @description Why not. */
            readonly reason?: string;
            /** @description Whether the arguments were the same. */
            readonly same_arguments: boolean;
        };
        /** @description Where a webhook endpoint stands. */
        readonly EndpointState: "pending" | "active" | "suspended";
        /** @description A webhook pool's endpoint in numbers. */
        readonly EndpointStats: {
            /**
             * Format: uint64
             * @description How many failed.
             */
            readonly failed: number;
            /**
             * Format: double
             * @description 0 to 1.
             */
            readonly failure_rate: number;
            /**
             * Format: uint64
             * @description Rises with each new address.
             */
            readonly revision: number;
            /** @description Where it stands. */
            readonly state: components["schemas"]["EndpointState"];
            /**
             * Format: uint64
             * @description How many succeeded.
             */
            readonly succeeded: number;
        };
        /** @description A webhook endpoint as an admin sees it; never a secret. */
        readonly EndpointView: {
            /** @description Until when the secrets before the newest sign too. */
            readonly old_secret_until?: string;
            /** @description Why it is not active. */
            readonly reason?: string;
            /**
             * Format: uint64
             * @description Rises with each new address.
             */
            readonly revision: number;
            /** @description Where it stands. */
            readonly state: components["schemas"]["EndpointState"];
            /**
             * Format: uint64
             * @description How long a delivery may take.
             */
            readonly timeout_seconds: number;
            /** @description The canonical text. */
            readonly url: string;
        };
        /** @description An entry of a timeline. */
        readonly EventView: {
            /** @description RFC 3339. */
            readonly at: string;
            /**
             * Format: uint32
             * @description The attempt it belongs to.
             */
            readonly attempt?: number;
            /** @description By whom: a key's name, a worker, or `gateway`. */
            readonly by: string;
            /** @description What happened. */
            readonly event: string;
            /** @description More, in words. */
            readonly note?: string;
        };
        /** @description What came too late to count. */
        readonly EvidenceView: {
            /** @description RFC 3339. */
            readonly at: string;
            /**
             * Format: uint32
             * @description The hand-over that sent it.
             */
            readonly hand_over: number;
            /** @description What it said, cut to a preview. */
            readonly says: string;
        };
        /** @description One fact of a digest. */
        readonly Fact: {
            /** @description The manifest's label. */
            readonly label: string;
            /** @description What the tool returned, as text. */
            readonly value: string;
        };
        /** @description Body of `POST …/goodbyes`. */
        readonly GoodbyeRequest: {
            /** @description The session that ends. */
            readonly session: string;
        };
        /** @description What a screen's own tool said about it. */
        readonly Grounding: {
            /** @description The id. */
            readonly context_id?: string;
            /** @description The type. */
            readonly context_type: string;
            /** @description Facts from the tool's result. */
            readonly digest?: readonly components["schemas"]["Fact"][];
            /** @description Why the turn is not grounded: a code. */
            readonly failed?: string;
            /** @description The digest as text for a prompt, marked as data. */
            readonly text?: string;
        };
        /** @description The handler's own no. */
        readonly HandlerError: {
            /** @description The handler's own code. */
            readonly code?: string | null;
            /** @description Words for the model. */
            readonly message: string;
        };
        /** @description Answer of `GET /healthz`. */
        readonly Health: {
            /** @description `ok`. */
            readonly status: string;
            /** @description The gateway's version. */
            readonly version: string;
        };
        /** @description A job as handed out. */
        readonly Job: {
            /** @description Canonical text. */
            readonly arguments: unknown;
            /**
             * Format: uint32
             * @description From 1.
             */
            readonly attempt: number;
            /** @description The call's id, stable across attempts: the idempotency key for the handler's own writes. */
            readonly call: string;
            /** @description The token of this attempt. */
            readonly claim: string;
            /**
             * Format: uint64
             * @description The execution deadline, from now for a read, from the accept for a write.
             */
            readonly deadline_seconds: number;
            /** @description What the client answered, when the tool had asked it for something (reads only). */
            readonly input?: components["schemas"]["CallInput"];
            /**
             * Format: uint64
             * @description A read: its first lease. A write: how long it may take to accept.
             */
            readonly lease_seconds: number;
            /** @description Verbatim. */
            readonly principal: unknown;
            /** @description The run, when there is one. */
            readonly run?: string;
            /** @description The class it was accepted under. */
            readonly side_effect: components["schemas"]["SideEffect"];
            /** @description The tool. */
            readonly tool: string;
        };
        /** @description A page of keys. */
        readonly KeyPage: {
            /** @description The keys. */
            readonly keys: readonly components["schemas"]["KeyView"][];
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
        };
        /** @description Body of `POST /v1/keys`. */
        readonly KeyRequest: {
            /** @description Agent keys: the agent. */
            readonly agent?: string | null;
            /** @description Caller keys: the agents; absent means all. */
            readonly agents?: readonly string[] | null;
            /**
             * Format: uint32
             * @description 1 to 3,650 days.
             */
            readonly expires_in_days?: number | null;
            /** @description Shown in lists and timelines. */
            readonly name: string;
            /** @description Worker keys: the pools. */
            readonly pools?: readonly string[] | null;
            /** @description Agent keys: on whose behalf. */
            readonly principal?: unknown;
            /** @description Approver keys: who the approver is as a principal. */
            readonly principal_id?: string | null;
            /** @description The role. */
            readonly role: components["schemas"]["Role"];
        };
        /** @description A key without its text, which is not kept. */
        readonly KeyView: {
            /** @description Agent keys: the agent. */
            readonly agent?: string;
            /** @description Caller keys: the agents; absent means all. */
            readonly agents?: readonly string[];
            /** @description When it was made. */
            readonly created_at: string;
            /** @description When it ends. */
            readonly expires_at?: string;
            /** @description Its id. */
            readonly id: string;
            /** @description Shown in lists and timelines. */
            readonly name: string;
            /** @description Worker keys: the pools. */
            readonly pools?: readonly string[];
            /** @description Agent keys: on whose behalf; only who it is. */
            readonly principal?: components["schemas"]["PrincipalSummary"];
            /** @description Approver keys: who the approver is as a principal. */
            readonly principal_id?: string;
            /** @description When it was revoked. */
            readonly revoked_at?: string;
            /** @description What it may do. */
            readonly role: components["schemas"]["Role"];
        };
        /** @description What a 202 of the control plane adds to its answer. */
        readonly Lagging: {
            /** @description Pools that do not have the change yet. */
            readonly lagging: readonly string[];
        };
        /** @description A granted tool that is not offered. */
        readonly LeftOut: {
            /** @description The tool. */
            readonly name: string;
            /** @description `no_match`, `budget`, `tool_disabled`, `permission_missing`, `write_not_enabled`. */
            readonly reason: string;
            /**
             * Format: uint32
             * @description What the turn's text said for it.
             */
            readonly score: number;
        };
        /** @description What a worker announces. Tools stay raw so that a faulty one never blocks the others. */
        readonly Manifest: {
            /**
             * @description The screens, likewise.
             * @default []
             */
            readonly contexts?: readonly components["schemas"]["ContextDefinition"][];
            /** @description The tools. One that is none of these is refused by name, and the others stand. */
            readonly tools: readonly components["schemas"]["ToolDefinitionInput"][];
        };
        /** @description What became of an endpoint's manifest. */
        readonly ManifestTaken: components["schemas"]["RegistrationResult"] | {
            /** @description Why not, for a person. */
            readonly failed: string;
        };
        /** @description An endpoint that speaks as OpenAI's chat completions do. */
        readonly ModelEndpoint: {
            /** @description Sent as a bearer token, and never shown. Left out, the key that was given for this URL stays; an empty text takes it away. */
            readonly api_key?: string | null;
            /** @description The model's name there. */
            readonly name: string;
            /** @description What `/chat/completions` is added to. */
            readonly url: string;
        };
        /** @description The `model` of an agent, as it is sent in. */
        readonly ModelSetting: string | components["schemas"]["ModelEndpoint"];
        /** @description The `model` of an agent, as it is shown. */
        readonly ModelView: string | {
            /** @description Whether a key is kept for it. */
            readonly api_key_set: boolean;
            /** @description The model's name there. */
            readonly name: string;
            /** @description The canonical text. */
            readonly url: string;
        };
        /** @description Answer of `POST /v1/keys`. */
        readonly NewKey: {
            /** @description The key's id. */
            readonly id: string;
            /** @description The key, shown once. */
            readonly key: string;
        };
        /** @description An offer without tools. */
        readonly NoTools: {
            /** @description `nothing_granted`, or each reason for which a tool was left out. */
            readonly causes: readonly string[];
        };
        /** @description An answer that says nothing more than its status. */
        readonly Nothing: Record<string, never>;
        /** @description What a message can be about; its `type`. */
        readonly NotificationEvent: "approval.requested" | "approval.decided" | "approval.expired";
        /** @description A page of notifications. */
        readonly NotificationPage: {
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
            /** @description The notifications. */
            readonly notifications: readonly components["schemas"]["NotificationView"][];
        };
        /** @description Body of `PUT /v1/notifications/{name}`. */
        readonly NotificationRequest: {
            /** @description What it wants to hear of. */
            readonly events: readonly components["schemas"]["NotificationEvent"][];
            /** @description `whsec_…`; left out, the one that is there is kept, or one is made and shown once. */
            readonly secret?: string | null;
            /** @description Where messages go. */
            readonly url: string;
        };
        /** @description Where a notification stands. */
        readonly NotificationState: "active" | "disabled";
        /** @description A notification as an admin sees it. */
        readonly NotificationView: {
            /** @description What it wants to hear of. */
            readonly events: readonly components["schemas"]["NotificationEvent"][];
            /** @description Its name. */
            readonly name: string;
            /** @description The signing secret that was made for it, shown once. */
            readonly secret?: string;
            /** @description Where it stands. */
            readonly state: components["schemas"]["NotificationState"];
            /** @description Where messages go. */
            readonly url: string;
            /** @description `GET` of one: what it was not told yet. */
            readonly waiting?: readonly components["schemas"]["WaitingNotice"][];
        };
        /** @description The tools to advertise in a turn: those of the turns before, in their order, then what this turn adds. */
        readonly Offer: {
            /**
             * Format: uint32
             * @description Tokens that the offer may take.
             */
            readonly budget_tokens: number;
            /** @description Granted tools that are not offered. */
            readonly left_out: readonly components["schemas"]["LeftOut"][];
            /** @description Why there is nothing to advertise. */
            readonly no_tools?: components["schemas"]["NoTools"];
            /** @description In the order to advertise them in. */
            readonly tools: readonly components["schemas"]["OfferedTool"][];
            /**
             * Format: uint32
             * @description Tokens that it takes, as estimated from the definitions.
             */
            readonly used_tokens: number;
        };
        /** @description Why a tool is offered. */
        readonly OfferReason: {
            /** @description `name`, `description`, `keyword`, `pattern`, `field`; `pinned`, `all_fit`, `offered_before`. */
            readonly part: string;
            /**
             * Format: uint32
             * @description Its part of the score.
             */
            readonly points: number;
            /** @description What of the turn's text it met, where that is another form. */
            readonly said?: string;
            /** @description What of it. */
            readonly what?: string;
        };
        /** @description A tool of an offer. */
        readonly OfferedTool: {
            /** @description New in this turn. */
            readonly added: boolean;
            /** @description In the form of the run's profile. */
            readonly definition: unknown;
            /** @description The tool. */
            readonly name: string;
            /** @description Whose points are the score. */
            readonly reasons: readonly components["schemas"]["OfferReason"][];
            /**
             * Format: uint32
             * @description What this turn's text said for it; 0 for what an earlier turn brought.
             */
            readonly score: number;
            /**
             * Format: uint32
             * @description What the definition takes.
             */
            readonly tokens: number;
        };
        /** @description Answer of `POST /v1/orgs`. */
        readonly OrgAnswer: {
            /** @description Its first admin key, shown once. */
            readonly admin_key: string;
            /** @description The org's id. */
            readonly org: string;
        };
        /** @description Body of `POST /v1/orgs`. */
        readonly OrgRequest: {
            /** @description `[a-z][a-z0-9_-]{0,31}`. */
            readonly id: string;
            /** @description Where its data may live. */
            readonly jurisdiction?: string | null;
        };
        /** @description Which policy a pool has. */
        readonly PolicyView: {
            /**
             * Format: uint64
             * @description The one that the pool has stored.
             */
            readonly stored: number;
            /**
             * Format: uint64
             * @description The newest version.
             */
            readonly version: number;
        };
        /** @description Answer of a poll. */
        readonly PollAnswer: {
            /** @description Statuses of the accepts that came along. */
            readonly accepts?: readonly components["schemas"]["ClaimStatus"][];
            /** @description What to run. */
            readonly jobs: readonly components["schemas"]["Job"][];
            /** @description Statuses of the results that came along. */
            readonly results?: readonly components["schemas"]["ClaimStatus"][];
        };
        /** @description Body of `POST …/claims`: a poll, which may carry accepts and results. */
        readonly PollRequest: {
            /**
             * @description Claims of writes about to start.
             * @default []
             */
            readonly accepts?: readonly string[];
            /**
             * Format: uint32
             * @description How many jobs it takes.
             */
            readonly max: number;
            /**
             * @description Outcomes.
             * @default []
             */
            readonly results?: readonly components["schemas"]["ResultEntry"][];
            /** @description The session. */
            readonly session: string;
            /**
             * Format: uint64
             * @description How long the poll may wait.
             */
            readonly wait_seconds?: number | null;
        };
        /** @description A page of pools. */
        readonly PoolPage: {
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
            /** @description The pools. */
            readonly pools: readonly components["schemas"]["PoolView"][];
        };
        /** @description Body of `PUT /v1/pools/{pool}`. */
        readonly PoolRequest: {
            /** @description Webhook only. */
            readonly secret?: string | null;
            /**
             * Format: uint64
             * @description Webhook only.
             */
            readonly timeout_seconds?: number | null;
            /** @description The transport. */
            readonly transport: components["schemas"]["Transport"];
            /** @description Webhook only. */
            readonly url?: string | null;
        };
        /** @description Answer of `PUT /v1/pools/{pool}`. */
        readonly PoolSaved: {
            /** @description Webhook pools: the endpoint. */
            readonly endpoint?: components["schemas"]["EndpointView"];
            /** @description Pools that do not have the change yet; with 202. */
            readonly lagging?: readonly string[];
            /** @description The pool. */
            readonly pool: string;
            /** @description What became of the manifest, where the endpoint is active. */
            readonly registration?: components["schemas"]["ManifestTaken"];
            /** @description The signing secret that was made for it, shown once. */
            readonly secret?: string;
            /** @description Its transport. */
            readonly transport: components["schemas"]["Transport"];
        };
        /** @description Answer of `GET /v1/pools/{pool}/stats`. */
        readonly PoolStats: {
            /** @description `calls_wait_while_workers_poll`. */
            readonly alerts: readonly string[];
            /**
             * Format: uint64
             * @description Calls that wait for an executor.
             */
            readonly depth: number;
            /** @description A webhook pool's endpoint; null for other pools. */
            readonly endpoint: components["schemas"]["EndpointStats"] | null;
            /**
             * Format: uint64
             * @description How long the oldest queued call waits; null when none does.
             */
            readonly oldest_queued_seconds: number | null;
            /**
             * Format: uint64
             * @description Rows and alarms since the object was built.
             */
            readonly rows_written: number;
            /**
             * Format: uint64
             * @description Calls that an executor holds.
             */
            readonly running: number;
            /**
             * Format: uint64
             * @description Calls that wait for a decision.
             */
            readonly waiting_approval: number;
            /** @description Sessions that were seen lately. */
            readonly workers: readonly components["schemas"]["WorkerStats"][];
        };
        /** @description Answer of `GET /v1/pools/{pool}`. */
        readonly PoolView: {
            /** @description Webhook pools: the endpoint. */
            readonly endpoint?: components["schemas"]["EndpointView"];
            /** @description How its policy travels. */
            readonly policy: components["schemas"]["PolicyView"];
            /** @description The pool. */
            readonly pool: string;
            /** @description Its transport. */
            readonly transport: components["schemas"]["Transport"];
        };
        /** @description Who a principal is, without what it may do. */
        readonly PrincipalSummary: {
            /** @description Unique within the tenant. */
            readonly id: string;
            /** @description The customer's own tenant. */
            readonly tenant_id: string;
        };
        /** @description A refusal (RFC 9457). Some codes bring further members, which their pages in docs/errors name. */
        readonly ProblemBody: {
            /**
             * @description The stable code.
             * @enum {string}
             */
            readonly code: "access_refused" | "access_unavailable" | "agent_not_in_scope" | "already_decided" | "already_ended" | "already_running" | "approval_expired" | "approval_withdrawn" | "busy" | "definition_refused" | "destination_refused" | "digest_mismatch" | "door_not_allowed" | "endpoint_suspended" | "forged_tool_result" | "idempotency_conflict" | "idempotency_key_required" | "internal" | "invalid_arguments" | "invalid_json" | "invalid_key" | "invalid_request" | "invalid_run_input" | "jurisdiction_unsupported" | "loop_detected" | "managed_elsewhere" | "manifest_unavailable" | "method_not_allowed" | "not_found" | "not_granted" | "not_unknown" | "nothing_to_accept" | "object_unavailable" | "org_exists" | "origin_not_allowed" | "payload_too_large" | "permission_missing" | "pool_not_in_scope" | "recently_rejected" | "registry_unavailable" | "requester_may_not_approve" | "resolver_unavailable" | "role_not_allowed" | "secret_in_use" | "secret_refused" | "storage_unavailable" | "thread_busy" | "thread_full" | "too_many_pending" | "too_many_threads" | "tool_disabled" | "tool_in_use" | "tool_name_clash" | "transport_in_use" | "unknown_capability" | "unknown_session" | "unknown_tool" | "unsupported_media_type" | "write_not_enabled";
            /** @description What was wrong, where, and what to do. */
            readonly detail: string;
            /**
             * Format: uint16
             * @description The HTTP status.
             */
            readonly status: number;
            /** @description What went wrong, in a few words. */
            readonly title: string;
            /** @description `urn:toolgate:problem:` and the code. */
            readonly type: string;
        };
        /** @description The form in which tools are advertised to a model (docs/schemas.md). */
        readonly Profile: "openai" | "anthropic" | "gemini" | "mcp";
        /** @description A definition that met a fence. */
        readonly RefusedView: {
            /** @description When. */
            readonly at: string;
            /** @description Against the accepted one. */
            readonly changes: readonly components["schemas"]["DefinitionChange"][];
            /** @description The fence. */
            readonly code: string;
            /** @description As announced. */
            readonly definition: components["schemas"]["ToolDefinition"];
            /** @description Where, and what to do. */
            readonly detail: string;
            /** @description Its hash: what an acceptance names. */
            readonly version: string;
        };
        /** @description Answer of a registration. */
        readonly RegisterAnswer: {
            /** @description Per context. */
            readonly contexts: readonly components["schemas"]["ContextStatus"][];
            /** @description Tools that no live session announces. */
            readonly disabled: readonly string[];
            /**
             * Format: uint64
             * @description The longest lease, of an accepted write.
             */
            readonly lease_seconds: number;
            /**
             * Format: uint64
             * @description The longest poll.
             */
            readonly poll_seconds: number;
            /** @description Names the session from now on. */
            readonly session: string;
            /** @description Per tool. */
            readonly tools: readonly components["schemas"]["ToolStatus"][];
        };
        /** @description Body of `POST /v1/pools/{pool}/workers`. */
        readonly RegisterRequest: {
            /**
             * Format: uint32
             * @description How many handlers it runs at a time.
             */
            readonly concurrency?: number | null;
            /** @description What it can run. */
            readonly manifest: components["schemas"]["Manifest"];
            /** @description The instance's id; the same id again supersedes. */
            readonly worker: string;
        };
        /** @description Result of an announcement. */
        readonly RegistrationResult: {
            /** @description Per context. */
            readonly contexts: readonly components["schemas"]["ContextStatus"][];
            /** @description Tools of the pool that no live session announces. */
            readonly disabled: readonly string[];
            /** @description Per tool. */
            readonly tools: readonly components["schemas"]["ToolStatus"][];
        };
        /** @description What registration did. */
        readonly RegistrationStatus: "added" | "updated" | "unchanged" | "refused";
        /** @description Body of `POST /v1/calls/{call}/resolution`. */
        readonly ResolutionRequest: {
            /** @description How they know. */
            readonly note: string;
            /** @description What the resolver found. */
            readonly outcome: components["schemas"]["ResolvedOutcome"];
            /** @description The result, where known. */
            readonly result?: unknown;
        };
        /** @description What an unknown call turned out to be. */
        readonly ResolvedOutcome: "succeeded" | "failed";
        /** @description Answer of `GET /.well-known/oauth-protected-resource/mcp/{agent}` (RFC 9728, section 2). */
        readonly ResourceMetadata: {
            /** @description Issuers whose access tokens are keys for it. */
            readonly authorization_servers: readonly string[];
            /** @description `header` alone. */
            readonly bearer_methods_supported: readonly string[];
            /** @description The URL of the agent's MCP door. */
            readonly resource: string;
        };
        /** @description One outcome: a result or an error. */
        readonly ResultEntry: {
            /** @description Something for the screen. */
            readonly activity?: components["schemas"]["Activity"] | null;
            /** @description The claim it belongs to. */
            readonly claim: string;
            /** @description What the handler threw. */
            readonly error?: components["schemas"]["HandlerError"] | null;
            /** @description What the handler returned. */
            readonly result?: unknown;
        };
        /** @description Answer of `…/results`. */
        readonly ResultsAnswer: {
            /** @description Per claim, in the order given. */
            readonly results: readonly components["schemas"]["ClaimStatus"][];
        };
        /** @description Body of `…/results`. */
        readonly ResultsRequest: {
            /** @description The outcomes. */
            readonly results: readonly components["schemas"]["ResultEntry"][];
            /** @description The session. */
            readonly session: string;
        };
        /** @description What a key may do. */
        readonly Role: "admin" | "caller" | "worker" | "approver" | "agent";
        /** @description Answer of `POST /v1/pools/{pool}/secret-rotations`. */
        readonly RotationAnswer: {
            /** @description Pools that do not have the change yet; with 202. */
            readonly lagging?: readonly string[];
            /** @description Until when those before it sign too. */
            readonly old_secret_until: string;
            /**
             * @description The new secret, shown once.
             * @default
             */
            readonly secret: string;
        };
        /** @description What steers the offer of a tool. */
        readonly Routing: {
            /** @description Words that speak for the tool. */
            readonly keywords?: readonly string[];
            /** @description Regular expressions (linear-time) that speak for the tool. */
            readonly patterns?: readonly string[];
        };
        /** @description Answer of `POST /v1/runs`. */
        readonly RunAnswer: {
            /** @description RFC 3339; `POST /v1/runs/{run}/tokens` makes another. */
            readonly expires_at: string;
            /** @description What the screen says, when one was named. */
            readonly grounding?: components["schemas"]["Grounding"];
            /** @description What to advertise. */
            readonly offer: components["schemas"]["Offer"];
            /** @description The run's id. */
            readonly run: string;
            /** @description A key for this run alone, shown once. */
            readonly token: string;
        };
        /** @description Body of `POST /v1/runs`. */
        readonly RunRequest: {
            /** @description The agent. */
            readonly agent: string;
            /**
             * Format: uint32
             * @description Tokens that the run's offers may take; the agent's own budget where absent.
             */
            readonly budget_tokens?: number | null;
            /** @description The screen that is in view. */
            readonly context?: components["schemas"]["ContextReference"] | null;
            /** @description Where the token may be used; `rest` where absent. */
            readonly doors?: readonly components["schemas"]["Door"][] | null;
            /** @description The first turn's text. */
            readonly message?: string | null;
            /** @description Web origins that may use the token in a browser. */
            readonly origins?: readonly string[] | null;
            /** @description On whose behalf: `id`, `tenant_id`, `permissions`; further members are carried. */
            readonly principal: unknown;
            /** @description The form of the definitions. */
            readonly profile?: components["schemas"]["Profile"] | null;
        };
        /** @description Answer of `GET /v1/runs/{run}`: what the run was last offered, and why. */
        readonly RunView: {
            /** @description The agent. */
            readonly agent: string;
            /** @description RFC 3339. */
            readonly created_at: string;
            /** @description What was offered for it, without the definitions. Absent where the tools alone are too many to keep. */
            readonly offer?: components["schemas"]["ShownOffer"];
            /** @description The form of the definitions. */
            readonly profile: components["schemas"]["Profile"];
            /** @description The run's id. */
            readonly run: string;
            /** @description What the last turn said, its first 1,000 characters. */
            readonly text: string;
            /** @description When its last turn was, RFC 3339. It is kept for a week from then on. */
            readonly turned_at: string;
            /**
             * Format: uint64
             * @description Turns so far.
             */
            readonly turns: number;
        };
        /** @description Body of `POST /v1/sessions`. */
        readonly SessionRequest: {
            /** @description `approver`, or `admin` for whom the operator named. */
            readonly role: components["schemas"]["Role"];
        };
        /** @description Answer of `GET /v1/session`: what the key is that asks. */
        readonly SessionView: {
            /** @description Agent keys: the agent. */
            readonly agent?: string;
            /** @description Caller keys: the agents; absent means all. */
            readonly agents?: readonly string[];
            /** @description When it was made. */
            readonly created_at: string;
            /** @description When it ends. */
            readonly expires_at?: string;
            /** @description Its id. */
            readonly id: string;
            /** @description Shown in lists and timelines. */
            readonly name: string;
            /** @description Its org. */
            readonly org: string;
            /** @description Worker keys: the pools. */
            readonly pools?: readonly string[];
            /** @description Agent keys: on whose behalf; only who it is. */
            readonly principal?: components["schemas"]["PrincipalSummary"];
            /** @description Approver keys: who the approver is as a principal. */
            readonly principal_id?: string;
            /** @description When it was revoked. */
            readonly revoked_at?: string;
            /** @description What it may do. */
            readonly role: components["schemas"]["Role"];
            /** @description A run token's run; the other members are the token's own, but for the id, which is that of the key it lives by. */
            readonly run?: string;
        };
        /** @description An offer as it is shown, in the event `toolgate.offer`, in a thread and in a run: without the definitions. */
        readonly ShownOffer: {
            /**
             * Format: uint32
             * @description Tokens that the offer may take.
             */
            readonly budget_tokens: number;
            /** @description Granted tools that were not. */
            readonly left_out: readonly components["schemas"]["LeftOut"][];
            /**
             * Format: uint64
             * @description How many more of those there were, where not all are kept.
             */
            readonly left_out_more?: number;
            /** @description Why there was nothing to advertise. */
            readonly no_tools?: components["schemas"]["NoTools"];
            /** @description In the order in which they were advertised. */
            readonly tools: readonly components["schemas"]["ShownTool"][];
            /**
             * Format: uint32
             * @description Tokens that it takes.
             */
            readonly used_tokens: number;
        };
        /** @description A tool of an offer, as it is shown. */
        readonly ShownTool: {
            /** @description New in this turn. */
            readonly added: boolean;
            /** @description The tool. */
            readonly name: string;
            /** @description Whose points are the score. */
            readonly reasons: readonly components["schemas"]["OfferReason"][];
            /**
             * Format: uint32
             * @description What this turn's text said for it; 0 for what an earlier turn brought.
             */
            readonly score: number;
            /**
             * Format: uint32
             * @description What the definition takes.
             */
            readonly tokens: number;
        };
        /** @description What a tool does to the world; the order is the order of strength. */
        readonly SideEffect: "read_only" | "reversible_write" | "consequential";
        /** @description Answer of `GET /v1/site`: what the pages must know before anybody has a key. */
        readonly Site: {
            /** @description Whether one may sign in by Cloudflare Access. */
            readonly access: boolean;
            /** @description Where maps get their tiles; absent unless the operator names a server. */
            readonly tiles?: components["schemas"]["Tiles"];
            /** @description The gateway's version. */
            readonly version: string;
        };
        /** @description Answer of `GET /v1/threads/{thread}`. */
        readonly ThreadAnswer: {
            /** @description The calls behind the gateway, as the event `toolgate.call` told them. */
            readonly calls: readonly components["schemas"]["ThreadCall"][];
            /** @description RFC 3339. */
            readonly created_at: string;
            /** @description AG-UI messages in order, results directly behind their calls, activities among them. */
            readonly messages: readonly unknown[];
            /** @description The offer of the last run that asked the model, as the event `toolgate.offer` told it. */
            readonly offer?: components["schemas"]["ShownOffer"];
            /** @description The first message that the model answered it with; absent where there is none. */
            readonly offer_message?: string;
            /** @description What waits for somebody. */
            readonly pending: components["schemas"]["ThreadPending"];
            /**
             * Format: uint64
             * @description Client rounds since the person's last message.
             */
            readonly rounds: number;
            /** @description How it stands. */
            readonly state: components["schemas"]["ThreadState"];
            /** @description Its id. */
            readonly thread: string;
            /** @description Its title. */
            readonly title: string;
            /** @description RFC 3339. */
            readonly updated_at: string;
        };
        /** @description A call of a thread behind the gateway. */
        readonly ThreadCall: {
            /** @description Its id in `GET /v1/calls/{call}`; absent where the gateway took none. */
            readonly call?: string;
            /** @description The declared class, as it is now. */
            readonly side_effect?: components["schemas"]["SideEffect"];
            /** @description How it ended, as the conversation was told; absent before that, and of calls of older days. */
            readonly state?: components["schemas"]["CallEnd"];
            /** @description The tool. */
            readonly tool: string;
            /** @description The call in the thread. */
            readonly toolCallId: string;
        };
        /** @description Answer of `DELETE /v1/threads/{thread}`. */
        readonly ThreadDeleted: {
            /** @description `true` */
            readonly deleted: boolean;
            /** @description Its id. */
            readonly thread: string;
        };
        /** @description A thread in a list. */
        readonly ThreadHead: {
            /** @description RFC 3339. */
            readonly created_at: string;
            /**
             * Format: uint64
             * @description How many messages it has.
             */
            readonly messages: number;
            /** @description How it stands. */
            readonly state: components["schemas"]["ThreadState"];
            /** @description Its id, as its client chose it. */
            readonly thread: string;
            /** @description The first message, cut, until it is renamed. */
            readonly title: string;
            /** @description RFC 3339. */
            readonly updated_at: string;
        };
        /** @description Answer of `GET /v1/threads`. */
        readonly ThreadPage: {
            /** @description Give this as `cursor` for those behind. */
            readonly next_cursor?: string;
            /** @description Newest first. */
            readonly threads: readonly components["schemas"]["ThreadHead"][];
        };
        /** @description What waits for somebody. */
        readonly ThreadPending: {
            /** @description Calls for the browser. */
            readonly client_calls: readonly components["schemas"]["ClientCall"][];
            /** @description AG-UI interrupts: calls for a person's decision, until a run took it up. */
            readonly interrupts: readonly unknown[];
        };
        /** @description Body of `PUT /v1/threads/{thread}`. */
        readonly ThreadRequest: {
            /** @description 1 to 200 printable characters. */
            readonly title: string;
        };
        /** @description How a thread stands. */
        readonly ThreadState: "idle" | "running" | "waiting_client" | "waiting_approval";
        /** @description A server of map tiles. */
        readonly Tiles: {
            /** @description Whom the map names. */
            readonly attribution: string;
            /** @description With `{z}`, `{x}` and `{y}`. */
            readonly url: string;
        };
        /** @description Answer of `POST /v1/runs/{run}/tokens`. */
        readonly TokenAnswer: {
            /** @description RFC 3339. */
            readonly expires_at: string;
            /** @description A key for this run alone, shown once. */
            readonly token: string;
        };
        /** @description Body of `POST /v1/runs/{run}/tokens`. */
        readonly TokenRequest: Record<string, never>;
        /** @description A tool as announced. */
        readonly ToolDefinition: {
            /** @description What the model reads. */
            readonly description: string;
            /**
             * Format: uint64
             * @description 1 to 900 s.
             */
            readonly execution_deadline_seconds?: number;
            /** @description Field name to type text, such as `"string?"`. */
            readonly input: {
                readonly [key: string]: string;
            };
            /** @description `[a-z][a-z0-9_]{0,47}`. */
            readonly name: string;
            /** @description What the principal must hold. */
            readonly permissions?: readonly string[];
            /**
             * Format: uint64
             * @description 1 to 3,600 s.
             */
            readonly queue_deadline_seconds?: number;
            /** @description Words and patterns for the offer. */
            readonly routing?: components["schemas"]["Routing"];
            /** @description The declared class. */
            readonly side_effect: components["schemas"]["SideEffect"];
        };
        /** @description A tool as announced. */
        readonly ToolDefinitionInput: {
            /** @description What the model reads. */
            readonly description: string;
            /**
             * Format: uint64
             * @description 1 to 900 s.
             */
            readonly execution_deadline_seconds?: number | null;
            /** @description Field name to type text, such as `"string?"`. */
            readonly input: {
                readonly [key: string]: string;
            };
            /** @description `[a-z][a-z0-9_]{0,47}`. */
            readonly name: string;
            /** @description What the principal must hold. */
            readonly permissions?: readonly string[];
            /**
             * Format: uint64
             * @description 1 to 3,600 s.
             */
            readonly queue_deadline_seconds?: number | null;
            /** @description Words and patterns for the offer. */
            readonly routing?: components["schemas"]["Routing"];
            /** @description The declared class. */
            readonly side_effect: components["schemas"]["SideEffect"];
        };
        /** @description A page of tools. */
        readonly ToolPage: {
            /** @description The `cursor` of the next page; absent on the last one. */
            readonly next_cursor?: string;
            /** @description The tools. */
            readonly tools: readonly components["schemas"]["ToolView"][];
        };
        /** @description Body of `PUT /v1/tools/{tool}`: a definition made by hand, for an endpoint that answers no manifest. */
        readonly ToolRequest: {
            /** @description What the model reads. */
            readonly description: string;
            /**
             * Format: uint64
             * @description 1 to 900 s; a delivery ends at its own deadline in any case.
             * @default null
             */
            readonly execution_deadline_seconds?: number | null;
            /** @description Field name to type text. */
            readonly input: {
                readonly [key: string]: string;
            };
            /**
             * @description What the principal must hold.
             * @default []
             */
            readonly permissions?: readonly string[];
            /** @description The webhook pool. */
            readonly pool: string;
            /**
             * Format: uint64
             * @description 1 to 3,600 s.
             * @default null
             */
            readonly queue_deadline_seconds?: number | null;
            /**
             * @description Words and patterns for the offer.
             * @default {}
             */
            readonly routing?: components["schemas"]["Routing"];
            /** @description The declared class. */
            readonly side_effect: components["schemas"]["SideEffect"];
        };
        /** @description What became of one announced tool. */
        readonly ToolStatus: {
            /** @description The fence or fault, when refused. */
            readonly code?: string;
            /** @description Where and what to do, when refused. */
            readonly detail?: string;
            /** @description The tool's name as announced. */
            readonly name: string;
            /** @description What was done. */
            readonly status: components["schemas"]["RegistrationStatus"];
        };
        /** @description A tool of the catalogue. */
        readonly ToolView: {
            /** @description What was accepted last. */
            readonly definition: components["schemas"]["ToolDefinition"];
            /** @description Whether somebody serves it now. */
            readonly enabled: boolean;
            /** @description A release: the capabilities that grant the name, whoever takes it. */
            readonly granted_by?: readonly string[];
            /** @description `worker`, `webhook` or `console`. */
            readonly managed_by: string;
            /** @description Its name. */
            readonly name: string;
            /** @description The pool that owns the name; null once it is released. */
            readonly pool: string | null;
            /** @description What was refused last, where that has not been accepted since. */
            readonly refused: components["schemas"]["RefusedView"] | null;
            /** @description Another pool may announce the name. */
            readonly released: boolean;
            /** @description `PUT`: what was done. */
            readonly status?: components["schemas"]["RegistrationStatus"];
            /** @description The hash of the definition. */
            readonly version: string;
            /** @description `GET` of one tool: its definitions, newest first. */
            readonly versions?: readonly components["schemas"]["VersionView"][];
        };
        /** @description The ways to reach a pool's code. */
        readonly Transport: "worker" | "webhook" | "builtin";
        /** @description Answer of `POST /v1/runs/{run}/turns`. */
        readonly TurnAnswer: {
            /** @description What the screen says, when one was named. */
            readonly grounding?: components["schemas"]["Grounding"];
            /** @description What to advertise. */
            readonly offer: components["schemas"]["Offer"];
        };
        /** @description Body of `POST /v1/runs/{run}/turns`. */
        readonly TurnRequest: {
            /** @description The screen that is in view. */
            readonly context?: components["schemas"]["ContextReference"] | null;
            /** @description The turn's text. */
            readonly message: string;
        };
        /** @description A definition that was accepted. */
        readonly VersionView: {
            /** @description When. */
            readonly at: string;
            /** @description By whom. */
            readonly by: string;
            /** @description Against the one before. */
            readonly changes: readonly components["schemas"]["DefinitionChange"][];
            /** @description Its hash. */
            readonly version: string;
        };
        /** @description Approvals that a notification was not told of yet. */
        readonly WaitingNotice: {
            /**
             * Format: uint32
             * @description How often the message was sent.
             */
            readonly attempts?: number;
            /**
             * Format: uint64
             * @description How many.
             */
            readonly count: number;
            /** @description Of which event. */
            readonly event: components["schemas"]["NotificationEvent"];
            /** @description When it is sent again. */
            readonly next_attempt_at?: string;
            /** @description Why the last attempt failed. */
            readonly reason?: string;
        };
        /** @description A worker's session. */
        readonly WorkerStats: {
            /**
             * Format: uint64
             * @description How many failed.
             */
            readonly failed: number;
            /**
             * Format: double
             * @description 0 to 1.
             */
            readonly failure_rate: number;
            /**
             * Format: uint64
             * @description When it was last heard of.
             */
            readonly last_seen_seconds: number;
            /** @description Whether a poll of its waits. */
            readonly polling: boolean;
            /** @description The session. */
            readonly session: string;
            /**
             * Format: uint64
             * @description How many succeeded.
             */
            readonly succeeded: number;
            /** @description The instance's id. */
            readonly worker: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
