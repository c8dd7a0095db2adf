//! JSON Schemas of the types, as serde takes them (requests) and as it gives them (answers).

use std::collections::BTreeMap;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The schemas that the operations name.
pub struct Schemas {
    taken: SchemaGenerator,
    given: SchemaGenerator,
    responses: Map<String, Value>,
}

/// Where schemas of requests are until it is known which of them differ from those of answers.
const TAKEN: &str = "#/components/taken/";
const GIVEN: &str = "#/components/schemas/";

impl Default for Schemas {
    fn default() -> Schemas {
        Schemas::new()
    }
}

impl Schemas {
    /// None yet.
    pub fn new() -> Schemas {
        let settings = |path: &'static str| {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = path.trim_start_matches('#').trim_end_matches('/').to_owned().into();
                settings.meta_schema = None;
            })
        };
        Schemas {
            taken: settings(TAKEN).for_deserialize().into_generator(),
            given: settings(GIVEN).for_serialize().into_generator(),
            responses: Map::new(),
        }
    }

    /// What a body may be.
    pub fn taken<T: JsonSchema>(&mut self) -> Value {
        self.taken.subschema_for::<T>().to_value()
    }

    /// What an answer is.
    pub fn given<T: JsonSchema>(&mut self) -> Value {
        self.given.subschema_for::<T>().to_value()
    }

    /// A reference to a response that several operations have.
    pub fn response(&mut self, name: &str, response: Value) -> Value {
        self.responses.insert(name.to_owned(), response);
        json!({ "$ref": format!("#/components/responses/{name}") })
    }

    /// The responses and the schemas by name. A type that is taken and given in different forms has two: that of requests
    /// is `…Input`. The document's references to it are set right.
    pub fn into_components(mut self, document: &mut Value) -> (Value, Value) {
        let mut given = self.given.take_definitions(true);
        given.values_mut().for_each(never_null);
        let taken = self.taken.take_definitions(true);
        let names: BTreeMap<String, String> = taken
            .iter()
            .map(|(name, schema)| {
                // A form is another one when something that it refers to is.
                let text = schema.to_string().replace(TAKEN, GIVEN);
                let same = |kept: &Value| text.eq(&kept.to_string());
                let differs = given.get(name).is_some_and(|given| !same(given));
                (name.clone(), if differs { format!("{name}Input") } else { name.clone() })
            })
            .collect();
        for (name, mut schema) in taken {
            refer(&mut schema, &names);
            given.insert(names[&name].clone(), schema);
        }
        refer(document, &names);
        let mut schemas = Value::Object(given);
        tidy(&mut schemas);
        (Value::Object(self.responses), schemas)
    }
}

/// References to schemas of requests, by the names that they have in the end.
fn refer(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(TAKEN)
            {
                *reference = format!("{GIVEN}{}", names[name]);
            }
            members.values_mut().for_each(|member| refer(member, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, names)),
        _ => {}
    }
}

/// A member that is left out when there is none is never null: `skip_serializing_if` is what makes it optional.
fn never_null(schema: &mut Value) {
    let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
    let is_required = |name: &String| required.as_array().is_some_and(|all| all.iter().any(|each| each == name));
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
        let Some(property) = property.as_object_mut() else { continue };
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|each| each != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                property.insert("type".into(), only);
            }
        }
        if let Some(Value::Array(choices)) = property.get_mut("anyOf") {
            choices.retain(|each| *each != json!({ "type": "null" }));
            if let [Value::Object(only)] = choices.as_slice() {
                let only: Map<String, Value> = only.clone();
                property.remove("anyOf");
                property.extend(only);
            }
        }
    }
}

/// Words of one paragraph as one line, and no title that only repeats the name.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.replace('\n', " ").replace("[`", "`").replace("`]", "`");
            }
            members.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// The schema of a type that has no module of its own to say it.
pub fn any() -> Value {
    Schema::from(true).to_value()
}
