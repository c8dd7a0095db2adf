//! The clock and the source of randomness: read here, passed on as arguments.

use std::time::Duration;

use futures_util::future::{Either, select};
use toolgate_core::time::UnixMillis;
use worker::Delay;

/// The platform's time; it stands still while code runs.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
pub fn now() -> UnixMillis {
    UnixMillis(worker::Date::now().as_millis())
}

/// Sixteen random bytes.
///
/// # Errors
/// When the platform gives none.
pub fn entropy() -> Result<[u8; 16], worker::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| worker::Error::RustError(error.to_string()))?;
    Ok(bytes)
}

/// What the future gives, or `None` when it takes longer.
pub async fn within<F: Future + Unpin>(seconds: u64, future: F) -> Option<F::Output> {
    before(now().plus_seconds(seconds), future).await
}

/// Lets a while go by.
pub async fn pause(millis: u64) {
    Delay::from(Duration::from_millis(millis)).await;
}

/// What the future gives, or `None` at this time.
pub async fn before<F: Future + Unpin>(deadline: UnixMillis, future: F) -> Option<F::Output> {
    let millis = deadline.0.saturating_sub(now().0);
    match select(future, Delay::from(Duration::from_millis(millis))).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(((), _)) => None,
    }
}
