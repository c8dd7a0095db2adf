//! The reader: recursive descent over bytes, bounded depth.

use toolgate_protocol::limits::JSON_DEPTH_MAX;

use super::{Json, JsonFault};

/// Reads one JSON text, whole.
pub fn parse(text: &str) -> Result<Json, JsonFault> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
    let value = reader.value(JSON_DEPTH_MAX)?;
    reader.blanks();
    if reader.at == reader.bytes.len() { Ok(value) } else { Err(reader.fault("text after the end of the value")) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn fault(&self, what: &'static str) -> JsonFault {
        JsonFault { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at = self.at.saturating_add(1);
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at = self.at.saturating_add(1);
        }
        found
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at = self.at.saturating_add(1);
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonFault> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.map(depth.checked_sub(1).ok_or_else(|| self.fault("nested too deep"))?),
            Some(b'[') => self.list(depth.checked_sub(1).ok_or_else(|| self.fault("nested too deep"))?),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true", Json::Bool(true)),
            Some(b'f') => self.word(b"false", Json::Bool(false)),
            Some(b'n') => self.word(b"null", Json::Null),
            Some(_) => Err(self.fault("a value cannot begin here")),
            None => Err(self.fault("the text ends too early")),
        }
    }

    fn word(&mut self, word: &[u8], value: Json) -> Result<Json, JsonFault> {
        for byte in word {
            if !self.take(*byte) {
                return Err(self.fault("a value cannot begin here"));
            }
        }
        Ok(value)
    }

    fn map(&mut self, depth: usize) -> Result<Json, JsonFault> {
        self.take(b'{');
        let mut members = Vec::new();
        self.blanks();
        if self.take(b'}') {
            return Ok(Json::Map(members));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.fault("a member's name must be a string"));
            }
            let key = self.string()?;
            self.blanks();
            if !self.take(b':') {
                return Err(self.fault("a colon is missing"));
            }
            members.push((key, self.value(depth)?));
            self.blanks();
            if self.take(b'}') {
                break;
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or a closing brace is missing"));
            }
        }
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        if members.windows(2).any(|pair| matches!(pair, [(one, _), (other, _)] if one == other)) {
            return Err(self.fault("an object names a member twice"));
        }
        Ok(Json::Map(members))
    }

    fn list(&mut self, depth: usize) -> Result<Json, JsonFault> {
        self.take(b'[');
        let mut items = Vec::new();
        self.blanks();
        if self.take(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.blanks();
            if self.take(b']') {
                return Ok(Json::List(items));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or a closing bracket is missing"));
            }
        }
    }

    fn number(&mut self) -> Result<Json, JsonFault> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let text = self.bytes.get(start..self.at).unwrap_or_default();
        Ok(Json::Number(String::from_utf8_lossy(text).into_owned()))
    }

    fn digits(&mut self) -> Result<(), JsonFault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at = self.at.saturating_add(1);
        }
        if self.at == start { Err(self.fault("a digit is missing")) } else { Ok(()) }
    }

    fn string(&mut self) -> Result<Vec<u8>, JsonFault> {
        self.take(b'"');
        let mut text = Vec::new();
        loop {
            match self.next() {
                Some(b'"') => return Ok(text),
                Some(b'\\') => self.escape(&mut text)?,
                Some(byte) if byte < 0x20 => return Err(self.fault("a control character must be escaped")),
                Some(byte) => text.push(byte),
                None => return Err(self.fault("a string does not end")),
            }
        }
    }

    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), JsonFault> {
        let byte = match self.next() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode(text),
            _ => return Err(self.fault("an escape that JSON does not have")),
        };
        text.push(byte);
        Ok(())
    }

    /// `\uXXXX`: joins surrogate pairs, keeps a lone surrogate as its three WTF-8 bytes.
    fn unicode(&mut self, text: &mut Vec<u8>) -> Result<(), JsonFault> {
        let unit = self.unit()?;
        if (0xd800..0xdc00).contains(&unit) && self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b"\\u")) {
            let back = self.at;
            self.at = self.at.saturating_add(2);
            let low = self.unit()?;
            if (0xdc00..0xe000).contains(&low) {
                let high = unit.saturating_sub(0xd800) << 10;
                push_code_point(text, (high | low.saturating_sub(0xdc00)).saturating_add(0x1_0000));
                return Ok(());
            }
            self.at = back;
        }
        push_code_point(text, unit);
        Ok(())
    }

    fn unit(&mut self) -> Result<u32, JsonFault> {
        let mut unit = 0_u32;
        for _ in 0..4 {
            let digit = self
                .next()
                .and_then(|byte| char::from(byte).to_digit(16))
                .ok_or_else(|| self.fault("four hexadecimal digits are missing"))?;
            unit = (unit << 4) | digit;
        }
        Ok(unit)
    }
}

fn push_code_point(text: &mut Vec<u8>, point: u32) {
    match char::from_u32(point) {
        Some(character) => text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        // A surrogate: the generalized UTF-8 form of three bytes.
        None => text.extend_from_slice(&[0xed, low_six(point >> 6), low_six(point)]),
    }
}

fn low_six(bits: u32) -> u8 {
    0x80 | u8::try_from(bits & 0x3f).unwrap_or(0)
}
