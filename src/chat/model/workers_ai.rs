//! Workers AI as a binding. Its input goes through the platform's own JSON, because tools are JSON that no Rust type
//! describes; its answer is a stream of events like any other endpoint's.

use futures_util::StreamExt as _;
use toolgate_core::chat::model::{ModelError, Prompt, UNAVAILABLE, workers_ai_input};
use toolgate_core::delivery::{Lost, TIMEOUT, UNREACHABLE};
use toolgate_core::time::UnixMillis;
use toolgate_durable::before;
use toolgate_durable::names::WORKERS_AI;
use toolgate_protocol::limits::MODEL_FIRST_BYTE_SECONDS;
use web_sys::ReadableStream;
use worker::js_sys::{Error, Function, JSON, Promise, Reflect};
use worker::wasm_bindgen::{JsCast as _, JsValue};
use worker::wasm_bindgen_futures::JsFuture;
use worker::{ByteStream, Env};

/// Asks for a turn.
pub async fn ask(env: &Env, name: &str, prompt: &Prompt, opened: UnixMillis) -> Result<ByteStream, ModelError> {
    let promise = run(env, name, &workers_ai_input(prompt)).map_err(|error| refused(&error))?;
    let deadline = opened.plus_seconds(MODEL_FIRST_BYTE_SECONDS);
    let answered = before(deadline, JsFuture::from(promise)).await;
    let answer = answered
        .ok_or_else(|| ModelError::new(UNAVAILABLE, "The model did not begin to answer in time."))?
        .map_err(|error| refused(&error))?;
    let stream = answer.dyn_into::<ReadableStream>().map_err(|_| ModelError::malformed("it is no stream"))?;
    Ok(ByteStream::from(stream))
}

/// The next bytes; nothing at the end.
pub async fn next(stream: &mut ByteStream, deadline: UnixMillis) -> Result<Option<Vec<u8>>, Lost> {
    match before(deadline, stream.next()).await {
        None => Err(TIMEOUT),
        Some(None) => Ok(None),
        Some(Some(bytes)) => bytes.map(Some).map_err(|_| UNREACHABLE),
    }
}

/// `env.AI.run(name, input)`.
fn run(env: &Env, name: &str, input: &str) -> Result<Promise, JsValue> {
    let binding = env.ai(WORKERS_AI).map_err(|error| JsValue::from_str(&error.to_string()))?;
    let binding = binding.as_ref();
    let run: Function = Reflect::get(binding, &JsValue::from_str("run"))?.dyn_into()?;
    run.call2(binding, &JsValue::from_str(name), &JSON::parse(input)?)?.dyn_into()
}

fn refused(error: &JsValue) -> ModelError {
    let words = error.dyn_ref::<Error>().and_then(|error| error.message().as_string());
    ModelError::told(words.as_deref())
}
