//! How many, how long, how large: one place, the unit last in the name. Source: docs/limits.md.

/// Largest arguments of a call, as they were sent.
pub const ARGUMENTS_BYTES_MAX: usize = 256 * 1024;
/// Largest result that is kept whole; a larger one is stored as a preview.
pub const RESULT_BYTES_MAX: usize = 1024 * 1024;
/// Largest activity; a larger one is dropped, the result stays.
pub const ACTIVITY_BYTES_MAX: usize = 256 * 1024;
/// Length of the preview of a truncated result.
pub const RESULT_PREVIEW_BYTES: usize = 2_048;
/// Largest manifest.
pub const MANIFEST_BYTES_MAX: usize = 512 * 1024;
/// Largest sum of the definitions of a pool, disabled ones included: its policy is one row.
pub const POOL_DEFINITIONS_BYTES_MAX: usize = 1024 * 1024;
/// Largest history of a tool; the oldest versions go first.
pub const HISTORY_BYTES_MAX: usize = 512 * 1024;
/// Most tools in a manifest.
pub const MANIFEST_TOOLS_MAX: usize = 256;
/// Most contexts in a manifest.
pub const MANIFEST_CONTEXTS_MAX: usize = 256;
/// Longest description of a tool.
pub const DESCRIPTION_CHARS_MAX: usize = 2_000;
/// Most input fields of a tool.
pub const FIELDS_MAX: usize = 64;
/// Most permissions that a tool may declare.
pub const PERMISSIONS_MAX: usize = 64;
/// Longest permission, keyword or pattern.
pub const WORD_CHARS_MAX: usize = 200;
/// Most routing keywords of a tool.
pub const KEYWORDS_MAX: usize = 32;
/// Most routing patterns of a tool.
pub const PATTERNS_MAX: usize = 8;
/// Largest principal.
pub const PRINCIPAL_BYTES_MAX: usize = 8 * 1024;
/// Deepest nesting of any JSON that is read.
pub const JSON_DEPTH_MAX: usize = 64;
/// Longest error message of a handler that is kept.
pub const ERROR_MESSAGE_CHARS_MAX: usize = 4_000;
/// Longest note or reason written by a person.
pub const NOTE_CHARS_MAX: usize = 2_000;
/// Longest idempotency key.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// Body cap of requests that carry arguments.
pub const CALL_BODY_BYTES_MAX: usize = ARGUMENTS_BYTES_MAX + 64 * 1024;
/// Body cap of requests that carry results: a result over its own limit is cut, not refused.
pub const RESULTS_BODY_BYTES_MAX: usize = 12 * 1024 * 1024;
/// Body cap of everything else.
pub const BODY_BYTES_MAX: usize = MANIFEST_BYTES_MAX + 64 * 1024;
/// Bodies that one object holds at a time.
pub const BODIES_IN_FLIGHT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Requests that wait in one object (polls and held answers).
pub const WAITERS_MAX: usize = 1_000;
/// Retry-After of an answer `busy` or `registry_unavailable`.
pub const RETRY_AFTER_SECONDS: u64 = 1;

/// Longest `Prefer: wait`.
pub const WAIT_SECONDS_MAX: u64 = 25;
/// Longest idle poll.
pub const POLL_SECONDS_MAX: u64 = 20;
/// Most jobs handed out by one poll.
pub const POLL_JOBS_MAX: usize = 64;
/// Most claims named in one request.
pub const CLAIMS_MAX: usize = 256;

