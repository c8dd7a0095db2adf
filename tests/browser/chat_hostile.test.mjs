// Text of others on the chat page: whatever a model, a tool, a title or a name says is shown and never runs, loads or leads away. Then what axe-core finds.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { faultsOf } from "./support/axe.mjs";
import { asking, barrier, chatting, field, say, turn, words } from "./support/chatting.mjs";
import { activity, AGENT_KEY, APPROVER_KEY, called, CHART, finished, MAP, result, said } from "./support/played_gateway.mjs";

const at = chatting();
const { payloads } = JSON.parse(await readFile(new URL("../vectors/xss.json", import.meta.url), "utf8"));

/** Opens whatever can be opened, points at and clicks what is drawn: what sleeps in an attribute would wake. */
async function disturb(page) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const element of document.querySelectorAll(".transcript *, .cards *, .side *")) {
      for (const type of ["mouseover", "mousemove", "mouseenter", "pointerover", "focus", "error", "load", "toggle", "animationend"]) element.dispatchEvent(new Event(type, { bubbles: true }));
      if (element.tagName !== "A" && element.tagName !== "BUTTON" && element.tagName !== "SUMMARY" && element.closest("a, button, summary") === null) element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
  });
}

/** No element or attribute of a payload became one of the page. */
async function mustBePlain(page) {
  const found = await page.evaluate(() => {
    const bad = [];
    for (const element of document.querySelectorAll(".transcript *, .cards *, .side *")) {
      if (/^(script|iframe|object|embed|base|meta|link|form|video|audio|img|math|style|animate|foreignobject|use|image)$/i.test(element.tagName) && element.closest("form.composer") === null) bad.push(element.outerHTML.slice(0, 200));
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name) || name === "srcdoc" || (/^(href|src|action|formaction|xlink:href)$/i.test(name) && /^\s*(javascript|data|vbscript):/i.test(value))) bad.push(`${name}=${value.slice(0, 200)}`);
        if (name === "href" && element.tagName === "A" && element.target === "_blank" && !/noopener/.test(element.rel)) bad.push(element.outerHTML.slice(0, 200));
      }
    }
    return bad;
  });
  assert.deepEqual(found, []);
}

const chartOf = (text) => ({
  title: { text, link: `javascript:${text}`, subtext: text, sublink: "https://evil.invalid/" },
  backgroundColor: { image: "https://evil.invalid/a.png" },
  tooltip: { formatter: text, extraCssText: "background:url(https://evil.invalid/b.png)", renderMode: "html", className: text, show: true, alwaysShowContent: true },
  legend: { data: [text], icon: "image://https://evil.invalid/c.png" },
  graphic: [{ type: "image", style: { image: "https://evil.invalid/d.png" } }, { type: "text", onclick: "globalThis.ran=1", style: { text } }],
  toolbox: { feature: { dataView: { show: true, optionToContent: "function(){globalThis.ran=1}" } } },
  xAxis: { type: "category", name: text, data: [text, "b"], axisLabel: { formatter: text, rich: { a: { backgroundColor: { image: "https://evil.invalid/e.png" } } } } },
  yAxis: { type: "value", axisLabel: { formatter: `function(){${text}}` } },
  series: [
    { type: "bar", name: text, data: [{ value: 1, name: text, symbol: "image://https://evil.invalid/f.png", itemStyle: { color: "url(https://evil.invalid/g.svg#a)" } }, 2], label: { show: true, formatter: text }, markPoint: { symbol: "image://https://evil.invalid/h.png", data: [{ type: "max", name: text }] } },
    { type: "line", name: text, data: [1, 2], symbol: "image://https://evil.invalid/i.png", lineStyle: { color: text } },
  ],
});
const mapOf = (text, number) => ({ center: [1, 2], zoom: 5, features: { type: "FeatureCollection", features: [{ type: "Feature", geometry: { type: "Point", coordinates: [2, 1] }, properties: { name: text, popup: text, title: text, "marker-symbol": "https://evil.invalid/m.png" } }] } });

