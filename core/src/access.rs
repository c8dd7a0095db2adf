//! Sign-in by Cloudflare Access: what its token must say before somebody gets a key (RFC 7519; Cloudflare One, "Validate
//! JWTs"). The signature is checked by the edge with the keys that the team publishes; everything else is decided here.
//!
//! The token proves who somebody is to one application of one team. It is worth nothing more here than a key for a while:
//! what the key may do is the operator's word, not the token's.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::from_base64url;
use crate::time::UnixMillis;

/// Clocks may differ by this.
const LEEWAY_SECONDS: u64 = 60;
const TOKEN_CHARS_MAX: usize = 8 * 1024;
const EMAIL_CHARS_MAX: usize = 128;
/// The one algorithm that Access signs with. Taken from here and never from the token (RFC 8725, section 3.1).
pub const ALGORITHM: &str = "RS256";

/// Whom the operator lets in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSettings {
    /// `https://<team>.cloudflareaccess.com`.
    pub issuer: String,
    /// The application's audience tag.
    pub audience: String,
    /// The org whose console it is.
    pub org: String,
    /// Addresses that may have an admin's key, in small letters.
    pub admins: Vec<String>,
    /// The ids of principals are addresses.
    pub principals_are_emails: bool,
}

impl AccessSettings {
    /// From the operator's variables; `None` when Access is not set up, or not with sense.
    pub fn read(team: &str, audience: &str, org: &str, admins: &str, principals: &str) -> Option<AccessSettings> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if team.is_empty() || team.len() > 63 || !team.bytes().all(plain) || audience.is_empty() {
            return None;
        }
        let admins = admins.split(',').map(|one| one.trim().to_lowercase()).filter(|one| !one.is_empty()).collect();
        crate::names::is_plain(org).then(|| AccessSettings {
            issuer: format!("https://{team}.cloudflareaccess.com"),
            audience: audience.to_owned(),
            org: org.to_owned(),
            admins,
            principals_are_emails: principals == "email",
        })
    }

    /// Where the team publishes its keys.
    pub fn keys_url(&self) -> String {
        format!("{}/cdn-cgi/access/certs", self.issuer)
    }
}

/// A token taken apart; nothing of it is true before its signature is.
#[derive(Debug)]
pub struct Token<'a> {
    /// Which of the team's keys signed it.
    pub key_id: String,
    /// What the signature is over.
    pub signed: &'a str,
    /// The signature.
    pub signature: Vec<u8>,
    claims: Claims,
}

/// Who signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their address, in small letters.
    pub email: String,
    /// Who they are as a principal, where the operator says that principals are known by their addresses. Otherwise nobody
    /// knows, and they count as whoever asked.
    pub principal_id: Option<String>,
    /// When the token ends.
    pub until: UnixMillis,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
    crit: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Claims {
    iss: String,
    aud: Value,
    exp: u64,
    nbf: Option<u64>,
    iat: Option<u64>,
    email: Option<String>,
}

/// A public key of the team, as it publishes it (RFC 7517).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PublicKey {
    /// Its name.
    #[serde(rename = "kid")]
    pub key_id: String,
    #[serde(rename = "kty")]
    kind: String,
    /// The modulus, base64url.
    #[serde(rename = "n")]
    pub modulus: String,
    /// The exponent, base64url.
    #[serde(rename = "e")]
    pub exponent: String,
}

impl<'a> Token<'a> {
    /// Takes a token apart.
    ///
    /// # Errors
    /// What is wrong with it, in words that tell nothing of its content.
    pub fn read(text: &'a str) -> Result<Token<'a>, &'static str> {
        if text.len() > TOKEN_CHARS_MAX {
            return Err("the token is too long");
        }
        let (signed, signature) = text.rsplit_once('.').ok_or("the token has no three parts")?;
        let (header, claims) = signed.split_once('.').ok_or("the token has no three parts")?;
        let header: Header = part(header).ok_or("the token's header cannot be read")?;
        if header.alg != ALGORITHM || header.crit.is_some() {
            return Err("the token is not signed by RS256");
        }
        let claims = part(claims).ok_or("the token's claims cannot be read")?;
        let signature = from_base64url(signature).ok_or("the token's signature cannot be read")?;
        Ok(Token { key_id: header.kid, signed, signature, claims })
    }

    /// Who signed in, once the signature is known to be good.
    ///
    /// # Errors
    /// Which claim does not hold.
    pub fn person(&self, settings: &AccessSettings, now: UnixMillis) -> Result<Person, &'static str> {
        let now_seconds = now.0.div_euclid(1_000);
        let claims = &self.claims;
        if claims.iss != settings.issuer {
            return Err("the token is of another team");
        }
        let names = |aud: &Value| aud.as_str() == Some(settings.audience.as_str());
        let is_ours = names(&claims.aud) || claims.aud.as_array().is_some_and(|all| all.iter().any(names));
        if !is_ours {
            return Err("the token is for another application");
        }
        if claims.exp <= now_seconds {
            return Err("the token is out of date; sign in again");
        }
        let latest = now_seconds.saturating_add(LEEWAY_SECONDS);
        if claims.nbf.is_some_and(|from| from > latest) || claims.iat.is_some_and(|at| at > latest) {
            return Err("the token is not valid yet");
        }
        // Judged before it is made small: other letters than these may become them.
        let email = claims.email.as_deref().unwrap_or_default();
        let plain = email.bytes().all(|byte| byte.is_ascii_graphic()) && email.contains('@');
        if !plain || !(3..=EMAIL_CHARS_MAX).contains(&email.len()) {
            return Err("the token names nobody: a service token gets no key");
        }
        let email = email.to_ascii_lowercase();
        let principal_id = settings.principals_are_emails.then(|| email.clone());
        Ok(Person { email, principal_id, until: UnixMillis(claims.exp.saturating_mul(1_000)) })
    }
}

