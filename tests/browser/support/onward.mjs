// Hands a request on to a gateway, and its answer back as it comes: what a proxy of a test does with what it lets through.
import { request } from "node:http";

export function onward(url, headers, incoming, outgoing) {
  const sent = request(url, { method: incoming.method, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
  });
  // Whoever leaves takes the other side along.
  outgoing.on("close", () => sent.destroy());
  sent.on("error", () => outgoing.destroy());
  incoming.pipe(sent);
}
