//! What a query may cost at worst, by `EXPLAIN QUERY PLAN`: nothing interrupts SQLite here, so it is bounded beforehand.
//!
//! It is the plan of the statement by itself; what is put around it reads 201 of its rows and no more.
//!
//! Every loop counts with all rows of the largest table, an index or not; loops within one another are multiplied. A text
//! may double with each `||`. What takes longer than an opcode that adds counts as many of those as were measured: calls,
//! changes of a date, places of a text, rows that are sorted. All of it errs on the dear side: what is refused can be
//! written with fewer tables at a time.

use std::collections::BTreeMap;

use toolgate_protocol::limits::{SQL_TEXT_BYTES_MAX, SQL_WORK_MAX};

use super::super::Fault;
use super::plan::Code;
use super::run::{Table, Value};
use super::text::Query;
use super::{Bounds, refused};

/// A rowid is looked up: one row at most.
const BY_ROWID: &str = " USING INTEGER PRIMARY KEY (rowid=?)";
/// Rows are sorted, or known again.
const SORT: &str = "TEMP B-TREE";
/// A form of dates makes at most this many characters of each of its own.
const FORMAT_GROWTH: u64 = 8;
/// A call, beside what it reads.
const CALL_WORK: u64 = 24;
/// A number that is written as a text.
const CONVERSION_WORK: u64 = 30;
/// A change of a date.
const DATE_ARGUMENT_WORK: u64 = 12;
/// A character of a form of dates.
const FORMAT_CHAR_WORK: u64 = 10;
/// A row that is sorted; one that is looked up among those before it counts twice.
const SORT_WORK: u64 = 80;
/// A value of such a row.
const SORT_VALUE_WORK: u64 = 24;
/// The platform takes no longer pattern of LIKE and GLOB.
const PATTERN_CHARS_MAX: u64 = 50;
/// Nobody knows the rows of this database; such a query may join so many tables in one loop.
const LOOPS_UNKNOWN_MAX: usize = 6;

/// Refuses what would cost too much, and recursion, whose cost nobody knows.
///
/// # Errors
/// Why it is not run.
pub fn check(listed: &Table, query: &Query, code: &Code, bounds: Bounds) -> Result<(), Fault> {
    let plan = Plan::read(listed)
        .ok_or_else(|| refused("SQLite's plan for this statement cannot be read, so it is not run."))?;
    if plan.nodes.iter().any(|node| node.detail.starts_with("RECURSIVE") || node.detail == "SETUP") {
        return Err(refused("Recursive queries do not run here."));
    }
    let Some((rows_max, value_chars)) = bounds.known else {
        return if plan.deepest() > LOOPS_UNKNOWN_MAX { Err(too_much()) } else { Ok(()) };
    };
    let format_chars = if code.formats > 0 { query.format_chars.saturating_mul(FORMAT_GROWTH) } else { 0 };
    let base = value_chars.saturating_add(query.literal_chars.max(format_chars));
    let grown = 1_u64.checked_shl(code.concats.min(40)).unwrap_or(u64::MAX);
    let chars = base.saturating_mul(grown);
    // The elements of a JSON text are rows too.
    let largest = rows_max.max(if query.json_tables > 0 { chars.div_ceil(2) } else { 0 });
    let Level { steps, rows, sorted } = plan.cost(largest);
    // A window may look at all of its rows again for each of them; what was called for a row is kept with it.
    let again = if query.windows { rows.saturating_mul(rows) } else { 0 };
    let work = [
        steps.saturating_mul(of_a_step(code, query, chars, grown)),
        again.saturating_mul(of_opcodes(code, chars)),
        sorted.saturating_mul(code.widest.saturating_mul(SORT_VALUE_WORK).saturating_add(SORT_WORK)),
    ]
    .into_iter()
    .fold(0, u64::saturating_add);
    let texts = rows.saturating_mul(chars);
    if work > SQL_WORK_MAX || texts > SQL_TEXT_BYTES_MAX { Err(too_much()) } else { Ok(()) }
}

/// The opcodes once, with the texts that they copy and compare.
fn of_opcodes(code: &Code, chars: u64) -> u64 {
    code.opcodes.saturating_mul(chars.saturating_add(256)).div_euclid(256)
}

/// What all of the statement takes once, where no text has more characters.
fn of_a_step(code: &Code, query: &Query, chars: u64, grown: u64) -> u64 {
    let square = chars.saturating_mul(chars);
    let pattern = chars.saturating_mul(chars.min(PATTERN_CHARS_MAX));
    let form = query.format_chars.saturating_mul(grown).saturating_mul(FORMAT_CHAR_WORK);
    [
        of_opcodes(code, chars),
        code.conversions.saturating_mul(CONVERSION_WORK),
        code.calls.saturating_mul(chars.div_euclid(3).saturating_add(CALL_WORK)),
        code.dates.saturating_mul(query.date_arguments.saturating_mul(DATE_ARGUMENT_WORK)),
        code.formats.saturating_mul(form),
        code.searches.saturating_mul(square.div_euclid(128).max(pattern.div_euclid(16))),
        code.choices.saturating_mul(square),
    ]
    .into_iter()
    .fold(0, u64::saturating_add)
}

