//! What lies in an archive, by day. Days come in order; a day may be long and is never held in memory as a whole.

use std::collections::BinaryHeap;

use futures_util::stream::{BoxStream, StreamExt as _, TryStreamExt as _};
use object_store::ObjectMeta;
use object_store::path::Path;
use tabletheory_core::Timestamp;

use crate::archive::Archive;
use crate::day::Day;
use crate::entry::Entry;
use crate::error::Error;
use crate::layout::name_of;
use crate::objects;
use crate::patience::try_again;

/// Which objects of an archive.
///
/// ```
/// assert_eq!(theory_archive::Shelf::default(), theory_archive::Shelf::Items);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shelf {
    /// Items that were archived.
    #[default]
    Items,
    /// Records that could not be.
    DeadLetters,
}

/// Days from one to another, both included.
///
/// ```
/// use theory_archive::Days;
///
/// let days = Days { since: Some("2024-01-31".parse()?), until: None };
/// assert!(days.contains("2024-02-01".parse()?) && !days.contains("2024-01-30".parse()?));
/// # Ok::<(), theory_archive::NoDay>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Days {
    /// The first, if there is a first.
    pub since: Option<Day>,
    /// The last, if there is a last.
    pub until: Option<Day>,
}

/// An object of an archive, as its object store lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The day of the removal.
    pub day: Day,
    /// Its name: the identifier of the record.
    pub name: String,
    /// Where it lies.
    pub path: Path,
    /// How large it is.
    pub bytes: u64,
    /// When it was written.
    pub written_at: Timestamp,
}

/// Some objects in the order of their days and names, and where to go on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The objects.
    pub objects: Vec<Listed>,
    /// What to ask for the next page with, if there may be one.
    pub cursor: Option<String>,
}

impl Days {
    /// Whether the day is among them.
    #[must_use]
    pub fn contains(&self, day: Day) -> bool {
        self.since.is_none_or(|since| since <= day) && self.until.is_none_or(|until| day <= until)
    }

    /// Whether days that are written with this beginning, such as `2024-01`, are among them.
    fn may_begin_with(&self, beginning: &str) -> bool {
        let cut = |day: Day| day.to_string().get(..beginning.len()).unwrap_or_default().to_owned();
        self.since.is_none_or(|since| *cut(since) <= *beginning)
            && self.until.is_none_or(|until| *beginning <= *cut(until))
    }
}

impl Archive {
    /// The days that have objects, in order.
    ///
    /// # Errors
    /// [`Error::Objects`].
    pub async fn days(&self, shelf: Shelf, days: &Days) -> Result<Vec<Day>, Error> {
        let mut found = Vec::new();
        for (year, in_year) in self.folders(&self.shelf(shelf), 4).await? {
            if !days.may_begin_with(&year) {
                continue;
            }
            for (month, in_month) in self.folders(&in_year, 2).await? {
                if !days.may_begin_with(&format!("{year}-{month}")) {
                    continue;
                }
                let folders = self.folders(&in_month, 2).await?;
                found.extend(folders.iter().filter_map(|(day, _)| Day::of_parts(&year, &month, day)));
            }
        }
        found.retain(|day| days.contains(*day));
        found.sort_unstable();
        Ok(found)
    }

