//! The archive at a place that was named on the command line.

use theory_archive::{Archive, ArchiveSettings};

use crate::objects::Objects;

/// The archive at a place, of which so many objects are on their way at once.
pub(super) fn archive_in(objects: Objects, concurrency: usize) -> Archive {
    let settings = ArchiveSettings {
        concurrency,
        is_listed_in_order: objects.is_listed_in_order(),
        ..ArchiveSettings::default()
    };
    Archive::new(objects.store, objects.prefix).with_settings(settings)
}
