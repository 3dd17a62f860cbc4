//! What changed in a table, in order: the records of its stream as models.
//!
//! Records come from a [`Reader`], which follows the stream of any [`Store`](tabletheory_core::Store), or with a
//! [`LambdaEvent`], with which Lambda calls a function. A [`Decoder`] makes a [`Record`] of a model of each: what was
//! [inserted, modified or removed](Change), with the images that the stream carries, and whether time to live was the
//! [cause](Removal).
//!
//! - Attributes that the table keeps encrypted are encrypted in the images as well; with its keys, a decoder opens them.
//! - A record that cannot be read as the model is a [`DecodeError`] with its sequence number, beside the records that can.
//! - A [`Checkpoint`] says how far a stream was read; it is plain data to keep. [`BatchFailures`] says the same to Lambda.
//! - What was handed out and not checkpointed comes again: a record may be handled twice and is never left out. Its
//!   `event_id` is the same each time.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tabletheory::Model;
//! use tabletheory::stream::{Change, Decoder, Reader, Removal};
//! use tabletheory::testing::TestStore;
//! use tabletheory_core::schema::StreamView;
//! use tabletheory_core::store::op::{CreateTable, PutItem, UpdateTimeToLive};
//! use tabletheory_core::{Seconds, StoreExt};
//!
//! #[derive(Model, Debug, PartialEq)]
//! #[model(table = "app")]
//! struct Session {
//!     #[model(pk)]
//!     id: String,
//!     #[model(ttl)]
//!     ends: u64,
//! }
//!
//! # futures_executor::block_on(async {
//! let store = Arc::new(TestStore::new());
//! let table = CreateTable { stream: Some(StreamView::NewAndOldImages), ..Session::SCHEMA.create_table("app") };
//! store.create_table(table).await?;
//! # let (table, attribute) = ("app".into(), "ends".into());
//! store.update_time_to_live(UpdateTimeToLive { table, attribute, enabled: true }).await?;
//! let session = Session { id: "a".into(), ends: 1_704_067_260 };
//! # let (table, item) = ("app".into(), session.to_item()?);
//! store.put_item(PutItem { table, item, ..PutItem::default() }).await?;
//! store.advance(Seconds(3600));
//!
//! let mut reader = Reader::of_table(store, "app").await?;
//! let batch = reader.try_next().await?.expect("two things happened");
//! let mut records = Decoder::<Session>::new().decode_all(&batch.records).await.into_iter();
//! let made = records.next().expect("it was made")?;
//! assert_eq!(made.new_image(), Some(&session));
//! let gone = records.next().expect("and removed")?;
//! assert_eq!(gone.change, Change::Removed { old: Some(session), cause: Removal::TimeToLive });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod batch;
mod checkpoint;
mod decode;
mod error;
mod lambda;
mod reader;
mod record;
mod settings;

pub use batch::Batch;
pub use checkpoint::{Checkpoint, Position};
pub use decode::Decoder;
pub use error::{DecodeError, DecodeFault, Image, ReadError};
pub use lambda::{BatchFailures, EVENT_BYTES_MAX, EVENT_RECORDS_MAX, LambdaError, LambdaEvent, LambdaFlaw};
pub use reader::Reader;
pub use record::{Change, Record, Removal};
pub use settings::ReadSettings;
