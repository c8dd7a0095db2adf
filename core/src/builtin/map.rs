//! `create_map`: a view and a GeoJSON FeatureCollection (RFC 7946), checked to the last coordinate.
//!
//! `center` is `[latitude, longitude]`, as Leaflet has it, and coordinates are `[longitude, latitude]`, as GeoJSON has
//! them: whoever mixes them up is told so. What is not drawn is left out; numbers keep their text.

use toolgate_protocol::limits::{
    ACTIVITY_BYTES_MAX, MAP_FEATURES_MAX, MAP_POPUP_CHARS_MAX, MAP_VERTICES_MAX, MAP_ZOOM_MAX,
};

use super::{Drawing, Fault, finite, has_markup, unwrapped, without_breaks};
use crate::json::Json;

/// Collections within collections are allowed this deep.
const COLLECTIONS_DEPTH_MAX: usize = 4;
/// A centre this many degrees outside of its features is far away from them.
const FAR_DEGREES: f64 = 10.0;
/// Room in an activity for what stands around its content.
const ENVELOPE_BYTES: usize = 100;

fn refused(at: &str, what: impl AsRef<str>) -> Fault {
    Fault::new("map_refused", format!("data{at}: {}", what.as_ref()))
}

/// Checks a map.
///
/// # Errors
/// What is wrong with it, and where.
pub fn create(data: Json) -> Result<Drawing, Fault> {
    let data = unwrapped(data);
    let Json::Map(members) = &data else {
        return Err(refused("", "must be an object with center and features."));
    };
    let known = ["center", "zoom", "features"];
    let unknown = members.iter().find(|(name, _)| !known.iter().any(|known| known.as_bytes() == name));
    if let Some((name, _)) = unknown {
        let name: String = String::from_utf8_lossy(name).chars().take(80).collect();
        let detail = format!("has no member {name:?}; it has center, zoom and features (a FeatureCollection).");
        return Err(refused("", detail));
    }
    let (latitude, longitude) = center(data.get("center"))?;
    let zoom = zoom(data.get("zoom"))?;
    let mut walk = Walk::default();
    let features = walk.collection(data.get("features"))?;
    walk.check_center(latitude, longitude)?;
    let count = walk.features;
    let mut map = vec![(b"center".to_vec(), data.get("center").cloned().unwrap_or(Json::Null))];
    map.push((b"features".to_vec(), features));
    map.extend(zoom.map(|zoom| (b"zoom".to_vec(), zoom)));
    let content = Json::Map(map).canonical();
    let limit = ACTIVITY_BYTES_MAX.saturating_sub(ENVELOPE_BYTES);
    if content.len() > limit {
        return Err(refused("", format!("has {} bytes; the limit is {limit}. Show fewer features.", content.len())));
    }
    let features = if count == 1 { "1 feature".to_owned() } else { format!("{count} features") };
    let says = format!(
        "Map created: {features} around latitude {latitude}, longitude {longitude}. The user sees it now; do not repeat its data."
    );
    Ok(Drawing { content, says })
}

fn center(value: Option<&Json>) -> Result<(f64, f64), Fault> {
    let Some(Json::List(pair)) = value else { return Err(refused(".center", "must be [latitude, longitude].")) };
    let [latitude, longitude] = pair.as_slice() else {
        return Err(refused(".center", format!("has {} numbers; it must be [latitude, longitude].", pair.len())));
    };
    let (latitude, longitude) = (number(latitude, ".center[0]")?, number(longitude, ".center[1]")?);
    if !(-90.0..=90.0).contains(&latitude) {
        let detail = format!("the latitude {latitude} is not within -90 to 90; the order is [latitude, longitude].");
        return Err(refused(".center", detail));
    }
    if !(-180.0..=180.0).contains(&longitude) {
        return Err(refused(".center", format!("the longitude {longitude} is not within -180 to 180.")));
    }
    Ok((latitude, longitude))
}

fn zoom(value: Option<&Json>) -> Result<Option<Json>, Fault> {
    match value {
        None | Some(Json::Null) => Ok(None),
        Some(value) => {
            let zoom = number(value, ".zoom")?;
            let fits = (0.0..=MAP_ZOOM_MAX).contains(&zoom);
            if fits { Ok(Some(value.clone())) } else { Err(refused(".zoom", format!("needs 0 to {MAP_ZOOM_MAX}."))) }
        }
    }
}

fn number(value: &Json, at: &str) -> Result<f64, Fault> {
    let found = if let Json::Number(text) = value { finite(text) } else { None };
    found.ok_or_else(|| refused(at, format!("is {}; it must be a finite number.", value.kind())))
}

/// What all coordinates cover.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    west: f64,
    east: f64,
    south: f64,
    north: f64,
}

