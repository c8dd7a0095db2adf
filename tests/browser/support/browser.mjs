// Chromium, and pages of it that tell of whatever they must never do: ask another origin, ask this one for what its published
// document does not have, meet the page's own policy, run text of others, fail.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { isPublic } from "./operations.mjs";

/** `scripts/test browser` finds it. */
const PROGRAM = process.env.TOOLGATE_CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
/** How long a page may take for what a test waits for. */
const WAIT_MS = 15_000;

export class Browser {
  #contexts = new Set();

  /** One person's browser, with nothing kept from before. */
  async person({ dark = false, viewport = { width: 1280, height: 900 }, permissions = [], geolocation, flags = [] } = {}) {
    const folder = await mkdtemp(join(tmpdir(), "toolgate-browser-"));
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: PROGRAM,
      args: [...FLAGS, ...flags],
      headless: true,
      viewport,
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "UTC",
      permissions,
      ...(geolocation && { geolocation }),
    });
    context.setDefaultTimeout(WAIT_MS);
    const person = new Person(context, folder);
    this.#contexts.add(person);
    return person;
  }

  async close() {
    await Promise.all([...this.#contexts].map((person) => person.close()));
    this.#contexts.clear();
  }
}

class Person {
  /** What went wrong in any page of theirs. */
  faults = [];

  constructor(context, folder) {
    this.context = context;
    this.folder = folder;
  }

  /** A page of the gateway; `keys` are signed in before. */
  async page(gateway, path, keys = []) {
    const page = this.context.pages().find((each) => each.url() === "about:blank") ?? (await this.context.newPage());
    await this.#watch(page, gateway);
    if (keys.length > 0) {
      await page.goto(`${gateway.url}/console`);
      for (const key of keys) await signIn(page, key);
    }
    await page.goto(`${gateway.url}${path}`);
    return page;
  }

  async #watch(page, gateway) {
    const say = (text) => this.faults.push(`${page.url()}: ${text}`);
    page.on("request", (request) => {
      const url = request.url();
      if (url.startsWith("data:") || url.startsWith("blob:")) return;
      if (!url.startsWith(`${gateway.url}/`)) say(`asked ${url}`);
      else if (!isPublic(request)) say(`asked for what is not in openapi.json: ${request.method()} ${url}`);
    });
    page.on("pageerror", (error) => say(`failed: ${error.stack ?? error}`));
    page.on("dialog", (dialog) => {
      say(`opened a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      // Refusals of the API are answers, which the browser writes down as failures to load.
      if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) say(`wrote ${message.text()}`);
    });
    await page.exposeFunction("toolgatePolicyMet", (text) => say(`met its policy: ${text}`)).catch(() => undefined);
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => {
        void globalThis.toolgatePolicyMet(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
  }

  /** Fails with all that no page may do; `ran` is what hostile text sets when it runs. */
  async mustBeClean() {
    for (const page of this.context.pages()) {
      if (await page.evaluate(() => "ran" in globalThis || "ran" in Object.prototype)) this.faults.push(`${page.url()}: text of others ran`);
    }
    if (this.faults.length > 0) throw new Error(this.faults.join("\n"));
  }

  async close() {
    await this.context.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Signs in by pasting a key, as a person does. */
export async function signIn(page, key) {
  await page.getByRole("banner").getByRole("button", { name: /^(Sign in|Keys \(\d+\))$/ }).click();
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.getByLabel("Key", { exact: true }).fill(key);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.getByLabel("Key", { exact: true }).and(page.locator('[value=""], :not([value])')).waitFor();
  await page.waitForFunction((text) => sessionStorage.getItem("toolgate.keys")?.includes(text), key);
  await dialog.getByRole("button", { name: "Close" }).click();
}
