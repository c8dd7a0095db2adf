//! The text of a query: one statement, read as SQLite's tokenizer reads it.

use std::collections::BTreeMap;

use toolgate_protocol::limits::{SQL_BYTES_MAX, SQL_DEPTH_MAX, SQL_EXPANSIONS_MAX};

use super::super::Fault;
use super::plan::{DATES, is_in};
use super::refused;

/// A query whose text was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Without comments and without the semicolon at the end.
    pub text: String,
    /// Longest literal.
    pub literal_chars: u64,
    /// Longest literal with a `%`: a format may make more of it.
    pub format_chars: u64,
    /// Uses of `json_each` and `json_tree`, however the names are written.
    pub json_tables: usize,
    /// Most arguments of one call that reads a date.
    pub date_arguments: u64,
    /// It has windows: their rows may be looked at again for each row.
    pub windows: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A bare word.
    Word(String),
    /// A quoted identifier, unquoted.
    Quoted(String),
    /// A string, unquoted. SQLite takes one for an identifier where it needs one.
    Text(String),
    Number,
    Symbol(char),
}

impl Token {
    fn name(&self) -> Option<&str> {
        match self {
            Token::Word(name) | Token::Quoted(name) | Token::Text(name) => Some(name),
            Token::Number | Token::Symbol(_) => None,
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self, Token::Word(own) if own.eq_ignore_ascii_case(word))
    }

    fn is(&self, symbol: char) -> bool {
        *self == Token::Symbol(symbol)
    }
}

impl Query {
    /// Reads a statement.
    ///
    /// # Errors
    /// Why it is not one query.
    pub fn read(statement: &str) -> Result<Query, Fault> {
        if statement.len() > SQL_BYTES_MAX {
            let detail = format!("The statement has {} bytes; the limit is {SQL_BYTES_MAX}.", statement.len());
            return Err(refused(detail));
        }
        let (text, tokens) = Reader::new(statement).read()?;
        match tokens.first() {
            None => return Err(refused("There is no statement; write one SELECT.")),
            Some(first) if ["SELECT", "WITH", "VALUES"].iter().any(|word| first.is_word(word)) => {}
            Some(_) => {
                return Err(refused("Only a SELECT, WITH or VALUES statement runs: nothing can be changed here."));
            }
        }
        check_parentheses(&tokens)?;
        check_names(&tokens)?;
        if expansions(&tokens) > SQL_EXPANSIONS_MAX {
            return Err(refused("The common table expressions use one another too often; write fewer of them."));
        }
        let texts = tokens.iter().filter_map(|token| if let Token::Text(text) = token { Some(text) } else { None });
        let chars = |text: &String| u64::try_from(text.len()).unwrap_or(u64::MAX);
        let is_json = |(index, token): &(usize, &Token)| {
            let named = token.name().map(str::to_ascii_lowercase);
            let called = tokens.get(index.saturating_add(1)).is_some_and(|next| next.is('('));
            called && named.is_some_and(|name| name == "json_each" || name == "json_tree")
        };
        Ok(Query {
            text: text.trim().to_owned(),
            literal_chars: texts.clone().map(chars).max().unwrap_or(0),
            format_chars: texts.filter(|text| text.contains('%')).map(chars).max().unwrap_or(0),
            date_arguments: date_arguments(&tokens),
            windows: tokens.iter().any(|token| token.is_word("OVER")),
            json_tables: tokens.iter().enumerate().filter(is_json).count(),
        })
    }
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    /// What goes on to SQLite.
    text: String,
    tokens: Vec<Token>,
}

