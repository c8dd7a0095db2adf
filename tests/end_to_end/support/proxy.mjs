// A TCP proxy between a worker or a caller and the gateway that behaves as bad lines do, request by request.
import { once } from "node:events";
import { connect, createServer } from "node:net";

const GATEWAY_TIMEOUT = "HTTP/1.1 504 Gateway Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/**
 * `fate(what, n)` says what becomes of the n-th request (from 1) of a kind (a worker's `claims`, `results`, …; a caller's
 * `calls`, which are submissions, and `get_calls`): `pass`; `swallow`: it arrives, the reply never does, the connection
 * stays open; `cut`: it arrives, and instead of the reply the connection is closed; `deaf`: it does not arrive, and
 * nothing ever comes; `idle`: like a proxy that answers 504 to what takes long.
 */
export class Proxy {
  static #all = new Set();
  /** Requests seen, by kind. */
  counts = {};
  #server;
  #sockets = new Set();

  static async start(gateway, fate, { idleMs = 1_500 } = {}) {
    const proxy = new Proxy();
    const port = Number(new URL(gateway.url).port);
    proxy.#server = createServer((client) => proxy.#connection(client, connect(port, "127.0.0.1"), fate, idleMs));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    Proxy.#all.add(proxy);
    return proxy;
  }

  static stopAll() {
    for (const proxy of Proxy.#all) proxy.stop();
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  stop() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #connection(client, upstream, fate, idleMs) {
    let present = "pass";
    let timer;
    const end = () => {
      clearTimeout(timer);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on("error", end).on("close", () => this.#sockets.delete(socket));
    }
    client.on("close", end);
    client.on("data", (chunk) => {
      const what = kindOf(chunk.toString("latin1"));
      if (what !== undefined) {
        this.counts[what] = (this.counts[what] ?? 0) + 1;
        present = fate(what, this.counts[what]);
        if (present === "idle") timer = setTimeout(() => client.end(GATEWAY_TIMEOUT), idleMs);
      }
      if (present !== "deaf") upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      clearTimeout(timer);
      if (present === "cut") end();
      else if (present === "pass" || present === "idle") client.write(chunk);
    });
    upstream.on("close", () => present !== "swallow" && present !== "deaf" && client.end());
  }
}

/** What a request is, by its first line; undefined for all that no test has a fate for. */
function kindOf(text) {
  const submission = text.match(/^POST \/v1\/(?:pools\/[^/]+\/)?(\w+) HTTP/)?.[1];
  return submission ?? (/^GET \/v1\/calls\/\w/.test(text) ? "get_calls" : undefined);
}
