//! `city_permits`: building permits of Port Alder, a city that does not exist.

use crate::sql_port::SqlValue;

use super::random::Random;
use super::{Shipped, decimal, whole};

pub const PERMITS: Shipped = Shipped {
    name: "city_permits",
    table: "permits",
    create: "CREATE TABLE permits ( -- Permits of the invented city Port Alder, release 1
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL, -- what is built or changed
  district TEXT NOT NULL, -- part of the city
  address TEXT NOT NULL,
  applied TEXT NOT NULL, -- date, YYYY-MM-DD
  issued TEXT, -- date, YYYY-MM-DD; NULL while it is under review
  status TEXT NOT NULL, -- issued, final, expired or in review
  cost INTEGER NOT NULL, -- declared cost in dollars
  latitude REAL NOT NULL,
  longitude REAL NOT NULL
)",
    columns: 10,
    record,
};

/// A kind, and its usual cost in dollars.
const KINDS: [(&str, u64); 9] = [
    ("Residential alteration", 32_000),
    ("Solar installation", 21_000),
    ("Electrical upgrade", 6_500),
    ("Roof replacement", 18_000),
    ("New residence", 410_000),
    ("Commercial alteration", 150_000),
    ("Demolition", 28_000),
    ("Swimming pool", 64_000),
    ("New commercial building", 2_300_000),
];
/// A district with its middle in millionths of a degree.
const DISTRICTS: [(&str, i64, i64); 10] = [
    ("Harbour", 46_203_000, -123_838_000),
    ("Old Town", 46_189_000, -123_829_000),
    ("Millrace", 46_181_000, -123_812_000),
    ("Northbank", 46_214_000, -123_815_000),
    ("Fernhill", 46_168_000, -123_835_000),
    ("Quarry Heights", 46_158_000, -123_803_000),
    ("Lakeside", 46_176_000, -123_786_000),
    ("Eastgate", 46_192_000, -123_779_000),
    ("Juniper Flats", 46_148_000, -123_821_000),
    ("Airfield", 46_166_000, -123_868_000),
];
const STREETS: [&str; 12] = [
    "Alder",
    "Cannery",
    "Heron",
    "Larkspur",
    "Mast",
    "Orchard",
    "Pilot",
    "Rowan",
    "Sawyer",
    "Tidewater",
    "Vesper",
    "Wren",
];
const ENDINGS: [&str; 5] = ["Street", "Avenue", "Lane", "Road", "Court"];
const STATES: [&str; 4] = ["final", "issued", "expired", "in review"];
/// The first day, 2 January 2020, in days since 1970.
const FIRST_DAY: u64 = 18_263;
const DAYS: u64 = 5 * 365;

fn record(id: u64, random: &mut Random) -> Vec<SqlValue> {
    let (kind, usual) = random.mostly_first(&KINDS, ("Electrical upgrade", 6_500));
    let (district, latitude, longitude) = random.one(&DISTRICTS, ("Harbour", 46_203_000, -123_838_000));
    let number = random.below(980).saturating_add(1);
    let address = format!("{number} {} {}", random.one(&STREETS, "Alder"), random.one(&ENDINGS, "Street"));
    // More of them in later years.
    let day = random.below(DAYS).max(random.below(DAYS));
    let issued = day.saturating_add(5).saturating_add(random.below(90));
    let state = if issued > DAYS { "in review" } else { random.mostly_first(&STATES, "final") };
    let issued = if state == "in review" { SqlValue::Null } else { date(issued) };
    // From half of what is usual to three times as much.
    let cost = usual.saturating_mul(random.below(250).saturating_add(50)).div_euclid(100);
    vec![
        whole(id),
        kind.into(),
        district.into(),
        address.into(),
        date(day),
        issued,
        state.into(),
        whole(cost.div_euclid(100).saturating_mul(100)),
        decimal(latitude.saturating_add(random.around(9_000))),
        decimal(longitude.saturating_add(random.around(11_000))),
    ]
}

fn date(day: u64) -> SqlValue {
    let at = crate::time::UnixMillis(FIRST_DAY.saturating_add(day).saturating_mul(86_400_000)).rfc3339();
    SqlValue::Text(at.chars().take(10).collect())
}