test("nothing of the corpus runs as the words of a model, a tool, an offer or a title", async () => {
  at.gateway.items = payloads.map(({ text }, number) => ({ name: `tool_${number}`, description: text, parameters: {}, metadata: { side_effect: text, pool: "main", managed_by: "worker" } }));
  const events = payloads.flatMap(({ text }, number) => [
    { type: "CUSTOM", name: "toolgate.offer", value: { tools: [{ name: text, score: 1, tokens: 1, added: true, reasons: [{ part: text, what: text, said: text, points: 1 }] }], left_out: [{ name: text, reason: text, score: 0 }], budget_tokens: 1, used_tokens: 1 } },
    { type: "REASONING_START", messageId: `s${number}` }, { type: "REASONING_MESSAGE_START", messageId: `r${number}`, role: "reasoning" }, { type: "REASONING_MESSAGE_CONTENT", messageId: `r${number}`, delta: text }, { type: "REASONING_MESSAGE_END", messageId: `r${number}` }, { type: "REASONING_END", messageId: `s${number}` },
    ...said(`a${number}`, `${text}\n\n[${text}](${text}) ![${text}](${text}) <${text}>\n\n| ${text} |\n| --- |\n| ${text} |\n\n\`\`\`${text}\n${text}\n\`\`\`\n\n# ${text}\n\n> - ${text}`),
    ...called(`c${number}`, text, text, `a${number}`),
    { type: "CUSTOM", name: "toolgate.call", value: { toolCallId: `c${number}`, call: text, tool: text, side_effect: text, state: text } },
    result(`c${number}`, text),
    activity(`x${number}`, text, { [text]: text }),
  ]);
  const page = await at.chat({ scripts: [[{ type: "CUSTOM", name: "toolgate.grounding", value: { context_type: payloads[0].text, context_id: payloads[1].text, digest: payloads.map(({ text }) => ({ label: text, value: text })) } }, ...events, ...said("end", "That was all.")]] });
  for (const [number, { text }] of payloads.entries()) at.gateway.thread(`t-${number}`, { title: text });
  await say(page, payloads.map(({ text }) => text).join("\n"));
  await words(page, "That was all.").waitFor();
  await page.getByRole("button", { name: "Tools", exact: true }).click();
  await page.getByText("tool_0", { exact: true }).waitFor();
  await disturb(page);
  await mustBePlain(page);
  // One payload in full, as text.
  const [{ text }] = payloads;
  assert.ok((await page.getByRole("article", { name: "You" }).innerText()).includes(text));
});

test("nothing of the corpus runs in charts, maps and their tables", async () => {
  const step = 12;
  for (let from = 0; from < payloads.length; from += step) {
    const some = payloads.slice(from, from + step);
    const page = await at.chat({ viewport: { width: 900, height: 700 }, scripts: [[...some.flatMap(({ text }, number) => [activity(`k${number}`, "application/json+echart", chartOf(text)), activity(`m${number}`, "application/json+leaflet", mapOf(text, number))]), ...said("end", "Drawn.")]] });
    await say(page, "Draw");
    await words(page, "Drawn.").waitFor();
    await page.waitForFunction((count) => document.querySelectorAll(".chart svg").length === count && document.querySelectorAll("path.map-point").length === count, some.length);
    for (const place of await page.locator("button.place").all()) await place.click();
    await page.locator(".leaflet-popup-content").first().waitFor();
    for (const chart of await page.locator(".chart").all()) await chart.hover({ position: { x: 250, y: 200 } });
    await disturb(page);
    await mustBePlain(page);
    const texts = await page.locator(".leaflet-popup-content p").allInnerTexts();
    assert.ok(texts.every((text) => text.length > 0));
    await page.person.mustBeClean();
    await page.person.close();
  }
});

