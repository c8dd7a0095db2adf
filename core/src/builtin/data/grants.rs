//! `research_grants`: grants of agencies that do not exist to institutions that do not exist.

use crate::sql_port::SqlValue;

use super::random::Random;
use super::{Shipped, decimal, whole};

pub const GRANTS: Shipped = Shipped {
    name: "research_grants",
    table: "grants",
    create: "CREATE TABLE grants ( -- Invented awards, release 1
  id INTEGER PRIMARY KEY,
  agency TEXT NOT NULL, -- who gives
  field TEXT NOT NULL, -- field of research
  institution TEXT NOT NULL, -- who receives
  state TEXT NOT NULL, -- two letters, of the institution
  year INTEGER NOT NULL, -- year of the award
  months INTEGER NOT NULL, -- for how long
  amount INTEGER NOT NULL, -- in dollars, over the whole time
  latitude REAL NOT NULL, -- of the institution
  longitude REAL NOT NULL
)",
    columns: 10,
    record,
};

const AGENCIES: [&str; 6] = [
    "Open Science Fund",
    "Energy Futures Office",
    "Coastal Research Council",
    "Institute for Public Health",
    "Materials and Machines Agency",
    "Frontier Computing Program",
];
/// A field, and its usual amount in dollars.
const FIELDS: [(&str, u64); 9] = [
    ("Climate science", 640_000),
    ("Battery chemistry", 820_000),
    ("Marine biology", 410_000),
    ("Public health", 560_000),
    ("Robotics", 730_000),
    ("Machine learning", 690_000),
    ("Water treatment", 380_000),
    ("Quantum sensing", 1_150_000),
    ("Crop genetics", 470_000),
];
/// An institution, its state, and about where it is, in millionths of a degree.
const INSTITUTIONS: [(&str, &str, i64, i64); 24] = [
    ("Alder Coast University", "OR", 44_571_000, -123_277_000),
    ("Bellwether Institute", "WA", 47_501_000, -120_512_000),
    ("Cinder Cone College", "CA", 40_482_000, -121_401_000),
    ("Sierra Bend University", "CA", 37_312_000, -119_553_000),
    ("Saltflat Polytechnic", "UT", 40_391_000, -112_082_000),
    ("Mesa Verde Tech", "CO", 38_912_000, -105_602_000),
    ("Rimrock State University", "MT", 46_882_000, -109_614_000),
    ("Prairie Lantern University", "NE", 41_301_000, -98_712_000),
    ("Red Bluff Institute", "TX", 31_402_000, -98_901_000),
    ("Gulf Ridge University", "TX", 29_702_000, -96_203_000),
    ("Cypress Bayou College", "LA", 30_801_000, -91_902_000),
    ("Magnolia Research Center", "MS", 32_711_000, -89_703_000),
    ("Blue Ridge Polytechnic", "NC", 35_612_000, -81_301_000),
    ("Tidewater Institute", "VA", 37_203_000, -77_402_000),
    ("Keystone Hollow University", "PA", 40_902_000, -77_703_000),
    ("Hudson Bend Institute", "NY", 42_603_000, -74_302_000),
    ("Finger Lakes Tech", "NY", 42_712_000, -76_703_000),
    ("Granite Notch College", "NH", 43_702_000, -71_604_000),
    ("Lighthouse University", "ME", 45_101_000, -69_202_000),
    ("Great Lakes Institute", "MI", 43_604_000, -84_701_000),
    ("Driftless University", "WI", 43_502_000, -90_203_000),
    ("Lakehead Technical College", "MN", 46_302_000, -94_201_000),
    ("Ozark Valley University", "MO", 38_401_000, -92_503_000),
    ("Saguaro Institute", "AZ", 33_702_000, -111_603_000),
];

fn record(id: u64, random: &mut Random) -> Vec<SqlValue> {
    let (field, usual) = random.mostly_first(&FIELDS, ("Robotics", 730_000));
    let (institution, state, latitude, longitude) =
        random.mostly_first(&INSTITUTIONS, ("Saguaro Institute", "AZ", 33_702_000, -111_603_000));
    let year = random.below(10).max(random.below(10)).saturating_add(2015);
    let months = random.below(5).saturating_add(1).saturating_mul(12);
    // From a third of what is usual to more than twice as much, and more for longer.
    let share = random.below(180).saturating_add(30).saturating_mul(months.saturating_add(24)).div_euclid(60);
    let amount = usual.saturating_mul(share).div_euclid(100);
    vec![
        whole(id),
        random.mostly_first(&AGENCIES, "Open Science Fund").into(),
        field.into(),
        institution.into(),
        state.into(),
        whole(year),
        whole(months),
        whole(amount.div_euclid(1_000).saturating_mul(1_000)),
        decimal(latitude.saturating_add(random.around(2_000))),
        decimal(longitude.saturating_add(random.around(2_000))),
    ]
}
