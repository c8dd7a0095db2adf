import { type ContextDefinition, type Tool, tool } from "@toolgate/sdk";
import type { Shop } from "./database.js";

/** One tool of each class, over the shop's own functions. */
export function shopTools(shop: Shop): Tool[] {
  const getOrderStatus = tool({
    name: "get_order_status",
    description: "Look up an order's status, carrier, ETA, shipping note, and what was paid and refunded.",
    sideEffect: "read_only",
    input: { order_id: "integer" },
    routing: { keywords: ["order", "status", "where is", "eta", "delivery"] },
    handler: ({ order_id }, ctx) => shop.orderStatus(ctx.principal.tenant_id, order_id),
  });

  const updateShippingNote = tool({
    name: "update_shipping_note",
    description: "Set the note for the carrier on an order; without a note the present one is removed.",
    sideEffect: "reversible_write",
    input: { order_id: "integer", note: "string?" },
    routing: { keywords: ["shipping note", "carrier", "leave", "deliver"] },
    handler: ({ order_id, note }, ctx) => shop.updateShippingNote(ctx.principal.tenant_id, order_id, note, ctx.callId),
  });

  const refundOrder = tool({
    name: "refund_order",
    description: "Refund part or all of what was paid for an order, in cents.",
    sideEffect: "consequential",
    input: { order_id: "integer", amount_cents: "integer", reason: "string" },
    permissions: ["refunds:write"],
    routing: { keywords: ["refund", "money back"], patterns: ["\\bORD-\\d+\\b"] },
    handler: ({ order_id, amount_cents, reason }, ctx) => shop.refund(ctx.principal.tenant_id, order_id, amount_cents, reason, ctx.callId),
  });

  return [getOrderStatus, updateShippingNote, refundOrder];
}

export const shopContexts: ContextDefinition[] = [
  {
    contextType: "order_detail",
    scope: "entity",
    pinnedTools: ["refund_order"],
    prefetchTool: "get_order_status",
    prefetchArgs: { order_id: "$context_id" },
    digestFields: [
      { path: "status", label: "Status" },
      { path: "eta", label: "ETA" },
    ],
  },
];
