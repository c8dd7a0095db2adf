/** What a chat page may draw beside the result: a chart, a map. */
export interface Activity {
  readonly type: string;
  readonly content: unknown;
}

/** A handler's result together with its activity. Made by `withActivity` only. */
export class ResultWithActivity<Result> {
  constructor(
    readonly result: Result,
    readonly activity: Activity,
  ) {}
}

/** Return this from a handler to send `activity` beside `result`. */
export function withActivity<Result>(result: Result, activity: Activity): ResultWithActivity<Result> {
  return new ResultWithActivity(result, activity);
}

/** One thing to ask a client for: a form or a page for its user, a text of its model, its folders. */
export interface ClientRequest {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params?: { readonly [name: string]: unknown };
}

/**
 * Return this from the handler of a read to ask the client for something first (Model Context Protocol, "Multi Round-Trip
 * Requests"). The call ends with it; the client's answer comes with another call, in `ctx.input`, with `state` as it was
 * given here. Only a client that declares what it is asked for can be asked.
 */
export function askClient(requests: { readonly [key: string]: ClientRequest }, state?: unknown): ResultWithActivity<null> {
  const content = { inputRequests: requests, ...(state === undefined ? {} : { requestState: state }) };
  return withActivity(null, { type: "application/vnd.modelcontextprotocol.input-required+json", content });
}
