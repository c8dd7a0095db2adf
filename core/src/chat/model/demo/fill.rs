//! Filling the fields of a tool from a text, by what its schema says of them: a value near the words of a field's name,
//! else one of the field's type that nothing else took. What cannot be found is told, never made up.

use super::words::{
    Token, integer, is_date, is_datetime, is_email, is_url, is_uuid, number, parts, says, stem, tokens,
};
use crate::json::{Json, parse};

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Number,
    Boolean,
    Date,
    Datetime,
    Uuid,
    Email,
    Url,
    Text,
    Json,
}

/// A field of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
    pub is_list: bool,
    pub is_required: bool,
    /// The texts that it takes, where it takes no others.
    pub choices: Vec<String>,
}

impl Field {
    /// As people are asked for it.
    pub fn asked(&self) -> String {
        let what = match self.kind {
            Kind::Integer => "a whole number",
            Kind::Number => "a number",
            Kind::Boolean => "yes or no",
            Kind::Date => "a date, YYYY-MM-DD",
            Kind::Datetime => "a date and time, RFC 3339",
            Kind::Uuid => "a UUID",
            Kind::Email => "an e-mail address",
            Kind::Url => "a URL",
            Kind::Text => "a text",
            Kind::Json => "a JSON value",
        };
        match self.choices.as_slice() {
            [] => format!("{} ({what})", self.name),
            choices => format!("{} ({})", self.name, choices.join(", ")),
        }
    }
}

/// Words that stand between a label and its value.
const FILLERS: [&str; 19] = [
    "is", "of", "the", "number", "no", "nr", "id", "to", "at", "with", "a", "an", "for", "name", "named", "called",
    "was", "be", "value",
];
/// Parts of names that say nothing by themselves.
const GENERIC: [&str; 9] = ["id", "number", "no", "nr", "value", "name", "the", "of", "text"];
/// Fields that hold a sentence.
const SENTENCES: [&str; 14] = [
    "reason",
    "note",
    "comment",
    "message",
    "body",
    "description",
    "detail",
    "summary",
    "content",
    "explanation",
    "subject",
    "title",
    "why",
    "text",
];
/// What a sentence begins behind.
const MARKERS: [&str; 6] = ["because", "due to", "saying", "since", "reason", "that says"];
/// Fields that hold whatever was asked.
const WHOLE: [&str; 9] = ["query", "question", "search", "prompt", "q", "term", "message", "action", "text"];
const PREPOSITIONS: [&str; 11] = ["in", "for", "at", "from", "to", "of", "named", "called", "about", "near", "by"];

