// Statements on `permits` that take long: each kind of work, as much of it as one likes. Up to where it runs, the gateway says.
const times = (n, piece) => Array.from({ length: n }, (_, k) => piece(k));
/** In groups: SQLite takes no deeper expression than 100. */
const sum = (n, piece) => times(Math.ceil(n / 20), (group) => `(${times(Math.min(20, n - group * 20), (k) => piece(group * 20 + k)).join(" + ")})`).join(" + ");
const text = (n, letters) => letters.repeat(Math.ceil(n / letters.length)).slice(0, n);
/** For every two rows. */
const pairs = (what) => `SELECT ${what} AS x FROM permits a, permits b`;
/** For every row; `of` is a literal that is no constant to SQLite. */
const each = (what) => `SELECT sum(${what}) AS x FROM permits a`;
const of = (literal) => `iif(a.id > 0, '${literal}', a.kind)`;

/** By kind: more than is accepted, and the statement with so much of it. */
export const DEAR = {
  "arithmetic": [120, (n) => pairs(`sum(${sum(n, (k) => `(a.id * b.id + ${k}) % 7`)})`)],
  "comparisons of texts": [120, (n) => pairs(`sum(${sum(n, () => "(a.kind > b.kind)")})`)],
  "numbers written as texts": [60, (n) => pairs(`sum(${sum(n, (k) => `(a.kind > a.latitude + ${k})`)})`)],
  "rounded numbers": [60, (n) => pairs(`sum(${sum(n, (k) => `round(a.latitude + ${k}, 5)`)})`)],
  "dates": [60, (n) => pairs(`sum(${sum(n, () => "julianday(a.applied)")})`)],
  "changes of dates": [31, (n) => pairs(`sum(julianday(a.applied${", '+1 month'".repeat(n)}))`)],
  "many changes of dates": [30, (n) => pairs(`sum(${sum(n, () => "julianday(a.applied, '+1 month', 'weekday 0', 'start of year')")})`)],
  "differences of dates": [60, (n) => pairs(`sum(${sum(n, () => "length(timediff('-4000-01-01', a.applied))")})`)],
  "forms of dates": [60, (n) => pairs(`sum(length(strftime('${text(n * 2, "%J")}', a.applied)))`)],
  "a long form of dates": [4_200, (n) => each(`length(strftime('${text(n * 2, "%J")}', a.applied))`)],
  "LIKE": [30, (n) => pairs(`sum(${sum(n, () => `(a.address LIKE '%${text(30, "_")}%z')`)})`)],
  "LIKE with many wildcards": [30, (n) => pairs(`sum(${sum(n, () => `(a.kind LIKE '%${text(40, "e%")}z')`)})`)],
  "LIKE in a long text": [8_500, (n) => each(`(${of(text(n, "a"))} LIKE '%${text(46, "a")}b')`)],
  "GLOB in a long text": [3_800, (n) => each(`(${of(text(n, "a"))} GLOB '*[${text(44, "bcdefghijklmnopqrst")}!]')`)],
  "instr in a long text": [4_200, (n) => each(`instr(${of(text(n, "a"))}, ${of(`${text(n, "a")}b`)})`)],
  "trim of a long text": [3_800, (n) => each(`length(trim(${of(text(n, "a"))}, ${of(`${text(n - 1, "bcdefghijklmnopqrstuvwxyz")}a`)}))`)],
  "lower of a long text": [8_500, (n) => each(`length(lower(${of(text(n, "A"))}))`)],
  "lower of long texts": [60, (n) => pairs(`sum(${sum(n, () => "length(lower(a.address))")})`)],
  "JSON": [60, (n) => pairs(`sum(${sum(n, () => "json_valid(a.kind)")})`)],
  "JSON of a long text": [8_500, (n) => each(`json_extract('[' || a.id || '${text(n, ",1")}]', '$[${Math.floor(n / 2) - 1}]')`)],
  "joined texts": [20, (n) => pairs(`count(a.kind${" || b.kind".repeat(n)})`)],
  "a sort": [80, (n) => `SELECT count(*) AS x FROM (SELECT ${times(n, (k) => `(a.id * 7919 + b.id * 104729 + ${k}) % 4000037`).join(", ")} FROM permits a, permits b ORDER BY 1 DESC LIMIT -1 OFFSET 1)`],
  "groups": [80, (n) => `SELECT (a.id * 7919 + b.id * 104729) % 4000037 AS g, ${times(n, (k) => `sum(b.id + ${k})`).join(", ")} FROM permits a, permits b GROUP BY 1`],
  "different rows": [80, (n) => `SELECT count(*) AS x FROM (SELECT DISTINCT ${times(n, (k) => `(a.id * 7919 + b.id * 104729 + ${k}) % 4000037`).join(", ")} FROM permits a, permits b)`],
  "different values": [12, (n) => pairs(times(n, (k) => `count(DISTINCT (a.id * 7919 + b.id * 104729 + ${k}) % 4000037)`).join(" + "))],
  "a window": [20, (n) => `SELECT max(x) AS x FROM (SELECT ${times(n, (k) => `sum(id + ${k}) OVER (ORDER BY id ROWS BETWEEN 1000 PRECEDING AND 1000 FOLLOWING EXCLUDE TIES)`).join(" + ")} AS x FROM permits)`],
  "a query for each row": [30, (n) => `SELECT sum(${sum(n, (k) => `(SELECT count(*) FROM permits b WHERE b.cost + a.cost > ${k})`)}) AS x FROM permits a`],
};