test("nothing of the corpus runs in questions, barriers and failures", async () => {
  const page = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY], viewport: { width: 700, height: 600 } });
  await turn(page, "request_user_approval", true);
  for (const [number, { text }] of payloads.entries()) {
    const [first, second] = [`c${number}-1`, `c${number}-2`];
    const interrupt = at.gateway.parked(`apr_${number}`, second, JSON.stringify({ note: text }), text);
    interrupt.message = text;
    at.gateway.scripts.push([...called(first, "request_user_approval", JSON.stringify({ action: text, details: text }), `m${number}`), ...called(second, text, JSON.stringify({ note: text }), `m${number}`), finished({ type: "interrupt", interrupts: [interrupt] })], [{ type: "RUN_ERROR", message: text, code: text }]);
    await say(page, text);
    await asking(page).waitFor();
    await barrier(page).getByRole("button", { name: /^Approve/ }).waitFor();
    await mustBePlain(page);
    await asking(page).getByRole("button", { name: /^No/ }).click();
    await page.getByText("The run failed.").waitFor();
    if (number % 10 === 0) await disturb(page);
    await mustBePlain(page);
  }
});

for (const dark of [false, true]) {
  test(`axe-core finds no serious fault, ${dark ? "dark" : "light"}`, async () => {
    at.gateway.items = [{ name: "get_order", description: "Looks up an order.", parameters: {}, metadata: { side_effect: "consequential", pool: "main", managed_by: "worker" } }];
    const page = await at.chat({ dark, keys: [AGENT_KEY, APPROVER_KEY] });
    await turn(page, "request_user_approval", true);
    const interrupt = at.gateway.parked("apr_a", "c2", '{"cents":1200}');
    const all = [...said("a1", "# Head\n\nText with `code`, [a link](https://example.org) and\n\n- a list\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```js\n1 + 1\n```\n\n> quote"), activity("k", "application/json+echart", CHART), activity("m", "application/json+leaflet", MAP), activity("x", "application/x-seats", { row: 7 }), ...called("c1", "request_user_approval", '{"action":"Go on"}', "m"), ...called("c2", "refund_order", '{"cents":1200}', "m"), finished({ type: "interrupt", interrupts: [interrupt] })];
    at.gateway.scripts.push(all);
    await mustPass(page, "empty");
    await say(page, "Show all");
    await page.locator(".chart svg").waitFor();
    await page.locator("path.map-area").waitFor();
    await barrier(page).getByRole("button", { name: /^Reject/ }).click();
    await page.getByRole("button", { name: "Tools", exact: true }).click();
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    await mustPass(page, "full");
    await page.getByRole("button", { name: /^Rename/ }).click();
    await mustPass(page, "dialog");
  });
}

async function mustPass(page, what) {
  assert.deepEqual(await faultsOf(page), [], what);
}

test("everything can be done by keyboard", async () => {
  const page = await at.chat({ keys: [AGENT_KEY, APPROVER_KEY] });
  const to = async (name) => {
    for (let step = 0; step < 60; step += 1) {
      const here = await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "");
      if (name.test(here)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${name} is not reached`);
  };
  await to(/^Tools$/);
  await page.keyboard.press("Enter");
  await to(/^request_user_approval$/);
  await page.keyboard.press("Space");
  const interrupt = at.gateway.parked("apr_k", "c2", '{"cents":1}');
  at.gateway.scripts.push([...called("c1", "request_user_approval", '{"action":"Go on"}', "m"), ...called("c2", "refund_order", '{"cents":1}', "m"), finished({ type: "interrupt", interrupts: [interrupt] })], [finished({ type: "interrupt", interrupts: [interrupt] })], [result("c2", "1"), ...said("a", "All done.")]);
  await field(page).focus();
  await page.keyboard.type("By hand");
  await page.keyboard.press("Enter");
  await asking(page).waitFor();
  await to(/^Yes, go on/);
  await page.keyboard.press("Enter");
  await barrier(page).getByRole("button", { name: /^Approve/ }).waitFor();
  await to(/^Approve/);
  await page.keyboard.press("Enter");
  await words(page, "All done.").waitFor();
});