/// Queue deadline from submission, unless the tool says otherwise.
pub const QUEUE_DEADLINE_SECONDS: u64 = 60;
/// Queue deadline from an approval.
pub const QUEUE_DEADLINE_APPROVED_SECONDS: u64 = 3_600;
/// Longest queue deadline that a tool may declare.
pub const QUEUE_DEADLINE_SECONDS_MAX: u64 = 3_600;
/// Execution deadline of an attempt, unless the tool says otherwise.
pub const EXECUTION_DEADLINE_SECONDS: u64 = 60;
/// Longest execution deadline that a tool may declare.
pub const EXECUTION_DEADLINE_SECONDS_MAX: u64 = 900;
/// A write that was handed over must be accepted within this.
pub const ACCEPT_SECONDS: u64 = 5;
/// First lease of a read.
pub const LEASE_FIRST_SECONDS: u64 = 10;
/// Lease of an accepted write, and of a renewed read.
pub const LEASE_SECONDS: u64 = 30;
/// Attempts of a read.
pub const ATTEMPTS_MAX: u32 = 3;
/// Pause before the second and the third attempt of a read.
pub const ATTEMPT_PAUSES_SECONDS: [u64; 2] = [1, 3];
/// Deadline of a webhook delivery, name resolution included, unless the pool says otherwise.
pub const DELIVERY_SECONDS: u64 = 15;
/// Longest deadline of a webhook delivery: what runs on after an answer has 30 s.
pub const DELIVERY_SECONDS_MAX: u64 = 25;
/// Name resolution and its checks take at most this of a delivery.
pub const RESOLVE_SECONDS: u64 = 4;
/// Lease of a delivery: its deadline, and time to report.
pub const DELIVERY_LEASE_SECONDS: u64 = 30;
/// Deliveries of one pool that are under way at a time.
pub const DELIVERIES_MAX: usize = 200;
/// Deliveries that one step hands to the edge: each is a request of its own, and a chain of requests may have few.
pub const DELIVERIES_STEP_MAX: usize = 16;
/// Arguments of all deliveries of a pool under way: they stand in the edge's memory.
pub const DELIVERIES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Writes that were handed to the edge and not yet accepted: each has seconds to be.
pub const DELIVERIES_UNACCEPTED_MAX: usize = 32;
/// Pause before a delivery is tried again when no resolver answered.
pub const RESOLVER_PAUSE_SECONDS: u64 = 2;
/// Longest `Retry-After` of an endpoint that is honoured.
pub const RETRY_AFTER_SECONDS_MAX: u64 = 30;
/// Largest reply of an endpoint.
pub const REPLY_BYTES_MAX: usize = 1024 * 1024;
/// How far a signature's timestamp may be from the clock, both ways.
pub const SIGNATURE_TOLERANCE_SECONDS: u64 = 300;
/// Secrets of an endpoint at a time: the newest, and those that were rotated out within the day.
pub const SECRETS_MAX: usize = 4;
/// A secret that was rotated out signs for this long.
pub const ROTATION_SECONDS: u64 = 24 * 3_600;
/// Pause between two manifest syncs that replies ask for.
pub const MANIFEST_SYNC_SECONDS: u64 = 30;
/// Longest hash that a manifest may carry.
pub const MANIFEST_HASH_CHARS_MAX: usize = 128;
/// A session that was not seen for this long is handed nothing.
pub const SESSION_SEEN_SECONDS: u64 = 60;
/// A superseded or gone session is remembered for this long.
pub const SESSION_REMEMBERED_SECONDS: u64 = 3_600;
/// Time to decide an approval.
pub const APPROVAL_SECONDS: u64 = 24 * 3_600;
/// The shortest time to decide that a capability may set.
pub const APPROVAL_SECONDS_MIN: u64 = 60;
/// The longest one.
pub const APPROVAL_SECONDS_MAX: u64 = 30 * 24 * 3_600;
/// The same call is refused for this long after a person rejected it.
pub const RECENTLY_REJECTED_SECONDS: u64 = 3_600;
/// Open approvals of one agent and principal in a pool.
pub const OPEN_APPROVALS_MAX: usize = 50;
/// Earlier decisions shown with an approval.
pub const EARLIER_DECISIONS_MAX: usize = 5;
/// Decisions remembered per tool and principal: as many as may have been open at a time.
pub const DECISIONS_REMEMBERED_MAX: usize = 64;
/// Idempotency keys that lead to one parked call, its own included.
pub const JOINED_KEYS_MAX: usize = 16;
/// A record is kept for this long after the end of its call.
pub const RECORD_SECONDS: u64 = 7 * 24 * 3_600;
/// Pause between two sweeps for old records.
pub const SWEEP_SECONDS: u64 = 3_600;
/// Rows that one alarm looks at in a sweep.
pub const SWEEP_ROWS: usize = 500;
/// Calls that one step ends because they are due; the rest follows at once.
pub const DUE_BATCH: usize = 200;
/// A policy snapshot is trusted for this long.
pub const SNAPSHOT_SECONDS: u64 = 300;
/// The registry waits this long for the pools to store a snapshot.
pub const PUSH_SECONDS: u64 = 5;
/// Entries kept of a call's timeline; the middle goes first.
pub const TIMELINE_ENTRIES_MAX: usize = 64;
/// Pieces of evidence kept beside an outcome.
pub const EVIDENCE_MAX: usize = 8;
/// Of an id; what is longer is none.
pub const ID_CHARS_MAX: usize = 100;
/// Default and largest page of a list.
pub const LIST_MAX: usize = 100;
/// Bytes after which a page of a list ends.
pub const LIST_BYTES_MAX: usize = 1024 * 1024;
/// Entries that an audit record keeps; the oldest go first.
pub const AUDIT_ENTRIES_MAX: usize = 200_000;
/// Bytes of the keys that a team of Cloudflare Access publishes.
pub const ACCESS_KEYS_BYTES_MAX: usize = 64 * 1024;
/// Those keys are kept for so long.
pub const ACCESS_KEYS_SECONDS: u64 = 600;
/// A token that names a key they do not have makes them asked for again, but not within this.
pub const ACCESS_KEYS_PAUSE_SECONDS: u64 = 30;
/// A key that somebody got by signing in ends with the sign-in, and not later than this.
pub const SIGN_IN_SECONDS_MAX: u64 = 24 * 3_600;
/// Keys that one person has by signing in, of each role; the oldest goes.
pub const SIGN_INS_MAX: usize = 5;
/// Most keys of an org, revoked ones included.
pub const KEYS_MAX: usize = 5_000;
/// Longest life of a key that expires.
pub const KEY_DAYS_MAX: u32 = 3_650;
/// Longest text of a turn.
pub const MESSAGE_CHARS_MAX: usize = 32_000;
/// Body cap of a run or a turn.
pub const RUN_BODY_BYTES_MAX: usize = 256 * 1024;
/// Tokens that the offers of a run may take, unless the agent or the run says otherwise.
pub const OFFER_BUDGET_TOKENS: u32 = 4_000;
/// Largest such budget.
pub const OFFER_BUDGET_TOKENS_MAX: u32 = 200_000;
/// What the first turn of a run may take of it, in percent.
pub const OFFER_FIRST_PERCENT: u32 = 70;
/// Longest id of a screen.
pub const CONTEXT_ID_CHARS_MAX: usize = 128;
/// Most facts of a digest.
pub const DIGEST_FIELDS_MAX: usize = 32;
/// Longest value of a fact; the rest is cut.
pub const FACT_CHARS_MAX: usize = 500;
/// A prefetch of a grounded turn is waited for this long.
pub const PREFETCH_SECONDS: u64 = 5;
/// Longest life of a run token.
pub const RUN_TOKEN_SECONDS: u64 = 3_600;
/// A run is kept for this long after its last turn.
pub const RUN_SECONDS: u64 = RECORD_SECONDS;
/// Tools in a page of the MCP door.
pub const MCP_PAGE_TOOLS: usize = 200;
/// How long a client of the MCP door may keep a list of tools.
pub const MCP_LIST_TTL_MILLIS: u64 = 30_000;
/// How long it may keep what the server is.
pub const MCP_DISCOVER_TTL_MILLIS: u64 = 3_600_000;
/// How often a client is to look at a task that waits for a person.
pub const MCP_TASK_DECISION_POLL_MILLIS: u64 = 5_000;
/// How often it is to look at a task that is under way.
pub const MCP_TASK_POLL_MILLIS: u64 = 1_000;
/// A call through the MCP door is waited for this long; clients give up after 60 s.
pub const MCP_WAIT_SECONDS: u64 = 20;
/// The same for a client that follows tasks: then it has one.
pub const MCP_TASK_WAIT_SECONDS: u64 = 1;
/// Body cap of the MCP door: arguments, and what a repeat brings beside them.
pub const MCP_BODY_BYTES_MAX: usize = CALL_BODY_BYTES_MAX + 128 * 1024;
/// Largest answer of a client to what a tool asked for.
pub const MCP_INPUT_BYTES_MAX: usize = 64 * 1024;
/// Largest state that a tool gives along with its question: it travels through the client and back.
pub const MCP_INPUT_STATE_BYTES_MAX: usize = 16 * 1024;
/// A client has this long to answer what a tool asked for.
pub const MCP_INPUT_SECONDS: u64 = 3_600;
/// A client that was led to an approval may come back for the outcome this long: as long as one can wait, and the record of
/// its call is kept.
pub const MCP_APPROVAL_SECONDS: u64 = APPROVAL_SECONDS_MAX + RECORD_SECONDS;
/// A session of a client before 2026-07-28 is over after this; the client begins anew.
pub const MCP_SESSION_SECONDS: u64 = 24 * 3_600;
/// Sessions of a principal with an agent of which a level of log messages is kept; those that end first go first.
pub const MCP_LEVELS_MAX: u64 = 1_000;
/// Longest id of a session that is read.
pub const MCP_SESSION_CHARS_MAX: usize = 128;
/// Such a client has this long to answer what a tool asked for, because its call waits for it.
pub const MCP_QUESTION_SECONDS: u64 = 300;
/// Pauses between the first looks for its answer, and then between all.
pub const MCP_QUESTION_PAUSES_MILLIS: [u64; 5] = [200, 300, 500, 1_000, 2_000];
/// What an agent's admin says of its tools at this door is asked for again after this.
pub const MCP_RULES_SECONDS: u64 = 30;
/// A stream that tells how a call gets on says at least this often that it is there.
pub const MCP_STREAM_SECONDS: u64 = 5;
/// A subscription ends after this; the client asks anew.
pub const MCP_LISTEN_SECONDS: u64 = 300;
/// Pauses between its first looks for a change, and then between all.
pub const MCP_LISTEN_PAUSES_MILLIS: [u64; 6] = [300, 300, 500, 1_000, 2_000, 5_000];
/// The outcome of a parked call answers the same call of the MCP door for this long after its end.
pub const REPLAY_SECONDS: u64 = 900;
/// Most web origins of a run.
pub const ORIGINS_MAX: usize = 20;
/// What an approval shows of the turn's text.
pub const PURPOSE_CHARS_MAX: usize = 1_000;
/// Largest principal inside an agent key: keys travel in a header.
pub const KEY_PRINCIPAL_BYTES_MAX: usize = 4 * 1024;
/// Most notifications of an org.
pub const NOTIFICATIONS_MAX: usize = 20;
/// A batch of a notification is sent this long after its last event.
pub const NOTICE_QUIET_SECONDS: u64 = 5;
/// But no later than this after its first.
pub const NOTICE_GATHER_SECONDS_MAX: u64 = 60;
/// Approvals that a message names; it counts all.
pub const NOTICE_APPROVALS_MAX: usize = 100;
/// Bytes after which a message names no more of them.
pub const NOTICE_BYTES_MAX: usize = 256 * 1024;
/// Longest reason in a message; the approval shows all of it.
pub const NOTICE_REASON_CHARS_MAX: usize = 500;
/// Messages that one alarm hands to the edge; the rest follows at once.
pub const NOTICES_STEP_MAX: usize = 8;
/// Deadline of the exchange with a receiver, after the look-up.
pub const NOTICE_SECONDS: u64 = 15;
/// A message whose sending was never reported is sent again after this.
pub const NOTICE_LEASE_SECONDS: u64 = 40;
/// Pauses after the first failures of a message.
pub const NOTICE_PAUSES_SECONDS: [u64; 5] = [10, 60, 300, 1_800, 7_200];
/// Pause after each further one.
pub const NOTICE_PAUSE_SECONDS_MAX: u64 = 6 * 3_600;
/// A message that was not taken within this is given up.
pub const NOTICE_SECONDS_MAX: u64 = 24 * 3_600;

