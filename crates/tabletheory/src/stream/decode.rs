//! Records as they come become records of a model. Encrypted attributes are opened here, in one place and one call.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use tabletheory_core::Item;
use tabletheory_core::store::op::{EventName, StreamRecord};

use super::error::{DecodeError, DecodeFault, Image};
use super::record::{Change, Record, Removal};
use crate::encryption::{KeyProvider, Sealer};
use crate::model::{FromItem, ModelError};

/// Reads records as a model, as some of a model's fields, or as an enum of the models that share the table: as anything
/// that is [`FromItem`]. A record whose item has the keys of another model is an error, and so is one that is none of an
/// enum's models, unless the enum has a variant for everything else; that gets the item as it is stored, its encrypted attributes included.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::stream::{Decoder, Reader};
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::StoreExt;
/// use tabletheory_core::schema::StreamView;
/// use tabletheory_core::store::op::{CreateTable, PutItem};
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "app")]
/// struct Visit {
///     #[model(pk)]
///     id: String,
///     count: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(TestStore::new());
/// let table = Visit::SCHEMA.create_table("app");
/// store.create_table(CreateTable { stream: Some(StreamView::NewImage), ..table }).await?;
/// let item = Visit { id: "a".into(), count: 1 }.to_item()?;
/// store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
///
/// let mut reader = Reader::of_table(store, "app").await?;
/// let batch = reader.try_next().await?.expect("there is one record");
/// let decoder = Decoder::<Visit>::new();
/// for record in decoder.decode_all(&batch.records).await {
///     assert_eq!(record?.new_image().map(|visit| visit.count), Some(1));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct Decoder<M> {
    keys: Option<Arc<dyn KeyProvider>>,
    model: PhantomData<fn() -> M>,
}

