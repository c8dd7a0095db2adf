import { useEffect, useState } from "preact/hooks";

/** A value that several parts of a page look at. */
export class Store<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** The store's value; the component is drawn again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(store.value);
  useEffect(() => {
    setValue(() => store.value);
    return store.subscribe(() => setValue(() => store.value));
  }, [store]);
  return value;
}
