import { Endpoint } from "../../dist/webhook/endpoint.js";
import { HeaderList } from "../../dist/webhook/headers.js";
import { endpointOptions, readReply } from "./webhook.js";

export const WRITE = { tool: "write_it", side_effect: "reversible_write" };

/** An endpoint without a server: `send(request, keepAlive)` gives the reply, `ask` the parsed and verified one. */
export function mountCalls(handlers, given) {
  const options = endpointOptions(handlers, given);
  const endpoint = new Endpoint(options);
  const send = ({ method, headers, body }, keepAlive) => endpoint.answer({ method, headers: new HeaderList(headers), body: async () => ({ bytes: body }) }, keepAlive);
  const ask = async (request) => readReply(await send(request), request, options.secret);
  return { send, ask, secret: options.secret, logger: options.logger };
}

/** A shared store as a test sees it; `failing` names the operations that throw, by their number from 1. */
export class Store {
  values = new Map();
  operations = [];

  constructor(failing = []) {
    this.failing = failing;
  }

  async get(key) {
    this.#note("get", key);
    return this.values.get(key) ?? null;
  }

  async put(key, value, seconds) {
    this.#note("put", key, seconds);
    this.values.set(key, value);
  }

  #note(...operation) {
    this.operations.push(operation);
    if (this.failing.includes(this.operations.length)) throw new Error("connection to redis://user:pass@store lost");
  }
}
