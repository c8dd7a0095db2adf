// What a newcomer does first: scripts/dev from nothing, what it prints to try, Ctrl-C, and scripts/dev once more.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Chat } from "./support/chat.mjs";
import { Door } from "./support/client.mjs";
import { freePort } from "./support/ports.mjs";
import { own } from "./support/processes.mjs";
import { within } from "./support/until.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** With the module built and the packages installed; a build would take minutes. */
const READY_MS = 60_000;
const TRY_MS = 30_000;
const STOP_MS = 20_000;

let folder, state, env;
const groups = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolgate-dev-"));
  state = join(folder, "state");
  const { TOOLGATE_ROOT_TOKEN: _token, TOOLGATE_MASTER_KEY: _key, ...others } = process.env;
  env = { ...others, TOOLGATE_DEV_STATE: state, TOOLGATE_DEV_PORT: String(await freePort()) };
});
after(async () => {
  for (const pid of groups) signalGroup(pid, "SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/** A terminal's Ctrl-C reaches every process that was started in it. */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}

/** scripts/dev, once it has said all that it says. */
async function dev() {
  const child = own(spawn(join(root, "scripts/dev"), [], { env, detached: true, stdio: ["ignore", "pipe", "pipe"] }));
  groups.push(child.pid);
  const run = { child, out: "", err: "" };
  child.stderr.setEncoding("utf8").on("data", (text) => (run.err += text));
  const ready = new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      run.out += text;
      if (/^Ctrl-C stops gateway and worker/m.test(run.out)) resolve();
    });
    void child.ended.then(() => reject(new Error(`scripts/dev ended:\n${run.out}\n${run.err}`)));
  });
  await within("scripts/dev says what to try", READY_MS, ready);
  return run;
}

async function interrupt({ child }) {
  signalGroup(child.pid, "SIGINT");
  const { code } = await within("Ctrl-C ends scripts/dev", STOP_MS, child.ended);
  assert.equal(code, 130);
  await assert.rejects(fetch(`http://127.0.0.1:${env.TOOLGATE_DEV_PORT}/healthz`), "nothing listens any more");
}

/** Runs it in a shell at the repository's root, and holds its answers against what they must be. */
async function tried(...args) {
  const { stdout, stderr } = await promisify(execFile)("bash", args, { cwd: root, env, timeout: TRY_MS });
  assert.equal(stderr, "");
  const [read, parked, waiting, decided, done, { events }, ...more] = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.equal(more.length, 0, stdout);
  assert.deepEqual([read.state, read.tool, read.result.order_id], ["succeeded", "get_order_status", 1001], JSON.stringify(read));
  assert.deepEqual([parked.state, parked.tool], ["waiting_approval", "refund_order"]);
  const shown = waiting.approvals.find(({ id }) => id === parked.approval.id);
  assert.deepEqual([shown.arguments, shown.digest], [{ amount_cents: 100, order_id: 1001, reason: "late" }, parked.approval.digest]);
  assert.equal(decided.state, "approved");
  assert.deepEqual([done.call, done.state], [parked.call, "succeeded"], JSON.stringify(done));
  assert.deepEqual(events.map(({ event }) => event), ["parked", "approve", "hand_out", "accept", "settle"]);
}

/** The agents whose keys scripts/dev names for the chat: what is asked of each, and what a chat of theirs must say. */
const ASKED = {
  ASSISTANT: { agent: "assistant", ask: "What is the status of order 1001?", calls: ["get_order_status"], text: /1001/, activities: [] },
  PERMITS: {
    agent: "permits", ask: "Draw a bar chart of how many permits there are per district", calls: ["get_database_schema", "execute_query", "create_chart"],
    text: /Chart created: "count by district"/, activities: ["application/json+echart"],
  },
  GRANTS: {
    agent: "grants", ask: "Show a map of the 3 largest grants: top 3 by amount", calls: ["get_database_schema", "execute_query", "create_map"],
    text: /Map created: 3 features/, activities: ["application/json+leaflet"],
  },
};

