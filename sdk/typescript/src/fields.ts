import { ConfigurationError } from "./errors.js";

/** The closed list of base types of a contract. */
export const BASE_TYPES = ["string", "integer", "number", "boolean", "date", "datetime", "uuid", "email", "url", "json"] as const;

export type BaseType = (typeof BASE_TYPES)[number];
export type FieldType = BaseType | `${BaseType}[]` | `${BaseType}?` | `${BaseType}[]?`;
export type FieldMap = Readonly<Record<string, FieldType>>;

export interface Field {
  readonly base: BaseType;
  readonly isList: boolean;
  readonly isOptional: boolean;
}

/** Takes a field type such as `"integer[]?"` apart. `where` names the field in the error. */
export function parseFieldType(type: unknown, where: string): Field {
  const match = typeof type === "string" ? /^([a-z]+)(\[\])?(\?)?$/.exec(type) : null;
  const base = BASE_TYPES.find((candidate) => candidate === match?.[1]);
  if (match === null || base === undefined) {
    throw new ConfigurationError(
      `${where}: ${describe(type)} is not a field type; use one of ${BASE_TYPES.join(", ")}, with [] for a list and a trailing ? for an optional field`,
    );
  }
  return { base, isList: match[2] !== undefined, isOptional: match[3] !== undefined };
}

function describe(type: unknown): string {
  return typeof type === "string" ? JSON.stringify(type) : `a value of type ${typeof type}`;
}
