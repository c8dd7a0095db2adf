//! `create_chart`: an ECharts option that only draws.
//!
//! An option is data here: what ECharts would run, load, follow or read as HTML is refused, in words that a model can act
//! on. What models often get slightly wrong is put right instead: an option inside a string, a title that is a text,
//! `<br>` in a formatter, JSON that was written twice. What is made here the page draws: the limits are the same, and
//! `tests/vectors/charts.json` holds both to it. Tooltips are drawn as text (`renderMode: "richText"`), whatever was asked for.

use toolgate_protocol::limits::{
    ACTIVITY_BYTES_MAX, CHART_DEPTH_MAX, CHART_POINTS_MAX, CHART_SERIES_MAX, CHART_VALUES_MAX,
};

use super::{Drawing, Fault, finite, has_markup, unwrapped, without_breaks};
use crate::json::{Json, parse};

/// The kinds of series that the page draws.
pub const SERIES_TYPES: [&str; 5] = ["bar", "line", "pie", "scatter", "heatmap"];

/// Members of an option that the page knows. `toolbox` is left out: the page has buttons of its own.
const MEMBERS: [&str; 19] = [
    "title",
    "tooltip",
    "legend",
    "grid",
    "xAxis",
    "yAxis",
    "series",
    "dataset",
    "visualMap",
    "dataZoom",
    "color",
    "backgroundColor",
    "textStyle",
    "animation",
    "animationDuration",
    "animationEasing",
    "aria",
    "darkMode",
    "useUTC",
];
/// Members whose texts are shown or compared as they are, and never interpreted.
const PLAIN: [&str; 9] =
    ["text", "subtext", "name", "data", "source", "dimensions", "categories", "description", "encode"];
/// Members that lead out of the page, or make HTML or CSS.
const FORBIDDEN: [&str; 20] = [
    "link",
    "sublink",
    "target",
    "subtarget",
    "url",
    "href",
    "src",
    "image",
    "extraCssText",
    "className",
    "appendTo",
    "appendToBody",
    "renderItem",
    "dataView",
    "optionToContent",
    "contentToOption",
    "__proto__",
    "constructor",
    "prototype",
    "onclick",
];
/// Members whose text is read as JSON where it looks like it, as the page does.
const STRUCTURED: [&str; 10] =
    ["series", "xAxis", "yAxis", "legend", "grid", "dataset", "visualMap", "dataZoom", "data", "source"];
/// How texts begin that load or run something.
const SCHEMES: [&str; 8] = ["image://", "http://", "https://", "//", "data:", "blob:", "javascript:", "vbscript:"];
/// Room in an activity for what stands around its content.
const ENVELOPE_BYTES: usize = 100;

fn refused(at: &str, what: impl AsRef<str>) -> Fault {
    Fault::new("chart_refused", format!("config{at}: {}", what.as_ref()))
}

/// Checks an option.
///
/// # Errors
/// What is wrong with it, and where.
pub fn create(config: Json) -> Result<Drawing, Fault> {
    let Json::Map(members) = unwrapped(config) else {
        return Err(refused("", "must be an ECharts option: a JSON object with series."));
    };
    let mut option = Vec::new();
    for (name, value) in members {
        let word = String::from_utf8_lossy(&name).into_owned();
        match (word.as_str(), value) {
            ("toolbox", _) => {}
            ("title", text @ Json::Text(_)) => option.push((name, Json::Map(vec![(b"text".to_vec(), text)]))),
            (known, value) if MEMBERS.contains(&known) => option.push((name, value)),
            (other, _) => {
                let detail = format!("is no member that can be drawn here; there are {}.", MEMBERS.join(", "));
                return Err(refused(&format!(".{}", shortened(other)), detail));
            }
        }
    }
    for (name, value) in &mut option {
        read_twice_written(&String::from_utf8_lossy(name), value, "")?;
    }
    let mut option = Json::Map(option);
    let kinds = check_series(option.get("series"))?;
    draw_tooltips_as_text(&mut option)?;
    let mut walk = Walk { values: 0 };
    walk.check(&mut option, "", false, CHART_DEPTH_MAX)?;
    let points = points(&option);
    if points > CHART_POINTS_MAX {
        let detail = format!("has {points} points; the limit is {CHART_POINTS_MAX}. Aggregate in SQL first.");
        return Err(refused("", detail));
    }
    let says = said(&option, &kinds);
    let content = option.canonical();
    if content.len() > ACTIVITY_BYTES_MAX.saturating_sub(ENVELOPE_BYTES) {
        let limit = ACTIVITY_BYTES_MAX.saturating_sub(ENVELOPE_BYTES);
        return Err(refused("", format!("has {} bytes; the limit is {limit}. Aggregate in SQL first.", content.len())));
    }
    Ok(Drawing { content, says })
}

