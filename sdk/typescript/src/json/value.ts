/** A JSON number as it was written; converting it is a decision of whoever knows its type. */
export class NumberText {
  constructor(readonly text: string) {}

  /** By its writing, as the contract has it: `1.0` and `1e3` are not integers. */
  get isInteger(): boolean {
    return /^-?\d+$/.test(this.text);
  }

  /** The integer as a number, or undefined when a number would round it. */
  toSafeInteger(): number | undefined {
    const value = Number(this.text);
    return this.isInteger && Number.isSafeInteger(value) ? value + 0 : undefined;
  }
}

export type ParsedObject = { [name: string]: Parsed };
export type Parsed = null | boolean | string | NumberText | Parsed[] | ParsedObject;

export function isParsedObject(value: Parsed | undefined): value is ParsedObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}

/** Sets a member even if it is called `__proto__`, which plain assignment would turn into a prototype. */
export function setMember<Value>(target: { [name: string]: Value }, name: string, value: Value): void {
  if (name === "__proto__") Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  else target[name] = value;
}