#[derive(Default)]
struct Walk {
    features: usize,
    vertices: usize,
    bounds: Option<Bounds>,
}

impl Walk {
    fn collection(&mut self, value: Option<&Json>) -> Result<Json, Fault> {
        let features = match value {
            // A list of features, where its collection was forgotten.
            Some(Json::List(features)) => features,
            Some(collection) if kind_of(collection) == "FeatureCollection" => match collection.get("features") {
                Some(Json::List(features)) => features,
                _ => return Err(refused(".features.features", "must be a list of features.")),
            },
            _ => return Err(refused(".features", "must be a GeoJSON object with type FeatureCollection.")),
        };
        if features.len() > MAP_FEATURES_MAX {
            let detail = format!("has {} features; the limit is {MAP_FEATURES_MAX}.", features.len());
            return Err(refused(".features", detail));
        }
        let read = |(index, feature)| self.feature(feature, &format!(".features.features[{index}]"));
        let features: Result<Vec<Json>, Fault> = features.iter().enumerate().map(read).collect();
        Ok(object(vec![("features", Json::List(features?)), ("type", Json::Text(b"FeatureCollection".to_vec()))]))
    }

    /// A feature with what is drawn of it.
    fn feature(&mut self, feature: &Json, at: &str) -> Result<Json, Fault> {
        if kind_of(feature) != "Feature" {
            return Err(refused(at, "must be a GeoJSON object with type Feature."));
        }
        self.features = self.features.saturating_add(1);
        let at_geometry = format!("{at}.geometry");
        let geometry = match feature.get("geometry") {
            None | Some(Json::Null) => Json::Null,
            Some(geometry) => self.geometry(geometry, &at_geometry, COLLECTIONS_DEPTH_MAX)?,
        };
        let properties = match feature.get("properties") {
            None | Some(Json::Null) => Json::Map(Vec::new()),
            Some(Json::Map(members)) => Json::Map(properties(members, at)?),
            Some(_) => return Err(refused(&format!("{at}.properties"), "must be an object or null.")),
        };
        let mut kept = vec![("geometry", geometry)];
        match feature.get("id") {
            None => {}
            Some(id @ (Json::Text(_) | Json::Number(_))) => kept.push(("id", id.clone())),
            Some(_) => return Err(refused(&format!("{at}.id"), "must be a string or a number.")),
        }
        kept.extend([("properties", properties), ("type", Json::Text(b"Feature".to_vec()))]);
        Ok(object(kept))
    }

    fn geometry(&mut self, geometry: &Json, at: &str, depth: usize) -> Result<Json, Fault> {
        let kind = kind_of(geometry);
        if kind == "GeometryCollection" {
            let Some(depth) = depth.checked_sub(1) else {
                return Err(refused(at, format!("is nested deeper than {COLLECTIONS_DEPTH_MAX} collections.")));
            };
            let Some(Json::List(parts)) = geometry.get("geometries") else {
                return Err(refused(&format!("{at}.geometries"), "must be a list of geometries."));
            };
            let read = |(index, part)| self.geometry(part, &format!("{at}.geometries[{index}]"), depth);
            let parts: Result<Vec<Json>, Fault> = parts.iter().enumerate().map(read).collect();
            return Ok(object(vec![("geometries", Json::List(parts?)), ("type", Json::Text(kind.into()))]));
        }
        // How many lists there are around a position, and what the innermost one is.
        let (levels, line) = match kind {
            "Point" => (0, Line::Free),
            "MultiPoint" => (1, Line::Free),
            "LineString" => (1, Line::Open),
            "MultiLineString" => (2, Line::Open),
            "Polygon" => (2, Line::Ring),
            "MultiPolygon" => (3, Line::Ring),
            _ => {
                let detail = "must be a GeoJSON geometry: Point, MultiPoint, LineString, MultiLineString, Polygon, MultiPolygon or GeometryCollection.";
                return Err(refused(&format!("{at}.type"), detail));
            }
        };
        let coordinates = geometry.get("coordinates").cloned().unwrap_or(Json::Null);
        self.coordinates(&coordinates, levels, line, &format!("{at}.coordinates"))?;
        Ok(object(vec![("coordinates", coordinates), ("type", Json::Text(kind.into()))]))
    }

    fn coordinates(&mut self, value: &Json, levels: usize, line: Line, at: &str) -> Result<(), Fault> {
        let Some(inner) = levels.checked_sub(1) else { return self.position(value, at) };
        let Json::List(items) = value else { return Err(refused(at, "must be a list.")) };
        for (index, item) in items.iter().enumerate() {
            self.coordinates(item, inner, line, &format!("{at}[{index}]"))?;
        }
        if inner == 0 { line.check(items, at) } else { Ok(()) }
    }

