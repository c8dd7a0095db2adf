// AG-UI 1.0 as JSON Schema. The published file is not ours to commit; it is made here from the schemas of the official package, which
// its authors write from it, in a normal form: references put in, parts put together, words left out. `agui_published.mjs`
// brings any published file into the same form, so that the two can be compared; agui.test.mjs has what came of it.
import { createHash } from "node:crypto";

import * as official from "@ag-ui/core/schemas";
import Ajv2020 from "ajv/dist/2020.js";

/** What is checked by: an event of a stream, a message of a thread, the body of a run, what an agent says that it can. */
const KINDS = { Event: official.EventSchemas, Message: official.MessageSchema, RunAgentInput: official.RunAgentInputSchema, AgentCapabilities: official.AgentCapabilitiesSchema };

const WORDS = ["$schema", "$id", "$anchor", "$comment", "$defs", "title", "description", "default", "contentEncoding", "specOpen"];
const RULES = ["type", "enum", "const", "properties", "required", "items", "minItems", "minimum", "maximum", "pattern", "not", "oneOf", "additionalProperties"];

/** The normal form of one schema of a file. Throws on a keyword that it does not know, so nothing is lost silently. */
export function normal(schema, file = schema) {
  const parts = [];
  if (schema.$ref !== undefined) parts.push(normal(referred(file, schema.$ref), file));
  for (const part of schema.allOf ?? []) parts.push(normal(part, file));
  const own = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$ref" || key === "allOf" || WORDS.includes(key)) continue;
    if (key === "properties") own.properties = mapped(value, (each) => normal(each, file));
    else if (key === "items" || key === "not") own[key] = normal(value, file);
    else if (key === "oneOf" || key === "anyOf") own.oneOf = value.map((each) => normal(each, file)).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
    else if (key === "required" || key === "enum") own[key] = [...value].sort();
    else if (key === "pattern") own.pattern = new RegExp(value, "u").source;
    else if (key === "additionalProperties" || key === "unevaluatedProperties") closed(own, value);
    else if (RULES.includes(key)) own[key] = value;
    else throw new Error(`no word of this form: ${key}`);
  }
  return [...parts, own].reduce(both, {});
}

function referred(file, reference) {
  const found = reference.startsWith("#/$defs/") ? file.$defs?.[reference.slice("#/$defs/".length)] : undefined;
  if (found === undefined) throw new Error(`nothing at ${reference}`);
  return found;
}

function closed(own, value) {
  if (value === false) own.additionalProperties = false;
  else if (value !== true && Object.keys(value).length > 0) throw new Error("a form of further members that this does not know");
}

/** What two schemas say together. A fixed value narrows a type or a list of values. */
function both(one, other) {
  if (one.additionalProperties === false && other.properties !== undefined) throw new Error("a closed part cannot be added to");
  const result = { ...one, ...other };
  for (const key of Object.keys(one).filter((key) => key in other)) {
    if (key === "properties") result.properties = { ...one.properties, ...mapped(other.properties, (each, name) => (name in one.properties ? both(one.properties[name], each) : each)) };
    else if (key === "required") result.required = [...new Set([...one.required, ...other.required])].sort();
    else if (canonical(one[key]) !== canonical(other[key])) throw new Error(`two parts say otherwise: ${key}`);
  }
  if ("const" in result) {
    if (result.enum?.includes(result.const) === false) throw new Error(`${result.const} is none of the values`);
    delete result.enum;
    delete result.type;
  }
  return result;
}

function mapped(object, make) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, make(value, name)]));
}

/** JSON with members in order: equal values are equal text. */
export function canonical(value) {
  return JSON.stringify(value, (_, each) => (typeof each === "object" && each !== null && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each));
}

export function digest(schema) {
  return createHash("sha256").update(canonical(schema)).digest("hex");
}

/**
 * A schema of the package. It takes more than the published one does, for peers of other ages, in two places, which are undone: members
 * that are not described, but where the meta data of an object says that they belong (`specOpen`), and a state that is null. What it checks
 * by a function has no form in JSON Schema: such a place is asked what it takes.
 */
function made(zod) {
  const override = ({ zodSchema, jsonSchema }) => {
    const takes = (value) => zodSchema.safeParse(value).success;
    const { type } = zodSchema._zod.def;
    if (type === "object" && jsonSchema.specOpen !== true) jsonSchema.additionalProperties = false;
    if (type === "any" && !takes(null)) jsonSchema.not = { type: "null" };
    if (type === "custom") {
      if (!takes({ a: null }) || [null, [], "", 0, true].some(takes)) throw new Error("a check by a function that is not that of an object");
      jsonSchema.type = "object";
    }
    const [inner, nothing, ...more] = jsonSchema.anyOf ?? [];
    if (nothing?.type === "null" && more.length === 0) {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, inner);
    }
  };
  return normal(zod.toJSONSchema({ io: "input", unrepresentable: "any", override }));
}

export const SCHEMAS = mapped(KINDS, made);
const ajv = new Ajv2020({ strict: true, strictRequired: false });
const validators = mapped(SCHEMAS, (schema) => ajv.compile(schema));

/** What is wrong with a value of a kind; nothing where it is valid. Of an event or a message, its own form is asked: the union says only that none fits. */
export function wrong(kind, value) {
  if (validators[kind](value)) return undefined;
  const tag = { Event: "type", Message: "role" }[kind];
  const form = SCHEMAS[kind].oneOf?.find(({ properties }) => properties[tag].const === value?.[tag]);
  if (form === undefined) return ajv.errorsText(validators[kind].errors);
  const errors = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  errors.validate(form, value);
  return errors.errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`).join("; ");
}