/** One run of each agent, by the official client, with the keys that were printed; the worker of the shop and the tools that ship do the work. */
async function chatted({ out }) {
  const url = `http://127.0.0.1:${env.TOOLGATE_DEV_PORT}`;
  const keys = Object.fromEntries((await kept()).trim().split("\n").map((line) => line.split("=")));
  const named = out.match(/\/chat with ([^.]*)\./)[1].match(/[A-Z]+(?=_KEY)/g);
  assert.deepEqual(named, Object.keys(ASKED), "the keys that are named for the chat");
  for (const [name, { agent, ask, calls, text, activities }] of Object.entries(ASKED)) {
    const key = keys[`TOOLGATE_${name}_KEY`];
    const gateway = { url };
    // Ids of calls are the demo's own, and not scripted.
    const chat = new Chat({ gateway, key, agent, door: new Door(gateway, key), model: { unseen: [...calls] } });
    assert.deepEqual((await chat.capabilities()).custom.model, { label: "Demo model", demo: true });
    const ran = await chat.say(ask);
    assert.deepEqual(ran.outcome, { type: "success" }, agent);
    assert.deepEqual(ran.of("TOOL_CALL_START").map(({ toolCallName }) => toolCallName), calls, agent);
    assert.deepEqual(Object.keys(ran.results), calls, agent);
    if (agent === "assistant") assert.equal(JSON.parse(ran.results.get_order_status).order_id, 1001, "the shop's worker answered");
    assert.deepEqual(ran.of("ACTIVITY_SNAPSHOT").map(({ activityType }) => activityType), activities, agent);
    assert.match(ran.text, /^Demo model: /, agent);
    assert.match(ran.text, text, agent);
    for (const { metadata } of [...ran.of("TEXT_MESSAGE_START"), ...ran.of("TOOL_CALL_START")]) assert.equal(metadata.demo, true, agent);
  }
}

const kept = () => readFile(join(state, "demo.env"), "utf8");

test("scripts/dev starts from nothing, prints what to try, and all of that passes, chats with its agents too; the next one goes on with it", async () => {
  const first = await dev();
  assert.doesNotMatch(first.err, /building the release module/, "the module that is built is taken");
  const keys = await kept();
  assert.equal((await stat(join(state, "demo.env"))).mode & 0o777, 0o600);
  for (const line of keys.trim().split("\n").filter((each) => each.includes("_KEY="))) {
    assert.ok(!(first.out + first.err).includes(line.split("=")[1]), `${line.split("=")[0]} was printed`);
  }
  for (const words of [`http://127.0.0.1:${env.TOOLGATE_DEV_PORT}/console`, `http://127.0.0.1:${env.TOOLGATE_DEV_PORT}/chat`]) assert.ok(first.out.includes(words), words);
  for (const name of first.out.match(/TOOLGATE_[A-Z]+_KEY/g)) assert.match(keys, new RegExp(`^${name}=tg_`, "m"));
  await tried("scripts/try-demo");

  // What was printed is pasted.
  const printed = first.out.split("\n").filter((line) => /^ {2}|^$/.test(line)).map((line) => line.slice(2)).join("\n").trim();
  await tried("-c", printed);
  const readme = await readFile(join(root, "README.md"), "utf8");
  const [, block] = readme.match(/^```sh\n(\. \.state\/dev\/demo\.env\n[\s\S]*?)```$/m);
  assert.equal(block.trim(), printed.replace(`. ${state}/demo.env`, ". .state/dev/demo.env"), "README has the same lines");
  await chatted(first);
  await interrupt(first);

  const second = await dev();
  assert.equal(await kept(), keys, "nothing is made twice");
  await tried("scripts/try-demo");
  await interrupt(second);
});

test("a port that is taken is said, and nothing is left running", async () => {
  const first = await dev();
  const other = own(spawn(join(root, "scripts/dev"), [], { env: { ...env, TOOLGATE_DEV_STATE: join(folder, "other") }, detached: true, stdio: ["ignore", "ignore", "pipe"] }));
  groups.push(other.pid);
  let said = "";
  other.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const { code } = await within("the second one ends", READY_MS, other.ended);
  assert.equal(code, 1);
  assert.match(said, /port \d+ of 127\.0\.0\.1 is taken by another program/);
  await tried("scripts/try-demo");
  await interrupt(first);
});
