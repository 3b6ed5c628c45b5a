//! HTTPS with a certificate from files. A renewed certificate is used without a restart.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// How often the files are checked for a renewed certificate.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The first byte of every TLS connection.
const HANDSHAKE: u8 = 0x16;

/// The response to a client that does not use TLS.
const PLAIN_REFUSED: &str = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n\
                             This server uses HTTPS. Open the address with https:// instead of http://.\n";

/// The files of a certificate and its private key, in PEM format.
#[derive(Clone, Debug)]
pub struct CertificateFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// Accepts TLS connections.
pub struct Tls {
    files: CertificateFiles,
    current: Mutex<Current>,
}

struct Current {
    acceptor: TlsAcceptor,
    modified: [Option<SystemTime>; 2],
    checked: Instant,
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}

impl CertificateFiles {
    fn modified(&self) -> [Option<SystemTime>; 2] {
        let time = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        [time(&self.certificate), time(&self.key)]
    }

    fn read(&self) -> Result<TlsAcceptor> {
        let certificates = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .with_context(|| format!("cannot read the certificate in {}", self.certificate.display()))?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .with_context(|| format!("cannot read the private key in {}", self.key.display()))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .with_context(|| {
                format!("{} and {} don't belong together", self.certificate.display(), self.key.display())
            })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

impl Tls {
    pub fn new(files: CertificateFiles) -> Result<Self> {
        let modified = files.modified();
        let current = Current { acceptor: files.read()?, modified, checked: Instant::now() };
        Ok(Self { files, current: Mutex::new(current) })
    }

    pub async fn accept(&self, mut stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let mut first = [0];
        if stream.peek(&mut first).await? == 1 && first != [HANDSHAKE] {
            stream.write_all(PLAIN_REFUSED.as_bytes()).await?;
            return Err(io::Error::other("the client does not use TLS"));
        }
        self.acceptor().accept(stream).await
    }

    /// The acceptor with the newest certificate. An unreadable one leaves the previous in use.
    fn acceptor(&self) -> TlsAcceptor {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.checked.elapsed() >= CHECK_INTERVAL {
            current.checked = Instant::now();
            let modified = self.files.modified();
            if modified != current.modified {
                current.modified = modified;
                match self.files.read() {
                    Ok(acceptor) => current.acceptor = acceptor,
                    Err(error) => tracing::warn!("the renewed certificate is not used: {error:#}"),
                }
            }
        }
        current.acceptor.clone()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, generate_simple_self_signed};

    use super::*;

    fn write_certificate(files: &CertificateFiles) {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["box".to_owned()]).unwrap();
        std::fs::write(&files.certificate, cert.pem()).unwrap();
        std::fs::write(&files.key, signing_key.serialize_pem()).unwrap();
    }

    #[test]
    fn a_renewed_certificate_is_used_and_a_damaged_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let files = CertificateFiles { certificate: path("cert.pem"), key: path("key.pem") };
        write_certificate(&files);
        let tls = Tls::new(files.clone()).unwrap();
        let used = || Arc::as_ptr(tls.acceptor().config());
        // As if the last check was long ago.
        let expire = || {
            let mut current = tls.current.lock().unwrap();
            current.checked = current.checked.checked_sub(CHECK_INTERVAL).unwrap();
        };
        let first = used();
        expire();
        assert_eq!(used(), first, "it did not change");
        write_certificate(&files);
        assert_eq!(used(), first, "it was checked a moment ago");
        expire();
        let second = used();
        assert_ne!(second, first);
        std::fs::write(&files.certificate, "no certificate").unwrap();
        expire();
        assert_eq!(used(), second);
        write_certificate(&files);
        expire();
        assert_ne!(used(), second);
    }

    #[test]
    fn unusable_files_are_errors_that_name_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let files = CertificateFiles { certificate: path("cert.pem"), key: path("key.pem") };
        let other = CertificateFiles { certificate: path("other.pem"), key: path("other-key.pem") };
        write_certificate(&files);
        write_certificate(&other);
        let error = |certificate: &Path, key: &Path| {
            let files = CertificateFiles { certificate: certificate.to_owned(), key: key.to_owned() };
            format!("{:#}", Tls::new(files).unwrap_err())
        };
        assert!(error(&path("none"), &files.key).contains("cannot read the certificate"));
        assert!(error(&files.certificate, &path("none")).contains("cannot read the private key"));
        assert!(error(&files.certificate, &other.key).contains("don't belong together"));
        std::fs::write(path("empty"), "").unwrap();
        assert!(error(&path("empty"), &files.key).contains("empty"));
    }
}
