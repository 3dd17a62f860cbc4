//! An object store that stores the summary of an export and loses the answer.

use std::sync::Arc;

use local_objects::{Trouble, failure};
use object_store::path::Path;
use object_store::{ObjectStore, PutOptions, PutPayload, PutResult, Result};

#[derive(Debug)]
pub(crate) struct LostSummary(pub(crate) Arc<dyn ObjectStore>);

impl Trouble for LostSummary {
    fn objects(&self) -> &dyn ObjectStore {
        &*self.0
    }

    async fn put(&self, at: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        let put = self.0.put_opts(at, payload, options).await?;
        match at.filename() {
            Some("manifest-summary.json") => Err(failure("connection reset")),
            _ => Ok(put),
        }
    }
}
