/** Headers as servers hand them over: a `Headers`, pairs, or a map in any casing whose values may be lists. */
export type HeaderSource = Iterable<readonly [string, string]> | Readonly<Record<string, HeaderValue>>;

type HeaderValue = string | readonly string[] | null | undefined;

/** Looks headers up whatever the casing, and knows how often each was there. */
export class HeaderList {
  readonly #values = new Map<string, string[]>();

  constructor(source: HeaderSource) {
    for (const [name, value] of isPairs(source) ? source : Object.entries(source)) {
      const values = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
      if (values.length > 0) this.#values.set(name.toLowerCase(), [...this.all(name), ...values]);
    }
  }

  all(name: string): readonly string[] {
    return this.#values.get(name.toLowerCase()) ?? [];
  }

  /** Undefined also when it is there more than once. */
  one(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 1 ? values[0] : undefined;
  }
}

function isPairs(source: HeaderSource): source is Iterable<readonly [string, string]> {
  return Symbol.iterator in source;
}
