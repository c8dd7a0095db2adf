// A worker by hand: every message is sent when the test says so.
import { json } from "./client.mjs";

export class RawWorker {
  constructor(door, { pool = "main", name = `raw-${Math.random().toString(36).slice(2)}` } = {}) {
    this.door = door;
    this.pool = pool;
    this.name = name;
  }

  post(what, body, options) {
    return this.door.post(`/v1/pools/${this.pool}/${what}`, body, options);
  }

  /** Registers these tools; the answer's body. */
  async register(tools, more = {}) {
    const answer = await this.post("workers", { worker: this.name, manifest: { tools, ...more } });
    if (answer.status !== 200) throw new Error(`register: ${answer.status} ${answer.text}`);
    this.session = answer.body.session;
    return answer.body;
  }

  poll({ max = 10, wait = 0, session = this.session, ...options } = {}) {
    return this.post("claims", { session, max, wait_seconds: wait }, options);
  }

  /** The jobs of one poll; none of an idle one. */
  async jobs(options) {
    const answer = await this.poll(options);
    if (answer.status === 204) return [];
    if (answer.status !== 200) throw new Error(`poll: ${answer.status} ${answer.text}`);
    return answer.body.jobs;
  }

  /** One job, for which it polls: an idle poll may be answered early. */
  async job(wait = 15) {
    const until = performance.now() + wait * 1000;
    while (performance.now() < until) {
      const [job] = await this.jobs({ max: 1, wait });
      if (job) return job;
    }
    throw new Error("no job came");
  }

  async #claims(what, claims) {
    const answer = await this.post(what, { session: this.session, claims });
    if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer.body.claims;
  }

  /** The status words of these claims. */
  async accept(...claims) {
    return (await this.#claims("accepts", claims)).map(({ status }) => status);
  }

  async giveBack(...claims) {
    return (await this.#claims("returns", claims)).map(({ status }) => status);
  }

  renew(...claims) {
    return this.#claims("renewals", claims);
  }

  /** Sends one result, as JSON text or a value; the status word. */
  async result(claim, value = "null") {
    return this.#outcome(claim, `"result":${typeof value === "string" ? value : json(value)}`);
  }

  /** Sends one result with what goes beside it. */
  async outcome(claim, { result = null, activity }) {
    return this.#outcome(claim, `"result":${json(result)}${activity === undefined ? "" : `,"activity":${json(activity)}`}`);
  }

  async error(claim, error) {
    return this.#outcome(claim, `"error":${json(error)}`);
  }

  async #outcome(claim, member) {
    const answer = await this.post("results", `{"session":${json(this.session)},"results":[{"claim":${json(claim)},${member}}]}`);
    if (answer.status !== 200) throw new Error(`results: ${answer.status} ${answer.text}`);
    return answer.body.results[0].status;
  }
}
