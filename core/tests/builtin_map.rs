//! Maps: what is kept, and what is refused.
#![allow(clippy::unwrap_used, reason = "a fault ends the test")]
#![allow(clippy::indexing_slicing, reason = "a fault ends the test")]
#![allow(clippy::arithmetic_side_effects, reason = "a fault ends the test")]

use toolgate_core::builtin::map::create;
use toolgate_core::builtin::{Drawing, Fault, json_text};
use toolgate_core::json::parse;

fn made(data: &str) -> Result<Drawing, Fault> {
    create(parse(data).unwrap())
}

fn point(longitude: &str, latitude: &str) -> String {
    format!(
        r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[{longitude},{latitude}]}},"properties":{{"popup":"a"}}}}"#
    )
}

fn of(features: &str) -> String {
    format!(r#"{{"center":[30.27,-97.74],"features":{{"type":"FeatureCollection","features":[{features}]}}}}"#)
}

fn shape(kind: &str, coordinates: &str) -> String {
    let geometry = format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#);
    of(&format!(r#"{{"type":"Feature","geometry":{geometry},"properties":null}}"#))
}

#[test]
fn maps_keep_what_is_drawn_and_the_text_of_their_numbers() {
    let drawing = made(&of(&point("-97.7430600000000001", "30.267153"))).unwrap();
    let wanted = r#"{"center":[30.27,-97.74],"features":{"features":[{"geometry":{"coordinates":[-97.7430600000000001,30.267153],"type":"Point"},"properties":{"popup":"a"},"type":"Feature"}],"type":"FeatureCollection"}}"#;
    assert_eq!(drawing.content, wanted);
    assert!(drawing.says.starts_with("Map created: 1 feature around latitude 30.27, longitude -97.74."));
    for good in [
        json_text(&of("")),
        of("").replace("]}}", r#"]},"zoom":11.5}"#),
        format!(r#"{{"center":[30,-97],"features":[{}]}}"#, point("-97", "30")),
        shape("LineString", "[[-97,30],[-98,31,120]]"),
        shape("MultiPoint", "[[-97,30]]"),
        shape("Polygon", "[[[-97,30],[-98,30],[-98,31],[-97.0,30]]]"),
        shape("MultiPolygon", "[[[[-97,30],[-98,30],[-98,31],[-97,30]]]]"),
        of(
            r#"{"type":"Feature","id":7,"geometry":null,"properties":{"popup":12.50,"any":{"x":[1]}},"bbox":[1,2,3,4]}"#,
        ),
        of(
            r#"{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[-97,30]}]}}"#,
        ),
        of(&point("-97", "30").replace(r#""popup":"a""#, r#""popup":"5 < 6<br>and & more""#)),
    ] {
        assert!(made(&good).is_ok(), "{good}: {:?}", made(&good));
    }
}

#[test]
fn faults_say_where_and_what() {
    let deep = format!("{}{}", r#"{"type":"GeometryCollection","geometries":["#.repeat(5), "]}".repeat(5));
    for (data, part) in [
        ("[]".to_owned(), "data: must be an object"),
        (r#"{"features":[]}"#.to_owned(), "data.center: must be"),
        (r#"{"center":[1,2,3],"features":[]}"#.to_owned(), "has 3 numbers"),
        (r#"{"center":["1",2],"features":[]}"#.to_owned(), "is a string"),
        (r#"{"center":[1e999,2],"features":[]}"#.to_owned(), "finite"),
        (r#"{"center":[-97.7,30.2],"features":[]}"#.to_owned(), "the order is [latitude, longitude]"),
        (r#"{"center":[1,181],"features":[]}"#.to_owned(), "-180 to 180"),
        (r#"{"center":[1,2]}"#.to_owned(), "data.features"),
        (r#"{"center":[1,2],"geojson":{}}"#.to_owned(), "has no member \"geojson\""),
        (r#"{"center":[1,2],"features":[],"zoom":23}"#.to_owned(), "data.zoom"),
        (of("{}"), "type Feature"),
        (of(r#"{"type":"Feature","geometry":{"type":"Circle"}}"#), ".geometry.type"),
        (of(r#"{"type":"Feature","geometry":null,"properties":[]}"#), "must be an object or null"),
        (of(r#"{"type":"Feature","geometry":null,"id":[]}"#), ".id"),
        (of(&point("30.2", "-97.7")), "the order is [longitude, latitude]"),
        (of(&point("1e309", "1")), "finite"),
        (shape("Point", "[1]"), "has 1 numbers"),
        (shape("LineString", "[[1,2]]"), "at least 2 positions"),
        (shape("Polygon", "[[[1,2],[2,2],[1,2]]]"), "at least 4 positions"),
        (shape("Polygon", "[[[1,2],[2,2],[2,3],[1,3]]]"), "not closed"),
        (shape("Polygon", "[[1,2],[2,2],[2,3],[1,2]]"), "must be [longitude, latitude]"),
        (of(&format!(r#"{{"type":"Feature","geometry":{deep}}}"#)), "nested deeper"),
        (of(&vec![point("1", "1"); 2_001].join(",")), "the limit is 2000"),
        (shape("MultiPoint", &format!("[{}]", vec!["[1,1]"; 20_001].join(","))), "more than 20000 positions"),
        (of(&point("1", "1").replace(r#""popup":"a""#, r#""popup":"<img src=x>""#)), "holds HTML"),
        (of(&point("1", "1").replace(r#""popup":"a""#, &format!(r#""popup":"{}""#, "x".repeat(1_001)))), "more than 1000"),
        (of(&point("1", "1").replace(r#""popup":"a""#, r#""popup":[]"#)), "plain text"),
        // Both are in range, and one of the two is the wrong way round.
        (r#"{"center":[13.4,52.5],"features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]}}]}"#.to_owned(), "exchange the ones"),
        (format!(r#"{{"center":[52.5,13.4],"features":[{}]}}"#, point("52.5", "13.4")), "exchange the ones"),
    ] {
        let fault = made(&data).unwrap_err();
        assert_eq!(fault.code, "map_refused");
        assert!(fault.message.contains(part), "{}: {}", data.chars().take(200).collect::<String>(), fault.message);
    }
}
