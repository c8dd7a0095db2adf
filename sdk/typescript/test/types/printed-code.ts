// The code of the page "Your own tools" as printed there, with the elided parts filled in.
import { tool } from "@toolgate/sdk";

import { runWorker } from "@toolgate/sdk";

interface Order {
  status: string;
  carrier: string;
  eta: string;
}
declare const orderService: { findOne(orderId: number, tenantId: string): Promise<Order | undefined> };
declare const baseUrl: string, apiKey: string, orgId: string;

export const getOrderStatus = tool({
  name: "get_order_status",
  description: "Look up an order's status, carrier and ETA.",
  sideEffect: "read_only",
  input: { order_id: "integer" },
  handler: ({ order_id }, ctx) =>
    orderService.findOne(order_id, ctx.principal.tenant_id),
});

export const refundOrder = tool({
  name: "refund_order",
  routing: { keywords: ["refund", "money back"], patterns: ["\\bORD-\\d+\\b"] },
  description: "Refund an order.",
  sideEffect: "consequential",
  input: { order_id: "integer", note: "string?" },
  handler: ({ order_id, note }) => ({ order_id, note }),
});

export function serve(): void {
  runWorker({
    baseUrl, apiKey, orgId,
    pool: "ecommerce-prod",
    tools: [getOrderStatus, refundOrder],
  });
}

export function serveWithContexts(): void {
  runWorker({
    baseUrl, apiKey, orgId,
    pool: "ecommerce-prod",
    tools: [getOrderStatus, refundOrder],
    contexts: [{
      contextType: "order_detail",
      scope: "entity",
      pinnedTools: ["refund_order"],
      prefetchTool: "get_order",
      prefetchArgs: { order_id: "$context_id" },
      digestFields: [{ path: "status", label: "Status" }, { path: "eta", label: "ETA" }],
    }],
  });
}
