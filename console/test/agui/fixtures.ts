// The form of AG-UI's own stream fixtures, and how their README says that a client is judged which is none of its own: what SHOULD be warned of is not
// asked, neither are the words of an error, and some may come out otherwise (`relaxed`). The fixtures themselves are not here.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProtocolError } from "../../src/agui/types";
import { ours, plain, type Raw } from "./official";

export interface Expected {
  readonly outcome?: "completed" | "failed";
  readonly runError?: true | string;
  readonly eventTypes?: readonly string[];
  readonly eventTypesAbsent?: readonly string[];
  /** Keyed `<index>.<members with dots between>`. */
  readonly eventPaths?: Readonly<Record<string, unknown>>;
  readonly eventAbsentPaths?: readonly string[];
  readonly messageCount?: number;
  readonly messages?: readonly unknown[];
  readonly state?: unknown;
  readonly [other: string]: unknown;
}
export interface Fixture {
  readonly name: string;
  readonly input?: { readonly messages?: readonly Raw[] };
  readonly stream: readonly Raw[];
  readonly expect: Expected;
  readonly expectOverrides?: { readonly typescript?: Expected };
}
export interface Verdict {
  readonly misses: readonly string[];
  /** What cannot be seen here: a reader sends no request. */
  readonly unseen: readonly string[];
}

const JUDGED = ["outcome", "runError", "eventTypes", "eventTypesAbsent", "eventPaths", "eventAbsentPaths", "messageCount", "messages", "state"];
const UNASKED = ["errorContains", "warnings", "noWarnings", "intentional"];

/** Why a fixture may come out otherwise. */
export function relaxed(name: string): string | undefined {
  if (name.startsWith("era-")) return "the specification does not demand the translation";
  if (name === "unknown-enum-value-role-fatal") return "it pins what the specification says otherwise";
  if (name === "truncated-run-reported-as-completed") return "it pins what the specification forbids: a run without an end told as a success";
  return undefined;
}

/** The rule by which a stream of this name is refused, from our own case of it: the error's words are the official client's. */
export const RULES: ReadonlyMap<string, string | undefined> = new Map(
  (JSON.parse(readFileSync(new URL("../../tests/vectors/agui-streams.json", import.meta.url), "utf8")) as { cases: { name: string; expect: { rule?: string } }[] }).cases
    .map(({ name, expect }) => [name, expect.rule]),
);

export async function judged(fixture: Fixture): Promise<Verdict> {
  const expect: Expected = { ...fixture.expect, ...fixture.expectOverrides?.typescript };
  const { fault, events, messages, state } = await ours(fixture.stream, fixture.input?.messages);
  const misses: string[] = [];
  const check = (fits: boolean, word: string, was: unknown): void => void (fits || misses.push(`${word}: ${JSON.stringify(plain(was))}`));
  const rule = fault instanceof ProtocolError ? fault.rule : undefined;
  if (expect.outcome === "completed") check(fault === undefined, "outcome", String(fault));
  if (expect.outcome === "failed") check(rule !== undefined && (!RULES.has(fixture.name) || rule === RULES.get(fixture.name)), "outcome", rule ?? String(fault));
  const types = events.map(({ type }) => type);
  if (expect.runError !== undefined) {
    const said = events.filter(({ type }) => type === "RUN_ERROR").map((event) => String(event["message"]));
    check(said.some((message) => expect.runError === true || message.includes(expect.runError as string)), "runError", said);
  }
  if (expect.eventTypes !== undefined) check(JSON.stringify(types) === JSON.stringify(expect.eventTypes), "eventTypes", types);
  for (const type of expect.eventTypesAbsent ?? []) check(!types.includes(type), "eventTypesAbsent", type);
  for (const [path, value] of Object.entries(expect.eventPaths ?? {})) check(holds(at(events, path), value), `eventPaths ${path}`, at(events, path));
  for (const path of expect.eventAbsentPaths ?? []) check(at(events, path) === undefined, `eventAbsentPaths ${path}`, at(events, path));
  if (expect.messageCount !== undefined) check(messages.length === expect.messageCount, "messageCount", messages.length);
  if (expect.messages !== undefined) check(holds(messages, expect.messages), "messages", messages);
  if ("state" in expect) check(holds(state, expect.state), "state", state);
  return { misses, unseen: Object.keys(expect).filter((key) => !JUDGED.includes(key) && !UNASKED.includes(key)) };
}

function at(events: readonly unknown[], path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined), events);
}

/** Lists are as long as said; of objects, what is named is there. */
function holds(value: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected) && expected.length !== (value as unknown[]).length) return false;
  return Object.entries(expected).every(([key, each]) => Object.hasOwn(value, key) && holds((value as Record<string, unknown>)[key], each));
}

/** Judges every fixture in a folder and says how it went; true where nothing is wrong that must be right. */
export async function judgeFolder(folder: string, say: (line: string) => void): Promise<boolean> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith(".json")).sort();
  const counts = { passed: 0, relaxed: 0, failed: 0 };
  for (const name of names) {
    const fixture = JSON.parse(readFileSync(join(folder, name), "utf8")) as Fixture;
    const { misses, unseen } = await judged(fixture);
    const why = relaxed(fixture.name);
    const kind = misses.length === 0 ? "passed" : why === undefined ? "failed" : "relaxed";
    counts[kind] += 1;
    const notes = [...misses, ...(kind === "relaxed" ? [why] : []), ...unseen.map((key) => `${key} is not seen here`), ...(RULES.has(fixture.name) ? [] : ["there is no case of ours by this name"])];
    if (notes.length > 0) say(`${kind} ${name}: ${notes.join("; ")}`);
  }
  say(`${names.length} fixtures: ${counts.passed} passed, ${counts.relaxed} relaxed, ${counts.failed} failed`);
  return names.length > 0 && counts.failed === 0;
}
