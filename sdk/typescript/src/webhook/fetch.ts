import { announcesTooMuch, BodyCollector, type BodyRead, BROKEN, TOO_LARGE } from "./body.js";
import { Endpoint, type KeepAlive } from "./endpoint.js";
import { HeaderList } from "./headers.js";
import type { WebhookOptions } from "./options.js";

const ALREADY_READ: BodyRead = {
  fault: "already_read",
  fix: "hand the request to this handler before anything calls its json(), text() or arrayBuffer(), or hand over a clone() made before that",
};

/**
 * A handler for everything that speaks `Request` and `Response`: Cloudflare Workers, Deno, Bun, Next, Hono. Of further
 * arguments it uses the one that has `waitUntil`, so that the runtime lets a call end when the gateway has hung up.
 */
export function toolHandler(options: WebhookOptions): (request: Request, ...context: unknown[]) => Promise<Response> {
  const endpoint = new Endpoint(options);
  return async (request, ...context) => {
    const headers = new HeaderList(request.headers);
    const reply = await endpoint.answer({ method: request.method, headers, body: () => readBody(request, headers) }, keepAliveOf(context));
    return new Response(reply.body === "" ? null : reply.body, { status: reply.status, headers: reply.headers });
  };
}

async function readBody(request: Request, headers: HeaderList): Promise<BodyRead> {
  if (request.bodyUsed || request.body?.locked === true) return ALREADY_READ;
  if (announcesTooMuch(headers.one("content-length"))) return TOO_LARGE;
  const collector = new BodyCollector();
  if (request.body === null) return collector.read;
  const reader = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return collector.read;
      if (!collector.add(value)) {
        await reader.cancel();
        return TOO_LARGE;
      }
    }
  } catch {
    return BROKEN;
  }
}

function keepAliveOf(context: readonly unknown[]): KeepAlive | undefined {
  const host = context.find(hasWaitUntil);
  return host && ((work) => host.waitUntil(work));
}

function hasWaitUntil(value: unknown): value is { waitUntil: KeepAlive } {
  return typeof value === "object" && value !== null && "waitUntil" in value && typeof value.waitUntil === "function";
}
