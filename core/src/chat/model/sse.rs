//! Server-sent events (WHATWG HTML, section 9.2), from bytes that come in any pieces.
//!
//! Promises: how the bytes were cut makes no difference; lines end with LF, CRLF or CR; a line over its limit is a
//! fault and not memory. What is not UTF-8 becomes U+FFFD, as the standard says.

use toolgate_protocol::limits::{MODEL_LINE_BYTES_MAX, MODEL_STREAM_BYTES_MAX};

use super::ModelError;

/// An event: what its `data:` lines say, joined by LF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// What `event:` says.
    pub kind: String,
    /// What `data:` says.
    pub data: String,
}

/// Reads events.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    /// The last byte was a CR: an LF that follows belongs to it.
    after_cr: bool,
    began: bool,
    bytes: usize,
    data_bytes: usize,
    event: Event,
    has_data: bool,
}

impl Events {
    /// More bytes; each event that ends in them goes to `take`.
    pub fn push(
        &mut self,
        bytes: &[u8],
        mut take: impl FnMut(Event) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MODEL_STREAM_BYTES_MAX {
            return Err(ModelError::malformed("it is too large"));
        }
        for byte in bytes {
            match byte {
                b'\n' if self.after_cr => self.after_cr = false,
                b'\n' | b'\r' => {
                    self.after_cr = *byte == b'\r';
                    if let Some(event) = self.line()? {
                        take(event)?;
                    }
                }
                byte => {
                    self.after_cr = false;
                    if self.line.len() >= MODEL_LINE_BYTES_MAX {
                        return Err(ModelError::malformed("a line of it is too long"));
                    }
                    self.line.push(*byte);
                }
            }
        }
        Ok(())
    }

    /// The end. By the standard an event without its blank line is none; endpoints leave the last one out, so it counts.
    pub fn end(&mut self) -> Result<Option<Event>, ModelError> {
        if let Some(event) = self.line()? {
            return Ok(Some(event));
        }
        Ok(self.dispatch())
    }

    fn line(&mut self) -> Result<Option<Event>, ModelError> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.began, true) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let text = String::from_utf8_lossy(line);
        // A line that begins with a colon is a comment: its field has no name.
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                self.data_bytes = self.data_bytes.saturating_add(value.len());
                if self.data_bytes > MODEL_LINE_BYTES_MAX {
                    return Err(ModelError::malformed("an event of it is too long"));
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event.kind),
            _ => {}
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<Event> {
        self.data_bytes = 0;
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, ModelError> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        for piece in pieces {
            events.push(piece, |event| {
                found.push((event.kind, event.data));
                Ok(())
            })?;
        }
        found.extend(events.end()?.map(|event| (event.kind, event.data)));
        Ok(found)
    }

    #[test]
    fn events_in_every_cut() {
        for (text, events) in [
            ("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")][..]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &[("", "a"), ("", "b")]),
            ("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]),
            ("data: a\r\n\ndata: b\n\r\n", &[("", "a"), ("", "b")]),
            ("data:a\n\n", &[("", "a")]),
            ("data:  a\n\n", &[("", " a")]),
            ("data: a\ndata: b\n\n", &[("", "a\nb")]),
            ("data\n\n", &[("", "")]),
            ("data:\n\n", &[("", "")]),
            (": keep-alive\n\ndata: a\n\n", &[("", "a")]),
            (":\n:\n\n\n\ndata: a\n\n\n\n", &[("", "a")]),
            ("event: error\ndata: a\n\ndata: b\n\n", &[("error", "a"), ("", "b")]),
            ("event: x\n\ndata: b\n\n", &[("", "b")]),
            ("id: 7\nretry: 1\nother: x\ndata: a\n\n", &[("", "a")]),
            ("\u{feff}data: a\n\n", &[("", "a")]),
            ("data: \u{feff}a\n\n", &[("", "\u{feff}a")]),
            ("data: é😀\n\n", &[("", "é😀")]),
            ("data: a", &[("", "a")]),
            ("data: a\n", &[("", "a")]),
            ("data: a\r", &[("", "a")]),
            ("data: {\"a\": \"b:c\"}\n\n", &[("", "{\"a\": \"b:c\"}")]),
            ("datax: a\n\n", &[]),
            ("{\"no\":\"stream\"}", &[]),
            ("", &[]),
            ("\n\n\n", &[]),
        ] {
            let events: Vec<_> = events.iter().map(|(kind, data)| (kind.to_string(), data.to_string())).collect();
            let bytes = text.as_bytes();
            assert_eq!(read(&[bytes]).unwrap(), events, "{text:?}");
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(read(&single).unwrap(), events, "{text:?} byte by byte");
            for at in 0..=bytes.len() {
                assert_eq!(read(&[&bytes[..at], &bytes[at..]]).unwrap(), events, "{text:?} cut at {at}");
            }
        }
    }

    #[test]
    fn limits_hold() {
        let line = [b"data: ".as_slice(), &vec![b'x'; MODEL_LINE_BYTES_MAX], b"\n\n"].concat();
        assert!(read(&[&line]).unwrap_err().message.contains("too long"));
        let half = [b"data: ".as_slice(), &vec![b'x'; MODEL_LINE_BYTES_MAX / 2 + 1], b"\n"].concat();
        assert!(read(&[&half, &half]).unwrap_err().message.contains("an event"));
        assert_eq!(read(&[&half, b"\n", &half, b"\n"]).unwrap().len(), 2);
        let comment = [b":".as_slice(), &vec![b'x'; MODEL_LINE_BYTES_MAX - 2], b"\n"].concat();
        let pieces = vec![comment.as_slice(); MODEL_STREAM_BYTES_MAX / comment.len() + 1];
        assert!(read(&pieces).unwrap_err().message.contains("too large"));
    }

    #[test]
    fn what_is_not_utf_8_is_replaced() {
        assert_eq!(read(&[b"data: a\xffb\n\n"]).unwrap(), [(String::new(), "a\u{fffd}b".to_owned())]);
    }
}
