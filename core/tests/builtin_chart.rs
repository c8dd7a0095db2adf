//! Charts: what is put right, and what is refused.
#![allow(clippy::unwrap_used, reason = "a fault ends the test")]
#![allow(clippy::indexing_slicing, reason = "a fault ends the test")]
#![allow(clippy::arithmetic_side_effects, reason = "a fault ends the test")]

use toolgate_core::builtin::chart::create;
use toolgate_core::builtin::{Drawing, Fault, json_text};
use toolgate_core::json::parse;

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