/// The fields of a definition in the `openai` profile.
pub fn fields(definition: &str) -> Vec<Field> {
    let json = parse(definition).unwrap_or(Json::Null);
    let parameters = json.get("function").and_then(|function| function.get("parameters"));
    let Some(Json::Map(properties)) = parameters.and_then(|parameters| parameters.get("properties")) else {
        return Vec::new();
    };
    let required = match parameters.and_then(|parameters| parameters.get("required")) {
        Some(Json::List(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let read = |(name, schema): &(Vec<u8>, Json)| {
        let name = std::str::from_utf8(name).ok()?.to_owned();
        let items = schema.get("items").filter(|_| kind_text(schema) == Some("array"));
        let of = items.unwrap_or(schema);
        let choices = match of.get("enum") {
            Some(Json::List(values)) => values.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let is_required = required.contains(&name.as_str());
        Some(Field { kind: kind(of), is_list: items.is_some(), is_required, choices, name })
    };
    properties.iter().filter_map(read).collect()
}

fn kind_text(schema: &Json) -> Option<&str> {
    match schema.get("type")? {
        Json::List(kinds) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    }
}

fn kind(schema: &Json) -> Kind {
    let hint = |member: &str| schema.get(member).and_then(Json::as_str).unwrap_or_default();
    match (kind_text(schema), hint("format"), hint("description")) {
        (Some("integer"), ..) => Kind::Integer,
        (Some("number"), ..) => Kind::Number,
        (Some("boolean"), ..) => Kind::Boolean,
        (Some("string"), "date", _) => Kind::Date,
        (Some("string"), "date-time", _) => Kind::Datetime,
        (Some("string"), "uuid", _) => Kind::Uuid,
        (Some("string"), "email", _) => Kind::Email,
        (Some("string"), "uri", _) | (Some("string"), "", "Absolute http or https URL") => Kind::Url,
        (Some("string"), ..) => Kind::Text,
        _ => Kind::Json,
    }
}

/// Arguments, or the fields that nothing was found for.
///
/// # Errors
/// The required fields that nothing was found for.
pub fn fill(fields: &[Field], text: &str) -> Result<Json, Vec<Field>> {
    let mut filling = Filling { text, tokens: tokens(text), used: Vec::new(), values: Vec::new() };
    for field in fields {
        filling.by_label(field);
    }
    // What has a look of its own first; required fields before others.
    for is_required in [true, false] {
        for kinds in
            [&[Kind::Uuid, Kind::Email, Kind::Url, Kind::Datetime, Kind::Date][..], &[Kind::Integer], &[Kind::Number]]
        {
            let wanted = fields.iter().filter(|field| field.is_required == is_required && kinds.contains(&field.kind));
            wanted.for_each(|field| filling.by_looks(field));
        }
    }
    for field in fields.iter().filter(|field| field.kind == Kind::Text) {
        filling.sentence(field);
    }
    for field in fields.iter().filter(|field| field.kind == Kind::Text && field.is_required) {
        filling.word(field);
    }
    let missing: Vec<Field> = fields.iter().filter(|field| field.is_required && !filling.has(field)).cloned().collect();
    if missing.is_empty() { Ok(super::object(filling.values)) } else { Err(missing) }
}

struct Filling<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    used: Vec<usize>,
    values: Vec<(String, Json)>,
}

impl<'a> Filling<'a> {
    fn has(&self, field: &Field) -> bool {
        self.values.iter().any(|(name, _)| *name == field.name)
    }

    fn set(&mut self, field: &Field, value: Json, used: impl IntoIterator<Item = usize>) {
        if !self.has(field) {
            let value = if field.is_list && !matches!(value, Json::List(_)) { Json::List(vec![value]) } else { value };
            self.values.push((field.name.clone(), value));
            self.used.extend(used);
        }
    }

    fn token(&self, at: usize) -> Option<Token<'a>> {
        self.tokens.get(at).copied().filter(|_| !self.used.contains(&at))
    }

    /// The places of the words that name a field.
    fn labels(&self, field: &Field) -> Vec<usize> {
        let all = parts(&field.name);
        let telling: Vec<&String> = all.iter().filter(|part| !GENERIC.contains(&part.as_str())).collect();
        let wanted = if telling.is_empty() { all.iter().collect() } else { telling };
        let is_label = |token: &Token<'_>| !token.is_quoted && wanted.iter().any(|part| **part == stem(token.text));
        self.tokens.iter().enumerate().filter(|(_, token)| is_label(token)).map(|(at, _)| at).collect()
    }

    fn by_label(&mut self, field: &Field) {
        if field.kind == Kind::Json {
            return self.json(field);
        }
        if let Some(choice) = field.choices.iter().find(|choice| says(self.text, &[choice])) {
            return self.set(field, Json::Text(choice.clone().into_bytes()), []);
        }
        for label in self.labels(field) {
            if field.kind == Kind::Boolean {
                let before =
                    label.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|token| token.text.to_lowercase());
                let is_no =
                    before.is_some_and(|word| ["no", "not", "without", "don't", "never"].contains(&word.as_str()));
                return self.set(field, Json::Bool(!is_no), [label]);
            }
            let is_filler = |at: &usize| {
                self.tokens
                    .get(*at)
                    .is_some_and(|token| !token.is_quoted && FILLERS.contains(&token.text.to_lowercase().as_str()))
            };
            let Some(at) = (label.saturating_add(1)..self.tokens.len()).find(|at| !is_filler(at)) else { continue };
            let Some(token) = self.token(at) else { continue };
            let value = match field.kind {
                Kind::Text if is_sentence(field) && !token.is_quoted => None,
                Kind::Text if !field.choices.is_empty() => None,
                kind => value(kind, token.text),
            };
            if let Some(value) = value {
                let run = if field.kind == Kind::Text { self.run(at) } else { vec![at] };
                let words = self.joined(&run);
                let value = if run.len() > 1 { Json::Text(words.into_bytes()) } else { value };
                return self.set(field, value, run);
            }
            // Three nights, 2 items.
            let before = label.checked_sub(1).and_then(|at| Some((at, self.token(at)?)));
            if matches!(field.kind, Kind::Integer | Kind::Number)
                && let Some((at, token)) = before
                && let Some(value) = value_of(field.kind, token)
            {
                return self.set(field, value, [at]);
            }
        }
    }

    fn by_looks(&mut self, field: &Field) {
        let looks = |(at, token): (usize, &Token<'a>)| {
            (!self.used.contains(&at)).then(|| value_of(field.kind, *token)).flatten().map(|value| (at, value))
        };
        let found: Vec<(usize, Json)> = self.tokens.iter().enumerate().filter_map(looks).collect();
        if field.is_list && !found.is_empty() {
            let (used, values): (Vec<usize>, Vec<Json>) = found.into_iter().unzip();
            return self.set(field, Json::List(values), used);
        }
        // An amount has a fraction more often than a number of something.
        let fraction = found.iter().find(|(_, value)| matches!(value, Json::Number(text) if text.contains('.')));
        if let Some((at, value)) = fraction.or(found.first()).cloned() {
            self.set(field, value, [at]);
        }
    }

    /// What stands behind `because` and the like, to the end; else a quoted text.
    fn sentence(&mut self, field: &Field) {
        if self.has(field) || !is_sentence(field) || !field.choices.is_empty() {
            return;
        }
        let lower = self.text.to_lowercase();
        let behind = MARKERS.iter().filter_map(|marker| {
            let at = lower.find(&format!(" {marker}"))?.saturating_add(marker.len()).saturating_add(1);
            // Lower case may be longer; then the place is none.
            let rest = self.text.get(at..).filter(|_| lower.len() == self.text.len())?;
            let rest = rest.trim_start_matches([':', ',', ' ']).strip_prefix("of ").unwrap_or(rest);
            let rest = rest.trim_matches(|letter: char| letter.is_whitespace() || ".,:;\"".contains(letter));
            (!rest.is_empty()).then(|| rest.to_owned())
        });
        if let Some(sentence) = behind.min_by_key(String::len) {
            return self.set(field, Json::Text(sentence.into_bytes()), []);
        }
        self.quoted(field);
    }

    fn quoted(&mut self, field: &Field) {
        let quoted = self.tokens.iter().enumerate().find(|(at, token)| token.is_quoted && !self.used.contains(at));
        if let Some((at, token)) = quoted {
            let value = Json::Text(token.text.as_bytes().to_vec());
            self.set(field, value, [at]);
        }
    }

    /// A text for a required field: quoted, a code, a name, what follows a preposition, or all that was asked.
    fn word(&mut self, field: &Field) {
        if self.has(field) || !field.choices.is_empty() {
            return;
        }
        self.quoted(field);
        let own = parts(&field.name);
        if own.iter().any(|part| ["id", "number", "code", "sku", "reference", "ref"].contains(&part.as_str())) {
            let code = (0..self.tokens.len())
                .find(|at| self.token(*at).is_some_and(|token| token.text.bytes().any(|byte| byte.is_ascii_digit())));
            if let Some((at, token)) = code.and_then(|at| Some((at, self.token(at)?))) {
                return self.set(field, Json::Text(token.text.as_bytes().to_vec()), [at]);
            }
            return;
        }
        if own.iter().any(|part| WHOLE.contains(&part.as_str())) {
            return self.set(field, Json::Text(self.text.trim().as_bytes().to_vec()), []);
        }
        if !is_sentence(field) {
            self.named(field);
        }
    }

    /// A run of capitalised words that begins no sentence, or else the last word behind a preposition.
    fn named(&mut self, field: &Field) {
        let is_name = |at: usize| {
            at > 0
                && self.token(at).is_some_and(|token| token.text.starts_with(char::is_uppercase) && token.text != "I")
        };
        let first = (0..self.tokens.len()).find(|at| is_name(*at));
        let run: Vec<usize> = first.map(|first| self.run(first)).unwrap_or_default();
        let behind = |at: &usize| {
            let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
            self.token(*at).is_some()
                && before.is_some_and(|token| PREPOSITIONS.contains(&token.text.to_lowercase().as_str()))
        };
        let run = if run.is_empty() { (0..self.tokens.len()).rfind(behind).into_iter().collect() } else { run };
        if !run.is_empty() {
            self.set(field, Json::Text(self.joined(&run).into_bytes()), run);
        }
    }

    /// A token, and the capitalised ones that go on with it where it is one.
    fn run(&self, first: usize) -> Vec<usize> {
        let is_name = |at: &usize| {
            self.token(*at).is_some_and(|token| {
                !token.is_quoted && token.text.starts_with(char::is_uppercase) && token.text != "I"
            })
        };
        let more = (first..self.tokens.len()).take_while(is_name).count();
        (first..first.saturating_add(more.max(1))).collect()
    }

    fn joined(&self, run: &[usize]) -> String {
        let words: Vec<&str> = run.iter().filter_map(|at| self.tokens.get(*at)).map(|token| token.text).collect();
        words.join(" ")
    }

    fn json(&mut self, field: &Field) {
        let starts = self.text.char_indices().filter(|(_, letter)| "{[".contains(*letter)).map(|(at, _)| at);
        for start in starts {
            let rest = self.text.get(start..).unwrap_or_default();
            let ends =
                rest.char_indices().filter(|(_, letter)| "}]".contains(*letter)).map(|(at, _)| at.saturating_add(1));
            if let Some(found) = ends.filter_map(|end| parse(rest.get(..end)?).ok()).last() {
                return self.set(field, found, []);
            }
        }
    }
}

fn is_sentence(field: &Field) -> bool {
    parts(&field.name).iter().any(|part| SENTENCES.contains(&part.as_str()))
}

fn value_of(kind: Kind, token: Token<'_>) -> Option<Json> {
    if token.is_quoted && matches!(kind, Kind::Integer | Kind::Number) { None } else { value(kind, token.text) }
}

fn value(kind: Kind, text: &str) -> Option<Json> {
    let as_text = || Json::Text(text.as_bytes().to_vec());
    match kind {
        Kind::Integer => integer(text).map(Json::Number),
        Kind::Number => number(text).map(Json::Number),
        Kind::Date => is_date(text).then(as_text),
        Kind::Datetime => is_datetime(text).then(as_text),
        Kind::Uuid => is_uuid(text).then(as_text),
        Kind::Email => is_email(text).then(as_text),
        Kind::Url => is_url(text).then(as_text),
        Kind::Text => Some(as_text()),
        Kind::Boolean | Kind::Json => None,
    }
}
