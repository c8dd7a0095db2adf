// The gateway's own pages: the same files for everybody, under headers that let nothing else in, and nothing beside them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Gateway } from "./support/gateway.mjs";

const CLOSED = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "set-cookie": null,
  "access-control-allow-origin": null,
};

let gateway;
before(async () => (gateway = await Gateway.start()));
after(() => gateway.stop());

const get = (path, options = {}) => fetch(`${gateway.url}${path}`, { redirect: "manual", ...options });

async function page(path) {
  const answer = await get(path);
  assert.deepEqual([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")], [200, "text/html; charset=utf-8", "no-cache"], path);
  for (const [name, value] of Object.entries(CLOSED)) assert.equal(answer.headers.get(name), value, `${path}: ${name}`);
  const policy = answer.headers.get("content-security-policy");
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"]) assert.ok(policy.includes(rule), rule);
  assert.doesNotMatch(policy, /unsafe|http|\*/);
  return answer.text();
}

test("chat and console are two files, whatever follows in the path", async () => {
  const [chat, console] = [await page("/"), await page("/console")];
  assert.notEqual(chat, console);
  for (const path of ["/chat", "/chat/thread-1"]) assert.equal(await page(path), chat);
  for (const path of ["/console/approvals/apr_made-up", "/console/calls"]) assert.equal(await page(path), console);
  for (const html of [chat, console]) {
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/i, "nothing stands in the page itself that the policy would refuse");
    assert.doesNotMatch(html, /https?:\/\//, "a page names no other host");
  }
});

test("every file that a page names is there, kept for ever, and of its type", async () => {
  const files = new Set([...(await page("/")), "\n", ...(await page("/console"))].join("").match(/\/assets\/[\w.-]+/g));
  assert.ok(files.size >= 3);
  for (const file of files) {
    const answer = await get(file);
    assert.deepEqual([answer.status, answer.headers.get("cache-control")], [200, "public, max-age=31536000, immutable"], file);
    assert.match(answer.headers.get("content-type"), file.endsWith(".css") ? /^text\/css/ : /^text\/javascript|^image\/|^font\//);
    assert.ok((await answer.arrayBuffer()).byteLength > 0);
  }
  const [file] = files;
  const head = await get(file, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});

test("what is no page is not there, and a page takes nothing", async () => {
  for (const path of ["/index.html", "/console.html", "/assets/", "/assets/none.js", "/assets/..%2f..%2fCargo.toml", "/assets/.vite", "/chats", "/consoles", "/package.json"]) {
    const answer = await get(path);
    assert.deepEqual([answer.status, (await answer.json()).code], [404, "not_found"], path);
  }
  for (const path of ["/", "/console", "/chat/x"]) assert.equal((await get(path, { method: "POST", body: "{}" })).status, 404, path);
});

test("map tiles come from a server that the operator names, and from nowhere else", async (t) => {
  assert.deepEqual((await (await get("/v1/site")).json()).tiles, undefined);
  const url = "https://tiles.example/{z}/{x}/{y}.png";
  const named = await Gateway.start({ vars: { TOOLGATE_TILES_URL: url, TOOLGATE_TILES_ATTRIBUTION: "© The Surveyors" } });
  t.after(() => named.stop());
  assert.deepEqual((await (await fetch(`${named.url}/v1/site`)).json()).tiles, { url, attribution: "© The Surveyors" });
  const policy = (await fetch(`${named.url}/`)).headers.get("content-security-policy");
  assert.ok(policy.includes("img-src 'self' data: https://tiles.example;") && policy.includes("connect-src 'self';"));
  const plain = await Gateway.start({ vars: { TOOLGATE_TILES_URL: "http://tiles.example/{z}" } });
  t.after(() => plain.stop());
  assert.equal((await (await fetch(`${plain.url}/v1/site`)).json()).tiles, undefined);
});
