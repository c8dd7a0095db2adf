import { setTimeout as pause } from "node:timers/promises";

const POLL_MS = 15;

/** Waits until `condition` answers with something true, and gives it back; fails after `withinMs`, saying for what. */
export async function until(what, condition, withinMs = 10_000) {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** The promise's value, or a failure that says what took too long. */
export async function within(what, withinMs, promise) {
  const timer = new AbortController();
  const late = pause(withinMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not within ${withinMs} ms: ${what}`);
  });
  late.catch(() => undefined);
  return Promise.race([promise, late]).finally(() => timer.abort());
}

/** Runs `work` over the items, so many at a time, and gives the results in the items' order. */
export async function each(items, atATime, work) {
  const results = new Array(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, lane));
  return results;
}
