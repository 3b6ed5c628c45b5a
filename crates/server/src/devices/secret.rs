//! Random texts that give access, and their hashes. A secret is never stored or logged.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pilothouse_core::protocol::{CommandError, ErrorCode};
use sha2::{Digest, Sha256};

const CREDENTIAL_BYTES: usize = 32;
const PAIRING_CODE_BYTES: usize = 20;
const DEVICE_ID_BYTES: usize = 9;

/// A random text of letters, digits, `-` and `_`.
pub struct Secret(String);

impl Secret {
    pub fn credential() -> Result<Self, CommandError> {
        Self::random::<CREDENTIAL_BYTES>()
    }

    pub fn pairing_code() -> Result<Self, CommandError> {
        Self::random::<PAIRING_CODE_BYTES>()
    }

    pub fn device_id() -> Result<Self, CommandError> {
        Self::random::<DEVICE_ID_BYTES>()
    }

    fn random<const BYTES: usize>() -> Result<Self, CommandError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| {
            CommandError::new(ErrorCode::Internal, format!("The system provides no random numbers: {error}."))
        })?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    pub fn hash(&self) -> Vec<u8> {
        hash(&self.0)
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

/// The hash under which a secret is stored. Secrets are random, so that a plain hash suffices.
pub fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}
