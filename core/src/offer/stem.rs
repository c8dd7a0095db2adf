//! Word forms of English: "orders", "ordered" and "ordering" are one word, "calculate" and "calculator" another.
//!
//! Endings are taken off while enough of the word is left. A stem is no word and is never shown. Words of other scripts and
//! words with digits stay as they are; words of other languages in Latin letters lose an ending now and then, in tools and
//! in what users say alike.

/// Forms that no rule finds, each with its stem.
const IRREGULAR: &[(&str, &str)] = &[
    ("analyses", "analys"),
    ("analysis", "analys"),
    ("been", "be"),
    ("being", "be"),
    ("bought", "buy"),
    ("bus", "bus"),
    ("buses", "bus"),
    ("children", "child"),
    ("data", "data"),
    ("does", "do"),
    ("driven", "driv"),
    ("drove", "driv"),
    ("during", "during"),
    ("ate", "eat"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("found", "find"),
    ("gas", "gas"),
    ("gave", "giv"),
    ("given", "giv"),
    ("gone", "go"),
    ("got", "get"),
    ("has", "has"),
    ("indexes", "index"),
    ("indices", "index"),
    ("made", "mak"),
    ("matrices", "matrix"),
    ("media", "media"),
    ("men", "man"),
    ("news", "news"),
    ("paid", "pay"),
    ("people", "person"),
    ("sent", "send"),
    ("series", "series"),
    ("sold", "sell"),
    ("species", "species"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("status", "status"),
    ("taken", "tak"),
    ("thing", "thing"),
    ("things", "thing"),
    ("this", "this"),
    ("took", "tak"),
    ("vertices", "vertex"),
    ("was", "was"),
    ("went", "go"),
    ("women", "woman"),
    ("written", "writ"),
    ("wrote", "writ"),
];

/// Endings, longer ones before those they end in, each with the letters that must be left.
const ENDINGS: &[(&str, usize)] = &[
    ("isation", 3),
    ("ization", 3),
    ("ational", 3),
    ("ations", 3),
    ("ation", 3),
    ("ator", 3),
    ("ating", 4),
    ("ated", 4),
    ("ative", 4),
    ("ate", 4),
    ("izing", 3),
    ("ized", 3),
    ("izer", 3),
    ("ize", 3),
    ("ising", 4),
    ("ised", 4),
    ("ement", 4),
    ("ment", 3),
    ("ence", 4),
    ("ance", 4),
    ("ency", 4),
    ("ancy", 4),
    ("fulness", 3),
    ("ful", 3),
    ("ness", 3),
    ("ability", 3),
    ("ibility", 3),
    ("ivity", 4),
    ("ity", 4),
    ("ically", 3),
    ("ical", 3),
    ("ally", 4),
    ("ly", 3),
    ("ing", 3),
    ("edly", 4),
    ("ed", 3),
    ("er", 5),
    ("or", 5),
    ("ive", 4),
    ("able", 4),
    ("ible", 4),
    ("sion", 4),
    ("ion", 4),
    ("al", 4),
    ("ous", 4),
    ("ant", 4),
    ("ent", 4),
    ("ic", 4),
    ("ary", 4),
    ("ory", 4),
    ("e", 3),
];

/// Endings of endings: "internationalizations" has three.
const ROUNDS: usize = 4;

/// The stem of a folded word.
pub(super) fn stem(word: &str) -> String {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    if let Some((_, stem)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*stem).to_owned();
    }
    let mut rest = singular(word);
    if word.len() == 3 {
        return rest;
    }
    for _ in 0..ROUNDS {
        let ending = ENDINGS.iter().find_map(|(ending, left)| {
            rest.strip_suffix(ending).filter(|root| root.len() >= *left && root.bytes().any(is_vowel))
        });
        let Some(root) = ending.map(str::to_owned) else { break };
        rest = root;
        undouble(&mut rest);
    }
    if rest.len() > 3 && rest.ends_with('y') {
        rest.pop();
        rest.push('i');
    }
    rest
}

fn singular(word: &str) -> String {
    let is_short = word.len() == 3 && word.as_bytes().get(1).is_some_and(|middle| b"aiusy".contains(middle));
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    match word {
        _ if word.len() > 4 && word.ends_with("ies") => {
            format!("{}y", word.strip_suffix("ies").unwrap_or(word))
        }
        _ if ends(&["sses", "xes", "ches", "shes", "zes"]) => word.strip_suffix("es").unwrap_or(word).to_owned(),
        _ if is_short || ends(&["ss", "us", "is"]) => word.to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// "planned" is "plan", "added" is "add": three letters may end in two that are equal.
fn undouble(word: &mut String) {
    let mut ends = word.bytes().rev();
    if let (Some(last), Some(before)) = (ends.next(), ends.next())
        && last == before
        && word.len() > 3
        && !b"aeious".contains(&last)
    {
        word.pop();
    }
}

fn is_vowel(byte: u8) -> bool {
    b"aeiouy".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            "order orders ordered ordering",
            "calculate calculates calculated calculating calculator calculation",
            "convert converts converter converting",
            "city cities",
            "book books booked booking bookings",
            "plan plans planned planning",
            "ship ships shipped shipping",
            "movie movies",
            "invoice invoices invoiced invoicing",
            "pay pays paid paying payment payments",
            "delete deletes deleted deleting",
            "add adds added adding",
            "bus buses",
            "status",
            "retrieve retrieves retrieval retrieving",
            "analysis analyses",
        ] {
            let stems: Vec<String> = forms.split(' ').map(stem).collect();
            assert!(stems.iter().all(|each| *each == stems[0]), "{forms}: {stems:?}");
        }
    }

    #[test]
    fn different_words_stay_apart() {
        for pair in ["play player", "new news", "gas gaze", "bus bust", "own owner", "to too"] {
            let stems: Vec<String> = pair.split(' ').map(stem).collect();
            assert_ne!(stems[0], stems[1], "{pair}");
        }
        for kept in ["", "a", "is", "ss", "1234", "a1s", "заказы", "注文", "sss", "ings"] {
            assert!(stem(kept).len() <= kept.len());
        }
    }
}