/// The kinds of all series, in order.
fn check_series(series: Option<&Json>) -> Result<Vec<String>, Fault> {
    let list = match series {
        Some(Json::List(list)) if !list.is_empty() => list.iter().collect(),
        Some(one @ Json::Map(_)) => vec![one],
        _ => return Err(refused(".series", "must be a list with at least one series.")),
    };
    if list.len() > CHART_SERIES_MAX {
        let detail =
            format!("has {} series; the limit is {CHART_SERIES_MAX}. Draw fewer, or several charts.", list.len());
        return Err(refused(".series", detail));
    }
    let mut kinds = Vec::new();
    for (index, one) in list.into_iter().enumerate() {
        let kind = one.get("type").and_then(Json::as_str).unwrap_or_default();
        if !SERIES_TYPES.contains(&kind) {
            let detail = format!("{:?} cannot be drawn here; use one of {}.", shortened(kind), SERIES_TYPES.join(", "));
            return Err(refused(&format!(".series[{index}].type"), detail));
        }
        kinds.push(kind.to_owned());
    }
    Ok(kinds)
}

/// A structure that came as text is put in its place.
fn read_twice_written(name: &str, value: &mut Json, at: &str) -> Result<(), Fault> {
    let Json::Text(bytes) = value else { return Ok(()) };
    let text = String::from_utf8_lossy(bytes);
    let blank = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
    if !STRUCTURED.contains(&name) || !text.trim_start_matches(blank).starts_with(['[', '{']) {
        return Ok(());
    }
    let at = format!("{at}.{}", shortened(name));
    *value = parse(&text).map_err(|fault| refused(&at, format!("is a text that is no JSON: {}.", fault.what)))?;
    Ok(())
}

/// What is drawn: the entries of `data` of each series and of `source` of each data set.
fn points(option: &Json) -> usize {
    let parts = |name: &str| match option.get(name) {
        Some(Json::List(list)) => list.iter().collect::<Vec<_>>(),
        one => one.into_iter().collect(),
    };
    let entries = |value: Option<&Json>| match value {
        Some(Json::List(list)) => list.len(),
        one => usize::from(one.is_some()),
    };
    let data = parts("series").into_iter().map(|one| entries(one.get("data")));
    let source = parts("dataset").into_iter().map(|one| entries(one.get("source")));
    data.chain(source).fold(0, usize::saturating_add)
}

struct Walk {
    /// Of every kind, structures too.
    values: usize,
}

