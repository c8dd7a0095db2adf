import { DatabaseSync } from "node:sqlite";

export interface OrderStatus {
  order_id: number;
  status: string;
  carrier: string | null;
  eta: string | null;
  shipping_note: string | null;
  paid_cents: number;
  refunded_cents: number;
}

export interface NoteOutcome {
  order_id: number;
  shipping_note: string | null;
  previous_note: string | null;
}

export interface RefundOutcome {
  order_id: number;
  amount_cents: number;
  refunded_cents: number;
  remaining_cents: number;
}

/** The shop says no. `code` travels to the agent with the message. */
export class ShopError extends Error {
  constructor(
    readonly code: "unknown_order" | "invalid_amount" | "refund_exceeds_payment" | "call_id_reused",
    message: string,
  ) {
    super(message);
    this.name = "ShopError";
  }
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, name TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS orders (
    id INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, customer_id INTEGER NOT NULL REFERENCES customers (id),
    status TEXT NOT NULL, carrier TEXT, eta TEXT, shipping_note TEXT, paid_cents INTEGER NOT NULL CHECK (paid_cents >= 0)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS refunds (
    id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (id),
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0), reason TEXT NOT NULL, call_id TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS writes (
    call_id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, tenant_id TEXT NOT NULL, order_id INTEGER NOT NULL, outcome TEXT NOT NULL
  ) STRICT;
`;

const SEED = `
  INSERT INTO customers VALUES (1, 'acme', 'Ada Winter'), (2, 'acme', 'Bruno Sand'), (3, 'globex', 'Cleo Moor');
  INSERT INTO orders VALUES
    (1001, 'acme', 1, 'shipped', 'Northpost', '2031-03-14', NULL, 4990),
    (1002, 'acme', 1, 'delivered', 'Northpost', '2031-03-02', 'leave with the neighbour', 12900),
    (1003, 'acme', 2, 'processing', NULL, NULL, NULL, 750),
    (2001, 'globex', 3, 'shipped', 'Quick Mule', '2031-03-15', NULL, 25000);
`;

const SELECT_ORDER = `
  SELECT o.id AS order_id, o.status, o.carrier, o.eta, o.shipping_note, o.paid_cents,
         (SELECT COALESCE(SUM(r.amount_cents), 0) FROM refunds r WHERE r.order_id = o.id) AS refunded_cents
  FROM orders o WHERE o.id = ? AND o.tenant_id = ?`;

/**
 * The shop's own business code; it knows nothing of agents. Every statement is scoped to a tenant, and an order of
 * another tenant is as unknown as one that does not exist. A write is recorded with its call id in the same transaction,
 * so that a repeat of the call answers with the stored outcome and changes nothing.
 */
export class Shop {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;");
    // Two workers may start on one file at the same moment: the first seeds, the second finds it done.
    this.#atomically(() => {
      this.#database.exec(SCHEMA);
      if (this.#database.prepare("SELECT 1 FROM orders LIMIT 1").get() === undefined) this.#database.exec(SEED);
    });
  }

  close(): void {
    this.#database.close();
  }

  orderStatus(tenantId: string, orderId: number): OrderStatus {
    const row = this.#database.prepare(SELECT_ORDER).get(orderId, tenantId);
    if (row === undefined) throw new ShopError("unknown_order", `There is no order ${orderId}.`);
    return { ...row } as unknown as OrderStatus;
  }

  updateShippingNote(tenantId: string, orderId: number, note: string | undefined, callId: string): NoteOutcome {
    return this.#once(callId, "shipping_note", tenantId, orderId, () => {
      const previous = this.orderStatus(tenantId, orderId).shipping_note;
      const next = note ?? null;
      this.#database.prepare("UPDATE orders SET shipping_note = ? WHERE id = ? AND tenant_id = ?").run(next, orderId, tenantId);
      return { order_id: orderId, shipping_note: next, previous_note: previous };
    });
  }

  refund(tenantId: string, orderId: number, amountCents: number, reason: string, callId: string): RefundOutcome {
    return this.#once(callId, "refund", tenantId, orderId, () => {
      const order = this.orderStatus(tenantId, orderId);
      if (amountCents <= 0) throw new ShopError("invalid_amount", "A refund must be more than 0 cents.");
      const remaining = order.paid_cents - order.refunded_cents;
      if (amountCents > remaining) {
        throw new ShopError("refund_exceeds_payment", `Order ${orderId} has ${remaining} cents left to refund; ${amountCents} is more.`);
      }
      this.#database.prepare("INSERT INTO refunds (order_id, amount_cents, reason, call_id) VALUES (?, ?, ?, ?)").run(orderId, amountCents, reason, callId);
      return { order_id: orderId, amount_cents: amountCents, refunded_cents: order.refunded_cents + amountCents, remaining_cents: remaining - amountCents };
    });
  }

  /** Runs `write` unless this call was written before; both, and the record of it, in one transaction. */
  #once<Outcome>(callId: string, kind: string, tenantId: string, orderId: number, write: () => Outcome): Outcome {
    return this.#atomically(() => {
      const stored = this.#database.prepare("SELECT kind, tenant_id, order_id, outcome FROM writes WHERE call_id = ?").get(callId);
      if (stored !== undefined) {
        const isSame = stored["kind"] === kind && stored["tenant_id"] === tenantId && stored["order_id"] === orderId;
        if (!isSame) throw new ShopError("call_id_reused", "This call id belongs to another write.");
        return JSON.parse(String(stored["outcome"])) as Outcome;
      }
      const outcome = write();
      this.#database
        .prepare("INSERT INTO writes (call_id, kind, tenant_id, order_id, outcome) VALUES (?, ?, ?, ?, ?)")
        .run(callId, kind, tenantId, orderId, JSON.stringify(outcome));
      return outcome;
    });
  }

  // IMMEDIATE takes the write lock before the checks read, so that two workers cannot both find the same money left.
  #atomically<Result>(work: () => Result): Result {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}
