//! An object store that fails as a test tells it. A [`Trouble`] says what goes wrong with a call, and [`Troubled`] is the store
//! that callers see.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// What goes wrong. Whatever an implementor leaves out goes well.
pub trait Trouble: fmt::Debug + Send + Sync + 'static {
    /// Where objects really lie.
    fn objects(&self) -> &dyn ObjectStore;

    /// Writes an object.
    fn put(
        &self,
        at: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> impl Future<Output = Result<PutResult>> + Send {
        async move { self.objects().put_opts(at, payload, options).await }
    }

    /// Reads an object.
    fn get(&self, at: &Path, options: GetOptions) -> impl Future<Output = Result<GetResult>> + Send {
        async move { self.objects().get_opts(at, options).await }
    }

    /// Lists objects.
    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.objects().list(prefix)
    }
}

/// An object store in trouble.
#[derive(Debug)]
pub struct Troubled<T>(pub Arc<T>);

/// A failure that may pass.
#[must_use]
pub fn failure(why: &'static str) -> Error {
    Error::Generic { store: "troubled", source: why.into() }
}

impl<T> fmt::Display for Troubled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("objects in trouble")
    }
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

// The trait is made by a macro; these are the signatures that it writes.
impl<T: Trouble> ObjectStore for Troubled<T> {
    fn put_opts<'s, 'p, 'a>(
        &'s self,
        at: &'p Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Answer<'a, PutResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        Box::pin(self.0.put(at, payload, options))
    }

    fn put_multipart_opts<'s, 'p, 'a>(
        &'s self,
        at: &'p Path,
        options: PutMultipartOptions,
    ) -> Answer<'a, Box<dyn MultipartUpload>>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.0.objects().put_multipart_opts(at, options)
    }

    fn get_opts<'s, 'p, 'a>(&'s self, at: &'p Path, options: GetOptions) -> Answer<'a, GetResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        Box::pin(self.0.get(at, options))
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.0.objects().delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.0.list(prefix)
    }

    fn list_with_delimiter<'s, 'p, 'a>(&'s self, prefix: Option<&'p Path>) -> Answer<'a, ListResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.0.objects().list_with_delimiter(prefix)
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
        self.0.objects().copy_opts(from, to, options)
    }
}
