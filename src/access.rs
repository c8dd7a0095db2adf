//! Cloudflare Access at the edge: the team's keys, kept for a while, and the signature of a token, checked by the
//! platform's own cryptography.

use std::cell::RefCell;

use toolgate_core::access::{AccessSettings, PublicKey, Token, public_keys};
use toolgate_core::problem::Problem;
use toolgate_core::time::UnixMillis;
use toolgate_durable::names::{ACCESS_ADMINS, ACCESS_AUDIENCE, ACCESS_ORG, ACCESS_PRINCIPALS, ACCESS_TEAM};
use toolgate_durable::now;
use toolgate_protocol::limits::{ACCESS_KEYS_BYTES_MAX, ACCESS_KEYS_PAUSE_SECONDS, ACCESS_KEYS_SECONDS};
use toolgate_protocol::problems;
use web_sys::{Crypto, CryptoKey};
use worker::js_sys::{Array, Object, Reflect, Uint8Array, global};
use worker::wasm_bindgen::{JsCast as _, JsValue};
use worker::wasm_bindgen_futures::JsFuture;
use worker::{Env, console_error};

use crate::egress::{Capped, get_capped};
use crate::http::internal;

/// The keys of the one team, as they were last published.
struct Kept {
    url: String,
    keys: Vec<PublicKey>,
    at: UnixMillis,
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// What the operator set, if it makes sense.
pub fn settings(env: &Env) -> Option<AccessSettings> {
    let read = |name: &str| env.var(name).map(|value| value.to_string()).unwrap_or_default();
    AccessSettings::read(
        &read(ACCESS_TEAM),
        &read(ACCESS_AUDIENCE),
        &read(ACCESS_ORG),
        &read(ACCESS_ADMINS),
        &read(ACCESS_PRINCIPALS),
    )
}

/// Whether one of the team's keys made this signature.
pub async fn is_signed(settings: &AccessSettings, token: &Token<'_>) -> Result<bool, Problem> {
    let url = settings.keys_url();
    let key = match known(&url, &token.key_id) {
        Some(key) => key,
        None => fetch(&url).await?.into_iter().find(|key| key.key_id == token.key_id),
    };
    let Some(key) = key else { return Ok(false) };
    verify(&key, token).await.map_err(|error| internal("checking a signature", format!("{error:?}")))
}

/// The key as kept. `Some(None)`: a fresh set has no such key, and is not asked for again so soon, whoever makes names up.
fn known(url: &str, key_id: &str) -> Option<Option<PublicKey>> {
    KEPT.with(|kept| {
        let kept = kept.borrow();
        let kept = kept.as_ref().filter(|kept| kept.url == url && now() < kept.at.plus_seconds(ACCESS_KEYS_SECONDS))?;
        let found = kept.keys.iter().find(|key| key.key_id == key_id).cloned();
        (found.is_some() || now() < kept.at.plus_seconds(ACCESS_KEYS_PAUSE_SECONDS)).then_some(found)
    })
}

async fn fetch(url: &str) -> Result<Vec<PublicKey>, Problem> {
    let deadline = now().plus_seconds(toolgate_protocol::limits::RESOLVE_SECONDS);
    let keys = match get_capped(url, &[("accept", "application/json")], deadline, ACCESS_KEYS_BYTES_MAX).await {
        Ok(Capped { status: 200, incoming }) => std::str::from_utf8(&incoming.body).ok().and_then(public_keys),
        Ok(_) | Err(_) => None,
    };
    let Some(keys) = keys else {
        console_error!("the keys of Cloudflare Access could not be read from {url}");
        return Err(Problem::new(problems::ACCESS_UNAVAILABLE, "The keys of Cloudflare Access cannot be read now."));
    };
    KEPT.with(|kept| *kept.borrow_mut() = Some(Kept { url: url.to_owned(), keys: keys.clone(), at: now() }));
    Ok(keys)
}

/// RSASSA-PKCS1-v1_5 with SHA-256 (Web Cryptography API, section 20).
async fn verify(key: &PublicKey, token: &Token<'_>) -> Result<bool, JsValue> {
    let subtle = Reflect::get(&global(), &"crypto".into())?.unchecked_into::<Crypto>().subtle();
    let algorithm = object(&[("name", "RSASSA-PKCS1-v1_5"), ("hash", "SHA-256")])?;
    let jwk = object(&[("kty", "RSA"), ("n", &key.modulus), ("e", &key.exponent)])?;
    let usages = Array::of1(&"verify".into());
    let imported = subtle.import_key_with_object("jwk", &jwk, &algorithm, false, &usages)?;
    // What a team publishes and cannot be imported signs nothing.
    let Ok(imported) = JsFuture::from(imported).await else { return Ok(false) };
    let (signature, signed) = (Uint8Array::from(&*token.signature), Uint8Array::from(token.signed.as_bytes()));
    let imported = imported.unchecked_into::<CryptoKey>();
    let answer =
        subtle.verify_with_object_and_buffer_source_and_buffer_source(&algorithm, &imported, &signature, &signed)?;
    Ok(JsFuture::from(answer).await?.is_truthy())
}

fn object(members: &[(&str, &str)]) -> Result<Object, JsValue> {
    let object = Object::new();
    for (name, value) in members {
        Reflect::set(&object, &(*name).into(), &(*value).into())?;
    }
    Ok(object)
}
