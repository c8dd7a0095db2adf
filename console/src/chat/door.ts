/** The loop's way to the gateway, with the key of one agent. */
import { eventsOf } from "../agui/sse";
import { get, OfflineError, open, path, ProblemError, problemOf } from "../shared/api";
import type { HeldKey } from "../shared/keys";
import type { Door, RunInput, ThreadView } from "./loop";

const WAIT_S = 25;
const RETRY_MS = 2_000;

export function doorOf(key: HeldKey): Door {
  const door: Door = {
    run: (input, signal) => run(key, input, signal),
    thread: async (id, signal) => {
      try {
        return await get<ThreadView>(path`/v1/threads/${id}`, { key, signal });
      } catch (fault) {
        if (fault instanceof ProblemError && fault.status === 404) return undefined;
        throw fault;
      }
    },
    decided: async (call, signal) => {
      for (;;) {
        try {
          const { state } = await get<{ readonly state: string }>(path`/v1/calls/${call}`, { key, signal, headers: { prefer: `wait=${WAIT_S}` }, raw: ["result", "arguments", "edited_arguments"] });
          if (state !== "waiting_approval") return;
        } catch (fault) {
          signal.throwIfAborted();
          // A call that is not there any more waits for nobody.
          if (fault instanceof ProblemError && fault.status === 404) return;
          if (!(fault instanceof OfflineError) && !(fault instanceof ProblemError && (fault.status >= 500 || fault.status === 429))) throw fault;
          await door.pause(RETRY_MS, signal);
        }
      }
    },
    pause: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const timer = setTimeout(() => {
          signal.removeEventListener("abort", aborted);
          resolve();
        }, ms);
        const aborted = (): void => {
          clearTimeout(timer);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", aborted, { once: true });
      }),
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
  };
  return door;
}

async function* run(key: HeldKey, input: RunInput, signal: AbortSignal): AsyncGenerator<Record<string, unknown>> {
  const response = await open("POST", path`/v1/agents/${key.agent ?? ""}/agui`, input, { key, signal, headers: { accept: "text/event-stream" } });
  if (!response.ok) throw problemOf(response.status, await response.text());
  if (response.body === null) throw new OfflineError();
  try {
    yield* eventsOf(response.body);
  } catch (fault) {
    // A connection that broke in the middle.
    if (fault instanceof TypeError && !signal.aborted) throw new OfflineError();
    throw fault;
  }
}