    fn position(&mut self, value: &Json, at: &str) -> Result<(), Fault> {
        let Json::List(numbers) = value else { return Err(refused(at, "must be [longitude, latitude].")) };
        let (longitude, latitude) = match numbers.as_slice() {
            [longitude, latitude] => (longitude, latitude),
            [longitude, latitude, altitude] => {
                number(altitude, at)?;
                (longitude, latitude)
            }
            _ => return Err(refused(at, format!("has {} numbers; it must be [longitude, latitude].", numbers.len()))),
        };
        let (longitude, latitude) = (number(longitude, at)?, number(latitude, at)?);
        if !(-180.0..=180.0).contains(&longitude) || !(-90.0..=90.0).contains(&latitude) {
            let detail = format!(
                "[{longitude}, {latitude}] is out of range; the order is [longitude, latitude], within -180 to 180 and -90 to 90."
            );
            return Err(refused(at, detail));
        }
        self.vertices = self.vertices.saturating_add(1);
        if self.vertices > MAP_VERTICES_MAX {
            return Err(refused(".features", format!("have more than {MAP_VERTICES_MAX} positions; simplify them.")));
        }
        let known =
            self.bounds.unwrap_or(Bounds { west: longitude, east: longitude, south: latitude, north: latitude });
        self.bounds = Some(Bounds {
            west: known.west.min(longitude),
            east: known.east.max(longitude),
            south: known.south.min(latitude),
            north: known.north.max(latitude),
        });
        Ok(())
    }

    /// Is the centre far from the features, and would it be among them with its numbers exchanged?
    fn check_center(&self, latitude: f64, longitude: f64) -> Result<(), Fault> {
        let Some(Bounds { west, east, south, north }) = self.bounds else { return Ok(()) };
        let (wide, high) = (west - FAR_DEGREES..=east + FAR_DEGREES, south - FAR_DEGREES..=north + FAR_DEGREES);
        let here = wide.contains(&longitude) && high.contains(&latitude);
        let exchanged = wide.contains(&latitude) && high.contains(&longitude);
        if here || !exchanged {
            return Ok(());
        }
        let detail = format!(
            "[{latitude}, {longitude}] is far from all features, and among them when its numbers are exchanged. center is [latitude, longitude], coordinates in features are [longitude, latitude]: exchange the ones that are the wrong way round."
        );
        Err(refused(".center", detail))
    }
}

/// What a list of positions is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Free,
    Open,
    Ring,
}

impl Line {
    fn check(self, positions: &[Json], at: &str) -> Result<(), Fault> {
        let (least, what) = match self {
            Line::Free => return Ok(()),
            Line::Open => (2, "a line"),
            Line::Ring => (4, "a ring"),
        };
        if positions.len() < least {
            return Err(refused(at, format!("{what} has at least {least} positions.")));
        }
        let plain = |position: &Json| match position {
            Json::List(numbers) => numbers.iter().map(|each| number(each, at).ok()).collect(),
            _ => Vec::new(),
        };
        if self == Line::Ring && positions.first().map(plain) != positions.last().map(plain) {
            return Err(refused(at, "the ring is not closed: its last position must be its first."));
        }
        Ok(())
    }
}

/// What a feature says of itself; its popup is plain text.
fn properties(members: &[(Vec<u8>, Json)], at: &str) -> Result<Vec<(Vec<u8>, Json)>, Fault> {
    let mut kept = Vec::new();
    for (name, value) in members {
        let value = match (name.as_slice(), value) {
            (b"popup", Json::Text(bytes)) => popup(&String::from_utf8_lossy(bytes), at)?,
            (b"popup", Json::Number(text)) => Json::Text(text.clone().into_bytes()),
            (b"popup", Json::Null) => continue,
            (b"popup", _) => return Err(refused(&format!("{at}.properties.popup"), "must be a plain text.")),
            _ => value.clone(),
        };
        kept.push((name.clone(), value));
    }
    Ok(kept)
}

fn popup(text: &str, at: &str) -> Result<Json, Fault> {
    let text = without_breaks(text);
    let at = format!("{at}.properties.popup");
    if has_markup(&text) {
        return Err(refused(&at, "holds HTML; it is shown as plain text."));
    }
    if text.chars().count() > MAP_POPUP_CHARS_MAX {
        return Err(refused(&at, format!("has more than {MAP_POPUP_CHARS_MAX} characters.")));
    }
    Ok(Json::Text(text.into_bytes()))
}

fn kind_of(value: &Json) -> &str {
    value.get("type").and_then(Json::as_str).unwrap_or_default()
}

/// Members in the order of their names.
fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Map(members.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect())
}
