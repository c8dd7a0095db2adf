//! The one alarm of an object, in absolute time.

use js_sys::Date;
use toolgate_core::time::UnixMillis;
use wasm_bindgen::JsValue;
use worker::{ScheduledTime, Storage};

/// Sets the alarm. To be awaited first thing after the transaction: the call itself is made in the same turn, and so
/// commits with it.
#[expect(clippy::disallowed_methods, reason = "the one place that arms")]
pub async fn arm_at(storage: &Storage, at: UnixMillis) -> worker::Result<()> {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds stay far below 2^53")]
    let date = Date::new(&JsValue::from_f64(at.0 as f64));
    storage.set_alarm(ScheduledTime::new(date)).await
}
