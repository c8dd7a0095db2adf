//! Rows as a text, a chart or a map.

use std::fmt::Write as _;

use super::super::report::plain;
use super::super::{list, object, text};
use super::question::{Group, Question};
use crate::json::{Json, parse};

/// Rows that are told in a text.
const TOLD_MAX: usize = 10;

/// What a query answered.
pub struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<Json>>,
}

impl Rows {
    /// `None` for what are no rows.
    pub fn read(content: &str) -> Option<Rows> {
        let json = parse(content).ok()?;
        let (Json::List(columns), Json::List(rows)) = (json.get("columns")?, json.get("rows")?) else { return None };
        let columns = columns.iter().filter_map(Json::as_str).map(str::to_owned).collect();
        let cells = |row: &Json| if let Json::List(cells) = row { Some(cells.clone()) } else { None };
        Some(Rows { columns, rows: rows.iter().filter_map(cells).collect() })
    }

    /// In a text: a value, or a table. What is drawn is told in a word.
    pub fn told(&self, is_drawn: bool) -> String {
        let count = self.rows.len();
        match self.rows.as_slice() {
            [] => "No rows fit.".to_owned(),
            [row] if row.len() == 1 => {
                let value = row.first().map(plain).unwrap_or_default();
                format!("{}: {value}.", self.columns.first().map(|name| name.replace('_', " ")).unwrap_or_default())
            }
            _ if is_drawn => format!("The query gave {count} rows."),
            _ => self.table(),
        }
    }

    fn table(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let cell = |text: String| text.replace('|', "\\|").replace(['\n', '\r'], " ");
        let mut told = format!("The query gave {} rows.\n\n", self.rows.len());
        told.push_str(&line(self.columns.iter().cloned().map(cell).collect()));
        told.push('\n');
        told.push_str(&line(self.columns.iter().map(|_| "---".to_owned()).collect()));
        for row in self.rows.iter().take(TOLD_MAX) {
            told.push('\n');
            told.push_str(&line(row.iter().map(|value| cell(plain(value))).collect()));
        }
        let left = self.rows.len().saturating_sub(TOLD_MAX);
        if left > 0 {
            let _ = write!(told, "\n\nand {left} more.");
        }
        told
    }

    /// An ECharts option: labels from the first column, values from the last that has numbers.
    pub fn chart(&self, question: &Question<'_>) -> Option<Json> {
        let is_number = |at: usize| self.rows.iter().all(|row| matches!(row.get(at), Some(Json::Number(_))));
        let values = (1..self.columns.len()).rev().find(|at| is_number(*at)).filter(|_| !self.rows.is_empty())?;
        let (label, value) = (self.columns.first()?.replace('_', " "), self.columns.get(values)?.replace('_', " "));
        let cells = |at: usize| self.rows.iter().filter_map(move |row| row.get(at)).cloned();
        let labels = || cells(0).map(|cell| text(&plain(&cell)));
        let title = (s("title"), object([(s("text"), text(&format!("{value} by {label}")))]));
        if question.wants_pie {
            let slice = |(name, value)| object([(s("name"), name), (s("value"), value)]);
            let data = list(labels().zip(cells(values)).map(slice));
            let series = object([(s("type"), text("pie")), (s("name"), text(&value)), (s("data"), data)]);
            return Some(object([title, (s("tooltip"), object([])), (s("series"), list([series]))]));
        }
        let in_time =
            matches!(question.group, Some(Group::Year(_) | Group::Month(_))) || label.eq_ignore_ascii_case("year");
        let kind = if question.wants_line || in_time { "line" } else { "bar" };
        let series = object([(s("type"), text(kind)), (s("name"), text(&value)), (s("data"), list(cells(values)))]);
        let category = object([(s("type"), text("category")), (s("name"), text(&label)), (s("data"), list(labels()))]);
        let amount = object([(s("type"), text("value")), (s("name"), text(&value))]);
        let tooltip = object([(s("trigger"), text("axis"))]);
        Some(object([
            title,
            (s("tooltip"), tooltip),
            (s("xAxis"), category),
            (s("yAxis"), amount),
            (s("series"), list([series])),
        ]))
    }

    /// A map: a point for each row that has coordinates, its other columns as popup.
    pub fn map(&self) -> Option<Json> {
        let at = |wanted: &[&str]| self.columns.iter().position(|name| wanted.contains(&name.to_lowercase().as_str()));
        let (latitude, longitude) = (at(&["latitude", "lat"])?, at(&["longitude", "lon", "lng"])?);
        let points = self.rows.iter().filter_map(|row| {
            let (Json::Number(north), Json::Number(east)) = (row.get(latitude)?, row.get(longitude)?) else {
                return None;
            };
            Some((north.clone(), east.clone(), row))
        });
        let points: Vec<(String, String, &Vec<Json>)> = points.collect();
        let center = [middle(points.iter().map(|(north, ..)| north))?, middle(points.iter().map(|(_, east, _)| east))?];
        let feature = |(north, east, row): &(String, String, &Vec<Json>)| {
            // GeoJSON has the longitude first.
            let place = list([Json::Number(east.clone()), Json::Number(north.clone())]);
            let geometry = object([(s("type"), text("Point")), (s("coordinates"), place)]);
            let lines = self.columns.iter().zip(row.iter()).enumerate();
            let lines = lines.filter(|(at, _)| *at != latitude && *at != longitude);
            let popup: Vec<String> =
                lines.map(|(_, (name, value))| format!("{}: {}", name.replace('_', " "), plain(value))).collect();
            let popup = popup.join("\n").replace(['<', '>'], " ");
            let properties = object([(s("popup"), text(&popup))]);
            object([(s("type"), text("Feature")), (s("geometry"), geometry), (s("properties"), properties)])
        };
        let features =
            object([(s("type"), text("FeatureCollection")), (s("features"), list(points.iter().map(feature)))]);
        Some(object([(s("center"), list(center.map(Json::Number))), (s("features"), features)]))
    }
}

/// The middle between the outermost, as a number of JSON.
fn middle<'a>(values: impl Iterator<Item = &'a String>) -> Option<String> {
    let values: Vec<f64> = values.filter_map(|value| value.parse().ok()).collect();
    let (least, most) = (values.iter().copied().reduce(f64::min)?, values.iter().copied().reduce(f64::max)?);
    Some(format!("{:.5}", f64::midpoint(least, most)))
}

fn s(text: &str) -> String {
    text.to_owned()
}
