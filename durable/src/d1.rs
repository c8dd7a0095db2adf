//! A D1 database that the operator has bound: one statement, its rows with the names of their columns.

use js_sys::{Array, Promise, Reflect};
use toolgate_core::builtin::sql::{Table, Value};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::Env;

#[wasm_bindgen]
extern "C" {
    /// A database.
    type RawDatabase;
    /// A statement of one.
    type RawStatement;

    #[wasm_bindgen(method, catch)]
    fn prepare(this: &RawDatabase, statement: &str) -> Result<RawStatement, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn raw(this: &RawStatement, options: &JsValue) -> Result<Promise, JsValue>;
}

/// A bound database.
pub struct Database(RawDatabase);

impl Database {
    /// The one under this binding, if there is one.
    pub fn bound(env: &Env, binding: &str) -> Option<Database> {
        let found = Reflect::get(env.unchecked_ref::<JsValue>(), &JsValue::from_str(binding)).ok()?;
        let prepare = Reflect::get(&found, &JsValue::from_str("prepare")).ok()?;
        prepare.is_function().then(|| Database(found.unchecked_into()))
    }

    /// Runs one statement.
    ///
    /// # Errors
    /// The database's own words.
    pub async fn table(&self, statement: &str) -> Result<Table, String> {
        let options = js_sys::Object::new();
        Reflect::set(&options, &JsValue::from_str("columnNames"), &JsValue::TRUE).map_err(words)?;
        let asked = self.0.prepare(statement).and_then(|statement| statement.raw(&options)).map_err(words)?;
        let rows: Array = JsFuture::from(asked).await.map_err(words)?.unchecked_into();
        let mut rows = rows.iter().map(|row| row.unchecked_into::<Array>());
        let columns = rows.next().map(|names| names.iter().filter_map(|name| name.as_string()).collect());
        let rows = rows.map(|row| row.iter().map(|value| cell(&value)).collect()).collect();
        Ok(Table { columns: columns.unwrap_or_default(), rows })
    }
}

fn cell(value: &JsValue) -> Value {
    if let Some(text) = value.as_string() {
        return Value::Text(text);
    }
    #[expect(clippy::cast_possible_truncation, reason = "only whole numbers of SQLite's own listings are read")]
    value.as_f64().map_or(Value::Null, |number| Value::Integer(number as i64))
}

fn words(error: JsValue) -> String {
    let message = Reflect::get(&error, &JsValue::from_str("message")).ok().and_then(|message| message.as_string());
    message.unwrap_or_else(|| "it failed without a word".to_owned())
}
