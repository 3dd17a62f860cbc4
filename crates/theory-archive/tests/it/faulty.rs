//! An object store that fails as it is told: refuses, loses answers, never answers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use local_objects::{Trouble, Troubled, failure};
use object_store::path::Path;
use object_store::{Error, ObjectStore, PutMode, PutOptions, PutPayload, PutResult, Result};

/// What becomes of one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Nothing is written, and the caller is told.
    Refused,
    /// Nothing is written, and it never will be.
    Denied,
    /// It is written, and the caller is told that it failed.
    LostAnswer,
    /// Nothing is written, and no answer comes.
    Hang,
    /// It is written, and no answer comes.
    WrittenHang,
    /// This store knows no conditions.
    NoConditions,
}

type Script = dyn Fn(usize, &Path) -> Fault + Send + Sync;

/// Asks before each write what becomes of it; writes are counted from zero.
pub(crate) struct Faulty {
    inner: Arc<dyn ObjectStore>,
    script: Box<Script>,
    writes: AtomicUsize,
}

impl Faulty {
    pub(crate) fn over(
        inner: Arc<dyn ObjectStore>,
        script: impl Fn(usize, &Path) -> Fault + Send + Sync + 'static,
    ) -> Arc<dyn ObjectStore> {
        let faulty = Self { inner, script: Box::new(script), writes: AtomicUsize::new(0) };
        Arc::new(Troubled(Arc::new(faulty)))
    }
}

impl Trouble for Faulty {
    fn objects(&self) -> &dyn ObjectStore {
        &*self.inner
    }

    async fn put(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        let fault = (self.script)(self.writes.fetch_add(1, Ordering::SeqCst), path);
        match fault {
            Fault::None => self.inner.put_opts(path, payload, options).await,
            Fault::Refused => Err(failure("503 slow down")),
            Fault::Denied => {
                Err(Error::PermissionDenied { path: path.to_string(), source: "403".to_owned().into() })
            }
            Fault::LostAnswer => {
                let _ = self.inner.put_opts(path, payload, options).await;
                Err(failure("connection reset"))
            }
            Fault::Hang => std::future::pending().await,
            Fault::WrittenHang => {
                let _ = self.inner.put_opts(path, payload, options).await;
                std::future::pending().await
            }
            Fault::NoConditions if options.mode != PutMode::Overwrite => Err(Error::NotImplemented {
                operation: "PutMode::Create".to_owned(),
                implementer: "faulty".to_owned(),
            }),
            Fault::NoConditions => self.inner.put_opts(path, payload, options).await,
        }
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}