impl<'a> Reader<'a> {
    fn new(statement: &'a str) -> Reader<'a> {
        Reader { rest: statement.chars().peekable(), text: String::new(), tokens: Vec::new() }
    }

    fn read(mut self) -> Result<(String, Vec<Token>), Fault> {
        let mut ended = false;
        while let Some(character) = self.rest.next() {
            match character {
                ' ' | '\t' | '\n' | '\r' => self.text.push(character),
                '-' if self.rest.peek() == Some(&'-') => self.line_comment(),
                '/' if self.rest.peek() == Some(&'*') => self.comment()?,
                ';' => ended = true,
                _ if ended => return Err(refused("There is more than one statement; send one at a time.")),
                '\'' => {
                    let text = self.quoted('\'', '\'')?;
                    self.tokens.push(Token::Text(text));
                }
                '"' | '`' => {
                    let name = self.quoted(character, character)?;
                    self.tokens.push(Token::Quoted(name));
                }
                '[' => {
                    let name = self.quoted('[', ']')?;
                    self.tokens.push(Token::Quoted(name));
                }
                '0'..='9' => self.number(character),
                '.' if self.rest.peek().is_some_and(char::is_ascii_digit) => self.number(character),
                'a'..='z' | 'A'..='Z' | '_' => self.word(character),
                '?' | ':' | '@' | '$' | '#' => {
                    return Err(refused("There are no parameters; write the values themselves."));
                }
                '!'..='~' => {
                    self.text.push(character);
                    self.tokens.push(Token::Symbol(character));
                }
                odd => {
                    let detail = format!("The character {odd:?} stands outside of a string; SQL has none such there.");
                    return Err(refused(detail));
                }
            }
        }
        Ok((self.text, self.tokens))
    }

    fn line_comment(&mut self) {
        self.text.push(' ');
        for character in self.rest.by_ref() {
            if character == '\n' {
                break;
            }
        }
    }

    fn comment(&mut self) -> Result<(), Fault> {
        self.text.push(' ');
        self.rest.next();
        let mut before = ' ';
        for character in self.rest.by_ref() {
            if before == '*' && character == '/' {
                return Ok(());
            }
            before = character;
        }
        Err(refused("A comment does not end."))
    }

    /// Up to the closing character; doubled, it stands for itself (but in brackets, which know no such thing).
    fn quoted(&mut self, open: char, close: char) -> Result<String, Fault> {
        self.text.push(open);
        let mut content = String::new();
        while let Some(character) = self.rest.next() {
            self.text.push(character);
            if character == '\0' {
                break;
            }
            if character != close {
                content.push(character);
                continue;
            }
            if open == '[' || self.rest.peek() != Some(&close) {
                return Ok(content);
            }
            self.rest.next();
            self.text.push(close);
            content.push(close);
        }
        Err(refused("A string or a quoted name does not end."))
    }

    fn number(&mut self, first: char) {
        self.text.push(first);
        while let Some(character) = self.rest.peek().copied() {
            if !(character.is_ascii_alphanumeric() || matches!(character, '_' | '.')) {
                break;
            }
            self.text.push(character);
            self.rest.next();
        }
        self.tokens.push(Token::Number);
    }

    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(character) = self.rest.peek().copied() {
            if !(character.is_ascii_alphanumeric() || matches!(character, '_' | '$')) {
                break;
            }
            word.push(character);
            self.rest.next();
        }
        self.text.push_str(&word);
        self.tokens.push(Token::Word(word));
    }
}

/// They match, so nothing that is put around the statement ends within it; and they are not so deep that SQLite's own
/// stack would suffer.
fn check_parentheses(tokens: &[Token]) -> Result<(), Fault> {
    let mut depth: usize = 0;
    for token in tokens {
        if token.is('(') {
            depth = depth.saturating_add(1);
        } else if token.is(')') {
            depth = depth.checked_sub(1).ok_or_else(|| refused("A closing parenthesis has no opening one."))?;
        }
        if depth > SQL_DEPTH_MAX {
            return Err(refused(format!("Parentheses are nested deeper than {SQL_DEPTH_MAX}; write it flatter.")));
        }
    }
    if depth == 0 { Ok(()) } else { Err(refused("A parenthesis is not closed.")) }
}

