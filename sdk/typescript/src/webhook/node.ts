import { announcesTooMuch, BodyCollector, type BodyRead, BROKEN, TOO_LARGE, wholeBody } from "./body.js";
import { Endpoint, type Reply } from "./endpoint.js";
import { HeaderList, type HeaderSource } from "./headers.js";
import type { WebhookOptions } from "./options.js";

/** What is used of Node's `IncomingMessage`, and of what frameworks add to it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawHeaders?: readonly string[];
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
  readonly destroyed?: boolean;
  // Every server types its listeners in its own way.
  on(event: string, listener: (...args: any[]) => void): unknown;
  off(event: string, listener: (...args: any[]) => void): unknown;
  resume(): unknown;
}

/** What is used of Node's `ServerResponse`. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

const FIX = "let this handler see the request before any body parser does";

/** A listener for `http.createServer`, and for every framework that hands Node's own request and response over. */
export function nodeHandler(options: WebhookOptions): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const endpoint = new Endpoint(options);
  return async (request, response) => writeReply(response, await answerNode(endpoint, request, FIX));
}

export function answerNode(endpoint: Endpoint, request: NodeRequest, fix: string): Promise<Reply> {
  const headers = new HeaderList(headersOf(request));
  return endpoint.answer({ method: request.method ?? "", headers, body: () => readNodeBody(request, headers, fix) });
}

export function writeReply(response: NodeResponse, { status, headers, body }: Reply): void {
  if (response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

// `headers` has joined what was there twice; the raw lines tell.
function headersOf({ rawHeaders, headers }: NodeRequest): HeaderSource {
  if (rawHeaders === undefined || rawHeaders.length === 0) return headers;
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) pairs.push([rawHeaders[at] ?? "", rawHeaders[at + 1] ?? ""]);
  return pairs;
}

async function readNodeBody(request: NodeRequest, headers: HeaderList, fix: string): Promise<BodyRead> {
  // A parser's `body` alone proves nothing: some set one for requests that they did not read.
  const isRead = request.readableDidRead === true || request.readableEnded === true;
  if (isRead) return headers.one("content-length") === "0" ? wholeBody(new Uint8Array()) : keptBody(request, fix);
  if (request.destroyed === true) return BROKEN;
  if (announcesTooMuch(headers.one("content-length"))) return TOO_LARGE;
  return readStream(request, fix);
}

/** Some hosts read the body themselves and keep its bytes beside what they made of it. */
function keptBody(request: object, fix: string): BodyRead {
  for (const name of ["rawBody", "body"]) {
    const kept: unknown = Reflect.get(request, name);
    if (kept instanceof Uint8Array) return wholeBody(kept);
  }
  return { fault: "already_read", fix };
}

// Not `for await`: leaving such a loop early destroys the connection, and the answer with it.
function readStream(request: NodeRequest, fix: string): Promise<BodyRead> {
  return new Promise((resolve) => {
    const collector = new BodyCollector();
    const finish = (read: BodyRead) => {
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener);
      resolve(read);
    };
    const listeners = {
      data: (chunk: unknown) => {
        // Decoded already, by setEncoding: its bytes may have been others.
        if (!(chunk instanceof Uint8Array)) finish({ fault: "already_read", fix });
        else if (!collector.add(chunk)) finish(TOO_LARGE);
      },
      end: () => finish(collector.read),
      error: () => finish(BROKEN),
      // Comes after the end of a whole body, and before that of a stream of HTTP/2 that was cancelled.
      close: () => finish(BROKEN),
    };
    for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
    request.resume();
  });
}
