import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2, constants, createServer as createHttp2Server } from "node:http2";
import { connect } from "node:net";
import { test } from "node:test";
import express5 from "express";
import express4 from "express4";
import fastify from "fastify";
import { Hono } from "hono";
import { ConfigurationError, fastifyTools, lambdaHandler, mountTools, nodeHandler, toolHandler } from "../dist/index.js";
import { balancerEvent, httpEvent, listen, over, requestOf } from "./support/adapters.js";
import { deferred } from "./support/network.js";
import { assertSilent, endpointOptions, readReply, signed, signedCall } from "./support/webhook.js";

const handlers = { look: () => "seen" };
const untouched = { look: () => assert.fail("nothing runs") };

const app = (make, ...before) => async (t, options) => {
  const express = make();
  for (const each of before) express.use(each);
  mountTools(express, options);
  return over(await listen(t, createServer(express)));
};

const readResponse = async (response) => ({ status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() });

/** Ways to lose the body before the handler has it, and what the log must tell to do. */
const LOST = {
  "express.json() of Express 4": [app(express4, express4.json()), /mountTools before app\.use\(express\.json\(\)\)/],
  "express.json() of Express 5": [app(express5, express5.json()), /mountTools before app\.use\(express\.json\(\)\)/],
  "express.text()": [app(express5, express5.text({ type: "*/*" })), /mountTools before/],
  "the default parser of Fastify": [
    async (t, options) => {
      const server = fastify();
      const handle = nodeHandler(options);
      server.post("/toolgate", (request, reply) => (reply.hijack(), handle(request.raw, reply.raw)));
      await server.ready();
      return over(await listen(t, server.server));
    },
    /before any body parser/,
  ],
  "a hook of Fastify that reads the payload": [
    async (t, options) => {
      const server = fastify();
      server.addHook("preParsing", async (request, _reply, payload) => (await payload.toArray(), payload));
      await server.register(fastifyTools, options);
      await server.ready();
      return over(await listen(t, server.server));
    },
    /let no hook read the payload/,
  ],
  "setEncoding of a Node stream": [
    async (t, options) => {
      const handle = nodeHandler(options);
      return over(await listen(t, createServer((request, response) => (request.setEncoding("utf8"), handle(request, response)))));
    },
    /before any body parser/,
  ],
  "c.req.json() of Hono": [
    async (_t, options) => {
      const handler = toolHandler(options);
      const hono = new Hono();
      hono.use(async (c, next) => (await c.req.json(), next()));
      hono.post("/toolgate", (c) => handler(c.req.raw));
      return async (request) => readResponse(await hono.fetch(requestOf(request)));
    },
    /before anything calls its json\(\)/,
  ],
  "request.text() of a route": [
    async (_t, options) => {
      const handler = toolHandler(options);
      return async (request) => {
        const given = requestOf(request);
        await given.text();
        return readResponse(await handler(given));
      };
    },
    /before anything calls its json\(\)/,
  ],
  "a reader that somebody holds": [
    async (_t, options) => {
      const handler = toolHandler(options);
      return async (request) => {
        const given = requestOf(request);
        given.body.getReader();
        return readResponse(await handler(given));
      };
    },
    /clone\(\)/,
  ],
  "a middleware of Lambda": [
    async (_t, options) => {
      const handle = lambdaHandler(options);
      return async (request) => {
        const { statusCode: status, ...rest } = await handle({ ...httpEvent(request, false), body: JSON.parse(request.body) });
        return { status, ...rest };
      };
    },
    /middleware parses its body/,
  ],
};

for (const [what, [open, fix]] of Object.entries(LOST)) {
  test(`a body lost to ${what} is an error that names cause and fix, never a bad signature`, async (t) => {
    const options = endpointOptions(untouched);
    const send = await open(t, options);
    assertSilent(await send(signedCall(options.secret)), 500);
    assert.equal(options.logger.lines.length, 1);
    assert.ok(options.logger.has("error", /already read.*body_already_read/));
    assert.ok(options.logger.has("error", fix), options.logger.lines[0].text);
    assert.doesNotMatch(options.logger.lines[0].text, /wrong|another secret/);
  });
}

const keepRaw = (name) => (request, _response, next) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
    request.body = { parsed: "by the host" };
    request[name] = Buffer.concat(chunks);
    next();
  });
};

