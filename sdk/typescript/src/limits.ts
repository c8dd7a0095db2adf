/** The gateway's limits that a definition can break before anything is sent. */
export const DESCRIPTION_CHARACTERS_MAX = 2_000;
export const FIELDS_MAX = 64;
export const KEYWORDS_MAX = 32;
export const PATTERNS_MAX = 8;
export const PATTERN_CHARACTERS_MAX = 200;
/** Claims in one request; the gateway refuses more. */
export const CLAIMS_MAX = 256;
export const TOOLS_MAX = 256;
export const MANIFEST_BYTES_MAX = 512 * 1024;
export const QUEUE_DEADLINE_SECONDS_MAX = 3_600;
export const EXECUTION_DEADLINE_SECONDS_MAX = 900;
