// A whole internet behind one TLS server, for `scripts/serve --internet`: resolvers and customers' hosts, told apart by
// the Host header. Everything that arrives is recorded; nothing is answered that no test has arranged.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { makeCertificates } from "./certificates.mjs";
import { RESOLVERS, Resolvers } from "./resolvers.mjs";

/** Where a played host lives unless a test says otherwise: an address that is public and, here, never dialled. */
export const PUBLIC_ADDRESS = "93.184.215.14";

export class Internet {
  /** TLS connections that were opened. */
  connections = 0;
  #server;
  #folder;
  #sockets = new Set();
  #listeners = [];
  #hosts = new Map();
  #requests = [];
  #resolvers = new Resolvers();

  static async start() {
    const internet = new Internet();
    const { ca, cert, key } = makeCertificates("internet.test");
    internet.#folder = await mkdtemp(join(tmpdir(), "toolgate-internet-"));
    await writeFile(internet.caFile, ca);
    internet.#server = createTlsServer({ key, cert, keepAliveTimeout: 0, requestTimeout: 0 }, (incoming, outgoing) => internet.#arrive(incoming, outgoing));
    internet.#server.on("connection", (socket) => internet.#sockets.add(socket.on("close", () => internet.#sockets.delete(socket))));
    internet.#server.on("secureConnection", () => (internet.connections += 1));
    await listen(internet.#server);
    return internet;
  }

  /** The server of `--internet`. */
  get address() {
    return `127.0.0.1:${this.#server.address().port}`;
  }

  /** A folder for files of the test; removed at the end. */
  get folder() {
    return this.#folder;
  }

  /** The file of `--ca`. */
  get caFile() {
    return join(this.#folder, "ca.pem");
  }

  /**
   * A host: `handler(request, respond)` answers. `request`: `{ host, method, path, headers: [[name, value]], header(name),
   * body, at, gone }`; `gone` is a signal that the other side left. `respond(status, headers, body)` sends all at
   * once (a body of chunks may be an iterable); `respond.head`, `.write` (resolves when there is room), `.end` send bit by
   * bit; `respond.destroy()` closes the connection. Who does none of it never answers. With `early`, the handler runs
   * before the body is read; `await request.read()` reads it. `dns: null` leaves its name as it is.
   */
  host(name, handler, { dns = { A: [PUBLIC_ADDRESS] }, early = false } = {}) {
    this.#hosts.set(name, { handler, early });
    if (dns !== null) this.#resolvers.say(name, dns);
  }

  /** What the resolvers say about a name: see resolvers.mjs. */
  dns(name, answer, options) {
    this.#resolvers.say(name, answer, options);
  }

  /** How a whole resolver behaves: see resolvers.mjs. */
  resolver(name, answer) {
    this.#resolvers.fault(name, answer);
  }

  /** The queries so far, for one name if it is given. */
  queries(name) {
    return this.#resolvers.queries.filter((query) => name === undefined || query.name === name);
  }

  /** The requests so far, to one host if it is given; else to all but the resolvers. */
  requests(host) {
    return this.#requests.filter((request) => (host === undefined ? !RESOLVERS.includes(request.host) : request.host === host));
  }

  /** A plain listener that nothing should ever reach: `{ address, connections }`. */
  async privateListener(address = "127.0.0.1") {
    const listener = { connections: 0 };
    const server = createServer((socket) => {
      listener.connections += 1;
      socket.destroy();
    });
    this.#listeners.push(server);
    await listen(server, address);
    listener.address = `${address}:${server.address().port}`;
    return listener;
  }

  async close() {
    for (const server of [this.#server, ...this.#listeners]) server.close();
    for (const socket of this.#sockets) socket.destroy();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #arrive(incoming, outgoing) {
    const request = received(incoming, outgoing);
    const respond = responder(outgoing);
    this.#requests.push(request);
    const isResolver = RESOLVERS.includes(request.host);
    const { handler, early } = isResolver ? { handler: (...both) => this.#resolvers.handle(...both) } : (this.#hosts.get(request.host) ?? {});
    try {
      if (handler === undefined) return respond.destroy();
      if (!early) await request.read();
      await handler(request, respond);
    } catch (error) {
      // Who went away has seen what it has seen; anything else is a fault of the test.
      if (!outgoing.destroyed) throw error;
    }
  }
}

async function listen(server, address = "127.0.0.1") {
  server.listen(0, address);
  await once(server, "listening");
}

function received(incoming, outgoing) {
  const { rawHeaders, method, url: path, headers } = incoming;
  const gone = new AbortController();
  outgoing.on("close", () => outgoing.writableFinished || gone.abort());
  const request = {
    host: headers.host,
    method,
    path,
    headers: Array.from({ length: rawHeaders.length / 2 }, (_, n) => [rawHeaders[2 * n], rawHeaders[2 * n + 1]]),
    at: Date.now(),
    gone: gone.signal,
    body: undefined,
    /** The only value of a header: undefined where there is none, a failure where there are two. */
    header(name) {
      const values = request.headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
      if (values.length > 1) throw new Error(`${values.length} headers ${name}`);
      return values[0];
    },
    async read() {
      const chunks = [];
      for await (const chunk of incoming) chunks.push(chunk);
      request.body = Buffer.concat(chunks);
      return request.body;
    },
  };
  return request;
}

function roomOrEnd(outgoing) {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}

function responder(outgoing) {
  const respond = async (status, headers = {}, body = "") => {
    const isWhole = typeof body === "string" || Buffer.isBuffer(body);
    respond.head(status, isWhole ? { "content-length": Buffer.byteLength(body), ...headers } : headers);
    if (isWhole) return respond.end(body);
    for await (const chunk of body) await respond.write(chunk);
    return respond.end();
  };
  respond.head = (status, headers = {}) => {
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders();
  };
  respond.write = async (chunk) => {
    if (!outgoing.write(chunk)) await roomOrEnd(outgoing);
    if (outgoing.destroyed) throw new Error("the other side left while it was written to");
  };
  /** Ends the answer; with `hangUp`, the connection too, once all of it is on its way. */
  respond.end = (chunk, { hangUp = false } = {}) => outgoing.end(chunk, hangUp ? () => outgoing.socket?.destroySoon() : undefined);
  respond.destroy = () => outgoing.destroy();
  return respond;
}
