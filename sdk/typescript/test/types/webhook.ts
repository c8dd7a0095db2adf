import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { type CallMemory, fastifyTools, lambdaHandler, mountTools, nodeHandler, toolHandler, verifyWebhook } from "@toolgate/sdk";
import { toolHandler as fromSubpath, tool, type WebhookOptions } from "@toolgate/sdk/webhook";
import { assertType, type Equal } from "./equal.js";

const look = tool({ name: "look", description: "A tool.", sideEffect: "read_only", input: {}, handler: () => null });

declare const redis: { get(key: string): Promise<string | null>; set(key: string, value: string, options: { EX: number }): Promise<string | null> };
const memory: CallMemory = {
  get: (key) => redis.get(`toolgate:${key}`),
  put: (key, value, seconds) => redis.set(`toolgate:${key}`, value, { EX: seconds }),
};
const options: WebhookOptions = { tools: [look], secret: process.env["TOOLGATE_WEBHOOK_SECRET"], memory };

mountTools(express(), options);
mountTools(express.Router(), { ...options, path: "/hooks/tools" });
createServer(nodeHandler(options));
createHttp2Server(nodeHandler(options));
void fastify().register(fastifyTools, options);
void fastify().register(fastifyTools, { ...options, path: "/tools", prefix: "/hooks" });

const handler = toolHandler({ tools: [look], secret: ["whsec_new", "whsec_old"] });
assertType<Equal<Parameters<typeof handler>, [request: Request, ...context: unknown[]]>>();
assertType<Equal<ReturnType<typeof handler>, Promise<Response>>>();
assertType<Equal<typeof toolHandler, typeof fromSubpath>>();
new Hono().all("/toolgate", (c) => handler(c.req.raw));

// What Next asks of a route, and Cloudflare of a Worker.
export const POST: (request: Request, context: { params: Promise<{ id: string }> }) => Promise<Response> = handler;
export default { fetch: handler } satisfies { fetch(request: Request, env: { SECRET: string }, ctx: { waitUntil(work: Promise<unknown>): void }): Promise<Response> };

// The forms of API Gateway's types, which have more members than are read here.
interface RestEvent {
  body: string | null;
  headers: { [name: string]: string | undefined };
  multiValueHeaders: { [name: string]: string[] | undefined };
  httpMethod: string;
  isBase64Encoded: boolean;
  path: string;
  requestContext: { accountId: string; httpMethod: string };
}
interface HttpEvent {
  version: string;
  headers: { [name: string]: string | undefined };
  requestContext: { http: { method: string; path: string } };
  body?: string;
  isBase64Encoded: boolean;
}
const onLambda = lambdaHandler(options);
export const rest: (event: RestEvent) => Promise<{ statusCode: number; body: string }> = onLambda;
export const http: (event: HttpEvent) => Promise<{ statusCode?: number; body?: string }> = onLambda;

void verifyWebhook({ headers: new Headers(), body: new Uint8Array(), secret: "whsec_", toleranceSeconds: Number.POSITIVE_INFINITY });
void verifyWebhook({ headers: { "Webhook-Id": ["a"], other: undefined }, body: new Uint8Array(), secret: "whsec_" });
void verifyWebhook({ headers: [["webhook-id", "a"]], body: new Uint8Array(), secret: "whsec_" });

// @ts-expect-error a webhook without a secret cannot exist
mountTools(express(), { tools: [look] });
// @ts-expect-error a body is bytes
void verifyWebhook({ headers: {}, body: "{}", secret: "whsec_" });