/// Virtual tables that are there without having been made, in builds that have them: a plan does not name what it opens.
const VIRTUAL_TABLES: [&str; 16] = [
    "dbstat",
    "bytecode",
    "tables_used",
    "fts5vocab",
    "fts3tokenize",
    "fts4aux",
    "generate_series",
    "carray",
    "csv",
    "stmt",
    "memstat",
    "completion",
    "zipfile",
    "fsdir",
    "wholenumber",
    "unionvtab",
];

/// Names of SQLite and of the platform, also as strings: SQLite takes those for names where it needs one.
fn check_names(tokens: &[Token]) -> Result<(), Fault> {
    for name in tokens.iter().filter_map(Token::name) {
        let name = name.to_ascii_lowercase();
        let is_platforms = ["sqlite_", "_cf_", "pragma_", "d1_"].iter().any(|prefix| name.starts_with(prefix));
        if is_platforms || VIRTUAL_TABLES.contains(&name.as_str()) {
            let detail =
                format!("{name:?} is none of the data set's tables; get_database_schema says which there are.");
            return Err(refused(detail));
        }
    }
    // The words of SQLite's own account of a plan, which is read later.
    let misleading =
        |name: &&str| ["CONSTANT ROW", "PRIMARY KEY", "RECURSIVE STEP"].iter().any(|words| name.contains(words));
    match tokens.iter().filter_map(Token::name).find(misleading) {
        Some(name) => Err(refused(format!("The text {name:?} cannot be used here; write it in another way."))),
        None => Ok(()),
    }
}

/// The arguments of the call of a function of dates that has most of them.
fn date_arguments(tokens: &[Token]) -> u64 {
    let of = |(index, token): (usize, &Token)| {
        let is_date = token.name().is_some_and(|name| is_in(DATES, &name.to_ascii_lowercase()));
        let mut rest = tokens.iter().skip(index.saturating_add(1)).take_while(|_| is_date).peekable();
        rest.peek().filter(|next| next.is('('))?;
        let (mut depth, mut arguments) = (0_u64, 1_u64);
        for token in rest {
            match token {
                Token::Symbol('(') => depth = depth.saturating_add(1),
                Token::Symbol(')') => depth = depth.saturating_sub(1),
                Token::Symbol(',') if depth == 1 => arguments = arguments.saturating_add(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        Some(arguments)
    };
    tokens.iter().enumerate().filter_map(of).max().unwrap_or(0)
}

/// How often SQLite may have to copy a common table expression, at worst: each use copies all that it uses in turn. A name
/// before a dot is a column's, and no use.
fn expansions(tokens: &[Token]) -> u64 {
    let mut uses: BTreeMap<String, u64> = BTreeMap::new();
    for (index, token) in tokens.iter().enumerate() {
        if let Some(name) = token.name().filter(|_| defines(tokens, index)) {
            uses.insert(name.to_ascii_lowercase(), 0);
        }
    }
    for (index, token) in tokens.iter().enumerate() {
        let qualifies = tokens.get(index.saturating_add(1)).is_some_and(|next| next.is('.'));
        if let Some(name) = token.name().filter(|_| !qualifies && !defines(tokens, index))
            && let Some(count) = uses.get_mut(&name.to_ascii_lowercase())
        {
            *count = count.saturating_add(1);
        }
    }
    uses.values().fold(1_u64, |product, count| product.saturating_mul((*count).max(1)))
}

/// Does `name [(columns)] AS [[NOT] MATERIALIZED] (` begin here?
fn defines(tokens: &[Token], index: usize) -> bool {
    let mut rest = tokens.iter().skip(index.saturating_add(1)).peekable();
    if rest.peek().is_some_and(|token| token.is('(')) {
        for token in rest.by_ref() {
            if token.is(')') {
                break;
            }
        }
    }
    if !rest.next().is_some_and(|token| token.is_word("AS")) {
        return false;
    }
    let mut next = rest.next();
    if next.is_some_and(|token| token.is_word("NOT")) {
        next = rest.next();
    }
    if next.is_some_and(|token| token.is_word("MATERIALIZED")) {
        next = rest.next();
    }
    next.is_some_and(|token| token.is('('))
}
