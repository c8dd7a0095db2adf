//! The clock and the source of randomness: read here, passed on as arguments.

use toolgate_core::time::UnixMillis;

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
