import { Endpoint } from "./endpoint.js";
import { answerNode, type NodeRequest } from "./node.js";
import { checkedPath, type MountOptions } from "./options.js";

/** What is used of a Fastify instance, version 5. */
export interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parser: (request: any, payload: any, done: (error: Error | null, body?: any) => void) => void): unknown;
  all(path: string, handler: (request: any, reply: any) => Promise<unknown>): unknown;
}

interface FastifyReply {
  code(status: number): FastifyReply;
  headers(values: Readonly<Record<string, string>>): FastifyReply;
  send(body: string): FastifyReply;
}

const FIX = "register fastifyTools as a plugin of its own (not through fastify-plugin), and let no hook read the payload before it";

/** `app.register(fastifyTools, { tools, secret })`. In its own scope nothing parses bodies; the rest of the app keeps its parsers. */
export async function fastifyTools(scope: FastifyScope, options: MountOptions): Promise<void> {
  const path = checkedPath(options.path);
  const endpoint = new Endpoint(options);
  scope.removeAllContentTypeParsers();
  // Leaves the stream alone: the handler reads it, under the cap of the protocol.
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  scope.all(path, async ({ raw }: { raw: NodeRequest }, response: FastifyReply) => {
    const { status, headers, body } = await answerNode(endpoint, raw, FIX);
    return response.code(status).headers(headers).send(body);
  });
}
