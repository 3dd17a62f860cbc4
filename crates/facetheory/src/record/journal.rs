//! `EPOCH` of a site: which tags, paths and whole sites were purged, and in which order.

use std::collections::BTreeMap;

use tabletheory::Model;
use tabletheory_core::Timestamp;

/// So many groups are remembered one by one. When there are more, the whole site counts as purged, which renders pages
/// once too often and never serves one that was purged.
pub(crate) const GROUPS_MAX: usize = 200;

/// What was purged in a site. Each purge has a number; a page remembers the number it was rendered after. The number is the
/// clock's milliseconds, or one more than the last if that is greater: a journal that was lost, or brought back from a copy,
/// goes on beyond what pages remember.
///
/// ```
/// use facetheory::record::Journal;
///
/// let journal = Journal { epoch: 7, stale: [("tag:a".to_owned(), 6)].into(), ..Journal::empty("CACHE") };
/// assert!(journal.is_stale(Some(5), ["tag:a"].into_iter()));
/// assert!(!journal.is_stale(Some(6), ["tag:a"].into_iter()));
/// assert!(!journal.is_stale(Some(5), ["tag:b"].into_iter()));
/// ```
#[derive(Model, Debug, Clone, PartialEq, Eq)]
#[model(
    table = "facetheory-cache",
    table_env("FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME"),
    rename_all = "snake_case",
    sk = "EPOCH"
)]
pub struct Journal {
    /// The partition of what the site's pages share.
    #[model(pk)]
    pub pk: String,
    /// The number of the last purge.
    pub epoch: u64,
    /// The last purge of each group whose pages may be served while they are rendered again.
    #[model(omit_empty)]
    pub stale: BTreeMap<String, u64>,
    /// The last purge of each group whose pages must not be served again.
    #[model(omit_empty)]
    pub gone: BTreeMap<String, u64>,
    /// The last purge of everything, after which pages may be served while they are rendered again.
    #[model(omit_empty)]
    pub stale_all: u64,
    /// The last purge of everything, after which pages must not be served again.
    #[model(omit_empty)]
    pub gone_all: u64,
}

impl Journal {
    /// A journal without purges.
    #[must_use]
    pub fn empty(pk: impl Into<String>) -> Self {
        let (stale, gone) = (BTreeMap::new(), BTreeMap::new());
        Self { pk: pk.into(), epoch: 0, stale, gone, stale_all: 0, gone_all: 0 }
    }

    /// Whether a page of these groups, rendered after the purge number `seen`, was purged since. A page that does not say
    /// after which purge it was rendered was written by another store, and counts as rendered before the first. One that was
    /// rendered after a purge that this journal does not know counts as purged: nobody can say what was purged since.
    pub fn is_stale<'g>(&self, seen: Option<u64>, groups: impl Iterator<Item = &'g str>) -> bool {
        seen.is_some_and(|seen| seen > self.epoch) || is_purged(self.stale_all, &self.stale, seen, groups)
    }

    /// Whether a page was purged as for [`is_stale`](Self::is_stale), by a purge that this journal knows and after which the
    /// page must not be served.
    pub fn is_gone<'g>(&self, seen: Option<u64>, groups: impl Iterator<Item = &'g str>) -> bool {
        is_purged(self.gone_all, &self.gone, seen, groups)
    }

    /// The journal after one more purge of a group, or of everything.
    #[must_use]
    pub(crate) fn after(&self, group: Option<&str>, gone: bool, now: Timestamp) -> Self {
        let mut journal = self.clone();
        journal.epoch = journal.epoch.saturating_add(1).max(u64::try_from(now.millis()).unwrap_or(0));
        let epoch = journal.epoch;
        let (groups, all) = if gone {
            (&mut journal.gone, &mut journal.gone_all)
        } else {
            (&mut journal.stale, &mut journal.stale_all)
        };
        match group {
            Some(group) => {
                groups.insert(group.to_owned(), epoch);
            }
            None => *all = epoch,
        }
        if groups.len() > GROUPS_MAX {
            *all = epoch;
        }
        let all = *all;
        // What happened before a purge of everything is covered by it.
        groups.retain(|_, last| *last > all);
        journal
    }
}

fn is_purged<'g>(
    all: u64,
    purged: &BTreeMap<String, u64>,
    seen: Option<u64>,
    mut groups: impl Iterator<Item = &'g str>,
) -> bool {
    let seen = seen.unwrap_or(0);
    all > seen || groups.any(|group| purged.get(group).is_some_and(|last| *last > seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock has not begun, so purges are counted from one.
    const START: Timestamp = Timestamp::from_millis(0);

    #[test]
    fn a_purge_concerns_what_was_rendered_before_it() {
        let journal =
            Journal::empty("CACHE").after(Some("tag:a"), false, START).after(Some("tag:b"), true, START);
        assert!(journal.is_stale(Some(0), ["tag:a"].into_iter()));
        assert!(!journal.is_stale(Some(1), ["tag:a"].into_iter()));
        assert!(!journal.is_gone(Some(0), ["tag:a"].into_iter()));
        assert!(journal.is_gone(Some(1), ["tag:x", "tag:b"].into_iter()));
    }

    #[test]
    fn a_purge_of_everything_covers_the_groups_before_it() {
        let journal = Journal::empty("CACHE").after(Some("tag:a"), false, START).after(None, false, START);
        assert!(journal.stale.is_empty());
        assert!(journal.is_stale(Some(1), [].into_iter()));
        assert!(!journal.is_stale(Some(2), ["tag:a"].into_iter()));
    }

    #[test]
    fn too_many_groups_become_a_purge_of_everything() {
        let mut journal = Journal::empty("CACHE");
        for group in 0..=GROUPS_MAX {
            journal = journal.after(Some(&format!("tag:{group}")), true, START);
        }
        assert!(journal.gone.is_empty());
        assert!(journal.is_gone(Some(0), ["tag:other"].into_iter()));
        assert!(!journal.is_stale(Some(0), ["tag:other"].into_iter()));
    }

    #[test]
    fn a_purge_is_numbered_by_the_clock_and_never_below_the_last() {
        let at = Timestamp::from_millis;
        let journal = Journal::empty("CACHE").after(None, false, at(5_000));
        assert_eq!(journal.epoch, 5_000);
        assert_eq!(journal.after(None, false, at(4_000)).epoch, 5_001);
        assert_eq!(journal.after(None, false, at(-1)).epoch, 5_001);
        assert_eq!(journal.after(None, false, at(6_000)).epoch, 6_000);
    }

    #[test]
    fn a_page_that_knows_of_a_later_purge_than_its_journal_is_stale() {
        let journal = Journal::empty("CACHE").after(Some("tag:a"), true, START);
        assert!(journal.is_stale(Some(2), [].into_iter()));
        assert!(!journal.is_stale(Some(1), [].into_iter()));
        assert!(!journal.is_stale(None, [].into_iter()));
        assert!(!journal.is_gone(Some(2), ["tag:a"].into_iter()));
    }
}