impl Walk {
    /// Looks at every value; `plain` ones hold data that is shown as it is.
    fn check(&mut self, value: &mut Json, at: &str, plain: bool, depth: usize) -> Result<(), Fault> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(refused("", format!("is nested deeper than {CHART_DEPTH_MAX} levels.")));
        };
        self.values = self.values.saturating_add(1);
        if self.values > CHART_VALUES_MAX {
            let detail = format!("has more than {CHART_VALUES_MAX} values. Aggregate in SQL first.");
            return Err(refused("", detail));
        }
        match value {
            Json::Map(members) => {
                for (name, value) in members.iter_mut() {
                    let name = String::from_utf8_lossy(name).into_owned();
                    read_twice_written(&name, value, at)?;
                    let at = format!("{at}.{}", shortened(&name));
                    if FORBIDDEN.contains(&name.as_str()) {
                        return Err(refused(&at, "a chart has no links, images, HTML, CSS or code; leave it out."));
                    }
                    if name.to_ascii_lowercase().ends_with("formatter") {
                        check_formatter(value, &at)?;
                    }
                    self.check(value, &at, plain || PLAIN.contains(&name.as_str()), depth)?;
                }
            }
            Json::List(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.check(item, &format!("{at}[{index}]"), plain, depth)?;
                }
            }
            Json::Number(text) if finite(text).is_none() => {
                return Err(refused(at, format!("{} is too large to be drawn.", shortened(text))));
            }
            Json::Text(bytes) if !plain => check_text(&String::from_utf8_lossy(bytes), at)?,
            _ => {}
        }
        Ok(())
    }
}

/// A template such as `{b}: {c}`; ECharts would take functions and HTML too.
fn check_formatter(value: &mut Json, at: &str) -> Result<(), Fault> {
    let Json::Text(bytes) = value else { return Ok(()) };
    let text = without_breaks(&String::from_utf8_lossy(bytes));
    if has_markup(&text) {
        return Err(refused(at, "holds HTML; write plain text with placeholders such as {b} and {c}."));
    }
    *bytes = text.into_bytes();
    Ok(())
}

/// A text that means something to ECharts.
fn check_text(text: &str, at: &str) -> Result<(), Fault> {
    let start = text.trim_start().to_ascii_lowercase();
    if is_function(&start) {
        return Err(refused(
            at,
            "holds a function; a chart is data. Use a template such as {b}: {c}, or fixed values.",
        ));
    }
    if let Some(scheme) = SCHEMES.iter().find(|scheme| start.starts_with(**scheme)) {
        return Err(refused(at, format!("begins with {scheme}; a chart loads nothing.")));
    }
    Ok(())
}

/// Code in place of a template: `function (p) {…}`, `(p) => …`, `p => …`.
fn is_function(start: &str) -> bool {
    let head = start.strip_prefix("async").map_or(start, str::trim_start);
    if let Some(rest) = head.strip_prefix("function") {
        let name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | ' ' | '*');
        return rest.trim_start_matches(name).starts_with('(');
    }
    let Some((parameters, _)) = head.split_once("=>") else { return false };
    let parameters = parameters.trim();
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '$'))
    };
    is_name(parameters) || (parameters.starts_with('(') && parameters.ends_with(')'))
}

/// Whatever a tooltip holds becomes text that is drawn, never HTML.
fn draw_tooltips_as_text(option: &mut Json) -> Result<(), Fault> {
    let Json::Map(members) = option else { return Ok(()) };
    let mode = || (b"renderMode".to_vec(), Json::Text(b"richText".to_vec()));
    let Some((_, tooltip)) = members.iter_mut().find(|(name, _)| name == b"tooltip") else {
        members.push((b"tooltip".to_vec(), Json::Map(vec![mode()])));
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        return Ok(());
    };
    let Json::Map(of_tooltip) = tooltip else { return Err(refused(".tooltip", "must be an object.")) };
    of_tooltip.retain(|(name, _)| name != b"renderMode");
    of_tooltip.push(mode());
    of_tooltip.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(())
}

fn said(option: &Json, kinds: &[String]) -> String {
    let title = match option.get("title") {
        Some(Json::List(titles)) => titles.first().and_then(|title| title.get("text")),
        Some(title) => title.get("text"),
        None => None,
    };
    let title = title.and_then(Json::as_str).map(|title| format!(" {:?}", shortened(title))).unwrap_or_default();
    let series = if kinds.len() == 1 { "1 series".to_owned() } else { format!("{} series", kinds.len()) };
    let mut distinct = kinds.to_vec();
    distinct.dedup();
    format!("Chart created:{title} ({}, {series}). The user sees it now; do not repeat its data.", distinct.join(", "))
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
