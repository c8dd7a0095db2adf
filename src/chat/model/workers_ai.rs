//! Workers AI as a binding: `env.AI.run(name, input, options)`. The answer itself is asked for (`returnRawResponse`), so
//! that it is read here like any other endpoint's: digit by digit, in whatever form the model gives it.
//!
//! The input is an object of the platform, which the binding writes as JSON. A number that the platform's own numbers
//! cannot hold goes into it as its text (`JSON.rawJSON`), so a definition is sent as it was written.

use toolgate_core::chat::model::{ModelError, Prompt, UNAVAILABLE, workers_ai_input};
use toolgate_core::delivery::{Lost, TIMEOUT};
use toolgate_core::json::{Json, parse};
use toolgate_core::time::UnixMillis;
use toolgate_durable::names::WORKERS_AI;
use toolgate_durable::{before, now};
use toolgate_protocol::limits::{MODEL_ERROR_BYTES_MAX, MODEL_FIRST_BYTE_SECONDS, MODEL_IDLE_SECONDS};
use worker::js_sys::{Array, Function, JSON, Object, Promise, Reflect};
use worker::wasm_bindgen::{JsCast as _, JsValue};
use worker::wasm_bindgen_futures::JsFuture;
use worker::{AbortController, Env, Response, console_error, web_sys};

use crate::egress::Answering;

/// Numbers of so many digits the platform holds exactly.
const EXACT_DIGITS: usize = 15;

/// Asks for a turn; answers once a good status is there.
pub async fn ask(env: &Env, name: &str, prompt: &Prompt, opened: UnixMillis) -> Result<Answering, ModelError> {
    let controller = AbortController::default();
    let promise = run(env, name, &workers_ai_input(prompt), &controller).map_err(unreached)?;
    let deadline = opened.plus_seconds(MODEL_FIRST_BYTE_SECONDS);
    let answered = match before(deadline, JsFuture::from(promise)).await {
        Some(answered) => answered.map_err(unreached)?,
        None => {
            controller.abort();
            return Err(ModelError::new(UNAVAILABLE, "The model did not begin to answer in time."));
        }
    };
    let response: web_sys::Response =
        answered.dyn_into().map_err(|_| ModelError::malformed("the binding gives no response"))?;
    let mut answering = Answering::of(Response::from(response), controller).map_err(lost)?;
    if answering.status == 200 {
        return Ok(answering);
    }
    let status = answering.status;
    let body = answering.beginning(now().plus_seconds(MODEL_IDLE_SECONDS), MODEL_ERROR_BYTES_MAX).await;
    Err(ModelError::refused(status, &body, None))
}

fn run(env: &Env, name: &str, input: &str, controller: &AbortController) -> Result<Promise, JsValue> {
    let binding = env.ai(WORKERS_AI).map_err(|error| JsValue::from_str(&error.to_string()))?;
    let binding = binding.as_ref();
    let run: Function = Reflect::get(binding, &JsValue::from_str("run"))?.dyn_into()?;
    let input = parse(input).map_err(|fault| JsValue::from_str(fault.what))?;
    let options = Object::new();
    Reflect::set(&options, &JsValue::from_str("returnRawResponse"), &JsValue::TRUE)?;
    let signal = controller.signal();
    Reflect::set(&options, &JsValue::from_str("signal"), &signal)?;
    run.call3(binding, &JsValue::from_str(name), &value(&input)?, &options)?.dyn_into()
}

/// A value of the platform that it writes as this JSON.
fn value(json: &Json) -> Result<JsValue, JsValue> {
    Ok(match json {
        Json::Null => JsValue::NULL,
        Json::Bool(is) => JsValue::from_bool(*is),
        Json::Number(text) => number(text)?,
        Json::Text(_) => JSON::parse(&json.canonical())?,
        Json::List(items) => {
            let list = Array::new();
            for item in items {
                list.push(&value(item)?);
            }
            list.into()
        }
        Json::Map(members) => {
            let map = Object::new();
            for (name, member) in members {
                let name = JSON::parse(&Json::Text(name.clone()).canonical())?;
                Reflect::set(&map, &name, &value(member)?)?;
            }
            map.into()
        }
    })
}

fn number(text: &str) -> Result<JsValue, JsValue> {
    if text.bytes().filter(u8::is_ascii_digit).count() > EXACT_DIGITS {
        let json = Reflect::get(&worker::js_sys::global(), &JsValue::from_str("JSON"))?;
        if let Ok(raw) = Reflect::get(&json, &JsValue::from_str("rawJSON"))?.dyn_into::<Function>() {
            return raw.call1(&json, &JsValue::from_str(text));
        }
    }
    JSON::parse(text)
}

/// What the binding throws is about the way there: what a model says arrives as an answer.
fn unreached(error: JsValue) -> ModelError {
    let words = Reflect::get(&error, &JsValue::from_str("message")).ok().and_then(|words| words.as_string());
    console_error!("Workers AI could not be asked: {}", words.or_else(|| error.as_string()).unwrap_or_default());
    lost(toolgate_core::delivery::UNREACHABLE)
}

fn lost(lost: Lost) -> ModelError {
    match lost {
        TIMEOUT => ModelError::new(UNAVAILABLE, "The model did not begin to answer in time."),
        _ => ModelError::new(UNAVAILABLE, "The model could not be reached."),
    }
}
