//! One page for a client, and the cursor with which it asks for the next.

use tabletheory_core::expr::Path;
use tabletheory_core::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use tabletheory_core::{Item, Value};

use super::builder::Read;
use super::signing::Signing;
use super::source::{Paged, Resumable};
use super::terms::{find, keys};
use super::walk::Walk;
use crate::cursor::{Cursor, CursorError, CursorKey};
use crate::error::Error;
use crate::model::{FromItem, KeyAttribute, Model};

/// A page of items, and where the next one begins.
///
/// ```
/// # use tabletheory::{Db, Error, Model};
/// # #[derive(Model, Debug, PartialEq)]
/// # #[model(table = "notes", pk = "USER#{user}", sk = "NOTE#{number:04}")]
/// # #[model(index(name = "by_stars", pk = stars))]
/// # struct Note {
/// #     user: String,
/// #     number: u32,
/// #     stars: u64,
/// # }
/// # futures_executor::block_on(async {
/// # let db = Db::memory();
/// # db.create_table::<Note>().await?;
/// # for number in 1..=5 {
/// #     db.create(&Note { user: "ada".into(), number, stars: u64::from(number) % 3 }).await?;
/// # }
/// let page = db.query(Note::query("ada")).limit(3).page(None).await?;
/// assert_eq!(page.items.len(), 3);
/// assert!(page.cursor.is_some());
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page<T> {
    /// The items. There may be none on a page that is not the last.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` after the last.
    pub cursor: Option<String>,
}

impl<S: Resumable, M: Model, T: FromItem> Read<S, M, T> {
    /// One page, from the beginning or from where a cursor says. An empty cursor is the beginning.
    ///
    /// With a [`limit`](Self::limit) the page has so many items, unless the end comes first; a filter may need several
    /// requests for that. Without one the page is what one request finds, which may be nothing if there is a filter or
    /// items of other models lie between.
    ///
    /// Cursors are those of the other TableTheory toolkits. They are refused if they belong to another index, order or
    /// partition, or if they are [signed](Self::signed) wrongly. Pages are no snapshot: what is written between two of them
    /// is seen if it lies behind the first.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model)]
    /// #[model(table = "notes")]
    /// struct Note {
    ///     #[model(pk)]
    ///     id: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Note>().await?;
    /// for id in 0..5 {
    ///     db.create(&Note { id }).await?;
    /// }
    /// let first = db.scan::<Note>().limit(3).page(None).await?;
    /// assert_eq!(first.items.len(), 3);
    /// let second = db.scan::<Note>().limit(3).page(first.cursor.as_deref()).await?;
    /// assert_eq!((second.items.len(), second.cursor), (2, None));
    ///
    /// let refused = db.scan::<Note>().page(Some("bm90IGEgY3Vyc29y")).await;
    /// assert!(matches!(refused, Err(Error::Cursor(_))));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Error::Cursor`] if the cursor is none of this read, before anything is sent; otherwise as the read itself.
    pub async fn page(mut self, cursor: Option<&str>) -> Result<Page<T>, Error<M>> {
        if self.limit == Some(0) {
            return Err(Error::Validation("a page of no items has no end".to_owned()));
        }
        self.prepare()?;
        self.terms.select(T::ATTRIBUTES)?;
        let (sort, limit, yields) = (self.source.sort(), self.limit, self.terms.yields);
        let signing = self.signing();
        let start = self.resume(cursor.unwrap_or_default(), signing.as_ref())?;
        let index = self.terms.index;
        let keys = keys(&M::SCHEMA, index.and_then(|name| find(&M::SCHEMA, name)));
        let (db, table) = (self.db.clone(), self.terms.table.clone());
        let mut request = self.source.first(self.terms).map_err(Error::Validation)?;
        if let Some(start) = start {
            request.start_after(start);
        }
        with_keys(&mut request, &keys);
        let (found, last_key) = gather::<T>(Walk::new(db.clone(), request, yields), limit, &keys).await?;
        let mut items = Vec::with_capacity(found.len());
        for item in found {
            items.push(db.read::<M, T>(&table, item).await?);
        }
        let cursor = last_key.map(|last_key| {
            let cursor = Cursor { last_key, index: index.map(str::to_owned), sort };
            signing.as_ref().map_or_else(|| cursor.encode(), |signing| signing.sign(&cursor))
        });
        Ok(Page { items, cursor })
    }

