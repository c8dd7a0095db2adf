//! Charts: what is put right, and what is refused.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "faults end it")]

use serde_json::{Value, json};
use toolgate_core::builtin::chart::create;
use toolgate_core::builtin::{Drawing, Fault, json_text};
use toolgate_core::json::parse;
use toolgate_protocol::limits::{CHART_DEPTH_MAX, CHART_POINTS_MAX, CHART_SERIES_MAX, CHART_VALUES_MAX};

fn made(config: &str) -> Result<Drawing, Fault> {
    create(parse(config).unwrap())
}

const BAR: &str = r#"{"xAxis":{"type":"category","data":["a","b"]},"yAxis":{},"series":[{"type":"bar","data":[1,9007199254740993]}]}"#;

#[test]
fn what_is_nearly_right_is_put_right_and_numbers_keep_their_text() {
    for (config, part) in [
        (BAR.to_owned(), r#""data":[1,9007199254740993]"#),
        (BAR.to_owned(), r#""tooltip":{"renderMode":"richText"}"#),
        (json_text(BAR), r#""data":[1,9007199254740993]"#),
        (BAR.replacen('{', r#"{"title":"Permits","#, 1), r#""title":{"text":"Permits"}"#),
        (BAR.replacen('{', r#"{"toolbox":{"feature":{"saveAsImage":{}}},"#, 1), r#""series":[{"#),
        (
            BAR.replacen('{', r#"{"tooltip":{"renderMode":"html","formatter":"{b}<br/>{c}"},"#, 1),
            r#""tooltip":{"formatter":"{b}\n{c}","renderMode":"richText"}"#,
        ),
        (
            r#"{"series":{"type":"pie","data":[{"name":"<b>x</b> => y","value":1.10}]}}"#.to_owned(),
            r#"{"name":"<b>x</b> => y","value":1.10}"#,
        ),
        (r#"{"title":{"text":"function of time"},"series":[{"type":"line","data":[1e3]}]}"#.to_owned(), "1e3"),
        (r#"{"series":[{"type":"scatter","symbol":"path://M0 0L1 1","data":[[1,2]]}]}"#.to_owned(), "path://"),
    ] {
        let drawing = made(&config).unwrap();
        assert!(drawing.content.contains(part), "{config}: {}", drawing.content);
        assert!(parse(&drawing.content).is_ok());
    }
    let says = made(&BAR.replacen('{', r#"{"title":"Permits","#, 1)).unwrap().says;
    assert_eq!(says, "Chart created: \"Permits\" (bar, 1 series). The user sees it now; do not repeat its data.");
}

#[test]
fn what_would_run_load_or_lead_somewhere_is_refused() {
    let with = |member: &str| BAR.replacen('{', &format!("{{{member},"), 1);
    for (config, at) in [
        ("7".to_owned(), "config:"),
        (r#""no json""#.to_owned(), "config:"),
        ("{}".to_owned(), "config.series"),
        (r#"{"series":[]}"#.to_owned(), "config.series"),
        (r#"{"series":[{"data":[1]}]}"#.to_owned(), "config.series[0].type"),
        (r#"{"series":[{"type":"custom","renderItem":"x"}]}"#.to_owned(), "config.series[0].type"),
        (with(r#""graphic":[{"type":"image"}]"#), "config.graphic"),
        (with(r#""geo":{}"#), "config.geo"),
        (with(r#""tooltip":{"formatter":"<img src=x onerror=alert(1)>"}"#), "config.tooltip.formatter"),
        (with(r#""tooltip":{"formatter":"a</b>"}"#), "config.tooltip.formatter"),
        (with(r#""tooltip":{"formatter":"function (p) { return p.name }"}"#), "config.tooltip.formatter"),
        (with(r#""tooltip":{"valueFormatter":"(v) => v + ' USD'"}"#), "config.tooltip.valueFormatter"),
        (with(r#""tooltip":{"valueFormatter":" v=>v"}"#), "config.tooltip.valueFormatter"),
        (with(r#""tooltip":{"formatter":"async function*go(p){}"}"#), "config.tooltip.formatter"),
        (with(r#""tooltip":{"extraCssText":"background:url(//x)"}"#), "config.tooltip.extraCssText"),
        (with(r#""tooltip":true"#), "config.tooltip"),
        (with(r#""title":{"text":"t","link":"https://example.com"}"#), "config.title.link"),
        (with(r#""title":{"text":"t","sublink":"javascript:alert(1)"}"#), "config.title.sublink"),
        (with(r#""backgroundColor":{"image":"https://example.com/x.png"}"#), "config.backgroundColor.image"),
        (with(r#""legend":{"icon":"image://https://example.com/x.png"}"#), "config.legend.icon"),
        (with(r#""legend":{"icon":" IMAGE://x"}"#), "config.legend.icon"),
        (with(r#""textStyle":{"fontFamily":"//example.com/font"}"#), "config.textStyle.fontFamily"),
        (with(r#""dataset":{"__proto__":{"x":1}}"#), "config.dataset.__proto__"),
        (with(r#""textStyle":{"fontSize":1e999}"#), "config.textStyle.fontSize"),
        (with(&format!(r#""grid":{}1{}"#, "[".repeat(40), "]".repeat(40))), "config:"),
        (with(&format!(r#""dataset":{{"source":[{}]}}"#, vec!["1"; 20_001].join(","))), "config:"),
        (with(&format!(r#""title":"{}""#, "x".repeat(262_100))), "config:"),
    ] {
        let fault = made(&config).unwrap_err();
        assert_eq!(fault.code, "chart_refused");
        assert!(fault.message.starts_with(at), "{}: {}", config.chars().take(120).collect::<String>(), fault.message);
    }
}

/// A case of the vectors with its shorthands written out.
fn written_out(value: &Value) -> Value {
    let count = |name: &str| value.get(name).and_then(Value::as_u64);
    if let Some(times) = count("$times") {
        return (0..times).map(|_| written_out(&value["of"])).collect();
    }
    if let Some(levels) = count("$nested") {
        return (0..levels).fold(json!(1), |inner, _| json!({ "in": inner }));
    }
    match value {
        Value::Object(members) if members.contains_key("$text") => written_out(&members["$text"]).to_string().into(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), written_out(value))).collect(),
        Value::Array(items) => items.iter().map(written_out).collect(),
        other => other.clone(),
    }
}

/// The page reads the same file: what is created here is drawn there.
#[test]
fn what_is_created_the_page_draws() {
    let vectors: Value = serde_json::from_str(include_str!("../../tests/vectors/charts.json")).unwrap();
    let limits = json!({
        "series": CHART_SERIES_MAX, "points": CHART_POINTS_MAX, "values": CHART_VALUES_MAX, "depth": CHART_DEPTH_MAX,
    });
    assert_eq!(vectors["limits"], limits);
    for case in vectors["cases"].as_array().unwrap() {
        let made = made(&written_out(&case["config"]).to_string());
        match case.get("refused").map(|word| word.as_str().unwrap()) {
            None => assert!(made.is_ok(), "{}: {made:?}", case["name"]),
            Some(word) => {
                assert!(made.as_ref().is_err_and(|fault| fault.message.contains(word)), "{}: {made:?}", case["name"])
            }
        }
    }
}