for (const [what, open] of Object.entries({
  "express.raw() of Express 4": app(express4, express4.raw({ type: "*/*" })),
  "express.raw() of Express 5": app(express5, express5.raw({ type: "*/*" })),
  "a host that sets rawBody": app(express5, keepRaw("rawBody")),
})) {
  test(`bytes that were kept by ${what} are verified like any others`, async (t) => {
    const options = endpointOptions(handlers);
    const send = await open(t, options);
    const request = signedCall(options.secret);
    assert.equal(readReply(await send(request), request, options.secret).result, "seen");
    assertSilent(await send({ ...request, body: Buffer.from(`${request.body} `) }), 401);
    assert.ok(options.logger.has("warn", /body_altered/));
  });
}

test("a clone made before the body was read still serves", async () => {
  const options = endpointOptions(handlers);
  const handler = toolHandler(options);
  const request = signedCall(options.secret);
  const given = requestOf(request);
  const clone = given.clone();
  await given.json();
  assert.equal(readReply(await readResponse(await handler(clone)), request, options.secret).result, "seen");
});

test("mounted at a path of one's own, in a router, beside parsers for the rest", async (t) => {
  const options = endpointOptions(handlers);
  const express = express5();
  const router = express5.Router();
  mountTools(router, { ...options, path: "/v1/tools" });
  express.use("/hooks", router);
  express.use(express5.json());
  express.post("/other", (request, response) => void response.json(request.body));
  const port = await listen(t, createServer(express));
  const request = signedCall(options.secret);
  assert.equal(readReply(await over(port, "/hooks/v1/tools")(request), request, options.secret).result, "seen");
  assert.deepEqual(JSON.parse((await over(port, "/other")(request)).body), JSON.parse(request.body));
  assert.equal((await over(port)(request)).status, 404);
});

test("Fastify keeps its parsers for the rest of the app, and its prefixes", async (t) => {
  const options = endpointOptions(handlers);
  const server = fastify();
  server.post("/other", async (request) => request.body);
  await server.register(fastifyTools, { ...options, path: "/tools", prefix: "/hooks" });
  await server.ready();
  const port = await listen(t, server.server);
  const request = signedCall(options.secret);
  assert.equal(readReply(await over(port, "/hooks/tools")(request), request, options.secret).result, "seen");
  assert.deepEqual(JSON.parse((await over(port, "/other")(request)).body), JSON.parse(request.body));
});

test("what is no Express app is told what to use instead", () => {
  const options = endpointOptions(handlers);
  assert.throws(() => mountTools(fastify(), options), { name: "ConfigurationError", message: /fastifyTools/ });
  assert.throws(() => mountTools(new Hono(), options), { name: "ConfigurationError", message: /toolHandler/ });
  for (const nothing of [undefined, null, {}, "app", createServer()]) assert.throws(() => mountTools(nothing, options), ConfigurationError);
  for (const path of ["toolgate", "", "/a b", "/:id", "/a*", "/a?b", 7]) assert.throws(() => mountTools(express5(), { ...options, path }), /path must begin with/);
});

test("an empty body that somebody read first was empty all the same", async (t) => {
  const options = endpointOptions(untouched);
  const send = await app(express5, (request, _response, next) => void request.resume().on("end", next))(t, options);
  assertSilent(await send(signed(options.secret, "")), 204);
  assertSilent(await send(signedCall(options.secret)), 500);
});

test("a body that is too large is refused before it has ended", async (t) => {
  const options = endpointOptions(untouched);
  const port = await listen(t, createServer(nodeHandler(options)));
  const large = 512 * 1024 + 1;
  const { headers } = signed(options.secret, "x");
  for (const [framing, body] of [
    [`content-length: ${large}`, ""],
    ["transfer-encoding: chunked", `${large.toString(16)}\r\n${"x".repeat(large)}\r\n`],
  ]) {
    const socket = connect(port, "127.0.0.1");
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`POST / HTTP/1.1\r\nhost: tools.test\r\n${lines}${framing}\r\n\r\n${body}`);
    const [answer] = await once(socket, "data");
    socket.destroy();
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
  }
  const cancelled = deferred();
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(64 * 1024, "x")), cancel: cancelled.resolve });
  const response = await toolHandler(options)(new Request("https://tools.test/", { method: "POST", headers, body: endless, duplex: "half" }));
  assert.equal(response.status, 413);
  await cancelled.promise;
});