/// Of a turn's text this much is read for an offer, half of it at the beginning and half at the end.
pub const OFFER_TEXT_CHARS_MAX: usize = 32_000;
/// Words of it that are read, half at each end.
pub const OFFER_WORDS_MAX: usize = 2_048;
/// Different words of it that count, half at each end.
pub const OFFER_DISTINCT_WORDS_MAX: usize = 256;
/// Patterns look at this much of the text's beginning.
pub const OFFER_PATTERN_CHARS_MAX: usize = 2_000;
/// Characters that all patterns of a catalogue look at together; with more or larger patterns each sees less.
pub const OFFER_PATTERN_WORK_CHARS_MAX: usize = 100_000;
/// Largest compiled pattern.
pub const OFFER_PATTERN_BYTES_MAX: usize = 16 * 1024;
/// Patterns that an agent's catalogue is searched with, by what they cost: a small one 1, one of the largest size 8. Those
/// beyond it, in order of their text, match nothing.
pub const OFFER_PATTERNS_COST_MAX: usize = 1_024;
/// Most capabilities of an agent, and most pinned tools of an agent or a screen.
pub const AGENT_NAMES_MAX: usize = 64;
/// Most tools of a capability.
pub const CAPABILITY_TOOLS_MAX: usize = 4_096;
/// Catalogues and indexes that an isolate keeps, by the size of their text.
pub const CATALOGUES_BYTES_MAX: usize = 12 * 1024 * 1024;
/// Deepest nesting of a chart's option.
pub const CHART_DEPTH_MAX: usize = 32;
/// Most series of a chart.
pub const CHART_SERIES_MAX: usize = 50;
/// Most points of a chart: entries of the data of its series and of the sources of its data sets.
pub const CHART_POINTS_MAX: usize = 20_000;
/// Most values of a chart's option, of every kind.
pub const CHART_VALUES_MAX: usize = 60_000;
/// Most features of a map.
pub const MAP_FEATURES_MAX: usize = 2_000;
/// Most positions of all features of a map.
pub const MAP_VERTICES_MAX: usize = 20_000;
/// Longest popup of a feature.
pub const MAP_POPUP_CHARS_MAX: usize = 1_000;
/// Largest zoom of a map.
pub const MAP_ZOOM_MAX: f64 = 22.0;
/// Longest statement of a query on a data set.
pub const SQL_BYTES_MAX: usize = 8 * 1024;
/// Deepest nesting of its parentheses.
pub const SQL_DEPTH_MAX: usize = 32;
/// How often its common table expressions may be copied, at worst.
pub const SQL_EXPANSIONS_MAX: u64 = 256;
/// How long a database of the customer's is waited for, for all that one question asks of it.
pub const SQL_SECONDS_MAX: u64 = 10;
/// Most columns of its result.
pub const SQL_COLUMNS_MAX: usize = 64;
/// Rows that are shown of its result.
pub const SQL_ROWS_MAX: usize = 200;
/// Characters that are shown of a value.
pub const SQL_VALUE_CHARS_MAX: usize = 2_000;
/// Bytes of rows that are shown.
pub const SQL_RESULT_BYTES_MAX: usize = 256 * 1024;
/// What a query may cost at worst, in opcodes of SQLite.
pub const SQL_WORK_MAX: u64 = 1_500_000_000;
/// Texts that it may hold at worst.
pub const SQL_TEXT_BYTES_MAX: u64 = 400_000_000;
/// Tables that a schema shows.
pub const SCHEMA_TABLES_MAX: usize = 40;
/// Bytes of their statements that it shows.
pub const SCHEMA_BYTES_MAX: usize = 64 * 1024;
/// Longest web origin of a run.
pub const ORIGIN_BYTES_MAX: usize = 300;

