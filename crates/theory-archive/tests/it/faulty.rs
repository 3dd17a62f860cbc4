//! An object store that fails as it is told: refuses, loses answers, never answers.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMode,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

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
        Arc::new(Self { inner, script: Box::new(script), writes: AtomicUsize::new(0) })
    }

    async fn put(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        let fault = (self.script)(self.writes.fetch_add(1, Ordering::SeqCst), path);
        let failed = |text: &str| Error::Generic { store: "faulty", source: text.to_owned().into() };
        match fault {
            Fault::None => self.inner.put_opts(path, payload, options).await,
            Fault::Refused => Err(failed("503 slow down")),
            Fault::Denied => {
                Err(Error::PermissionDenied { path: path.to_string(), source: "403".to_owned().into() })
            }
            Fault::LostAnswer => {
                let _ = self.inner.put_opts(path, payload, options).await;
                Err(failed("connection reset"))
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

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

// The trait is made by a macro; these are the signatures that it writes.
impl ObjectStore for Faulty {
    fn put_opts<'s, 'p, 'a>(
        &'s self,
        path: &'p Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Answer<'a, PutResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        Box::pin(self.put(path, payload, options))
    }

    fn put_multipart_opts<'s, 'p, 'a>(
        &'s self,
        path: &'p Path,
        options: PutMultipartOptions,
    ) -> Answer<'a, Box<dyn MultipartUpload>>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.inner.put_multipart_opts(path, options)
    }

    fn get_opts<'s, 'p, 'a>(&'s self, path: &'p Path, options: GetOptions) -> Answer<'a, GetResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.inner.get_opts(path, options)
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    fn list_with_delimiter<'s, 'p, 'a>(&'s self, prefix: Option<&'p Path>) -> Answer<'a, ListResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.inner.list_with_delimiter(prefix)
    }

    fn copy_opts<'s, 'p, 'q, 'a>(
        &'s self,
        from: &'p Path,
        to: &'q Path,
        options: CopyOptions,
    ) -> Answer<'a, ()>
    where
        's: 'a,
        'p: 'a,
        'q: 'a,
        Self: 'a,
    {
        self.inner.copy_opts(from, to, options)
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}
