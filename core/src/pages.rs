//! The pages that the gateway serves itself: which file a path is, and under which rules a browser shows it.
//!
//! A page is the same file for everybody: what it shows it asks of the public API with the reader's own key. So opening
//! one, by whomever and however often, decides nothing.

/// A file of the pages, with what its answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its path among the built files.
    pub file: String,
    /// The media type.
    pub content_type: &'static str,
    /// How long it may be kept.
    pub cache_control: &'static str,
}

/// Built files have a hash in their name.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Pages, and what has one name for ever, are asked for each time.
const FRESH: &str = "no-cache";
const HTML: &str = "text/html; charset=utf-8";
const TYPES: [(&str, &str); 7] = [
    ("html", HTML),
    ("js", "text/javascript; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("woff2", "font/woff2"),
    ("json", "application/json"),
];
const NAME_CHARS_MAX: usize = 128;

/// The file that a path shows. `/`, `/chat/…` are the chat, `/console/…` the console, whatever follows: the page reads
/// the rest of its path itself.
pub fn page(path: &str) -> Option<Page> {
    let html = |file: &str| Some(Page { file: file.to_owned(), content_type: HTML, cache_control: FRESH });
    if path == "/" || path == "/chat" || path.starts_with("/chat/") {
        return html("/index.html");
    }
    if path == "/console" || path.starts_with("/console/") {
        return html("/console.html");
    }
    if path == "/favicon.svg" {
        return Some(Page { file: path.to_owned(), content_type: content_type(path)?, cache_control: FRESH });
    }
    let name = path.strip_prefix("/assets/").filter(|name| is_file_name(name))?;
    let (file, content_type) = (path.to_owned(), content_type(name)?);
    Some(Page { file, content_type, cache_control: IMMUTABLE })
}

/// The page of an approval; `None` when the text cannot be an id.
pub fn approval_page(base_url: &str, id: &str) -> Option<String> {
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    (plain && (1..=toolgate_protocol::limits::ID_CHARS_MAX).contains(&id.len()))
        .then(|| format!("{base_url}/console/approvals/{id}"))
}

/// Whether a client would rather have a page (RFC 9110, section 12.5.1): a browser that opens a link names HTML.
pub fn wants_page(accept: Option<&str>) -> bool {
    let is_html = |range: &str| {
        let mut parts = range.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("text/html"));
        named && !parts.any(|parameter| matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    };
    accept.is_some_and(|accept| accept.split(',').any(is_html))
}

/// What a page may load (Content Security Policy Level 3): scripts, styles and data of the gateway alone, map tiles of
/// one origin where they are configured, no frame around it, no HTML from text.
pub fn content_security_policy(tiles_origin: Option<&str>) -> String {
    let tiles = tiles_origin.map(|origin| format!(" {origin}")).unwrap_or_default();
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{tiles}; connect-src 'self'; \
         font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'"
    )
}

fn content_type(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    TYPES.iter().find(|(known, _)| *known == ending).map(|(_, kind)| *kind)
}

fn is_file_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.len() <= NAME_CHARS_MAX && !name.starts_with('.') && !name.contains("..") && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_files_or_nothing() {
        for (path, file) in [
            ("/", "/index.html"),
            ("/chat", "/index.html"),
            ("/chat/some-thread", "/index.html"),
            ("/console", "/console.html"),
            ("/console/approvals/apr_x", "/console.html"),
            ("/favicon.svg", "/favicon.svg"),
            ("/assets/index-Ab1_x.js", "/assets/index-Ab1_x.js"),
        ] {
            assert_eq!(page(path).map(|page| page.file).as_deref(), Some(file), "{path}");
        }
        for path in [
            "",
            "/index.html",
            "/consoles",
            "/chats",
            "/assets/",
            "/assets/.env",
            "/assets/a..b.js",
            "/assets/a/b.js",
            "/assets/..%2fsecret.js",
            "/assets/x",
            "/assets/x.map",
            "/assets/x.exe",
            "/assets/ö.js",
            "/v1/console",
        ] {
            assert_eq!(page(path), None, "{path}");
        }
        assert_eq!(page("/assets/a.css").map(|page| page.cache_control), Some(IMMUTABLE));
        assert_eq!(page("/console").map(|page| page.cache_control), Some(FRESH));
        assert_eq!(page(&format!("/assets/{}.js", "a".repeat(200))), None);
    }

    #[test]
    fn who_wants_a_page() {
        for accept in
            ["text/html", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "application/json, TEXT/HTML;q=0.1"]
        {
            assert!(wants_page(Some(accept)), "{accept}");
        }
        for accept in [None, Some("*/*"), Some("application/json"), Some("text/*"), Some("text/html;q=0"), Some("")] {
            assert!(!wants_page(accept), "{accept:?}");
        }
    }

    #[test]
    fn an_approvals_page_is_a_path_of_ours() {
        assert_eq!(
            approval_page("https://g.test", "apr_a-B").as_deref(),
            Some("https://g.test/console/approvals/apr_a-B")
        );
        for id in ["", "a/b", "a?b", "a#b", "ä", "a\r\nb", &"a".repeat(101)] {
            assert_eq!(approval_page("https://g.test", id), None, "{id:?}");
        }
    }

    #[test]
    fn the_policy_opens_for_tiles_alone() {
        let closed = content_security_policy(None);
        assert!(
            closed.contains("default-src 'none'")
                && closed.contains("frame-ancestors 'none'")
                && !closed.contains("http")
        );
        assert!(!closed.contains("unsafe"));
        assert!(content_security_policy(Some("https://t.test")).contains("img-src 'self' data: https://t.test;"));
    }
}
