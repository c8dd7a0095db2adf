import { type ArgumentsOf, type CallContext, runWorker, tool, withActivity } from "@toolgate/sdk";
import { assertType, type Equal } from "./equal.js";

type EveryType = ArgumentsOf<{
  a: "string";
  b: "integer";
  c: "number";
  d: "boolean";
  e: "date";
  f: "datetime";
  g: "uuid";
  h: "email";
  i: "url";
  j: "json";
}>;
assertType<
  Equal<EveryType, { a: string; b: number; c: number; d: boolean; e: string; f: string; g: string; h: string; i: string; j: unknown }>
>();

assertType<Equal<ArgumentsOf<{}>, {}>>();
assertType<Equal<ArgumentsOf<{ note: "string?" }>, { note?: string }>>();
assertType<Equal<ArgumentsOf<{ id: "integer"; note: "string?" }>, { id: number; note?: string }>>();
assertType<Equal<ArgumentsOf<{ ids: "integer[]" }>, { ids: number[] }>>();
assertType<Equal<ArgumentsOf<{ ids: "integer[]?" }>, { ids?: number[] }>>();
assertType<Equal<ArgumentsOf<{ data: "json?" }>, { data?: unknown }>>();
assertType<Equal<ArgumentsOf<{ id: "integer"; ids: "integer[]?"; ratio: "number" }, "bigint">, { id: bigint; ids?: bigint[]; ratio: number }>>();

const common = { description: "A tool.", sideEffect: "read_only" } as const;

const plain = tool({
  ...common,
  name: "plain",
  input: { order_id: "integer", tags: "string[]", note: "string?" },
  handler: (args, ctx) => {
    assertType<Equal<typeof args, { order_id: number; tags: string[]; note?: string }>>();
    assertType<Equal<typeof ctx, CallContext>>();
    assertType<Equal<typeof ctx.principal.tenant_id, string>>();
    assertType<Equal<typeof ctx.principal.permissions, readonly string[]>>();
    const list: readonly string[] = args.tags;
    return list.length;
  },
});
assertType<Equal<ReturnType<typeof plain.handler>, number | Promise<number>>>();

const big = tool({
  ...common,
  name: "big",
  input: { id: "integer", ids: "integer[]?" },
  integers: "bigint",
  handler: async (args) => {
    assertType<Equal<typeof args, { id: bigint; ids?: bigint[] }>>();
    return withActivity({ id: args.id }, { type: "application/json+echart", content: {} });
  },
});

tool({
  ...common,
  name: "bad_type",
  // @ts-expect-error "int" is not a field type
  input: { id: "int" },
  handler: () => null,
});
tool({
  ...common,
  name: "bad_order",
  // @ts-expect-error the mark of an optional list stands last
  input: { ids: "integer?[]" },
  handler: () => null,
});
tool({
  ...common,
  name: "bad_nesting",
  // @ts-expect-error lists of lists do not exist
  input: { ids: "integer[][]" },
  handler: () => null,
});
tool({
  name: "bad_effect",
  description: "A tool.",
  // @ts-expect-error not one of the three classes
  sideEffect: "write",
  input: {},
  handler: () => null,
});
tool({
  ...common,
  name: "undeclared",
  input: { id: "integer" },
  // @ts-expect-error the contract has no such field
  handler: ({ other }) => other,
});
tool({
  ...common,
  name: "maybe_missing",
  input: { note: "string?" },
  // @ts-expect-error an optional field may be undefined
  handler: ({ note }) => note.length,
});

const connection = { baseUrl: "https://gate.test", apiKey: "k", pool: "shop" };
() => runWorker({ ...connection, tools: [plain, big], concurrency: 4, handleSignals: false });
// @ts-expect-error a tool is made by tool()
() => runWorker({ ...connection, tools: [{ name: "plain" }] });
// @ts-expect-error a pool is required
() => runWorker({ baseUrl: "https://gate.test", apiKey: "k", tools: [plain] });
