import assert from "node:assert/strict";
import { test } from "node:test";
import { Shop } from "../dist/database.js";
import { shopContexts, shopTools } from "../dist/tools.js";

test("one tool of each class, acting for the principal's tenant under the call's id", (t) => {
  const shop = new Shop(":memory:");
  t.after(() => shop.close());
  const tools = Object.fromEntries(shopTools(shop).map((each) => [each.name, each]));
  assert.deepEqual(
    Object.values(tools).map(({ name, sideEffect, permissions }) => [name, sideEffect, permissions]),
    [["get_order_status", "read_only", undefined], ["update_shipping_note", "reversible_write", undefined], ["refund_order", "consequential", ["refunds:write"]]],
  );
  const ctx = (tenant_id, callId) => ({ callId, principal: { id: "u1", tenant_id, permissions: [] } });
  const refund = { order_id: 1001, amount_cents: 90, reason: "late" };
  tools.refund_order.handler(refund, ctx("acme", "call_1"));
  tools.refund_order.handler(refund, ctx("acme", "call_1"));
  assert.equal(tools.get_order_status.handler({ order_id: 1001 }, ctx("acme", "call_2")).refunded_cents, 90);
  assert.throws(() => tools.update_shipping_note.handler({ order_id: 1001, note: "x" }, ctx("globex", "call_3")), { code: "unknown_order" });
});

test("the context prefetches with a read_only tool of this shop", (t) => {
  const shop = new Shop(":memory:");
  t.after(() => shop.close());
  const readOnly = shopTools(shop).filter(({ sideEffect }) => sideEffect === "read_only").map(({ name }) => name);
  assert.deepEqual(shopContexts.map(({ prefetchTool }) => readOnly.includes(prefetchTool)), [true]);
});
