// Pictures of the pages in docs/screens. TOOLGATE_SCREENS=1 takes them anew. Each test file looks at its own ones in any case: one that it does not
// come by, or that is not in the folder afterwards, is a failure.
import assert from "node:assert/strict";
import { readdir, rm, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const folder = fileURLToPath(new URL("../../../docs/screens/", import.meta.url));
const taking = process.env.TOOLGATE_SCREENS === "1";
/** An empty page of this size makes a smaller file. */
const BYTES_MIN = 10_000;
const both = (...pages) => pages.flatMap((page) => [`${page}-dark`, `${page}-light`]);

/** By the file that takes them: a page and its colours each. */
const NAMES = {
  console: [...both("approvals", "approvals-question", "call", "tool", "agents"), ...["approval", "calls", "offers", "tools", "agent", "pool", "keys"].map((page) => `${page}-light`)],
  chat: both("chat-chart", "chat-map", "chat-cards", "chat-cards-narrow", "chat-tools"),
};

export class Screens {
  #names;
  #come = new Set();

  constructor(part) {
    this.#names = NAMES[part];
  }

  /** The page as it stands, if it is one of those. */
  async take(page, name, options = {}) {
    if (!this.#names.includes(name)) return;
    if (taking) {
      const path = `${folder}${name}.png`;
      await rm(path, { force: true });
      await page.screenshot({ path, ...options });
    }
    this.#come.add(name);
  }

  /** The last test of a file. */
  mustBeThere() {
    test("every picture of these pages is come by, and stands in docs/screens", async () => {
      assert.deepEqual(this.#names.filter((name) => !this.#come.has(name)), []);
      for (const name of this.#names) assert.ok((await stat(`${folder}${name}.png`)).size >= BYTES_MIN, `${name} shows nothing`);
      const known = Object.values(NAMES).flat().map((name) => `${name}.png`);
      assert.deepEqual((await readdir(folder)).filter((file) => !known.includes(file)), [], "nobody takes these");
    });
  }
}
