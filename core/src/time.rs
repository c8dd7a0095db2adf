//! Time as a number that somebody else read off a clock.

use chrono::{DateTime, NaiveDate, SecondsFormat};
use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMillis(pub u64);

impl UnixMillis {
    /// Later than anything.
    pub const NEVER: UnixMillis = UnixMillis(u64::MAX);

    /// This much later, in seconds.
    pub fn plus_seconds(self, seconds: u64) -> UnixMillis {
        UnixMillis(self.0.saturating_add(seconds.saturating_mul(1_000)))
    }

    /// This much earlier, in seconds.
    pub fn minus_seconds(self, seconds: u64) -> UnixMillis {
        UnixMillis(self.0.saturating_sub(seconds.saturating_mul(1_000)))
    }

    /// Whole seconds from `now` to here, rounded up, zero when past.
    pub fn seconds_from(self, now: UnixMillis) -> u64 {
        self.0.saturating_sub(now.0).div_ceil(1_000)
    }

    /// RFC 3339 in UTC with milliseconds; empty beyond the year 9999.
    pub fn rfc3339(self) -> String {
        i64::try_from(self.0)
            .ok()
            .and_then(DateTime::from_timestamp_millis)
            .map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true))
            .unwrap_or_default()
    }
}

/// Is this text `YYYY-MM-DD` and a day that exists?
pub fn is_date(text: &str) -> bool {
    let digits = |byte: u8| byte.is_ascii_digit();
    let shape =
        text.bytes().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { digits(byte) });
    text.len() == 10 && shape && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

/// Is this text an RFC 3339 time with an offset? (RFC 3339, section 5.6; the separator must be `T`.)
pub fn is_datetime(text: &str) -> bool {
    matches!(text.as_bytes().get(10), Some(b'T' | b't')) && DateTime::parse_from_rfc3339(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_judged() {
        for (text, date, datetime) in [
            ("2026-11-30", true, false),
            ("2026-02-29", false, false),
            ("2024-02-29", true, false),
            ("2026-1-3", false, false),
            ("+026-01-03", false, false),
            ("2026-11-30T10:00:00Z", false, true),
            ("2026-11-30T10:00:00.123+02:00", false, true),
            ("2026-11-30T10:00:00", false, false),
            ("2026-11-30 10:00:00Z", false, false),
            ("2026-11-30T25:00:00Z", false, false),
            ("", false, false),
        ] {
            assert_eq!((is_date(text), is_datetime(text)), (date, datetime), "{text}");
        }
        assert_eq!(UnixMillis(1_700_000_000_123).rfc3339(), "2023-11-14T22:13:20.123Z");
        assert_eq!(UnixMillis(1_001).seconds_from(UnixMillis(0)), 2);
    }
}
