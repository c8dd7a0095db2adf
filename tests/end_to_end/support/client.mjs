// The HTTP API as text: bodies go and come byte for byte, so that no number passes through a double unseen.
import { request } from "node:http";

const ANSWER_MS = 40_000;

/** JSON text of a value; a number that a double cannot hold must be written as text by the test itself. */
export function json(value) {
  return JSON.stringify(value, (_, each) => {
    if (typeof each === "number" && (!Number.isFinite(each) || (Number.isInteger(each) && !Number.isSafeInteger(each)))) {
      throw new Error(`${each} is not exact: write the JSON text by hand`);
    }
    return each;
  });
}

export class Answer {
  constructor(status, headers, text) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  get body() {
    return JSON.parse(this.text);
  }

  get code() {
    return this.body.code;
  }
}

/** The gateway seen with one key (or none). */
export class Door {
  constructor(gateway, key) {
    this.gateway = gateway;
    this.key = key;
  }

  /** Sends a request; a body that is text or bytes goes as it is. Rejects when the line breaks. */
  send(method, path, body, { headers = {}, signal } = {}) {
    const text = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : json(body);
    const own = { ...(this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }) };
    if (text !== undefined) Object.assign(own, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    const merged = Object.fromEntries(Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined));
    return new Promise((resolve, reject) => {
      const sent = request(`${this.gateway.url}${path}`, { method, headers: merged, agent: false, signal }, (reply) => {
        const chunks = [];
        reply.on("data", (chunk) => chunks.push(chunk));
        reply.on("end", () => resolve(new Answer(reply.statusCode, reply.headers, Buffer.concat(chunks).toString("utf8"))));
        reply.on("error", reject);
      });
      sent.setTimeout(ANSWER_MS, () => sent.destroy(new Error(`no answer in ${ANSWER_MS} ms: ${method} ${path}`)));
      sent.on("error", reject);
      sent.end(text);
    });
  }

  get(path, options) {
    return this.send("GET", path, undefined, options);
  }

  post(path, body, options) {
    return this.send("POST", path, body, options);
  }

  put(path, body, options) {
    return this.send("PUT", path, body, options);
  }

  /** Sends, and fails on any other status than the wanted one. */
  async must(status, method, path, body, options) {
    const answer = await this.send(method, path, body, options);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} instead of ${status}: ${answer.text.slice(0, 500)}`);
    return answer;
  }

  /** Every entry of a list, page by page. */
  async all(path, name) {
    const entries = [];
    let cursor = "";
    do {
      const page = (await this.must(200, "GET", `${path}${path.includes("?") ? "&" : "?"}${cursor}`)).body;
      entries.push(...page[name]);
      cursor = page.next_cursor === undefined ? undefined : `cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== undefined);
    return entries;
  }
}