/// Body cap of the AG-UI door.
pub const CHAT_BODY_BYTES_MAX: usize = 9 * 1024 * 1024;
/// Longest id that a client gives a thread or a run.
pub const CHAT_ID_CHARS_MAX: usize = 128;
/// Longest id that it gives a message.
pub const CHAT_MESSAGE_ID_BYTES_MAX: usize = 256;
/// Most tools that a browser may bring.
pub const CHAT_TOOLS_MAX: usize = 64;
/// Their definitions together.
pub const CHAT_TOOLS_BYTES_MAX: usize = 256 * 1024;
/// What a page may say about itself in a run.
pub const CHAT_CONTEXT_BYTES_MAX: usize = 64 * 1024;
/// Threads of one person with one agent.
pub const CHAT_THREADS_MAX: usize = 1_000;
/// Messages, calls and activities of a thread after which no further run begins.
pub const CHAT_ITEMS_MAX: usize = 2_000;
/// Bytes of a thread after which no further run begins.
pub const CHAT_THREAD_BYTES_MAX: usize = 8 * 1024 * 1024;
/// What a title takes of the first message.
pub const CHAT_TITLE_CHARS: usize = 80;
/// Longest title that a person gives a thread.
pub const CHAT_TITLE_CHARS_MAX: usize = 200;
/// What a model is shown of a result; the call keeps all of it.
pub const CHAT_RESULT_BYTES_MAX: usize = 64 * 1024;
/// What a turn of the model is sent of system text and conversation, as JSON; older messages are left out.
pub const CHAT_PROMPT_BYTES_MAX: usize = 256 * 1024;
/// What a thread or a run keeps of its last offer; granted tools that were left out go first.
pub const OFFER_KEPT_BYTES_MAX: usize = 64 * 1024;
/// Calls of one message that are made.
pub const CHAT_CALLS_MAX: usize = 16;
/// Turns of the model in one run.
pub const CHAT_TURNS_MAX: usize = 16;
/// Rounds of client tools since the person's last message.
pub const CHAT_ROUNDS_MAX: u64 = 5;
/// How long a run holds its thread after it was last heard of.
pub const CHAT_LEASE_SECONDS: u64 = 60;
/// How often a run that waits is heard of.
pub const CHAT_RENEW_SECONDS: u64 = 20;
/// How often a stream without news says that it is alive.
pub const CHAT_KEEP_ALIVE_SECONDS: u64 = 15;
/// A run whose client left waits for the calls that it made for this long.
pub const CHAT_LEFT_SECONDS: u64 = 20;
/// A call whose submission was never answered is submitted again, under its own key, within this.
pub const CHAT_SETTLE_SECONDS: u64 = 3_600;
/// Longest name of a model.
pub const MODEL_NAME_CHARS_MAX: usize = 200;
/// Longest key of a model's endpoint: it travels in a header.
pub const MODEL_KEY_BYTES_MAX: usize = 1_024;
/// A model must begin to answer within this.
pub const MODEL_FIRST_BYTE_SECONDS: u64 = 30;
/// Longest silence in the middle of an answer.
pub const MODEL_IDLE_SECONDS: u64 = 30;
/// Longest answer of a model, from the request to its last byte.
pub const MODEL_SECONDS_MAX: u64 = 300;
/// Longest line of a model's stream.
pub const MODEL_LINE_BYTES_MAX: usize = 1024 * 1024;
/// Largest stream of a model, with all that is around the text.
pub const MODEL_STREAM_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Text, reasoning and arguments of one turn: a turn is kept in one row.
pub const MODEL_TURN_BYTES_MAX: usize = 512 * 1024;
/// What a model wants back with one of its calls, such as a signature, as JSON.
pub const MODEL_EXTRA_BYTES_MAX: usize = 32 * 1024;
/// Most calls of one turn.
pub const MODEL_CALLS_MAX: usize = 64;
/// Of a refusal this much is read.
pub const MODEL_ERROR_BYTES_MAX: usize = 16 * 1024;
/// Longest message of a model's endpoint that is passed on.
pub const MODEL_ERROR_CHARS_MAX: usize = 300;
/// A model that asks for a pause up to this is asked once more.
pub const MODEL_RETRY_AFTER_SECONDS_MAX: u64 = 5;
