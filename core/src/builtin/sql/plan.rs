//! The byte code of a statement, as `EXPLAIN` lists it: does it only read, and only what may be read?
//!
//! Everything is refused that is not known to read: a new SQLite with a new opcode refuses more, never less. Temporary
//! tables that SQLite makes for a query are written by the same opcodes as tables, so those are followed by cursor.

use std::collections::BTreeSet;

use super::super::Fault;
use super::refused;
use super::run::{Table, Value};

/// Opcodes that neither write, nor open, nor call.
const PLAIN: &str = "Add AddImm Affinity And BeginSubrtn BitAnd BitNot BitOr Blob Cast Close ClrSubtype CollSeq Column ColumnsUsed \
    Compare Concat Copy Count CursorHint CursorLock CursorUnlock DecrJumpZero DeferredSeek Divide ElseEq \
    EndCoroutine Eq Explain Filter FilterAdd FinishSeek Found Ge GetSubtype Gosub Goto Gt Halt HaltIfNull IdxGE \
    IdxGT IdxLE IdxLT IdxRowid If IfEmpty IfNoHope IfNot IfNotOpen IfNotZero IfNullRow IfPos IfSizeBetween Init \
    InitCoroutine Int64 IntCopy Integer IsNull IsTrue IsType Jump Last Le Lt MakeRecord Move Multiply MustBeInt Ne \
    Next NoConflict Noop Not NotExists NotFound NotNull Null NullRow OffsetLimit Once Or Permutation Prev Real \
    RealAffinity ReleaseReg Remainder ResultRow Return Rewind RowData RowSetAdd RowSetRead RowSetTest Rowid SCopy \
    SeekEnd SeekGE SeekGT SeekHit SeekLE SeekLT SeekRowid SeekScan Sequence SequenceTest SetSubtype ShiftLeft \
    ShiftRight SoftNull Sort SorterCompare SorterData SorterNext SorterSort String String8 Subtract Trace VColumn \
    VFilter VInitIn VNext Yield ZeroOrNull";
/// Opcodes that make a temporary table, or another cursor on one.
const TEMPORARY: &str = "OpenEphemeral OpenAutoindex OpenDup OpenPseudo SorterOpen";
/// Opcodes that write where their cursor is.
const WRITING: &str = "Delete IdxDelete IdxInsert Insert NewRowid ResetSorter RowCell SorterInsert";
/// Opcodes that call a function.
const CALLING: &str = "AggFinal AggInverse AggStep AggStep1 AggValue Function PureFunc";

/// Functions whose result is no longer than what they are given (a date's form by its own measure).
pub const FUNCTIONS: &str = "abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling coalesce cos cosh count cume_dist date datetime \
    degrees dense_rank exp first_value floor glob ifnull iif instr json_array_length json_extract json_type \
    json_valid julianday lag last_value lead length like likelihood likely ln log log10 log2 lower ltrim max \
    min mod nth_value ntile nullif octet_length percent_rank pi pow radians rank round row_number rtrim sign \
    sin sinh sqrt strftime substr substring sum tan tanh time timediff total trim trunc typeof unicode unixepoch \
    unlikely upper";
/// Operators that are functions to SQLite.
const OPERATORS: &str = "-> ->>";
/// What is put around a statement uses these too.
const WRAPPING: &str = "json_array";
/// Functions that compare each place of one text with another.
const SEARCHING: &str = "instr like";
/// Functions that compare each place of a text with each character of a list.
const CHOOSING: &str = "glob ltrim rtrim trim";
/// Functions that read a date, and take as many changes of it as they are given.
pub const DATES: &str = "date datetime julianday strftime time timediff unixepoch";
/// In `p5` of a comparison: both sides are made texts (`SQLITE_AFF_TEXT` under `SQLITE_AFF_MASK`).
const AS_TEXT: i64 = 0x42;
const AFFINITY: i64 = 0x47;

/// `OpenRead` with this flag takes its page from a register.
const PAGE_IN_REGISTER: i64 = 0x10;

/// Whether a list has this word.
pub fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// What a statement's byte code says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Opcodes.
    pub opcodes: u64,
    /// Columns of a result row.
    pub columns: usize,
    /// Values of the widest row that is kept for a while.
    pub widest: u64,
    /// Joins of texts.
    pub concats: u32,
    /// Calls, but for those that add a row to an aggregate.
    pub calls: u64,
    /// Opcodes that may write a number as a text.
    pub conversions: u64,
    /// Calls that search for a text.
    pub searches: u64,
    /// Calls that look for characters of a list.
    pub choices: u64,
    /// Calls that read a date, dear ones more than once.
    pub dates: u64,
    /// Calls that write a date in a form of their own, which may be longer than its text.
    pub formats: u64,
}

/// The pages that may be read: the roots of the tables that are the data set's, and of their indexes.
pub type Roots = BTreeSet<i64>;

