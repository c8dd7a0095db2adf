// A team of Cloudflare Access that a test plays: its published keys, and tokens with real RSA signatures.
import { generateKeyPairSync, sign } from "node:crypto";

const TEAM = "acme.cloudflareaccess.com";

/** Part of a token, as it stands in one. */
export const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
export const seconds = () => Math.floor(Date.now() / 1000);

export class Team {
  /** Variables of a gateway that takes this team's word for the console of the org `signed`. */
  static vars = {
    TOOLGATE_ACCESS_TEAM: "acme", TOOLGATE_ACCESS_AUD: "tag", TOOLGATE_ACCESS_ORG: "signed", TOOLGATE_ACCESS_ADMINS: "boss@acme.test", TOOLGATE_ACCESS_PRINCIPALS: "email",
  };
  pairs = Object.fromEntries(["one", "two", "stranger"].map((name) => [name, generateKeyPairSync("rsa", { modulusLength: 2048 })]));
  /** How often the keys were asked for. */
  asked = 0;
  #internet;

  constructor(internet) {
    this.#internet = internet;
    this.publish("one");
  }

  /** These are the team's keys from now on. */
  publish(...names) {
    const keys = names.map((kid) => ({ ...this.pairs[kid].publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" }));
    this.answer(JSON.stringify({ keys }));
  }

  /** The team's host answers with this text where its keys should be. */
  answer(text) {
    this.#internet.host(TEAM, ({ path }, respond) => {
      this.asked += 1;
      respond(path === "/cdn-cgi/access/certs" ? 200 : 404, { "content-type": "application/json" }, text);
    });
  }

  token({ key = "one", kid = key, header = {}, claims = {} } = {}) {
    const head = part({ alg: "RS256", typ: "JWT", kid, ...header });
    const all = { iss: `https://${TEAM}`, aud: ["tag"], iat: seconds(), nbf: seconds(), exp: seconds() + 600, email: "Ann@acme.test", sub: "u", type: "app", ...claims };
    const signed = `${head}.${part(all)}`;
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), this.pairs[key].privateKey).toString("base64url")}`;
  }
}