fn too_much() -> Fault {
    refused(
        "It could take too long: every loop over a table counts with all of its rows, and joins multiply them. Join fewer \
         tables at a time, aggregate first, or search shorter texts.",
    )
}

struct Node {
    id: i64,
    parent: i64,
    detail: String,
}

struct Plan {
    nodes: Vec<Node>,
}

/// What a query or a part of one costs.
#[derive(Clone, Copy)]
struct Level {
    /// How often its innermost loop runs.
    steps: u64,
    /// Rows that it may give.
    rows: u64,
    /// Rows that it may sort.
    sorted: u64,
}

impl Plan {
    fn read(listed: &Table) -> Option<Plan> {
        let node = |row: &Vec<Value>| {
            let detail = row.get(3).and_then(Value::text)?.to_owned();
            Some(Node {
                id: row.first().and_then(Value::integer)?,
                parent: row.get(1).and_then(Value::integer)?,
                detail,
            })
        };
        let nodes: Vec<Node> = listed.rows.iter().map(node).collect::<Option<_>>()?;
        // Children come after their parents, so no walk goes round.
        let ordered = nodes.iter().all(|node| node.parent < node.id);
        ordered.then_some(Plan { nodes })
    }

    fn children(&self, parent: i64) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(move |node| node.parent == parent)
    }

    /// Most loops within one another at one place.
    fn deepest(&self) -> usize {
        let loops = |parent: i64| self.children(parent).filter(|node| is_loop(&node.detail)).count();
        let below = self.nodes.iter().map(|node| loops(node.id)).max().unwrap_or(0);
        below.max(loops(0))
    }

    fn cost(&self, rows_max: u64) -> Level {
        let mut named = BTreeMap::new();
        let top = self.level(0, rows_max, &mut named);
        let rows = named.values().copied().max().unwrap_or(0).max(top.rows);
        Level { rows, ..top }
    }

    /// What the parts below a node cost. Parts of the plan that have a name are kept with their rows under it: whoever
    /// bears that name later counts with as many at least.
    fn level(&self, parent: i64, rows_max: u64, named: &mut BTreeMap<String, u64>) -> Level {
        let (mut loops, mut again, mut once, mut others) = (1_u64, 0_u64, 0_u64, 0_u64);
        let (mut sorts, mut sorted_again, mut sorted_once) = (0_u64, 0_u64, 0_u64);
        for node in self.children(parent) {
            let detail = node.detail.as_str();
            if is_loop(detail) {
                loops = loops.saturating_mul(rows_of(detail, rows_max, named));
                continue;
            }
            let inner = self.level(node.id, rows_max, named);
            if let Some(name) = detail.strip_prefix("CO-ROUTINE ").or_else(|| detail.strip_prefix("MATERIALIZE ")) {
                let known = named.entry(name.to_owned()).or_insert(0);
                *known = (*known).max(inner.rows);
                once = once.saturating_add(inner.steps);
                sorted_once = sorted_once.saturating_add(inner.sorted);
            } else if detail.contains("CORRELATED") || detail.starts_with("RIGHT-JOIN") {
                again = again.saturating_add(inner.steps);
                sorted_again = sorted_again.saturating_add(inner.sorted);
            } else {
                sorts = sorts.saturating_add(sorts_of(detail));
                sorted_once = sorted_once.saturating_add(inner.sorted);
                once = once.saturating_add(inner.steps).saturating_add(rows_max);
                if !detail.contains("SUBQUERY") || detail.starts_with("LEFT-MOST") {
                    others = others.saturating_add(inner.rows);
                }
            }
        }
        let steps = loops.saturating_mul(again.saturating_add(1)).saturating_add(once);
        let rows = loops.max(others);
        let sorted = rows.saturating_mul(sorts).saturating_add(loops.saturating_mul(sorted_again));
        Level { steps, rows, sorted: sorted.saturating_add(sorted_once) }
    }
}

/// How often each row is sorted for it.
fn sorts_of(detail: &str) -> u64 {
    match detail.contains(SORT) {
        true if detail.ends_with(" BY") => 1,
        true => 2,
        false => 0,
    }
}

fn is_loop(detail: &str) -> bool {
    ["SCAN ", "SEARCH ", "MULTI-INDEX OR"].iter().any(|start| detail.starts_with(start))
}

/// How often a loop may run.
fn rows_of(detail: &str, rows_max: u64, named: &BTreeMap<String, u64>) -> u64 {
    if detail == "SCAN CONSTANT ROW" || (detail.starts_with("SEARCH ") && detail.ends_with(BY_ROWID)) {
        return 1;
    }
    let name = detail.split_once(' ').map_or("", |(_, name)| name);
    let same = named.iter().filter(|(known, _)| name.starts_with(known.as_str())).map(|(_, rows)| *rows);
    same.max().unwrap_or(0).max(rows_max)
}