    /// Gives and demands cursors that are signed, so that a client cannot make up its own. `scope` is what they are good
    /// for, such as the tenant and the name of the query; the table's name is part of it in any case.
    ///
    /// ```
    /// use tabletheory::cursor::{Cursor, CursorError, CursorKey};
    /// use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "notes")]
    /// # struct Note {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    ///
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Note>().await?;
    /// # for id in 0..3 {
    /// #     db.create(&Note { id }).await?;
    /// # }
    /// let key = CursorKey::new([7; 32]);
    /// let page = db.scan::<Note>().limit(2).signed(&key, &["tenant-1"]).page(None).await?;
    /// let cursor = page.cursor.as_deref();
    ///
    /// let other = db.scan::<Note>().signed(&key, &["tenant-2"]).page(cursor).await;
    /// assert!(matches!(other, Err(Error::Cursor(CursorError::Forged))));
    /// let rest = db.scan::<Note>().signed(&key, &["tenant-1"]).page(cursor).await?;
    /// assert_eq!(rest.items.len(), 1);
    ///
    /// // By hand, the table stands before the scope.
    /// assert!(Cursor::open(cursor.unwrap(), &key, &["notes", "tenant-1"]).is_ok());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn signed(mut self, key: &CursorKey, scope: &[&str]) -> Self {
        self.signing = Some(Signing::new(key.clone(), scope, &self.terms.table));
        self
    }

    /// How cursors are signed: as this read says, or else as the database does.
    fn signing(&self) -> Option<Signing> {
        let own = || Some(Signing::new(self.db.cursor_key()?.clone(), &[], &self.terms.table));
        self.signing.clone().or_else(own)
    }

    /// The key in a cursor, if it is one of this read.
    fn resume(&self, text: &str, signing: Option<&Signing>) -> Result<Option<Item>, CursorError> {
        let cursor = match signing {
            None => Cursor::decode(text)?,
            Some(signing) => signing.open(text)?,
        };
        let Some(cursor) = cursor else { return Ok(None) };
        cursor.check(self.terms.index, self.source.sort())?;
        let index = self.terms.index.and_then(|name| find(&M::SCHEMA, name));
        let keys = keys(&M::SCHEMA, index);
        let sound = cursor.last_key.len() == keys.len()
            && keys.iter().all(|key| cursor.last_key.get(key.name).is_some_and(|value| fits(value, key)));
        if sound && self.source.visits(&cursor.last_key) {
            Ok(Some(cursor.last_key))
        } else {
            Err(CursorError::OtherKey)
        }
    }
}

/// Reads until there are `limit` items, or one page if there is no limit. Gives the key after which the rest begins.
async fn gather<T: FromItem>(
    mut walk: Walk,
    limit: Option<u64>,
    keys: &[KeyAttribute],
) -> Result<(Vec<Item>, Option<Item>), tabletheory_core::StoreError> {
    let mut found: Vec<Item> = Vec::new();
    let most = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    loop {
        let wanted = most.map(|most| u64::try_from(most - found.len()).unwrap_or(u64::MAX));
        let page = walk.page(wanted).await?;
        found.extend(page.items.unwrap_or_default().into_iter().filter(T::accepts));
        match most {
            // A filter let more through than the page has room for: the rest begins after the last that fits.
            Some(most) if found.len() > most => {
                found.truncate(most);
                let last = found.last().map(|item| key_of(item, keys));
                return Ok((found, last));
            }
            Some(most) if found.len() < most && !walk.is_over() => {}
            _ => return Ok((found, page.last_evaluated_key)),
        }
    }
}

fn key_of(item: &Item, keys: &[KeyAttribute]) -> Item {
    keys.iter().filter_map(|key| Some((key.name, item.get(key.name)?.clone()))).collect()
}

/// A projection brings the keys too: the cursor may have to be that of any item.
fn with_keys(request: &mut Paged, keys: &[KeyAttribute]) {
    let projection = match request {
        Paged::Query(query) => &mut query.projection,
        Paged::Scan(scan) => &mut scan.projection,
    };
    let Some(projection) = projection else { return };
    for key in keys {
        let path = Path::attribute(key.name);
        if !projection.paths.contains(&path) {
            projection.paths.push(path);
        }
    }
}

/// Whether the value can stand in a key attribute.
fn fits(value: &Value, key: &KeyAttribute) -> bool {
    let most = PARTITION_KEY_BYTES_MAX.max(SORT_KEY_BYTES_MAX);
    let sized = match value {
        Value::S(text) => (1..=most).contains(&text.len()),
        Value::B(bytes) => (1..=most).contains(&bytes.len()),
        _ => true,
    };
    sized && value.kind() == key.kind.value_type()
}
