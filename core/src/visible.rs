//! Text as an approver must see it: nothing invisible, nothing that turns the line around, no odd blank.
//!
//! What would not be seen for what it is becomes a JSON escape. Canonical JSON has such characters inside strings alone,
//! so the text stays JSON of the same value, and no two values look the same because of them. Letters of one script that
//! look like those of another are left: which of them is meant, only a reader can tell.

use std::fmt::Write as _;

/// Code points that are not seen, by first and last. Source: Unicode 16.0, the properties Default_Ignorable_Code_Point,
/// Bidi_Control and White_Space (but for U+0020), the categories Cc, Zl and Zp, private use and interlinear annotation.
const UNSEEN: [(u32, u32); 30] = [
    (0x0000, 0x001F),
    (0x007F, 0x00A0),
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xE000, 0xF8FF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D159, 0x1_D159),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
    (0xF_0000, 0xF_FFFF),
    (0x10_0000, 0x10_FFFF),
    (0x1_3430, 0x1_3455),
    (0x1_FFFE, 0x1_FFFF),
    (0x2_FFFE, 0x2_FFFF),
];

/// Whether a character is not seen for what it is.
pub fn is_unseen(character: char) -> bool {
    let code = u32::from(character);
    UNSEEN.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// Canonical JSON text with every unseen character as an escape (RFC 8259, section 7).
pub fn shown(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        if is_unseen(character) {
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_written_out_and_the_value_stays() {
        for (json, seen) in [
            (r#"{"to":"Ann Müller","n":9007199254740993}"#, r#"{"to":"Ann Müller","n":9007199254740993}"#),
            ("[\"a\u{202E}fdp.exe\"]", r#"["a\u202efdp.exe"]"#),
            ("[\"pay\u{200B}pal\u{FEFF}\"]", r#"["pay\u200bpal\ufeff"]"#),
            ("[\"a\u{00A0}b\u{3000}c\u{2028}d\"]", r#"["a\u00a0b\u3000c\u2028d"]"#),
            ("[\"\u{E0041}\u{E0042}\"]", r#"["\udb40\udc41\udb40\udc42"]"#),
            ("[\"\u{2066}x\u{2069}\u{061C}\"]", r#"["\u2066x\u2069\u061c"]"#),
            ("[\"👩\u{200D}🔧\"]", r#"["👩\u200d🔧"]"#),
            (r#"["\ud800 \u0007"]"#, r#"["\ud800 \u0007"]"#),
        ] {
            let text = shown(json);
            assert_eq!(text, seen);
            if let Ok(value) = serde_json::from_str::<serde_json::Value>(json) {
                assert_eq!(serde_json::from_str::<serde_json::Value>(&text).ok(), Some(value), "{json}");
            }
        }
    }

    #[test]
    fn ranges_are_ranges() {
        assert!(UNSEEN.iter().all(|(first, last)| first <= last));
    }
}
