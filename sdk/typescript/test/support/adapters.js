import { createServer, request as httpRequest } from "node:http";
import { connect, createServer as createHttp2Server } from "node:http2";
import express5 from "express";
import express4 from "express4";
import fastify from "fastify";
import { Hono } from "hono";
import { fastifyTools, lambdaHandler, mountTools, nodeHandler, toolHandler } from "../../dist/index.js";

/** Listens on a free port of this machine until the test is over. */
export async function listen(t, server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return server.address().port;
}

/** The same over HTTP/2, which knows neither lengths that differ from the body nor names in capitals. */
function overHttp2(t, port) {
  const session = connect(`http://127.0.0.1:${port}`);
  t.after(() => session.destroy());
  return ({ method, headers, body, chunks }) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":method": method, ":path": "/toolgate", ...lists(headers.map(([name, value]) => [name.toLowerCase(), value])) });
      let answered;
      const parts = [];
      stream.on("response", (received) => (answered = received));
      stream.on("data", (part) => parts.push(part));
      stream.on("error", reject);
      stream.on("end", () => {
        const { ":status": status, ...rest } = answered;
        resolve({ status, headers: rest, body: Buffer.concat(parts).toString() });
      });
      for (const chunk of chunks ?? [body]) stream.write(chunk);
      stream.end();
    });
}

/** Sends what a test wrote, header lines as they stand. `chunks` sends the body without a length. */
export function over(port, path = "/toolgate") {
  return ({ method, headers, body, chunks }) =>
    new Promise((resolve, reject) => {
      const length = chunks === undefined && !headers.some(([name]) => name.toLowerCase() === "content-length") ? [["content-length", body.length]] : [];
      const lines = [["host", "tools.test"], ...headers, ...length, ...(chunks ? [["transfer-encoding", "chunked"]] : [])];
      const request = httpRequest({ host: "127.0.0.1", port, method, path, headers: lines.flat(), agent: false, setHost: false }, async (response) => {
        const parts = [];
        for await (const part of response) parts.push(part);
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString() });
      });
      request.on("error", reject);
      for (const chunk of chunks ?? [body]) request.write(chunk);
      request.end();
    });
}

const readResponse = async (response) => ({ status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() });
const readLambda = ({ statusCode: status, headers, body }) => ({ status, headers, body });

const streamed = (chunks) => new ReadableStream({ start: (controller) => (chunks.forEach((chunk) => controller.enqueue(chunk)), controller.close()) });

/** A `Request` as a runtime makes it; a body without a length where the test has chunks. */
export function requestOf({ method, headers, body, chunks }) {
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request("https://tools.test/toolgate", { method, headers, ...(hasBody ? { body: chunks ? streamed(chunks) : body, duplex: "half" } : {}) });
}

const express = (make) => async (t, options, before) => {
  const app = make();
  if (before) app.use(make[before]());
  mountTools(app, options);
  return over(await listen(t, createServer(app)));
};

const lambda = (event) => (_t, options) => {
  const handle = lambdaHandler(options);
  return async (request) => readLambda(await handle(event(request)));
};

const joined = (headers) => Object.fromEntries(new Headers(headers));
const lists = (headers) => {
  const map = {};
  for (const [name, value] of headers) (map[name] ??= []).push(value);
  return map;
};
const last = (headers) => Object.fromEntries(headers);

export const restEvent = ({ method, headers, body }, isBase64Encoded) => ({
  resource: "/{proxy+}", path: "/toolgate", httpMethod: method, headers: last(headers), multiValueHeaders: lists(headers), queryStringParameters: null,
  pathParameters: null, stageVariables: null, requestContext: { accountId: "1", stage: "prod", httpMethod: method, protocol: "HTTP/1.1" },
  body: body.length === 0 ? null : body.toString(isBase64Encoded ? "base64" : "utf8"), isBase64Encoded,
});
export const httpEvent = ({ method, headers, body }, isBase64Encoded) => ({
  version: "2.0", routeKey: "$default", rawPath: "/toolgate", rawQueryString: "", headers: joined(headers),
  requestContext: { accountId: "1", http: { method, path: "/toolgate", protocol: "HTTP/1.1", sourceIp: "192.0.2.1" }, stage: "$default" },
  ...(body.length === 0 ? {} : { body: body.toString(isBase64Encoded ? "base64" : "utf8") }), isBase64Encoded,
});
export const balancerEvent = ({ method, headers, body }, hasLists) => ({
  requestContext: { elb: { targetGroupArn: "arn" } }, httpMethod: method, path: "/toolgate", queryStringParameters: {},
  ...(hasLists ? { multiValueHeaders: lists(headers) } : { headers: joined(headers) }), body: body.toString("base64"), isBase64Encoded: true,
});

/** Every door by which a request comes in: `await door(t, options)` gives a function that sends one. */
export const doors = {
  "Node http": async (t, options) => over(await listen(t, createServer(nodeHandler(options)))),
  "Node http2": async (t, options) => {
    const server = createHttp2Server(nodeHandler(options));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    return overHttp2(t, server.address().port);
  },
  "Express 4": express(express4),
  "Express 5": express(express5),
  "Express 5 after a parser of other types": (t, options) => express(express5)(t, options, "urlencoded"),
  "Express 4 after express.raw of other types": (t, options) => express(express4)(t, options, "raw"),
  Fastify: async (t, options) => {
    const app = fastify();
    await app.register(fastifyTools, options);
    await app.ready();
    return over(await listen(t, app.server));
  },
  "a fetch handler": (_t, options) => {
    const handler = toolHandler(options);
    return async (request) => readResponse(await handler(requestOf(request)));
  },
  Hono: (_t, options) => {
    const handler = toolHandler(options);
    const app = new Hono();
    app.all("/toolgate", (c) => handler(c.req.raw));
    return async (request) => readResponse(await app.fetch(requestOf(request)));
  },
  "Lambda v1": lambda((request) => restEvent(request, false)),
  "Lambda v1, base64": lambda((request) => restEvent(request, true)),
  "Lambda v2": lambda((request) => httpEvent(request, false)),
  "Lambda v2, base64": lambda((request) => httpEvent(request, true)),
  "a load balancer": lambda((request) => balancerEvent(request, false)),
};
