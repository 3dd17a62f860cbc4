//! TLS of a listener: the certificate's files are read again when they change, without a restart and without a moment in which
//! there is none.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::time::Instant;

use crate::settings::Certificate;

/// How often, at most, the files are looked at. A look is two calls of the system that no disk is needed for.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file is missing, unreadable, or not PEM of the right kind.
    #[error("{} cannot be read as PEM", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: rustls::pki_types::pem::Error,
    },
    /// The chain holds no certificate.
    #[error("{} holds no certificate", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Chain and key do not belong together, or are of a kind that is not supported.
    #[error("the certificate and its key cannot be used")]
    Unusable(#[from] rustls::Error),
}

/// TLS 1.2 and 1.3 with the certificate of two files.
#[derive(Debug)]
pub struct Tls {
    files: Certificate,
    config: ArcSwap<ServerConfig>,
    seen: Mutex<Seen>,
}

#[derive(Debug)]
struct Seen {
    at: Instant,
    stamps: [Stamp; 2],
}

/// What changes when a file does.
type Stamp = Option<(SystemTime, u64)>;

impl Tls {
    /// The files.
    #[must_use]
    pub fn files(&self) -> &Certificate {
        &self.files
    }

    /// Reads the files.
    ///
    /// # Errors
    ///
    /// Which file is not usable, and why.
    pub fn open(files: Certificate) -> Result<Arc<Self>, TlsError> {
        // Stamps are taken first: a change in between is seen at the next look.
        let seen = Mutex::new(Seen { at: Instant::now(), stamps: stamps(&files) });
        let config = ArcSwap::from_pointee(config(&files)?);
        Ok(Arc::new(Self { files, config, seen }))
    }

    /// Reads the files again. Connections that are open keep what they have.
    ///
    /// # Errors
    ///
    /// Which file is not usable, and why. The certificate of before stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.config.store(Arc::new(config(&self.files)?));
        Ok(())
    }

    /// What a handshake is done with.
    pub(super) fn config(&self) -> Arc<ServerConfig> {
        if self.is_changed()
            && let Err(error) = self.reload()
        {
            tracing::error!(%error, "the certificate changed and cannot be used; the one before stays");
        }
        self.config.load_full()
    }

    fn is_changed(&self) -> bool {
        // Whoever finds the lock taken need not look: another handshake does.
        let Some(mut seen) = self.seen.try_lock() else {
            return false;
        };
        if seen.at.elapsed() < LOOK_EVERY {
            return false;
        }
        seen.at = Instant::now();
        let stamps = stamps(&self.files);
        std::mem::replace(&mut seen.stamps, stamps) != stamps
    }
}

fn stamps(files: &Certificate) -> [Stamp; 2] {
    [&files.chain, &files.key].map(|path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

fn config(files: &Certificate) -> Result<ServerConfig, TlsError> {
    let unreadable = |path: &PathBuf, source| TlsError::File { path: path.clone(), source };
    let chain = CertificateDer::pem_file_iter(&files.chain)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|source| unreadable(&files.chain, source))?;
    if chain.is_empty() {
        return Err(TlsError::Empty { path: files.chain.clone() });
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|source| unreadable(&files.key, source))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
