//! The token of an installation, and the cookie it is exchanged for. Both are compared in constant time and neither is
//! ever logged.

use std::fmt;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result, bail};
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const TOKEN_BYTES: usize = 32;
const YEAR_SECONDS: u32 = 365 * 24 * 60 * 60;

/// The token and the cookie derived from it.
pub struct Credential {
    token: String,
    cookie_name: String,
    cookie_value: String,
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Credential(…)")
    }
}

impl Credential {
    /// Derives the cookie. Its name contains the port, because cookies apply to all ports of a host and two servers on
    /// one machine must not overwrite each other's.
    pub fn new(token: String, port: u16) -> Self {
        let mut digest = Sha256::new();
        digest.update(b"pilothouse cookie\0");
        digest.update(token.as_bytes());
        Self {
            cookie_value: URL_SAFE_NO_PAD.encode(digest.finalize()),
            cookie_name: format!("pilothouse_{port}"),
            token,
        }
    }

    pub fn is_valid_token(&self, token: &str) -> bool {
        token.as_bytes().ct_eq(self.token.as_bytes()).into()
    }

    /// The value of the Set-Cookie header.
    pub fn cookie(&self, secure: bool) -> String {
        let secure = if secure { "; Secure" } else { "" };
        format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={YEAR_SECONDS}{secure}",
            self.cookie_name, self.cookie_value
        )
    }

    pub fn has_valid_cookie(&self, headers: &HeaderMap) -> bool {
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| {
                name == self.cookie_name && value.as_bytes().ct_eq(self.cookie_value.as_bytes()).into()
            })
    }
}

/// Reads the token of this installation, or creates it on the first start, in a file that only its owner can read.
pub fn load_or_create_token(file: &Path) -> Result<String> {
    match fs::read_to_string(file) {
        Ok(token) => {
            let token = token.trim().to_owned();
            if URL_SAFE_NO_PAD.decode(&token).map_or(0, |bytes| bytes.len()) < TOKEN_BYTES {
                bail!("the token in {} is damaged; remove the file to get a new one", file.display());
            }
            fs::set_permissions(file, fs::Permissions::from_mode(0o600))
                .with_context(|| format!("cannot restrict the permissions of {}", file.display()))?;
            Ok(token)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => create_token(file),
        Err(error) => Err(error).with_context(|| format!("cannot read the token in {}", file.display())),
    }
}

fn create_token(file: &Path) -> Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).context("the system provides no random numbers")?;
    let token = URL_SAFE_NO_PAD.encode(bytes);
    let mut options = fs::OpenOptions::new();
    let mut created = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .with_context(|| format!("cannot write the token to {}", file.display()))?;
    writeln!(created, "{token}").with_context(|| format!("cannot write the token to {}", file.display()))?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn a_token_is_created_once_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        let token = load_or_create_token(&file).unwrap();
        assert!(URL_SAFE_NO_PAD.decode(&token).unwrap().len() >= 32);
        assert_eq!(load_or_create_token(&file).unwrap(), token);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        load_or_create_token(&file).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_token_is_an_error_that_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        fs::write(&file, "short").unwrap();
        assert!(load_or_create_token(&file).unwrap_err().to_string().contains("remove the file"));
    }

    #[test]
    fn only_the_right_cookie_is_valid() {
        let credential = Credential::new("secret".into(), 4780);
        let cookie = credential.cookie(false);
        let pair = cookie.split(';').next().unwrap();
        assert!(!cookie.contains("secret"));
        let is_valid = |value: &str| {
            let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(value).unwrap())]);
            credential.has_valid_cookie(&headers)
        };
        assert!(is_valid(pair) && is_valid(&format!("a=b; {pair}; c=d")));
        assert!(
            !is_valid("pilothouse_4780=")
                && !is_valid("pilothouse_4780=secret")
                && !is_valid(&pair.replace("4780", "4781"))
        );
        assert!(!is_valid(&format!("{pair}x")) && !credential.has_valid_cookie(&HeaderMap::new()));
    }
}
