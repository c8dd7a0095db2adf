//! One letter for all its forms: case, accents, full width, ligatures.
//!
//! A table of our own instead of Unicode's normal forms: those are a hundred kilobytes of module, and search needs less. A
//! letter that is not in the table stays itself, lower-cased. The same is done to tools and to what users say, so that an
//! unknown accent costs a match between spellings and never one between equal ones.

/// Letters of Latin, Greek and Cyrillic scripts that carry a mark, after the letter they stand for.
const MARKED: &[&str] = &[
    "aàáâãäåāăąǎạảấầẩẫậắằẳẵặ",
    "cçćĉċč",
    "dďđḍ",
    "eèéêëēĕėęěẹẻẽếềểễệ",
    "gĝğġģ",
    "hĥħ",
    "iìíîïĩīĭįıǐịỉ",
    "jĵ",
    "kķ",
    "lĺļľŀł",
    "nñńņňŉ",
    "oòóôõöøōŏőǒọỏốồổỗộơớờởỡợ",
    "rŕŗř",
    "sśŝşšșſ",
    "tţťŧț",
    "uùúûüũūŭůűųǔưụủứừửữự",
    "wŵẁẃẅ",
    "yýÿŷỳỵỷỹ",
    "zźżž",
    "αά",
    "εέ",
    "ηή",
    "ιίϊΐ",
    "οό",
    "υύϋΰ",
    "ωώ",
    "σς",
    "её",
    "иѝ",
];

/// Letters that stand for two.
const PAIRS: &[(char, &str)] = &[('ß', "ss"), ('æ', "ae"), ('œ', "oe"), ('þ', "th"), ('ﬁ', "fi"), ('ﬂ', "fl")];

/// Adds the letter's plain form.
pub(super) fn fold_into(letter: char, out: &mut String) {
    let letter = narrow(letter);
    if letter.is_ascii() {
        out.push(letter.to_ascii_lowercase());
        return;
    }
    for lower in letter.to_lowercase().filter(|lower| !is_mark(*lower)) {
        if let Some((_, pair)) = PAIRS.iter().find(|(ligature, _)| *ligature == lower) {
            out.push_str(pair);
        } else {
            out.push(plain(lower));
        }
    }
}

/// Marks above and below letters, vowel points, and characters that are only there for the line break.
pub(super) fn is_mark(letter: char) -> bool {
    matches!(letter,
        '\u{0300}'..='\u{036f}' | '\u{0591}'..='\u{05c7}' | '\u{0640}' | '\u{064b}'..='\u{0652}' | '\u{0670}'
        | '\u{00ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{fe0f}' | '\u{feff}')
}

/// Full-width forms of ASCII are what keyboards for Chinese and Japanese write.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter).saturating_sub(0xfee0)).unwrap_or(letter),
        '\u{3000}' => ' ',
        other => other,
    }
}

fn plain(letter: char) -> char {
    let with_marks = |row: &&&str| row.chars().skip(1).any(|marked| marked == letter);
    MARKED.iter().find(with_marks).and_then(|row| row.chars().next()).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_one_form() {
        for (said, meant) in [
            ("Café", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("Straße", "strasse"),
            ("ISTANBUL İstanbul ıstanbul", "istanbul istanbul istanbul"),
            ("ＯＲＤＥＲ１２", "order12"),
            ("Łódź Đặng Ñandú", "lodz dang nandu"),
            ("Ёлка", "елка"),
            ("ΌΡΟΣ", "οροσ"),
            ("東京", "東京"),
            ("ﬁle", "file"),
        ] {
            let mut out = String::new();
            said.chars().for_each(|letter| fold_into(letter, &mut out));
            assert_eq!(out.chars().filter(|letter| !is_mark(*letter)).collect::<String>(), meant, "{said}");
        }
    }
}
