// The golden files of the schema compiler (tests/vectors/schemas, written by core/tests/schemas.rs) under a validator that
// knows nothing of Toolgate: they are JSON Schema, and they say of arguments what the contract says, but for what the
// table of arguments lists value by value.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const PROFILES = ["openai", "anthropic", "gemini", "mcp"];
const SCHEMA_OF = {
  openai: (definition) => definition.function.parameters,
  anthropic: (definition) => definition.input_schema,
  gemini: (definition) => definition.parameters,
  mcp: (definition) => definition.inputSchema,
};

const vectors = (name) => JSON.parse(readFileSync(new URL(`../vectors/schemas/${name}.json`, import.meta.url), "utf8"));
const [fields, tools, table] = ["fields", "tools", "arguments"].map(vectors);
// MCP's default is 2020-12; many clients still check by draft 7.
const validators = [new Ajv2020({ strict: true }), new Ajv({ strict: true })].map((ajv) => addFormats(ajv));

/** [tool, profile, schema] of every definition that has one. */
const schemas = [...fields, ...tools].flatMap((entry) =>
  PROFILES.map((profile) => [entry.tool, profile, SCHEMA_OF[profile](entry[profile])]).filter(([, , schema]) => schema),
);

/** The profiles whose schema takes these arguments, under both drafts. */
function validating(entry, argument) {
  return PROFILES.filter((profile) => {
    const verdicts = validators.map((ajv) => ajv.validate(SCHEMA_OF[profile](entry[profile]), argument));
    assert.equal(verdicts[0], verdicts[1], `the drafts differ on ${JSON.stringify(argument)}`);
    return verdicts[0];
  });
}

describe("compiled schemas", () => {
  it("are there for every type and profile", () => {
    assert.equal(fields.length, 40);
    assert.equal(schemas.length, (fields.length + tools.length) * 4 - tools.filter(({ gemini }) => !gemini.parameters).length);
  });

  it("are valid by the meta-schemas of 2020-12 and draft 7, with nothing that a strict validator does not know", () => {
    for (const [tool, profile, schema] of schemas) {
      for (const ajv of validators) {
        assert.ok(ajv.validateSchema(schema), `${tool.name} ${profile}: ${ajv.errorsText()}`);
        assert.doesNotThrow(() => ajv.compile(schema), `${tool.name} ${profile}`);
      }
    }
  });

  it("have keys that Anthropic takes and no bound, which a double would change", () => {
    for (const [tool, profile, schema] of schemas) {
      const keys = Object.keys(schema.properties);
      assert.ok(profile !== "anthropic" || keys.every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)), tool.name);
      JSON.stringify(schema, (key, value) => {
        assert.notEqual(typeof value, "number", `${tool.name} ${profile}: ${key}`);
        return value;
      });
    }
  });

  for (const { type, arguments: argument, accepted, validates } of table) {
    it(`${type}: ${JSON.stringify(argument)}, which the contract ${accepted ? "accepts" : "refuses"}`, () => {
      const entry = fields.find(({ tool }) => tool.input.value === type);
      assert.deepEqual(validating(entry, argument), validates);
    });
  }

  it("say mostly what the contract says", () => {
    const agreeing = (profile) =>
      table.filter(({ accepted, validates }) => accepted === validates.includes(profile)).length / table.length;
    assert.ok(agreeing("anthropic") > 0.9 && agreeing("openai") > 0.9 && agreeing("gemini") > 0.7 && agreeing("mcp") > 0.7);
    // What is accepted validates everywhere, but for a null and a list in a list of `json`, and an address without a dot.
    const odd = table.filter(({ accepted, validates }) => accepted && validates.length < PROFILES.length);
    assert.deepEqual(
      odd.map(({ arguments: { value } }) => JSON.stringify(value)),
      ['"a@b"', "null", "[[1]]", "null"],
    );
  });
});
