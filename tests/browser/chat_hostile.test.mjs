// Text of others on the chat page: whatever a model, a tool, a title or a name says is shown and never runs, loads or leads away.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { asking, barrier, chatting, say, turn, words } from "./support/chatting.mjs";
import { activity, AGENT_KEY, APPROVER_KEY, called, finished, result, said } from "./support/played_gateway.mjs";

const at = chatting();
const { payloads } = JSON.parse(await readFile(new URL("../vectors/xss.json", import.meta.url), "utf8"));

/** Opens whatever can be opened, points at and clicks what is drawn: what sleeps in an attribute would wake. */
async function disturb(page) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const element of document.querySelectorAll(".transcript *, .side *")) {
      for (const type of ["mouseover", "mousemove", "mouseenter", "pointerover", "focus", "error", "load", "toggle", "animationend"]) element.dispatchEvent(new Event(type, { bubbles: true }));
      if (element.tagName !== "A" && element.tagName !== "BUTTON" && element.tagName !== "SUMMARY" && element.closest("a, button, summary") === null) element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
  });
}

/** No element or attribute of a payload became one of the page. */
async function mustBePlain(page) {
  const found = await page.evaluate(() => {
    const bad = [];
    for (const element of document.querySelectorAll(".transcript *, .side *")) {
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
const mapOf = (text) => ({ center: [1, 2], zoom: 5, features: { type: "FeatureCollection", features: [{ type: "Feature", geometry: { type: "Point", coordinates: [2, 1] }, properties: { name: text, popup: text, title: text, "marker-symbol": "https://evil.invalid/m.png" } }] } });

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
    const page = await at.chat({ viewport: { width: 900, height: 700 }, scripts: [[...some.flatMap(({ text }, number) => [activity(`k${number}`, "application/json+echart", chartOf(text)), activity(`m${number}`, "application/json+leaflet", mapOf(text))]), ...said("end", "Drawn.")]] });
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
