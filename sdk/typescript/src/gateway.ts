import { exchange, type Fetch, readObject } from "./exchange.js";
import type { ParsedObject } from "./json/value.js";

export type Action = "workers" | "claims" | "accepts" | "renewals" | "results" | "returns" | "goodbyes";

export interface PostOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** A pool of the gateway as its workers see it: one request, one answer, an object or undefined for 204. */
export class Gateway {
  readonly #poolUrl: string;
  readonly #apiKey: string;
  readonly #fetch: Fetch;

  constructor(baseUrl: string, pool: string, apiKey: string, fetch: Fetch) {
    this.#poolUrl = `${baseUrl.replace(/\/+$/, "")}/v1/pools/${pool}`;
    this.#apiKey = apiKey;
    this.#fetch = fetch;
  }

  /** Rejects with a `GatewayProblem` or a `TransportError`; nothing is repeated here. */
  async post(action: Action, body: string, options: PostOptions): Promise<ParsedObject | undefined> {
    const message = { what: action, method: "POST", url: `${this.#poolUrl}/${action}`, apiKey: this.#apiKey, body } as const;
    const { status, text } = await exchange(this.#fetch, message, options);
    return status === 204 ? undefined : readObject(action, text);
  }
}
