//! The security headers of every response: a content security policy, no framing, no content sniffing.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};

#[derive(Clone, Debug)]
pub struct SecurityHeaders(Vec<(HeaderName, HeaderValue)>);

impl SecurityHeaders {
    /// Allows the page's inline scripts and styles by their hashes, given as `sha256-…`.
    pub fn new(script_hashes: &[&str], style_hashes: &[&str]) -> Self {
        let sources = |hashes: &[&str]| hashes.iter().map(|hash| format!(" '{hash}'")).collect::<String>();
        let (scripts, styles) = (sources(script_hashes), sources(style_hashes));
        let policy = format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'{styles}; \
             img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
             worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let fixed = |value: &'static str| HeaderValue::from_static(value);
        // Base64 hashes are always valid in a header; the fallback is never used.
        let policy = HeaderValue::from_str(&policy).unwrap_or_else(|_| fixed("default-src 'none'"));
        Self(vec![
            (CONTENT_SECURITY_POLICY, policy),
            (X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
            (REFERRER_POLICY, fixed("no-referrer")),
            (X_FRAME_OPTIONS, fixed("DENY")),
            (HeaderName::from_static("cross-origin-opener-policy"), fixed("same-origin")),
            (HeaderName::from_static("cross-origin-resource-policy"), fixed("same-origin")),
            (
                HeaderName::from_static("permissions-policy"),
                fixed("camera=(), geolocation=(), microphone=()"),
            ),
        ])
    }

    /// Adds the headers to a response. Responses of the API are not cached unless they say otherwise.
    pub fn apply(&self, headers: &mut HeaderMap, is_api: bool) {
        for (name, value) in &self.0 {
            headers.insert(name, value.clone());
        }
        if is_api && !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
    }
}