    /// The objects of a day, in the order in which the object store lists them.
    ///
    /// # Errors
    /// [`Error::Objects`] ends the stream.
    pub fn list(&self, shelf: Shelf, day: Day) -> BoxStream<'static, Result<Listed, Error>> {
        let folder = day.below(&self.shelf(shelf));
        self.list_folder(day, folder, None)
    }

    /// A page of the objects of some days, in the order of days and names, beginning behind a cursor that an earlier page gave.
    /// No more is held in memory than a page.
    ///
    /// # Errors
    /// [`Error::Objects`], and [`Error::Cursor`].
    pub async fn page(
        &self,
        shelf: Shelf,
        days: &Days,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page, Error> {
        let after = cursor.map(|text| self.place_of(shelf, text)).transpose()?;
        let since = after.as_ref().map(|(day, _)| *day).max(days.since);
        let mut page = Page::default();
        for day in self.days(shelf, &Days { since, ..*days }).await? {
            let offset = after.as_ref().filter(|(last, _)| *last == day).map(|(_, path)| path.clone());
            let listed = self.list_folder(day, day.below(&self.shelf(shelf)), offset);
            // One more than is asked for, to see whether there is more.
            let wanted = limit.saturating_sub(page.objects.len()) + 1;
            page.objects.extend(self.first(listed, wanted).await?);
            if page.objects.len() > limit {
                page.objects.truncate(limit);
                page.cursor = page.objects.last().map(Listed::cursor);
                break;
            }
        }
        Ok(page)
    }

    /// The archived item of an object.
    ///
    /// # Errors
    /// [`Error::Objects`], and [`Error::NotAnEntry`].
    pub async fn read(&self, listed: &Listed) -> Result<Entry, Error> {
        let text = try_again(&self.settings, || objects::get(&self.store, &listed.path)).await;
        let text = text.map_err(|error| Error::objects("read", &listed.path, error))?;
        Entry::parse(&text)
            .map_err(|error| Error::NotAnEntry { place: listed.path.to_string(), reason: error.to_string() })
    }

    /// The folder of a shelf.
    fn shelf(&self, shelf: Shelf) -> Path {
        match shelf {
            Shelf::Items => self.layout.prefix().clone(),
            Shelf::DeadLetters => self.layout.dead_letters(),
        }
    }

    /// The folders below this one whose names are so many digits, in order.
    async fn folders(&self, folder: &Path, digits: usize) -> Result<Vec<(String, Path)>, Error> {
        let listed = try_again(&self.settings, || self.store.list_with_delimiter(Some(folder))).await;
        let listed = listed.map_err(|error| Error::objects("listed", folder, error))?;
        let is_digits = |name: &str| name.len() == digits && name.bytes().all(|byte| byte.is_ascii_digit());
        let named = |path: Path| Some((path.filename().filter(|name| is_digits(name))?.to_owned(), path));
        let mut folders: Vec<(String, Path)> = listed.common_prefixes.into_iter().filter_map(named).collect();
        folders.sort_unstable();
        Ok(folders)
    }

    /// The objects of a day's folder, those behind a place if there is one.
    fn list_folder(
        &self,
        day: Day,
        folder: Path,
        offset: Option<Path>,
    ) -> BoxStream<'static, Result<Listed, Error>> {
        let metas = match &offset {
            Some(offset) => self.store.list_with_offset(Some(&folder), offset),
            None => self.store.list(Some(&folder)),
        };
        let depth = folder.parts_count() + 1;
        let in_folder = folder.clone();
        let listed = metas.map_err(move |error| Error::objects("listed", &folder, error));
        let listed = listed.try_filter_map(move |meta| {
            let is_here = meta.location.parts_count() == depth && meta.location.prefix_matches(&in_folder);
            let is_behind = offset.as_ref().is_none_or(|offset| meta.location > *offset);
            let found = (is_here && is_behind).then(|| Listed::of(day, meta)).flatten();
            async move { Ok(found) }
        });
        listed.boxed()
    }

    /// The first objects in the order of names.
    async fn first(
        &self,
        mut listed: BoxStream<'static, Result<Listed, Error>>,
        count: usize,
    ) -> Result<Vec<Listed>, Error> {
        let mut first: BinaryHeap<ByPath> = BinaryHeap::new();
        while let Some(object) = listed.try_next().await? {
            first.push(ByPath(object));
            if first.len() > count {
                first.pop();
            }
            if first.len() == count && self.settings.is_listed_in_order {
                break;
            }
        }
        Ok(first.into_sorted_vec().into_iter().map(|ByPath(object)| object).collect())
    }

    /// The object that a cursor names.
    fn place_of(&self, shelf: Shelf, text: &str) -> Result<(Day, Path), Error> {
        let wrong = || Error::Cursor { text: text.to_owned() };
        let parts: Vec<&str> = text.split('/').collect();
        let [year, month, day, name] = parts[..] else { return Err(wrong()) };
        let day = Day::of_parts(year, month, day).filter(|_| !name.is_empty()).ok_or_else(wrong)?;
        Ok((day, day.below(&self.shelf(shelf)).join(format!("{name}.json"))))
    }
}

impl Listed {
    /// What a listing goes on behind this object with.
    #[must_use]
    pub fn cursor(&self) -> String {
        format!("{}/{}", self.day.to_string().replace('-', "/"), self.name)
    }

    fn of(day: Day, meta: ObjectMeta) -> Option<Self> {
        let name = name_of(meta.location.filename()?)?.to_owned();
        let written_at = Timestamp::from_millis(meta.last_modified.timestamp_millis());
        Some(Self { day, name, path: meta.location, bytes: meta.size, written_at })
    }
}

/// An object, ordered by its place.
#[derive(PartialEq, Eq)]
struct ByPath(Listed);

impl Ord for ByPath {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.path.cmp(&other.0.path)
    }
}

impl PartialOrd for ByPath {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
