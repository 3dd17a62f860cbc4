//! Items that time to live removed from a table, kept in an object store: each written once, listed by day, restored as they were.
//!
//! Records of a stream go into an [`Archive`]: with a [`Follower`], which reads the streams of any [`Store`](tabletheory_core::Store),
//! or with [`Archive::handle`], which takes the event of a Lambda function and gives what the function answers. [`Archive::page`] and
//! [`Archive::list`] show what lies there, and [`Restore`] puts it back.
//!
//! - One object an item: `{prefix}/{YYYY}/{MM}/{DD}/{event}.json`, under the day of the removal. Name and bytes follow from the record,
//!   so a record that comes again, after a crash or to another archiver, writes nothing. Objects of many items would have other
//!   borders after each crash, and are not written for that reason.
//! - Only removals by time to live are archived. One that cannot be is kept under `{prefix}/dead-letters`, and the others go on.
//! - How far a stream was read is kept under `{prefix}/.checkpoint`, written after what was read is archived.

mod archive;
mod day;
mod dead_letter;
mod entry;
mod error;
mod follow;
mod layout;
mod list;
mod objects;
mod outcome;
mod patience;
mod positions;
mod restore;
mod settings;
mod source;

pub use archive::Archive;
pub use day::{Day, NoDay};
pub use entry::{Entry, NoEntry};
pub use error::{Error, Failure};
pub use follow::{Follower, Progress};
pub use list::{Days, Listed, Page, Shelf};
pub use outcome::Outcome;
pub use restore::{Restore, RestoreSettings, Restored, Told, Ttl};
pub use settings::ArchiveSettings;

/// The crate whose object stores this one takes, in the version that fits.
pub use object_store;

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
