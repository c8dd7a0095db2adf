// What the pool of a benchmark offers, by whichever transport: one tool of each class, each returns what it is given.
export const POOL = "bench";
export const TOOLS = { read_only: "look", reversible_write: "mark", consequential: "send" };
export const INPUT = { city: "string", unit: "string", n: "integer" };
export const DESCRIPTION = "Returns what it is given.";
