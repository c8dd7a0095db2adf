// What every file of browser tests begins with: a gateway, a browser, and people whose pages are looked over after each test.
import { after, afterEach, before } from "node:test";

import { Gateway } from "../../end_to_end/support/gateway.mjs";
import { Browser } from "./browser.mjs";

/** Sets the file up; `visit` opens a page as a new person. `start` gives the gateway its options, `ready` comes once it runs. */
export function people(options = {}) {
  const browser = new Browser();
  const present = [];
  const own = { gateway: undefined, visit, person };
  before(async () => {
    own.gateway = await Gateway.start(await options.start?.());
    await options.ready?.();
  });
  afterEach(async () => {
    for (const each of present.splice(0)) {
      await each.mustBeClean();
      await each.close();
    }
  });
  after(async () => {
    await browser.close();
    await own.gateway.stop();
    await options.stop?.();
  });

  async function person(look) {
    const somebody = await browser.person(look);
    present.push(somebody);
    return somebody;
  }
  async function visit(path, keys = [], look = {}) {
    return (await person(look)).page(own.gateway, path, keys);
  }
  return own;
}
