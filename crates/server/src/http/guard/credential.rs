//! The token of an installation, and the cookie it is traded for. Both are compared in constant time and neither is
//! ever written to a log.

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
    /// Cookies know no ports: two servers on one machine need two names.
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

    pub fn token_is_good(&self, token: &str) -> bool {
        token.as_bytes().ct_eq(self.token.as_bytes()).into()
    }

    pub fn cookie(&self, secure: bool) -> String {
        let secure = if secure { "; Secure" } else { "" };
        format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={YEAR_SECONDS}{secure}",
            self.cookie_name, self.cookie_value
        )
    }

    pub fn cookie_is_good(&self, headers: &HeaderMap) -> bool {
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

/// The token of this installation, made on the first start, in a file only its owner can read.
pub fn load_or_create_token(file: &Path) -> Result<String> {
    match fs::read_to_string(file) {
        Ok(token) => {
            let token = token.trim().to_owned();
            if URL_SAFE_NO_PAD.decode(&token).map_or(0, |bytes| bytes.len()) < TOKEN_BYTES {
                bail!("the token in {} is damaged; remove the file to get a new one", file.display());
            }
            fs::set_permissions(file, fs::Permissions::from_mode(0o600))
                .with_context(|| format!("{} cannot be made private", file.display()))?;
            Ok(token)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => create_token(file),
        Err(error) => Err(error).with_context(|| format!("the token in {} cannot be read", file.display())),
    }
}

fn create_token(file: &Path) -> Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
    let token = URL_SAFE_NO_PAD.encode(bytes);
    let mut options = fs::OpenOptions::new();
    let mut created = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .with_context(|| format!("the token cannot be written to {}", file.display()))?;
    writeln!(created, "{token}")
        .with_context(|| format!("the token cannot be written to {}", file.display()))?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn a_token_is_made_once_and_only_its_owner_can_read_it() {
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
    fn a_damaged_token_is_refused_with_a_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        fs::write(&file, "short").unwrap();
        assert!(load_or_create_token(&file).unwrap_err().to_string().contains("remove the file"));
    }

    #[test]
    fn only_the_right_cookie_opens() {
        let credential = Credential::new("secret".into(), 4780);
        let cookie = credential.cookie(false);
        let pair = cookie.split(';').next().unwrap();
        assert!(!cookie.contains("secret"));
        let opens = |value: &str| {
            let headers = HeaderMap::from_iter([(COOKIE, HeaderValue::from_str(value).unwrap())]);
            credential.cookie_is_good(&headers)
        };
        assert!(opens(pair) && opens(&format!("a=b; {pair}; c=d")));
        assert!(
            !opens("pilothouse_4780=")
                && !opens("pilothouse_4780=secret")
                && !opens(&pair.replace("4780", "4781"))
        );
        assert!(!opens(&format!("{pair}x")) && !credential.cookie_is_good(&HeaderMap::new()));
    }
}
