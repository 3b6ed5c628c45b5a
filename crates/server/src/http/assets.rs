//! Serves the embedded page. Files are compressed when the server is built. A file with a hash in its name is cached
//! for good; the others are revalidated by their ETag.

use std::io::Read;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};

/// A file of the page.
#[derive(Debug)]
pub struct Asset {
    /// The path below the root of the page.
    pub name: &'static str,
    /// A hash of the content.
    pub tag: &'static str,
    /// The name contains a hash, so the content under this name never changes.
    pub named_by_hash: bool,
    pub brotli: &'static [u8],
    pub gzip: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Serves a file of the page. A path without a file extension is the page itself, whose router interprets it. The page
/// names its files by relative addresses, because a proxy may serve it below a prefix that nobody here knows.
pub async fn serve(request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = request.uri().path().trim_start_matches('/');
    let page = match path.split_once('/') {
        None => Some("index.html"),
        Some(("s", id)) if !id.contains('/') => Some("nested.html"),
        Some(_) => None,
    };
    let asset = find(path).or_else(|| find(page.filter(|_| !path.contains('.'))?));
    match asset {
        Some(asset) => asset.respond(request.headers()),
        None => (StatusCode::NOT_FOUND, "Not found.\n").into_response(),
    }
}

fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

impl Asset {
    fn respond(&'static self, headers: &HeaderMap) -> Response {
        let tag = format!("\"{}\"", self.tag);
        let is_cached = headers.get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
        let mut response =
            if is_cached { StatusCode::NOT_MODIFIED.into_response() } else { self.encoded(headers) };
        let caching = if self.named_by_hash { "public, max-age=31536000, immutable" } else { "no-cache" };
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(ETAG, tag);
        }
        response
    }

    /// The content in the best encoding that the client accepts.
    fn encoded(&'static self, headers: &HeaderMap) -> Response {
        let accepts = |coding: &str| {
            let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
            values.flat_map(|value| value.split(',')).any(|item| {
                let (name, weight) = item.split_once(';').unwrap_or((item, ""));
                name.trim() == coding && !matches!(weight.replace(' ', "").as_str(), "q=0" | "q=0.0")
            })
        };
        let content_type = (CONTENT_TYPE, content_type(self.name));
        if accepts("br") {
            ([content_type, (CONTENT_ENCODING, "br")], Body::from(self.brotli)).into_response()
        } else if accepts("gzip") {
            ([content_type, (CONTENT_ENCODING, "gzip")], Body::from(self.gzip)).into_response()
        } else {
            let mut plain = Vec::new();
            match flate2::read::GzDecoder::new(self.gzip).read_to_end(&mut plain) {
                Ok(_) => ([content_type], plain).into_response(),
                Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            }
        }
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(path: &str, encoding: &str) -> Response {
        let request =
            Request::builder().uri(path).header(ACCEPT_ENCODING, encoding).body(Body::empty()).unwrap();
        serve(request).await
    }

    #[tokio::test]
    async fn paths_without_extension_serve_the_page_and_unknown_files_are_not_found() {
        for path in ["/", "/s/0199-abc", "/s/", "/elsewhere", "/index.html"] {
            let response = get(path, "br").await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(response.headers()[CONTENT_ENCODING], "br");
            assert_eq!(response.headers()[CACHE_CONTROL], "no-cache");
        }
        for path in ["/favicon.png", "/a/b", "/s/x/y", "/s/x.png", "/x/s/y"] {
            assert_eq!(get(path, "br").await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[tokio::test]
    async fn a_client_that_accepts_no_compression_gets_plain_content() {
        let response = get("/", "br;q=0, gzip;q=0").await;
        assert!(!response.headers().contains_key(CONTENT_ENCODING));
        let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
        assert!(String::from_utf8_lossy(&bytes).to_lowercase().contains("<!doctype html>"));
    }

    #[tokio::test]
    async fn an_unchanged_file_is_not_sent_again() {
        let tag = get("/", "br").await.headers()[ETAG].clone();
        let request = Request::builder().uri("/").header(IF_NONE_MATCH, tag).body(Body::empty()).unwrap();
        assert_eq!(serve(request).await.status(), StatusCode::NOT_MODIFIED);
    }

    #[test]
    fn files_that_are_named_by_their_hash_are_cached_for_good() {
        let is_hashed = |name: &str| name.ends_with(".css") || name.starts_with("page-");
        for asset in ASSETS.iter().filter(|asset| is_hashed(asset.name)) {
            assert!(asset.named_by_hash, "{}", asset.name);
        }
    }
}
