import { jsonFault } from "../../shared/json";

/** How a field of a tool's input is filled in. */
export interface FieldShape {
  readonly type: string;
  readonly optional: boolean;
  readonly kind: "text" | "number" | "boolean" | "json";
}

const TEXTS = new Set(["string", "date", "datetime", "uuid", "email", "url"]);

/** Of a type text of the contract, such as `"integer?"`. */
export function shapeOf(text: string): FieldShape {
  const optional = text.endsWith("?");
  const type = optional ? text.slice(0, -1) : text;
  const kind = TEXTS.has(type) ? "text" : type === "integer" || type === "number" ? "number" : type === "boolean" ? "boolean" : "json";
  return { type, optional, kind };
}

/** The JSON text of what was filled in; undefined for a field that is left out. Throws what is wrong, in words. */
export function fieldText(shape: FieldShape, value: string): string | undefined {
  if (shape.kind === "text") return value === "" && shape.optional ? undefined : JSON.stringify(value);
  if (value.trim() === "") {
    if (shape.optional) return undefined;
    throw new Error(`A value is needed (${shape.type}).`);
  }
  const fault = jsonFault(value);
  if (fault !== undefined) throw new Error(shape.kind === "json" ? `This is not JSON: ${fault}.` : "This is not a number.");
  return value.trim();
}

/** The arguments of a form. Digits are kept as they were typed. */
export function argumentsText(input: Readonly<Record<string, string>>, values: Readonly<Record<string, string>>): string {
  const members: string[] = [];
  for (const [field, type] of Object.entries(input)) {
    const text = fieldText(shapeOf(type), values[field] ?? "");
    if (text !== undefined) members.push(`${JSON.stringify(field)}:${text}`);
  }
  return `{${members.join(",")}}`;
}
