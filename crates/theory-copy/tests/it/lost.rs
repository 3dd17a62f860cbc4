//! An object store that stores the summary of an export and loses the answer.

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

#[derive(Debug)]
pub(crate) struct LostSummary(pub(crate) Arc<dyn ObjectStore>);

impl fmt::Display for LostSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("lost summary")
    }
}

impl LostSummary {
    async fn put(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        let put = self.0.put_opts(path, payload, options).await?;
        match path.filename() {
            Some("manifest-summary.json") => {
                Err(Error::Generic { store: "lost", source: "connection reset".to_owned().into() })
            }
            _ => Ok(put),
        }
    }
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

// The trait is made by a macro; these are the signatures that it writes.
impl ObjectStore for LostSummary {
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
        self.0.put_multipart_opts(path, options)
    }

    fn get_opts<'s, 'p, 'a>(&'s self, path: &'p Path, options: GetOptions) -> Answer<'a, GetResult>
    where
        's: 'a,
        'p: 'a,
        Self: 'a,
    {
        self.0.get_opts(path, options)
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.0.delete_stream(paths)
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
        self.0.list_with_delimiter(prefix)
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
        self.0.copy_opts(from, to, options)
    }
}