/// The RSA keys of a published set; others are none of ours.
pub fn public_keys(text: &str) -> Option<Vec<PublicKey>> {
    #[derive(Deserialize)]
    struct Set {
        keys: Vec<Value>,
    }
    let set: Set = serde_json::from_str(text).ok()?;
    let read = |key: Value| serde_json::from_value::<PublicKey>(key).ok().filter(|key| key.kind == "RSA");
    Some(set.keys.into_iter().filter_map(read).collect())
}

fn part<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    serde_json::from_slice(&from_base64url(text)?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::hash::base64url;

    const NOW: UnixMillis = UnixMillis(1_764_500_000_000);

    fn settings() -> AccessSettings {
        AccessSettings::read("acme", "tag", "shop", " Boss@Acme.test ,x@y.z", "email").unwrap()
    }

    fn token(header: &Value, claims: &Value) -> String {
        let part = |value: &Value| base64url(value.to_string().as_bytes());
        format!("{}.{}.{}", part(header), part(claims), base64url(b"signature"))
    }

    fn good() -> Value {
        json!({ "iss": "https://acme.cloudflareaccess.com", "aud": ["tag"], "exp": 1_764_500_600, "nbf": 1_764_500_000,
            "iat": 1_764_500_000, "email": "Ann@Acme.test", "type": "app", "sub": "u" })
    }

    fn person(claims: &Value) -> Result<Person, &'static str> {
        let text = token(&json!({ "alg": "RS256", "kid": "k", "typ": "JWT" }), claims);
        Token::read(&text).and_then(|token| token.person(&settings(), NOW))
    }

    #[test]
    fn a_good_token_names_a_person() {
        let ann = Person {
            email: "ann@acme.test".into(),
            principal_id: Some("ann@acme.test".into()),
            until: UnixMillis(1_764_500_600_000),
        };
        assert_eq!(person(&good()), Ok(ann.clone()));
        let mut one = good();
        one["aud"] = json!("tag");
        assert_eq!(person(&one), Ok(ann));
    }

    #[test]
    fn each_claim_must_hold() {
        for (member, value) in [
            ("iss", json!("https://other.cloudflareaccess.com")),
            ("iss", json!("https://acme.cloudflareaccess.com/")),
            ("iss", json!(null)),
            ("aud", json!(["other"])),
            ("aud", json!([])),
            ("aud", json!({ "tag": 1 })),
            ("exp", json!(1_764_500_000)),
            ("exp", json!("1764500600")),
            ("exp", json!(-1)),
            ("nbf", json!(1_764_500_061)),
            ("iat", json!(1_764_500_061)),
            ("email", json!("")),
            ("email", json!("nobody")),
            ("email", json!("a@b\u{202e}")),
            ("email", json!("bos\u{17f}@acme.test")),
            ("email", json!("\u{212a}im@acme.test")),
            ("email", json!(format!("{}@x.test", "a".repeat(200)))),
        ] {
            let mut claims = good();
            claims[member] = value.clone();
            assert!(person(&claims).is_err(), "{member}: {value}");
        }
        for member in ["iss", "aud", "exp", "email"] {
            let mut claims = good();
            claims.as_object_mut().unwrap().remove(member);
            assert!(person(&claims).is_err(), "{member}");
        }
        // Clocks differ a little.
        let mut claims = good();
        claims["nbf"] = json!(1_764_500_060);
        assert!(person(&claims).is_ok());
    }

    #[test]
    fn the_token_does_not_say_how_it_is_checked() {
        for header in [
            json!({ "alg": "none", "kid": "k" }),
            json!({ "alg": "HS256", "kid": "k" }),
            json!({ "alg": "rs256", "kid": "k" }),
            json!({ "alg": "RS256" }),
            json!({ "kid": "k" }),
            json!({ "alg": "RS256", "kid": "k", "crit": ["exp"] }),
        ] {
            assert!(Token::read(&token(&header, &good())).is_err(), "{header}");
        }
        for text in ["", ".", "..", "a.b", "a.b.c", "a.b.c.d", &"x".repeat(9_000)] {
            assert!(Token::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn keys_are_those_of_rsa() {
        let set = json!({ "keys": [
            { "kid": "a", "kty": "RSA", "n": "AQ", "e": "AQAB", "alg": "RS256", "use": "sig" },
            { "kid": "b", "kty": "EC", "x": "AQ", "y": "AQ" }, { "kid": 1 }, "odd",
        ], "public_certs": [] });
        let names: Vec<String> = public_keys(&set.to_string()).unwrap().into_iter().map(|key| key.key_id).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(public_keys("[]"), None);
    }

    #[test]
    fn settings_make_sense_or_are_none() {
        assert_eq!(settings().keys_url(), "https://acme.cloudflareaccess.com/cdn-cgi/access/certs");
        assert_eq!(settings().admins, ["boss@acme.test", "x@y.z"]);
        for (team, audience, org) in [
            ("", "tag", "shop"),
            ("acme", "", "shop"),
            ("acme", "tag", ""),
            ("acme.evil", "tag", "shop"),
            ("a/b", "t", "s"),
        ] {
            assert_eq!(AccessSettings::read(team, audience, org, "", ""), None, "{team} {audience} {org}");
        }
    }
}
