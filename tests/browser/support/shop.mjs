// An org with something to decide on, look at and change, behind the built gateway.
import { Org, PRINCIPAL } from "../../end_to_end/support/org.mjs";
import { RawWorker } from "../../end_to_end/support/raw_worker.mjs";
import { until } from "../../end_to_end/support/until.mjs";

export const TOOLS = [
  {
    name: "refund_order",
    description: "Refund part or all of what was paid for an order, in cents.",
    side_effect: "consequential",
    input: { order_id: "integer", cents: "integer", note: "string?" },
    permissions: ["refunds:write"],
    routing: { keywords: ["refund", "money back"] },
  },
  { name: "get_order", description: "Look up an order.", side_effect: "read_only", input: { order_id: "integer" }, routing: { keywords: ["order"] } },
  { name: "set_note", description: "Set the note of an order.", side_effect: "reversible_write", input: { order_id: "integer", note: "string" }, execution_deadline_seconds: 1 },
];

let made = 0;

export class Shop {
  /** An org with a worker of these tools, the agent `bot` that holds them, and keys of all roles. */
  static async open(gateway, { tools = TOOLS, more = { allow_reversible_writes: true }, id } = {}) {
    const shop = new Shop();
    shop.gateway = gateway;
    shop.org = await Org.make(gateway, id);
    shop.worker = new RawWorker(shop.org.worker);
    await shop.worker.register(tools);
    await shop.org.grant(tools.map((tool) => tool.name), { more });
    shop.keys = { admin: shop.org.admin.key, approver: shop.org.approver.key, caller: shop.org.callerKey.key };
    return shop;
  }

  /** A parked refund; `args` is JSON text. Its view, once the list of approvals has it. */
  async parked(args = '{"order_id":7,"cents":100}', options = {}) {
    const view = await this.org.accepted("refund_order", args, { key: `key-${(made += 1)}`, ...options });
    await until("the list has the approval", async () => (await this.pending()).some((each) => each.id === view.approval.id));
    return view;
  }

  pending() {
    return this.org.approver.all("/v1/approvals?state=pending", "approvals");
  }

  async approval(id) {
    return (await this.org.approver.must(200, "GET", `/v1/approvals/${id}`)).body;
  }

  /** Runs the next job as its worker; the job's own text. */
  async work(result = '{"ok":true}') {
    const job = await this.worker.job();
    await this.worker.accept(job.claim);
    await this.worker.result(job.claim, result);
    return job;
  }
}

export { PRINCIPAL };
