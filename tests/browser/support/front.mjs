// What Cloudflare Access is in front of a gateway: who has signed in there has a cookie, and every request of theirs, whatever page sends it, arrives with the
// token of the sign-in in a header. Nobody else's header of that name gets through.
import { once } from "node:events";
import { createServer } from "node:http";

import { onward } from "./onward.mjs";

const COOKIE = "CF_Authorization";
const TOKEN = "cf-access-jwt-assertion";
/** Where a person signs in and out; the token stands in the query, as the team has made it. */
const DOOR = "/cdn-cgi/access/";

export class Front {
  /** Requests that arrived with a token, by method and path. */
  signed = [];
  #server;
  #sockets = new Set();

  static async before(gateway) {
    const front = new Front();
    front.#server = createServer((incoming, outgoing) => {
      if (incoming.url.startsWith(DOOR)) front.#door(new URL(incoming.url, front.url), outgoing);
      else front.#onward(gateway, incoming, outgoing);
    });
    front.#server.on("connection", (socket) => front.#sockets.add(socket.on("close", () => front.#sockets.delete(socket))));
    front.#server.listen(0, "127.0.0.1");
    await once(front.#server, "listening");
    return front;
  }

  /** The address that people know. */
  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** The page of Access that signs in with this token, and leads on. */
  login(token, to) {
    return `${DOOR}login?token=${token}&to=${encodeURIComponent(to)}`;
  }

  get logout() {
    return `${DOOR}logout`;
  }

  stop() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #door(url, outgoing) {
    const isLogin = url.pathname.endsWith("/login");
    const cookie = `${COOKIE}=${isLogin ? url.searchParams.get("token") : ""}; Path=/; HttpOnly; SameSite=Lax${isLogin ? "" : "; Max-Age=0"}`;
    outgoing.writeHead(302, { "set-cookie": cookie, location: url.searchParams.get("to") ?? "/" }).end();
  }

  #onward(gateway, incoming, outgoing) {
    const { [TOKEN]: _forged, cookie = "", ...headers } = incoming.headers;
    const token = cookie.split("; ").find((each) => each.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
    if (token !== undefined) {
      headers[TOKEN] = token;
      this.signed.push(`${incoming.method} ${incoming.url}`);
    }
    // The host stays the one that the browser asked: the gateway's own origin is what people know.
    onward(`${gateway.url}${incoming.url}`, headers, incoming, outgoing);
  }
}
