//! What lies in an archive is shown by day, page after page.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload};
use theory_archive::{Archive, ArchiveSettings, Day, Days, Error, Shelf};

use crate::world::archive_in;

/// Objects of three days, and things that are none.
async fn filled(objects: Arc<dyn ObjectStore>) -> Archive {
    let names = [
        "2023/12/31/c",
        "2023/12/31/a",
        "2023/12/31/b",
        "2024/01/01/b",
        "2024/01/01/b-2",
        "2024/01/01/a",
        "2024/02/29/z",
    ];
    let others = [
        "2024/02/30/x.json",
        "2024/01/01/deep/x.json",
        "2024/01/01/x.txt",
        "2024/01/01/.json",
        "2024/1/01/x.json",
        "notes/x.json",
        "dead-letters/2024/01/01/d.json",
        ".checkpoint/app/x.json",
        "20240/01/01/x.json",
    ];
    for name in names.map(|name| format!("{name}.json")).into_iter().chain(others.map(str::to_owned)) {
        let path = Path::from(format!("ttl-archive/{name}"));
        objects.put(&path, PutPayload::from_static(b"{}")).await.unwrap();
    }
    archive_in(objects)
}

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

async fn all_pages(archive: &Archive, days: &Days, limit: usize) -> Vec<String> {
    let (mut names, mut cursor) = (Vec::new(), None);
    loop {
        let page = archive.page(Shelf::Items, days, cursor.as_deref(), limit).await.unwrap();
        assert!(page.objects.len() <= limit);
        names.extend(page.objects.iter().map(|object| format!("{} {}", object.day, object.name)));
        cursor = page.cursor;
        if cursor.is_none() {
            return names;
        }
    }
}

const ALL: [&str; 7] = [
    "2023-12-31 a",
    "2023-12-31 b",
    "2023-12-31 c",
    "2024-01-01 a",
    "2024-01-01 b-2",
    "2024-01-01 b",
    "2024-02-29 z",
];

#[tokio::test]
async fn pages_of_any_length_show_everything_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let files = Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    for archive in [filled(Arc::new(InMemory::new())).await, filled(files).await] {
        for limit in 1..=8 {
            assert_eq!(all_pages(&archive, &Days::default(), limit).await, ALL, "{limit} at a time");
        }
        assert!(archive.page(Shelf::Items, &Days::default(), None, 0).await.unwrap().objects.is_empty());
        let dead = archive.page(Shelf::DeadLetters, &Days::default(), None, 9).await.unwrap();
        assert_eq!((dead.objects.len(), dead.objects[0].name.as_str()), (1, "d"));
    }
}

#[tokio::test]
async fn a_store_that_lists_in_order_is_not_listed_to_its_end() {
    let archive = filled(Arc::new(InMemory::new())).await;
    let settings = ArchiveSettings { is_listed_in_order: true, ..ArchiveSettings::default() };
    let archive = archive.with_settings(settings);
    for limit in 1..=8 {
        assert_eq!(all_pages(&archive, &Days::default(), limit).await, ALL, "{limit} at a time");
    }
}

#[tokio::test]
async fn days_bound_what_is_shown() {
    let archive = filled(Arc::new(InMemory::new())).await;
    let shown = |since: Option<&str>, until: Option<&str>| {
        let days = Days { since: since.map(day), until: until.map(day) };
        let archive = archive.clone();
        async move { archive.days(Shelf::Items, &days).await.unwrap() }
    };
    assert_eq!(shown(None, None).await, [day("2023-12-31"), day("2024-01-01"), day("2024-02-29")]);
    assert_eq!(shown(Some("2024-01-01"), None).await, [day("2024-01-01"), day("2024-02-29")]);
    assert_eq!(shown(Some("2024-01-02"), Some("2024-02-28")).await, []);
    assert_eq!(shown(None, Some("2023-12-31")).await, [day("2023-12-31")]);
    assert_eq!(shown(Some("2024-02-01"), Some("2024-01-01")).await, []);
    let listed: Vec<_> = archive.list(Shelf::Items, day("2024-01-01")).try_collect().await.unwrap();
    assert_eq!(listed.len(), 3);
}

#[tokio::test]
async fn an_archive_of_nothing_shows_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let archive = archive_in(Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap()));
    assert_eq!(archive.page(Shelf::Items, &Days::default(), None, 10).await.unwrap().objects, []);
    assert_eq!(archive.days(Shelf::DeadLetters, &Days::default()).await.unwrap(), []);
}

#[tokio::test]
async fn a_cursor_of_somebody_else_is_refused() {
    let archive = filled(Arc::new(InMemory::new())).await;
    for wrong in ["", "x", "2024/01/01", "2024/01/01/", "2024/13/01/a", "2024/01/01/a/b", "../../x/y"] {
        let error = archive.page(Shelf::Items, &Days::default(), Some(wrong), 5).await.unwrap_err();
        assert!(matches!(&error, Error::Cursor { text } if text == wrong), "{error}");
    }
    let behind = archive.page(Shelf::Items, &Days::default(), Some("2024/01/15/gone"), 5).await.unwrap();
    assert_eq!(behind.objects.len(), 1, "an object that is gone still has a place");
}