struct Op<'a> {
    code: &'a str,
    p1: i64,
    p2: i64,
    p3: i64,
    p4: Option<&'a str>,
    p5: i64,
}

/// Reads the list of an `EXPLAIN`.
///
/// # Errors
/// What is in it that must not be.
pub fn read(listed: &Table, roots: &Roots, json_tables: usize, wrapped: bool) -> Result<Code, Fault> {
    let ops: Vec<Op<'_>> = listed.rows.iter().map(|row| op(row)).collect::<Option<_>>().ok_or_else(unreadable)?;
    if !ops.iter().any(|op| op.code == "Halt") {
        return Err(unreadable());
    }
    let (mut code, mut temporary, mut virtual_tables) = (Code::default(), BTreeSet::new(), 0_usize);
    code.opcodes = u64::try_from(ops.len()).unwrap_or(u64::MAX);
    // Where a temporary table is opened need not come before where it is written.
    temporary.extend(ops.iter().filter(|op| is_in(TEMPORARY, op.code)).map(|op| op.p1));
    // A cursor's number may be used again, but never by a table that is read.
    let of_table = |op: &&Op<'_>| matches!(op.code, "OpenRead" | "ReopenIdx" | "VOpen");
    let shared = ops.iter().filter(of_table).any(|op| temporary.contains(&op.p1));
    for op in &ops {
        match op.code {
            "Transaction" if op.p1 == 0 && op.p2 == 0 => {}
            "OpenRead" | "ReopenIdx" if is_readable(op, roots) => {}
            "OpenRead" | "ReopenIdx" => {
                return Err(refused("It reads something that is none of the data set's tables."));
            }
            "VOpen" => virtual_tables = virtual_tables.saturating_add(1),
            opening if is_in(TEMPORARY, opening) => {}
            writing if is_in(WRITING, writing) && temporary.contains(&op.p1) && !shared => {}
            calling if is_in(CALLING, calling) => call(op, &mut code, wrapped)?,
            plain if is_in(PLAIN, plain) => {
                code.concats = code.concats.saturating_add(u32::from(plain == "Concat"));
                code.conversions = code.conversions.saturating_add(u64::from(converts(op)));
                match plain {
                    "ResultRow" => code.columns = usize::try_from(op.p2).unwrap_or(0),
                    "MakeRecord" => code.widest = code.widest.max(u64::try_from(op.p2).unwrap_or(0)),
                    _ => {}
                }
            }
            other => {
                let detail = format!("Only a query that reads runs here, and this would do more ({other}).");
                return Err(refused(detail));
            }
        }
    }
    if virtual_tables > json_tables {
        return Err(refused("Of virtual tables only json_each and json_tree can be read."));
    }
    Ok(code)
}

fn is_readable(op: &Op<'_>, roots: &Roots) -> bool {
    op.p3 == 0 && roots.contains(&op.p2) && op.p5 & PAGE_IN_REGISTER == 0
}

fn call(op: &Op<'_>, code: &mut Code, wrapped: bool) -> Result<(), Fault> {
    let name =
        op.p4.and_then(|text| text.split_once('(')).map(|(name, _)| name.to_ascii_lowercase()).unwrap_or_default();
    let known = is_in(FUNCTIONS, &name) || is_in(OPERATORS, &name);
    let ours = wrapped && is_in(WRAPPING, &name);
    if !known && !ours {
        let detail =
            format!("The function {name:?} is not available here. Available are: {}.", FUNCTIONS.replace(' ', ", "));
        return Err(refused(detail));
    }
    let once = |is: bool, so_far: u64| so_far.saturating_add(u64::from(is));
    code.calls = once(!op.code.starts_with("Agg"), code.calls);
    code.searches = once(is_in(SEARCHING, &name), code.searches);
    code.choices = once(is_in(CHOOSING, &name), code.choices);
    // This one writes its answer piece by piece.
    let dates = if name == "timediff" { 4 } else { u64::from(is_in(DATES, &name)) };
    code.dates = code.dates.saturating_add(dates);
    code.formats = once(name == "strftime", code.formats);
    Ok(())
}

/// Whether a number may become a text in it.
fn converts(op: &Op<'_>) -> bool {
    match op.code {
        "Cast" | "Concat" => true,
        // A letter for each value, `B` where it shall be a text.
        "Affinity" => op.p4.is_some_and(|letters| letters.contains('B')),
        "Eq" | "Ge" | "Gt" | "Le" | "Lt" | "Ne" => op.p5 & AFFINITY == AS_TEXT,
        _ => false,
    }
}

fn op(row: &[Value]) -> Option<Op<'_>> {
    let number = |at: usize| row.get(at).and_then(Value::integer);
    Some(Op {
        code: row.get(1).and_then(Value::text)?,
        p1: number(2)?,
        p2: number(3)?,
        p3: number(4)?,
        p4: row.get(5).and_then(Value::text),
        p5: number(6)?,
    })
}

fn unreadable() -> Fault {
    refused("SQLite's account of this statement cannot be read, so it is not run.")
}
