import { ConfigurationError } from "../errors.js";
import { Endpoint } from "./endpoint.js";
import { answerNode, type NodeRequest, type NodeResponse, writeReply } from "./node.js";
import { checkedPath, type MountOptions } from "./options.js";

/** An Express application or router, version 4 or 5. */
export interface ExpressApp {
  all(path: string, handler: (request: any, response: any) => void): unknown;
}

const FIX = "call mountTools before app.use(express.json()), or keep that parser away from this path";

/**
 * Serves the tools at one path of an Express app, `/toolgate` unless it is told otherwise. It reads the body itself, so no
 * body parser may come before it.
 */
export function mountTools(app: ExpressApp, options: MountOptions): void {
  checkApp(app);
  const path = checkedPath(options.path);
  const endpoint = new Endpoint(options);
  app.all(path, (request: NodeRequest, response: NodeResponse) => {
    void answerNode(endpoint, request, FIX).then((reply) => writeReply(response, reply));
  });
}

// The other frameworks have an `all` too, and hand it something else.
function checkApp(app: unknown): asserts app is ExpressApp {
  const has = (name: string) => app !== null && (typeof app === "function" || typeof app === "object") && typeof Reflect.get(app, name) === "function";
  if (has("addContentTypeParser")) throw new ConfigurationError("this is a Fastify instance: use app.register(fastifyTools, { tools, secret })");
  if (has("fetch")) throw new ConfigurationError("this app speaks Request and Response: use app.all(path, (c) => handler(c.req.raw)) with toolHandler({ tools, secret })");
  if (!has("all")) throw new ConfigurationError("app must be an Express application or router; for plain Node use nodeHandler, for others toolHandler");
}
