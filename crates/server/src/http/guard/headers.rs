//! The headers every answer carries: what the page may load and run, and that nobody may frame or sniff it.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};

#[derive(Clone, Debug)]
pub struct SecurityHeaders(Vec<(HeaderName, HeaderValue)>);

impl SecurityHeaders {
    /// `script_hashes` are those of the page's own inline scripts, as `sha256-…`.
    pub fn new(script_hashes: &[&str]) -> Self {
        let hashes: String = script_hashes.iter().map(|hash| format!(" '{hash}'")).collect();
        let policy = format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{hashes}; style-src 'self'; \
             img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
             worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let fixed = |value: &'static str| HeaderValue::from_static(value);
        // The hashes are made of base64 letters: the policy is always a proper value.
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

    pub fn apply(&self, headers: &mut HeaderMap, is_interface: bool) {
        for (name, value) in &self.0 {
            headers.insert(name, value.clone());
        }
        if is_interface && !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
    }
}
