//! A question as SQL, read-only by its first word, with names and texts quoted.

use super::question::{Filter, Group, Measure, Question};
use super::schema::Holds;

const GROUPS_MAX: u64 = 20;
const ROWS: u64 = 10;
const POINTS_MAX: u64 = 50;
/// Columns that are shown of each row.
const COLUMNS_MAX: usize = 6;

/// The statement.
pub fn select(question: &Question<'_>) -> String {
    let table = question.table;
    let from = format!("FROM {}{}", name(&table.name), conditions(question));
    if question.wants_map
        && let (Some(latitude), Some(longitude)) = (table.column(Holds::Latitude), table.column(Holds::Longitude))
    {
        let order = order(question);
        let limit = question.limit.unwrap_or(POINTS_MAX).min(POINTS_MAX);
        let shown = shown(question);
        return format!(
            "SELECT {shown}, {}, {} {from}{order} LIMIT {limit}",
            name(&latitude.name),
            name(&longitude.name)
        );
    }
    let measured = question.measure.map(measure);
    match (&question.group, measured) {
        (Some(group), measured) => {
            let (column, label) = grouping(group);
            let (what, value) = measured.unwrap_or_else(|| measure(Measure::Count));
            let in_time = matches!(group, Group::Year(_) | Group::Month(_)) || label.eq_ignore_ascii_case("year");
            let order = if in_time {
                "1".to_owned()
            } else {
                format!("2 {}, 1", if is_least(question) { "ASC" } else { "DESC" })
            };
            let limit = question.limit.unwrap_or(if in_time { POINTS_MAX } else { GROUPS_MAX });
            let label = name(label);
            let value = name(&value);
            format!("SELECT {column} AS {label}, {what} AS {value} {from} GROUP BY 1 ORDER BY {order} LIMIT {limit}")
        }
        (None, Some((what, value))) => format!("SELECT {what} AS {} {from}", name(&value)),
        (None, None) => {
            let order = order(question);
            format!("SELECT {} {from}{order} LIMIT {}", shown(question), question.limit.unwrap_or(ROWS))
        }
    }
}

fn is_least(question: &Question<'_>) -> bool {
    matches!(question.measure, Some(Measure::Least(_)))
}

fn measure(measure: Measure<'_>) -> (String, String) {
    match measure {
        Measure::Count => ("count(*)".to_owned(), "count".to_owned()),
        Measure::Average(column) => {
            (format!("round(avg({}), 2)", name(&column.name)), format!("average_{}", column.name))
        }
        Measure::Sum(column) => (format!("sum({})", name(&column.name)), format!("total_{}", column.name)),
        Measure::Most(column) => (format!("max({})", name(&column.name)), format!("highest_{}", column.name)),
        Measure::Least(column) => (format!("min({})", name(&column.name)), format!("lowest_{}", column.name)),
    }
}

/// The expression, and what it is called.
fn grouping<'a>(group: &Group<'a>) -> (String, &'a str) {
    match group {
        Group::Column(column) => (name(&column.name), &column.name),
        Group::Year(column) => (format!("substr({}, 1, 4)", name(&column.name)), "year"),
        Group::Month(column) => (format!("substr({}, 1, 7)", name(&column.name)), "month"),
    }
}

fn conditions(question: &Question<'_>) -> String {
    let conditions: Vec<String> = question
        .filters
        .iter()
        .map(|filter| match filter {
            Filter::Is(column, value) if column.holds == Holds::Number => format!("{} = {value}", name(&column.name)),
            Filter::Is(column, value) => format!("{} = {} COLLATE NOCASE", name(&column.name), text(value)),
            Filter::Year(column, year) => format!("substr({}, 1, 4) = {}", name(&column.name), text(year)),
        })
        .collect();
    if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) }
}

fn order(question: &Question<'_>) -> String {
    question
        .order
        .map(|(column, from_above)| {
            format!(" ORDER BY {} {}", name(&column.name), if from_above { "DESC" } else { "ASC" })
        })
        .unwrap_or_default()
}

/// The first columns that tell something, and with them the one that the rows are ordered by.
fn shown(question: &Question<'_>) -> String {
    let is_telling = |holds: Holds| !matches!(holds, Holds::Latitude | Holds::Longitude | Holds::Key);
    let columns = question.table.columns.iter().filter(|column| is_telling(column.holds));
    let mut names: Vec<&str> = columns.take(COLUMNS_MAX).map(|column| column.name.as_str()).collect();
    if let Some((by, _)) = question.order.filter(|(by, _)| is_telling(by.holds) && !names.contains(&by.name.as_str())) {
        names.truncate(COLUMNS_MAX.saturating_sub(1));
        names.push(&by.name);
    }
    if names.is_empty() { "*".to_owned() } else { names.into_iter().map(name).collect::<Vec<_>>().join(", ") }
}

fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