impl<M: FromItem> Decoder<M> {
    /// A decoder without keys. Images of a model with encrypted attributes are refused by it.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::stream::{Decoder, LambdaEvent};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "app")]
    /// # struct Visit {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// let event = LambdaEvent::default();
    /// assert!(futures_executor::block_on(Decoder::<Visit>::new().decode_all(&event.records)).is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { keys: None, model: PhantomData }
    }

    /// With the keys of the model's encrypted attributes: their values are in the images as the table keeps them, sealed.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use tabletheory::Model;
    /// use tabletheory::encryption::{Sealer, testing::DeterministicKeys};
    /// use tabletheory::stream::{Decoder, LambdaEvent};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "app")]
    /// struct Patient {
    ///     #[model(pk)]
    ///     id: String,
    ///     #[model(encrypted)]
    ///     diagnosis: String,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let keys = Arc::new(DeterministicKeys::new("seed"));
    /// let patient = Patient { id: "7".into(), diagnosis: "influenza".into() };
    /// let mut item = patient.to_item()?;
    /// Sealer::new("Patient", Patient::SCHEMA.encrypted, Some(&*keys))?.seal_item(&mut item).await?;
    /// # let event = serde_json::json!({"Records": [{"eventID": "1", "eventName": "INSERT", "dynamodb": {
    /// #     "StreamViewType": "NEW_IMAGE", "SequenceNumber": "17", "Keys": {"id": {"S": "7"}}, "NewImage": item}}]});
    /// # let event = LambdaEvent::parse(&event.to_string())?;
    /// let record = Decoder::<Patient>::new().with_keys(keys).decode(&event.records[0]).await?;
    /// assert_eq!(record.new_image(), Some(&patient));
    /// assert!(Decoder::<Patient>::new().decode(&event.records[0]).await.is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn with_keys(mut self, keys: impl KeyProvider + 'static) -> Self {
        self.keys = Some(Arc::new(keys));
        self
    }

    /// The record as one of the model. The given record stays as it is, so that one that cannot be read is not lost.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::stream::{Decoder, Image, LambdaEvent};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "app")]
    /// # struct Visit {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     count: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let event = LambdaEvent::parse(r#"{"Records": [
    /// #     {"eventID": "1", "eventName": "INSERT", "dynamodb": {"StreamViewType": "NEW_IMAGE", "SequenceNumber": "17",
    /// #         "Keys": {"id": {"S": "a"}}, "NewImage": {"id": {"S": "a"}, "count": {"N": "1"}}}},
    /// #     {"eventID": "2", "eventName": "INSERT", "dynamodb": {"StreamViewType": "NEW_IMAGE", "SequenceNumber": "18",
    /// #         "Keys": {"id": {"S": "b"}}, "NewImage": {"id": {"S": "b"}}}}
    /// # ]}"#)?;
    /// let decoder = Decoder::<Visit>::new();
    /// // A visit that was counted once, and one that has no count.
    /// let record = decoder.decode(&event.records[0]).await?;
    /// assert_eq!(record.new_image().map(|visit| visit.count), Some(1));
    /// let error = decoder.decode(&event.records[1]).await.unwrap_err();
    /// assert_eq!((error.sequence.as_str(), error.image), ("18", Image::New));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`DecodeError`], which names the record, if an image cannot be read as the model or its encrypted attributes cannot be
    /// opened.
    pub async fn decode(&self, record: &StreamRecord) -> Result<Record<M>, DecodeError> {
        let change = match record.event {
            EventName::Insert => Change::Inserted { new: self.image(record, Image::New).await? },
            EventName::Modify => Change::Modified {
                old: self.image(record, Image::Old).await?,
                new: self.image(record, Image::New).await?,
            },
            EventName::Remove => Change::Removed {
                old: self.image(record, Image::Old).await?,
                cause: Removal::of(record.identity.as_ref()),
            },
        };
        Ok(Record {
            event_id: record.event_id.clone(),
            sequence: record.sequence.clone(),
            at: record.at,
            size_bytes: record.size_bytes,
            view: record.view,
            keys: record.keys.clone(),
            change,
        })
    }

    /// Each of the records as one of the model, in the same order. One that cannot be read does not stand in the way of
    /// the others.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::stream::{Decoder, Image, LambdaEvent};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "app")]
    /// # struct Visit {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     count: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let event = LambdaEvent::parse(r#"{"Records": [
    /// #     {"eventID": "1", "eventName": "INSERT", "dynamodb": {"StreamViewType": "NEW_IMAGE", "SequenceNumber": "17",
    /// #         "Keys": {"id": {"S": "a"}}, "NewImage": {"id": {"S": "a"}, "count": {"N": "1"}}}},
    /// #     {"eventID": "2", "eventName": "INSERT", "dynamodb": {"StreamViewType": "NEW_IMAGE", "SequenceNumber": "18",
    /// #         "Keys": {"id": {"S": "b"}}, "NewImage": {"id": {"S": "b"}}}}
    /// # ]}"#)?;
    /// let decoder = Decoder::<Visit>::new();
    /// // A visit that was counted once, and one that has no count.
    /// let decoded = decoder.decode_all(&event.records).await;
    /// assert!(matches!(&decoded[..], [Ok(_), Err(_)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn decode_all(&self, records: &[StreamRecord]) -> Vec<Result<Record<M>, DecodeError>> {
        let mut decoded = Vec::with_capacity(records.len());
        for record in records {
            decoded.push(self.decode(record).await);
        }
        decoded
    }

    async fn image(&self, record: &StreamRecord, image: Image) -> Result<Option<M>, DecodeError> {
        let carried = match image {
            Image::Old => &record.old_image,
            Image::New => &record.new_image,
        };
        let Some(item) = carried else { return Ok(None) };
        self.read(item).await.map(Some).map_err(|source| DecodeError {
            sequence: record.sequence.clone(),
            event_id: record.event_id.clone(),
            image,
            source,
        })
    }

    /// An image as a value of the model. This is the one place where its encrypted attributes are opened.
    async fn read(&self, image: &Item) -> Result<M, DecodeFault> {
        let schema = M::schema(image);
        if !M::accepts(image) {
            let model = schema.map_or("model", |schema| schema.model);
            return Err(ModelError::OtherKeys { model }.into());
        }
        let mut item = needed::<M>(image);
        if let Some(schema) = schema {
            let sealer = Sealer::new(schema.model, schema.encrypted, self.keys.as_deref())?;
            sealer.open_item(&mut item).await?;
        }
        Ok(M::from_item(item)?)
    }
}

/// What the type reads of an image. An encrypted attribute that nobody asked for is not opened either.
fn needed<M: FromItem>(image: &Item) -> Item {
    let Some(names) = M::ATTRIBUTES else { return image.clone() };
    names.iter().filter_map(|name| Some((*name, image.get(name)?.clone()))).collect()
}

impl<M: FromItem> Default for Decoder<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> fmt::Debug for Decoder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("keys", &self.keys).finish()
    }
}