test("a body that breaks off is no message", async (t) => {
  const options = endpointOptions(untouched);
  const handle = nodeHandler(options);
  const [arrived, done] = [deferred(), deferred()];
  const server = createServer((request, response) => {
    request.once("data", arrived.resolve);
    void handle(request, response).then(done.resolve);
  });
  const port = await listen(t, server);
  const { headers, body } = signedCall(options.secret);
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const lines = [...headers, ["host", "tools.test"], ["content-length", body.length]].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /toolgate HTTP/1.1\r\n${lines.join("")}\r\n${body.subarray(0, 20)}`);
  await arrived.promise;
  socket.destroy();
  await done.promise;
  assert.ok(options.logger.has("warn", /did not arrive whole/));
});

test("a stream of HTTP/2 that is cancelled is no message", async (t) => {
  const options = endpointOptions(untouched);
  const handle = nodeHandler(options);
  const [arrived, done] = [deferred(), deferred()];
  const server = createHttp2Server((request, response) => {
    request.once("data", arrived.resolve);
    void handle(request, response).then(done.resolve);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const session = connectHttp2(`http://127.0.0.1:${server.address().port}`);
  t.after(() => (session.destroy(), server.close()));
  const { headers, body } = signedCall(options.secret);
  const stream = session.request({ ":method": "POST", ":path": "/", ...Object.fromEntries(headers), "content-length": body.length });
  stream.on("error", () => {});
  stream.write(body.subarray(0, 20));
  await arrived.promise;
  stream.close(constants.NGHTTP2_CANCEL);
  await done.promise;
  assert.ok(options.logger.has("warn", /did not arrive whole/));
});

test("a call that runs on after its caller has left ends, and its outcome is kept for a repeat", async (t) => {
  const [started, gate] = [deferred(), deferred()];
  let runs = 0;
  const options = endpointOptions({ write_it: async () => ((runs += 1), started.resolve(), gate.promise) });
  const port = await listen(t, createServer(nodeHandler(options)));
  const first = signedCall(options.secret, { tool: "write_it", side_effect: "reversible_write", call: "call_a" });
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const lines = [...first.headers, ["host", "tools.test"], ["content-length", first.body.length]].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST / HTTP/1.1\r\n${lines.join("")}\r\n${first.body}`);
  await started.promise;
  socket.destroy();
  gate.resolve("written");
  const repeat = signedCall(options.secret, { tool: "write_it", side_effect: "reversible_write", call: "call_a" });
  assert.equal(readReply(await over(port)(repeat), repeat, options.secret).result, "written");
  assert.equal(runs, 1);
});

test("a fetch handler takes waitUntil from whichever argument has it", async () => {
  for (const context of [[], [undefined], [{ params: {} }], ["keep"], [{ SECRET: "x" }, "keep"]]) {
    const options = endpointOptions(handlers);
    const kept = [];
    const host = { waitUntil(work) { assert.equal(this, host); kept.push(work); } };
    const request = signedCall(options.secret);
    const response = await toolHandler(options)(requestOf(request), ...context.map((each) => (each === "keep" ? host : each)));
    assert.equal(readReply(await readResponse(response), request, options.secret).result, "seen");
    assert.equal(kept.length, context.includes("keep") ? 1 : 0);
  }
});

test("a load balancer that sends lists of header values is answered with lists", async () => {
  const options = endpointOptions(handlers);
  const handle = lambdaHandler(options);
  const request = signedCall(options.secret);
  const lists = await handle(balancerEvent(request, true));
  assert.deepEqual(lists.multiValueHeaders["webhook-signature"], [lists.headers["webhook-signature"]]);
  assert.equal((await handle(balancerEvent(request, false))).multiValueHeaders, undefined);
  assert.equal((await handle({ ...httpEvent(request, false), multiValueHeaders: {} })).statusCode, 200);
});

test("an event that is no request is refused by name, and broken base64 too", async () => {
  const options = endpointOptions(untouched);
  const handle = lambdaHandler(options);
  assert.equal((await handle({ Records: [] })).statusCode, 405);
  assert.ok(options.logger.has("error", /no HTTP method/));
  assert.equal((await handle({ ...httpEvent(signedCall(options.secret), true), body: "%" })).statusCode, 400);
});
