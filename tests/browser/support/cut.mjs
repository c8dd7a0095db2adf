// A network that is cut to the gateway alone: all that Chromium sends goes to this proxy, which lets through what is for the gateway's port, and refuses
// and remembers everything else. Names are not resolved, and nothing goes beside the proxy: no connection to this machine, no datagram.
import { once } from "node:events";
import { createServer } from "node:http";

import { onward } from "./onward.mjs";

/** Where Chromium itself asks about forms, accounts and updates, whatever page is open; about updates without TLS too, where the tunnel is refused. */
const HOUSEKEEPING = /^(?:CONNECT [\w.-]+\.(?:google|googleapis|gvt1)\.com:443$|POST http:\/\/update\.googleapis\.com\/service\/update2\/json\?)/;

export class Cut {
  /** What was let through, and what was refused: one line each. Chromium's own housekeeping is refused like the rest, and not listed. */
  passed = [];
  refused = [];
  #server;
  #sockets = new Set();

  static async around(gateway) {
    const cut = new Cut();
    cut.#server = createServer((incoming, outgoing) => cut.#ask(gateway, incoming, outgoing));
    // A tunnel is for https and WebSockets: the gateway of a test has neither.
    cut.#server.on("connect", ({ url }, socket) => cut.#refuse(`CONNECT ${url}`, () => socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")));
    cut.#server.on("connection", (socket) => cut.#sockets.add(socket.on("close", () => cut.#sockets.delete(socket))));
    cut.#server.listen(0, "127.0.0.1");
    await once(cut.#server, "listening");
    return cut;
  }

  /** For a browser that has no other network. */
  get flags() {
    return [
      `--proxy-server=http://127.0.0.1:${this.#server.address().port}`,
      // Chromium asks loopback addresses itself unless it is told not to.
      "--proxy-bypass-list=<-loopback>",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    ];
  }

  stop() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #ask(gateway, incoming, outgoing) {
    const line = `${incoming.method} ${incoming.url}`;
    if (!incoming.url.startsWith(`${gateway.url}/`)) return this.#refuse(line, () => outgoing.writeHead(403, { "content-type": "text/plain" }).end("refused"));
    this.passed.push(line);
    onward(incoming.url, incoming.headers, incoming, outgoing);
  }

  #refuse(line, answer) {
    if (!HOUSEKEEPING.test(line)) this.refused.push(line);
    answer();
  }
}
