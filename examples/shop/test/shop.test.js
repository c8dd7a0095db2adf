import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Shop } from "../dist/database.js";

/** A freshly seeded shop on a file, and how to open that file once more. */
function open(t) {
  const directory = mkdtempSync(join(tmpdir(), "shop-"));
  const shops = [];
  const again = () => shops[shops.push(new Shop(join(directory, "shop.sqlite"))) - 1];
  t.after(() => {
    for (const shop of shops) shop.close();
    rmSync(directory, { recursive: true });
  });
  return { shop: again(), again };
}

const fails = (work, code) => assert.throws(work, (error) => error.code === code);

test("the seed is there, once", (t) => {
  const { shop, again } = open(t);
  assert.deepEqual(shop.orderStatus("acme", 1001), {
    order_id: 1001, status: "shipped", carrier: "Northpost", eta: "2031-03-14", shipping_note: null, paid_cents: 4990, refunded_cents: 0,
  });
  shop.updateShippingNote("acme", 1001, "ring twice", "call_1");
  assert.equal(again().orderStatus("acme", 1001).shipping_note, "ring twice");
});

test("an order of another tenant is as unknown as one that does not exist", (t) => {
  const { shop } = open(t);
  for (const [tenant, order] of [["acme", 2001], ["globex", 1001], ["acme", 9999], ["", 1001]]) {
    fails(() => shop.orderStatus(tenant, order), "unknown_order");
    fails(() => shop.updateShippingNote(tenant, order, "x", "call_1"), "unknown_order");
    fails(() => shop.refund(tenant, order, 1, "x", "call_2"), "unknown_order");
  }
  assert.equal(shop.orderStatus("globex", 2001).paid_cents, 25000);
});

test("a note is set, replaced and removed", (t) => {
  const { shop } = open(t);
  assert.deepEqual(shop.updateShippingNote("acme", 1001, "ring twice", "call_1"), { order_id: 1001, shipping_note: "ring twice", previous_note: null });
  assert.deepEqual(shop.updateShippingNote("acme", 1001, undefined, "call_2"), { order_id: 1001, shipping_note: null, previous_note: "ring twice" });
  assert.equal(shop.orderStatus("acme", 1001).shipping_note, null);
});

test("a repeat of a call answers with the stored outcome and changes nothing, also from another process's connection", (t) => {
  const { shop, again } = open(t);
  const first = shop.refund("acme", 1001, 1000, "broken", "call_1");
  shop.updateShippingNote("acme", 1001, "a", "call_2");
  shop.updateShippingNote("acme", 1001, "b", "call_3");
  assert.deepEqual(again().refund("acme", 1001, 1000, "broken", "call_1"), first);
  assert.equal(shop.updateShippingNote("acme", 1001, "a", "call_2").shipping_note, "a");
  assert.equal(shop.orderStatus("acme", 1001).shipping_note, "b");
  assert.equal(shop.orderStatus("acme", 1001).refunded_cents, 1000);
  fails(() => shop.refund("globex", 2001, 1000, "broken", "call_1"), "call_id_reused");
  fails(() => shop.refund("acme", 1002, 1000, "broken", "call_2"), "call_id_reused");
});

test("never more is refunded than was paid", (t) => {
  const { shop } = open(t);
  fails(() => shop.refund("acme", 1003, 751, "r", "call_1"), "refund_exceeds_payment");
  fails(() => shop.refund("acme", 1003, 0, "r", "call_2"), "invalid_amount");
  fails(() => shop.refund("acme", 1003, -5, "r", "call_3"), "invalid_amount");
  assert.deepEqual(shop.refund("acme", 1003, 500, "r", "call_4"), { order_id: 1003, amount_cents: 500, refunded_cents: 500, remaining_cents: 250 });
  fails(() => shop.refund("acme", 1003, 251, "r", "call_5"), "refund_exceeds_payment");
  assert.equal(shop.refund("acme", 1003, 250, "r", "call_6").remaining_cents, 0);
  assert.equal(shop.orderStatus("acme", 1003).refunded_cents, 750);
});

test("a refused write leaves no trace: the same call may be tried again", (t) => {
  const { shop } = open(t);
  fails(() => shop.refund("acme", 1003, 751, "r", "call_1"), "refund_exceeds_payment");
  assert.equal(shop.refund("acme", 1003, 750, "r", "call_1").remaining_cents, 0);
});
