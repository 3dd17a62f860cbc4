//! One change of an item, with the item as a model. What a stream does not carry is not there; nothing is made up for it.

use std::fmt;

use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::UserIdentity;
use tabletheory_core::{Item, Timestamp};

/// A change of an item, in the order of its stream.
///
/// Its `Debug` shows names and places, and neither the key nor the item: records end up in logs.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::stream::{Change, Decoder};
/// use tabletheory_core::schema::StreamView;
/// use tabletheory_core::store::op::{EventName, StreamRecord};
/// use tabletheory_core::{Item, Timestamp, Value};
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
/// let visit = Visit { id: "a".into(), count: 1 };
/// let told = StreamRecord {
///     event_id: "e1".into(),
///     event: EventName::Insert,
///     sequence: "17".into(),
///     at: Timestamp::from_seconds(1_700_000_000),
///     keys: Item::from([("id", Value::s("a"))]),
///     new_image: Some(visit.to_item()?),
///     old_image: None,
///     size_bytes: 12,
///     view: StreamView::NewAndOldImages,
///     identity: None,
/// };
/// let record = Decoder::<Visit>::new().decode(&told).await?;
/// assert_eq!(record.sequence, "17");
/// assert_eq!(record.new_image(), Some(&visit));
/// assert_eq!(record.change, Change::Inserted { new: Some(visit) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, PartialEq)]
pub struct Record<M> {
    /// Its identifier: the same whenever and wherever the record is read.
    pub event_id: String,
    /// Its place in the stream: digits, growing with the changes of an item.
    pub sequence: String,
    /// About when it happened; DynamoDB tells whole seconds. 1970 if the source does not say.
    pub at: Timestamp,
    /// The size of the key and the images, as the service counts.
    pub size_bytes: u64,
    /// What the stream carries.
    pub view: StreamView,
    /// The item's key.
    pub keys: Item,
    /// What happened.
    pub change: Change<M>,
}

/// What happened to an item. Which images are there is decided by the stream's [view](StreamView): a stream of new images
/// has no old ones, and one of keys has none at all.
///
/// ```
/// use tabletheory::stream::{Change, Removal};
///
/// let change: Change<&str> = Change::Removed { old: None, cause: Removal::TimeToLive };
/// assert!(matches!(change, Change::Removed { cause: Removal::TimeToLive, .. }));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Change<M> {
    /// It was made.
    Inserted {
        /// The item, if the view carries new images.
        new: Option<M>,
    },
    /// It was changed.
    Modified {
        /// The item before, if the view carries old images.
        old: Option<M>,
        /// The item after, if the view carries new images.
        new: Option<M>,
    },
    /// It was removed.
    Removed {
        /// The item before, if the view carries old images.
        old: Option<M>,
        /// Who removed it.
        cause: Removal,
    },
}

/// Who removed an item.
///
/// ```
/// use tabletheory::stream::Removal;
/// use tabletheory_core::store::op::UserIdentity;
///
/// assert_eq!(Removal::of(None), Removal::Requested);
/// assert_eq!(Removal::of(Some(&UserIdentity::time_to_live())), Removal::TimeToLive);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Removal {
    /// Somebody asked for it. In the other regions of a global table every removal looks like this.
    Requested,
    /// Its time to live was over, and the service removed it.
    TimeToLive,
}

impl Removal {
    /// Who is behind this identity. Only the service's own, of both kind and name, stands for time to live.
    ///
    /// ```
    /// # use tabletheory::stream::Removal;
    /// # use tabletheory_core::store::op::UserIdentity;
    /// let somebody = UserIdentity { kind: "User".into(), ..UserIdentity::time_to_live() };
    /// assert_eq!(Removal::of(Some(&somebody)), Removal::Requested);
    /// ```
    #[must_use]
    pub fn of(identity: Option<&UserIdentity>) -> Self {
        match identity {
            Some(identity) if *identity == UserIdentity::time_to_live() => Self::TimeToLive,
            _ => Self::Requested,
        }
    }
}

impl<M> Record<M> {
    /// The item after the change, if there is one and the view carries it.
    ///
    /// ```
    /// # use tabletheory::stream::{Change, Record};
    /// # use tabletheory_core::{Item, Timestamp, schema::StreamView};
    /// # let (event_id, sequence, at) = (String::new(), String::new(), Timestamp::from_seconds(0));
    /// # let (size_bytes, view, keys) = (0, StreamView::NewImage, Item::new());
    /// let change = Change::Modified { old: None, new: Some("after") };
    /// let record = Record { event_id, sequence, at, size_bytes, view, keys, change };
    /// assert_eq!((record.old_image(), record.new_image()), (None, Some(&"after")));
    /// ```
    #[must_use]
    pub fn new_image(&self) -> Option<&M> {
        match &self.change {
            Change::Inserted { new } | Change::Modified { new, .. } => new.as_ref(),
            Change::Removed { .. } => None,
        }
    }

    /// The item before the change, if there was one and the view carries it.
    ///
    /// ```
    /// # use tabletheory::stream::{Change, Record, Removal};
    /// # use tabletheory_core::{Item, Timestamp, schema::StreamView};
    /// # let (event_id, sequence, at) = (String::new(), String::new(), Timestamp::from_seconds(0));
    /// # let (size_bytes, view, keys) = (0, StreamView::OldImage, Item::new());
    /// let change = Change::Removed { old: Some("before"), cause: Removal::Requested };
    /// let record = Record { event_id, sequence, at, size_bytes, view, keys, change };
    /// assert_eq!((record.old_image(), record.new_image()), (Some(&"before"), None));
    /// ```
    #[must_use]
    pub fn old_image(&self) -> Option<&M> {
        match &self.change {
            Change::Modified { old, .. } | Change::Removed { old, .. } => old.as_ref(),
            Change::Inserted { .. } => None,
        }
    }
}

impl<M> fmt::Debug for Record<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("event_id", &self.event_id)
            .field("sequence", &self.sequence)
            .field("at", &self.at)
            .field("size_bytes", &self.size_bytes)
            .field("view", &self.view)
            .field("keys", &self.keys.names().collect::<Vec<_>>())
            .field("change", &self.change)
            .finish()
    }
}

impl<M> fmt::Debug for Change<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = |image: &Option<M>| if image.is_some() { "there" } else { "not there" };
        match self {
            Self::Inserted { new } => write!(f, "Inserted {{ new: {} }}", there(new)),
            Self::Modified { old, new } => {
                write!(f, "Modified {{ old: {}, new: {} }}", there(old), there(new))
            }
            Self::Removed { old, cause } => {
                write!(f, "Removed {{ old: {}, cause: {cause:?} }}", there(old))
            }
        }
    }
}
