// Programs that stand in a page of docs/: tests start them as they are printed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { own } from "./processes.mjs";
import { within } from "./until.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What starts a program of each language. Python and PHP may leave the listening to a server around them. */
const COMMANDS = {
  js: (program) => [process.execPath, ["--input-type=module", "-e", program]],
  python: (program) => {
    const python = process.env.TOOLGATE_PYTHON;
    assert.ok(python, "TOOLGATE_PYTHON names a Python with the stock library; scripts/test end_to_end makes one");
    return [python, program.includes("serve_forever") ? ["-c", program] : [join(root, "tests/conformance/wsgi_host.py"), program]];
  },
  php: (program) => [process.execPath, [join(root, "tests/end_to_end/support/php_host.mjs"), program]],
};

/** The program of a language that serves: the last block of the page in it. */
export function program(page, language) {
  const text = readFileSync(join(root, "docs", page), "utf8");
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code);
  assert.ok(blocks.length > 0, `${page} has a program in ${language}`);
  return blocks.at(-1);
}

/** Starts such a program on a port; resolves once it listens. `code` is the program, where a test has changed it. */
export async function startDocumented(page, language, port, env, code = program(page, language)) {
  const [executable, args] = COMMANDS[language](code);
  // Where npm's stock library is found.
  const cwd = join(root, "sdk/typescript");
  const child = own(spawn(executable, args, { cwd, env: { ...process.env, ...env, PORT: String(port) }, stdio: ["ignore", "pipe", "ignore"] }));
  const listening = new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text) => /port \d+/.test(text) && resolve());
    void child.ended.then(() => reject(new Error(`the program of ${page} in ${language} ended`)));
  });
  await within(`the program of ${page} in ${language} listens`, 20_000, listening);
  return child;
}
