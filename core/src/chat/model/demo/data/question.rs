//! What a question asks of a table: names of columns in it, a measure, a grouping, filters, and how to show it.

use super::super::words::{integer, says, stem, tokens};
use super::schema::{Column, Holds, Table};

/// What is worked out of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure<'a> {
    Count,
    Average(&'a Column),
    Sum(&'a Column),
    Most(&'a Column),
    Least(&'a Column),
}

/// What rows are put together by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group<'a> {
    Column(&'a Column),
    Year(&'a Column),
    Month(&'a Column),
}

/// Which rows count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter<'a> {
    Is(&'a Column, String),
    Year(&'a Column, String),
}

/// A question about a table.
#[derive(Debug)]
pub struct Question<'a> {
    pub table: &'a Table,
    pub measure: Option<Measure<'a>>,
    pub group: Option<Group<'a>>,
    pub filters: Vec<Filter<'a>>,
    /// Rows in this order: a column, and whether from above.
    pub order: Option<(&'a Column, bool)>,
    pub limit: Option<u64>,
    pub wants_chart: bool,
    pub wants_map: bool,
    pub wants_line: bool,
    pub wants_pie: bool,
}

const AVERAGE: [&str; 3] = ["average", "mean", "avg"];
const SUM: [&str; 4] = ["sum", "total", "altogether", "overall"];
const MOST: [&str; 8] = ["highest", "largest", "biggest", "maximum", "max", "most expensive", "top", "longest"];
const LEAST: [&str; 7] = ["lowest", "smallest", "minimum", "min", "cheapest", "least expensive", "shortest"];
const COUNT: [&str; 5] = ["how many", "count", "number of", "most", "fewest"];
const LATEST: [&str; 5] = ["latest", "newest", "recent", "most recent", "last"];
const EARLIEST: [&str; 4] = ["earliest", "oldest", "first", "least recent"];
const GROUPING: [&str; 6] = ["by", "per", "each", "every", "which", "across"];

impl<'a> Question<'a> {
    /// Reads a question. There is at least one table.
    pub fn read(asked: &str, tables: &'a [Table]) -> Option<Question<'a>> {
        let said: Vec<String> = tokens(asked).iter().map(|token| stem(token.text)).collect();
        let names = |table: &&Table| {
            let columns = table.columns.iter().filter(|column| column.is_named_in(&said)).count();
            let is_named = super::super::words::parts(&table.name).iter().all(|part| said.contains(part));
            columns.saturating_add(if is_named { 10 } else { 0 })
        };
        // Of equals the first.
        let table = tables.iter().rev().max_by_key(names)?;
        let wants_map = says(asked, &["map", "where", "mapped", "on a map", "locations"]);
        let wants_line = says(asked, &["line", "line chart", "trend", "over time"]);
        let wants_pie = says(asked, &["pie", "pie chart", "share", "shares"]);
        let wants_chart =
            !wants_map && (wants_line || wants_pie || says(asked, &["chart", "graph", "plot", "diagram", "bar"]));
        let mut question = Question {
            table,
            measure: None,
            group: None,
            filters: filters(asked, &said, table),
            order: None,
            limit: limit(asked),
            wants_chart,
            wants_map,
            wants_line,
            wants_pie,
        };
        question.measure(asked, &said);
        if !wants_map {
            question.group(asked, &said);
        }
        question.order(asked, &said);
        Some(question)
    }

    fn measure(&mut self, asked: &str, said: &[String]) {
        let table = self.table;
        let is_year = |column: &Column| column.name.eq_ignore_ascii_case("year");
        let numbers = || table.columns.iter().filter(|column| column.holds == Holds::Number && !is_year(column));
        let named = numbers().find(|column| column.is_named_in(said));
        let any = named.or_else(|| numbers().next());
        self.measure = match any {
            Some(column) if says(asked, &AVERAGE) => Some(Measure::Average(column)),
            Some(column) if says(asked, &SUM) && (named.is_some() || !says(asked, &["how many"])) => {
                Some(Measure::Sum(column))
            }
            Some(column) if says(asked, &MOST) && named.is_some() => Some(Measure::Most(column)),
            Some(column) if says(asked, &LEAST) && named.is_some() => Some(Measure::Least(column)),
            _ if says(asked, &COUNT) => Some(Measure::Count),
            _ => None,
        };
    }

    fn group(&mut self, asked: &str, said: &[String]) {
        let table = self.table;
        let is_filtered = |column: &Column| {
            self.filters.iter().any(|filter| matches!(filter, Filter::Is(by, _) if by.name == column.name))
        };
        let named = table
            .columns
            .iter()
            .find(|column| column.holds == Holds::Text && column.is_named_in(said) && !is_filtered(column));
        let year = table
            .columns
            .iter()
            .find(|column| column.holds == Holds::Number && column.name.eq_ignore_ascii_case("year"));
        let dates = || table.columns.iter().filter(|column| column.holds == Holds::Date);
        let date = dates().find(|column| column.is_named_in(said)).or_else(|| dates().next());
        let is_grouping = says(asked, &GROUPING) || self.wants_chart;
        let in_time = is_grouping || self.wants_line;
        self.group = if in_time && says(asked, &["month", "months", "monthly"]) && date.is_some() {
            date.map(Group::Month)
        } else if in_time
            && (self.wants_line || says(asked, &["year", "years", "yearly", "annual"]))
            && (year.is_some() || date.is_some())
        {
            year.map(Group::Column).or(date.map(Group::Year))
        } else if is_grouping && named.is_some() {
            named.map(Group::Column)
        } else if self.wants_chart {
            table.column(Holds::Text).map(Group::Column)
        } else {
            None
        };
        // The highest of all is a row, not a number; of each group it is a number.
        if self.group.is_none() && matches!(self.measure, Some(Measure::Most(_) | Measure::Least(_))) {
            self.measure = None;
        }
        if self.group.is_some() && self.measure.is_none() {
            self.measure = Some(Measure::Count);
        }
    }

    fn order(&mut self, asked: &str, said: &[String]) {
        let table = self.table;
        let of = |holds: Holds| {
            let all = || table.columns.iter().filter(move |column| column.holds == holds);
            all().find(|column| column.is_named_in(said)).or_else(|| all().next())
        };
        self.order = if says(asked, &LATEST) {
            of(Holds::Date).or_else(|| of(Holds::Key)).map(|column| (column, true))
        } else if says(asked, &EARLIEST) {
            of(Holds::Date).or_else(|| of(Holds::Key)).map(|column| (column, false))
        } else if says(asked, &LEAST) {
            of(Holds::Number).map(|column| (column, false))
        } else if says(asked, &MOST) || self.wants_map {
            of(Holds::Number).map(|column| (column, true))
        } else {
            None
        };
        if self.order.is_some()
            && self.group.is_none()
            && !says(asked, &AVERAGE)
            && !says(asked, &SUM)
            && !says(asked, &["how many"])
        {
            self.measure = None;
        }
    }
}

/// The number of rows that was asked for: a small one behind `top`, `latest` and the like.
fn limit(asked: &str) -> Option<u64> {
    const BEFORE: [&str; 9] = ["top", "latest", "newest", "last", "first", "oldest", "show", "list", "recent"];
    let tokens = tokens(asked);
    let numbers =
        tokens.iter().enumerate().filter_map(|(at, token)| Some((at, integer(token.text)?.parse::<u64>().ok()?)));
    let is_limit = |at: usize| {
        let before = tokens.iter().take(at).rev().take(2);
        before.into_iter().any(|token| BEFORE.contains(&token.text.to_lowercase().as_str()))
    };
    numbers.filter(|(_, number)| (1..=100).contains(number)).find(|(at, _)| is_limit(*at)).map(|(_, number)| number)
}

fn filters<'a>(asked: &str, said: &[String], table: &'a Table) -> Vec<Filter<'a>> {
    let mut found = Vec::new();
    for column in table.columns.iter().filter(|column| column.holds == Holds::Text) {
        if let Some(example) = column.examples.iter().find(|example| says(asked, &[example])) {
            found.push(Filter::Is(column, example.clone()));
        } else if let Some(value) = labelled(asked, column, table) {
            found.push(Filter::Is(column, value));
        }
    }
    let years = said.iter().filter(|word| word.len() == 4 && (word.starts_with("19") || word.starts_with("20")));
    if let Some(year) = years.into_iter().find(|word| integer(word).is_some()) {
        let own = table
            .columns
            .iter()
            .find(|column| column.holds == Holds::Number && column.name.eq_ignore_ascii_case("year"));
        let dates = || table.columns.iter().filter(|column| column.holds == Holds::Date);
        let date = dates().find(|column| column.is_named_in(said)).or_else(|| dates().next());
        found.extend(
            own.map(|column| Filter::Is(column, year.clone()))
                .or(date.map(|column| Filter::Year(column, year.clone()))),
        );
    }
    found
}

/// `district "Old Town"`, `status is Final`, `in the Harbour district`: a quoted or capitalised value beside a column's name.
fn labelled(asked: &str, column: &Column, table: &Table) -> Option<String> {
    let tokens = tokens(asked);
    let names = |at: usize| tokens.get(at).is_some_and(|token| stem(token.text) == stem(&column.name));
    let is_name = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            let of_table = table.columns.iter().any(|column| stem(&column.name) == stem(token.text))
                || stem(token.text) == stem(&table.name);
            at > 0 && !of_table && (token.is_quoted || token.text.starts_with(char::is_uppercase))
        })
    };
    let joined = |from: usize, to: usize| {
        let words: Vec<&str> = tokens.iter().take(to).skip(from).map(|token| token.text).collect();
        words.join(" ")
    };
    let label = (0..tokens.len()).find(|at| names(*at))?;
    let is_joint =
        |at: usize| tokens.get(at).is_some_and(|token| ["is", "of", "=", "named", "called"].contains(&token.text));
    let start = label.saturating_add(1);
    let start = if is_joint(start) { start.saturating_add(1) } else { start };
    let end = (start..tokens.len()).find(|at| !is_name(*at)).unwrap_or(tokens.len());
    if end > start {
        return Some(joined(start, end));
    }
    let start = (0..label).rev().take_while(|at| is_name(*at)).last()?;
    Some(joined(start, label))
}
