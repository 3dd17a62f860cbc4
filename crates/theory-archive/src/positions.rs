//! How far streams were read, kept in the archive itself: who archives needs no disk of its own.

use object_store::ObjectStoreExt as _;
use tabletheory::stream::Checkpoint;

use crate::archive::Archive;
use crate::error::Error;
use crate::objects;
use crate::patience::try_again;

impl Archive {
    /// How far the stream of a table was read, if it was.
    ///
    /// # Errors
    /// [`Error::Objects`], and [`Error::Checkpoint`] if what is kept cannot be understood.
    pub async fn checkpoint(&self, table: &str, stream: &str) -> Result<Option<Checkpoint>, Error> {
        let path = self.layout.checkpoint(table, stream);
        let text = match try_again(&self.settings, || objects::get(&self.store, &path)).await {
            Ok(text) => text,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(Error::objects("read", &path, error)),
        };
        let unclear = |reason: String| Error::Checkpoint { place: path.to_string(), reason };
        let checkpoint: Checkpoint =
            serde_json::from_slice(&text).map_err(|error| unclear(error.to_string()))?;
        match checkpoint.stream == stream {
            true => Ok(Some(checkpoint)),
            false => Err(unclear(format!("it is of {}", checkpoint.stream))),
        }
    }

    /// Notes how far the stream of a table was read. Two who note it at once do no harm: the one that is behind makes records come
    /// again, and their objects are there.
    ///
    /// # Errors
    /// [`Error::Objects`].
    pub async fn note(&self, table: &str, checkpoint: &Checkpoint) -> Result<(), Error> {
        let path = self.layout.checkpoint(table, &checkpoint.stream);
        let text =
            bytes::Bytes::from(serde_json::to_vec(checkpoint).expect("a checkpoint has text for keys"));
        let put = try_again(&self.settings, || self.store.put(&path, text.clone().into())).await;
        put.map(drop).map_err(|error| Error::objects("written", &path, error))
    }
}
