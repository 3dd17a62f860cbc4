//! How the cursors of a read are signed: with which key, and for what they are good.

use std::fmt;
use std::sync::Arc;

use crate::cursor::{Cursor, CursorError, CursorKey};
use crate::db::Db;

/// The key that cursors are signed with, and what they are good for.
#[derive(Clone)]
pub(super) struct Signing {
    key: CursorKey,
    /// The table, then what the caller said.
    scope: Vec<String>,
}

impl Signing {
    pub(super) fn new(key: CursorKey, scope: &[&str], table: &str) -> Self {
        let scope = [table].into_iter().chain(scope.iter().copied()).map(str::to_owned).collect();
        Self { key, scope }
    }

    pub(super) fn sign(&self, cursor: &Cursor) -> String {
        cursor.sign(&self.key, &self.scope())
    }

    pub(super) fn open(&self, text: &str) -> Result<Option<Cursor>, CursorError> {
        Cursor::open(text, &self.key, &self.scope())
    }

    fn scope(&self) -> Vec<&str> {
        self.scope.iter().map(String::as_str).collect()
    }
}

impl Db {
    /// With a key for cursors: every [page](super::Read::page) gives and demands signed ones, good for its table.
    /// [`signed`](super::Read::signed) says more exactly what one is good for.
    ///
    /// ```
    /// use tabletheory::cursor::CursorKey;
    /// use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "notes")]
    /// # struct Note {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory().with_cursor_key(CursorKey::new([7; 32]));
    /// db.create_table::<Note>().await?;
    /// for id in 0..3 {
    ///     db.create(&Note { id }).await?;
    /// }
    /// let cursor = db.scan::<Note>().limit(2).page(None).await?.cursor;
    /// assert!(cursor.as_ref().is_some_and(|cursor| cursor.starts_with("v1.")));
    /// assert_eq!(db.scan::<Note>().page(cursor.as_deref()).await?.items.len(), 1);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_cursor_key(mut self, key: CursorKey) -> Self {
        Arc::make_mut(&mut self.inner).cursor_key = Some(key);
        self
    }

    /// The key that all cursors are signed with, if there is one.
    pub(super) fn cursor_key(&self) -> Option<&CursorKey> {
        self.inner.cursor_key.as_ref()
    }
}

/// A scope may name people.
impl fmt::Debug for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signing").finish_non_exhaustive()
    }
}
