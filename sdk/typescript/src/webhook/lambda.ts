import { type BodyRead, BROKEN, wholeBody } from "./body.js";
import { Endpoint } from "./endpoint.js";
import { HeaderList } from "./headers.js";
import type { WebhookOptions } from "./options.js";

type HeaderMap = Readonly<Record<string, string | undefined>>;

/** An event of API Gateway (REST: v1; HTTP: v2), of a function URL, or of a load balancer. */
export interface LambdaEvent {
  readonly httpMethod?: string;
  readonly headers?: HeaderMap | null;
  readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly requestContext?: object | null;
}

/** `http` comes with v2, `elb` with load balancers. */
interface EventContext {
  readonly http?: { readonly method?: string };
  readonly elb?: unknown;
}

export interface LambdaReply {
  statusCode: number;
  headers: Record<string, string>;
  /** For load balancers that send lists of header values: they read no others. */
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: false;
}

const ALREADY_READ: BodyRead = {
  fault: "already_read",
  fix: "let this handler see the event before any middleware parses its body, and use a proxy integration without a mapping template",
};

/** A Lambda function. Its process memory is one instance's: give it a `memory` that all instances share. */
export function lambdaHandler(options: WebhookOptions): (event: LambdaEvent) => Promise<LambdaReply> {
  const endpoint = new Endpoint(options);
  return async (event) => {
    const context: EventContext = event.requestContext ?? {};
    const method = context.http?.method ?? event.httpMethod;
    if (method === undefined) endpoint.logger.error("the event has no HTTP method: it comes from none of API Gateway, a function URL, a load balancer");
    const hasLists = Object.keys(event.multiValueHeaders ?? {}).length > 0;
    const headers = new HeaderList((hasLists ? event.multiValueHeaders : event.headers) ?? {});
    const { status, ...reply } = await endpoint.answer({ method: method ?? "", headers, body: async () => readBody(event) });
    const wantsLists = hasLists && context.elb !== undefined;
    return {
      statusCode: status,
      headers: { ...reply.headers },
      ...(wantsLists ? { multiValueHeaders: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, [value]])) } : {}),
      body: reply.body,
      isBase64Encoded: false,
    };
  };
}

function readBody({ body, isBase64Encoded }: LambdaEvent): BodyRead {
  if (body === null || body === undefined) return wholeBody(new Uint8Array());
  if (typeof body !== "string") return ALREADY_READ;
  if (isBase64Encoded !== true) return wholeBody(new TextEncoder().encode(body));
  try {
    return wholeBody(Uint8Array.from(atob(body), (character) => character.charCodeAt(0)));
  } catch {
    return BROKEN;
  }
}
