//! Exports: written and read again, also one in the form in which DynamoDB writes it.

use std::io::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use local_objects::Troubled;
use md5::{Digest as _, Md5};
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use serde_json::{Value as Json, json};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::sys::{SystemClock, SystemEntropy};
use tabletheory_core::{Item, StoreError, Value};
use theory_copy::export::{ExportStore, Exported, Place, export};
use theory_copy::{Error, Side};

use crate::lost::LostSummary;
use crate::world::{arc, copy, fill, items, make, pair, put, resume, run, side};

pub(crate) fn place(folder: &std::path::Path) -> Place {
    let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(folder).unwrap());
    Place { store, prefix: Path::default(), name: folder.display().to_string() }
}

async fn write(from: &TestStore, place: &Place) -> Result<Exported, Error> {
    export(&side(from, "a"), "users", place, 3, (&SystemClock, &SystemEntropy), &|_| {}).await
}

pub(crate) async fn open(place: &Place) -> ExportStore {
    let found = place.exports().await.unwrap().remove(0);
    ExportStore::open(place.clone(), found).await.unwrap()
}

fn of(export: ExportStore) -> Side {
    Side::new(Arc::new(export), "the export")
}

/// The export of DynamoDB's own documentation, with these data files.
pub(crate) fn by_hand(folder: &std::path::Path, change: impl Fn(&mut Json), files: &[Vec<u8>]) {
    let own = folder.join("AWSDynamoDB/01693685827463-2d8752fd");
    std::fs::create_dir_all(own.join("data")).unwrap();
    let (mut list, mut count) = (String::new(), 0);
    for (number, text) in files.iter().enumerate() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        // A partition without items is an empty file, or one that unpacks to nothing.
        let is_bare = text.is_empty() && number + 1 == files.len();
        let bytes = if is_bare { Vec::new() } else { encoder.finish().unwrap() };
        let items = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        count += items;
        let key = format!("AWSDynamoDB/01693685827463-2d8752fd/data/file{number}.json.gz");
        let entry = json!({
            "itemCount": items, "md5Checksum": STANDARD.encode(Md5::digest(&bytes)),
            "etag": "af83d6f217c19b8b0fff8023d8ca4716-1", "dataFileS3Key": key,
        });
        list.push_str(&format!("{entry}\n"));
        std::fs::write(own.join(format!("data/file{number}.json.gz")), bytes).unwrap();
    }
    let mut summary = json!({
        "version": "2020-06-30",
        "exportArn": "arn:aws:dynamodb:us-east-1:123456789012:table/ProductCatalog/export/01693685827463-2d8752fd",
        "startTime": "2020-11-04T07:28:34.028Z", "endTime": "2020-11-04T07:33:43.897Z",
        "tableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/ProductCatalog",
        "tableId": "12345a12-abcd-123a-ab12-1234abc12345", "exportTime": "2020-11-04T07:28:34.028Z",
        "s3Bucket": "ddb-productcatalog-export", "s3Prefix": "2020-Nov", "s3SseAlgorithm": "AES256", "s3SseKmsKeyId": null,
        "manifestFilesS3Key": "AWSDynamoDB/01693685827463-2d8752fd/manifest-files.json",
        "billedSizeBytes": 0, "itemCount": count, "outputFormat": "DYNAMODB_JSON", "exportType": "FULL_EXPORT",
    });
    change(&mut summary);
    std::fs::write(own.join("manifest-files.json"), list).unwrap();
    std::fs::write(own.join("manifest-summary.json"), summary.to_string()).unwrap();
}

/// Two lines of DynamoDB's documentation.
pub(crate) fn lines() -> Vec<Vec<u8>> {
    let first = r#"{"Item":{"Authors":{"SS":["Author1","Author2"]},"Dimensions":{"S":"8.5 x 11.0 x 1.5"},"ISBN":{"S":"333-3333333333"},"Id":{"N":"103"},"InPublication":{"BOOL":false},"PageCount":{"N":"600"},"Price":{"N":"2000"},"ProductCategory":{"S":"Book"},"Title":{"S":"Book 103 Title"}}}"#;
    let second = r#"{"Item":{"Id":{"N":"104"},"Title":{"S":"Book \"104\""},"Cover":{"B":"AAEC"},"None":{"NULL":true}}}"#;
    vec![format!("{first}\n").into_bytes(), Vec::new(), format!("{second}\n").into_bytes(), Vec::new()]
}

#[tokio::test]
async fn an_export_that_gives_up_leaves_none_though_its_summary_was_stored() {
    let (from, folder) = (TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 30).await;
    let whole = place(folder.path());
    let lost = Arc::new(LostSummary(Arc::clone(&whole.store)));
    let losing = Place { store: Arc::new(Troubled(lost)), ..whole.clone() };
    let refused = write(&from, &losing).await.unwrap_err().to_string();
    assert!(refused.contains("manifest-summary.json"), "{refused}");
    assert!(matches!(whole.exports().await, Err(theory_copy::export::ExportError::None { .. })));
}

#[tokio::test]
async fn an_export_is_imported_as_it_was_and_makes_the_same_table() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", Some("ends")).await;
    fill(&from, "users", 2500).await;
    let mut odd = crate::world::item(-1);
    odd.insert("bytes", Value::Bs([vec![0], vec![255]].into()));
    odd.insert("text", Value::s("line\nbreak \u{0} \u{1f600}"));
    put(&from, "users", odd).await;
    let place = place(folder.path());
    let exported = write(&from, &place).await.unwrap();
    assert_eq!((exported.found.items, exported.files), (2501, 3));
    assert!(exported.folder.ends_with(&format!("AWSDynamoDB/{}", exported.found.id)), "{}", exported.folder);

    let export = open(&place).await;
    export.check(&|_| {}).await.unwrap();
    let copy = copy(of(export), side(&to, "b"));
    let reports = run(&copy, &[pair("users", "people")], &folder.path().join("journal")).await.unwrap();
    assert!(reports[0].is_equal());
    assert_eq!(items(&from, "users").await, items(&to, "people").await);
    let made = tabletheory_core::StoreExt::describe_table(
        &to,
        tabletheory_core::store::op::DescribeTable { table: "people".into() },
    );
    assert_eq!(made.await.unwrap().table.global_indexes[0].name, "by_city");
}

#[tokio::test]
async fn an_empty_table_is_an_export_too() {
    let (from, folder) = (TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    let place = place(folder.path());
    let exported = write(&from, &place).await.unwrap();
    assert_eq!((exported.found.items, exported.files), (0, 1));
    let export = open(&place).await;
    export.check(&|_| {}).await.unwrap();
    assert_eq!(export.items(), 0);
}

#[tokio::test]
async fn an_export_of_dynamodb_is_read_into_a_table_that_is_there() {
    let (to, folder) = (TestStore::new(), tempfile::tempdir().unwrap());
    by_hand(folder.path(), |_| {}, &lines());
    let place = place(folder.path());
    let (bare, pairs) = (copy(of(open(&place).await), side(&to, "b")), [pair("ProductCatalog", "books")]);
    let refused = run(&bare, &pairs, &folder.path().join("j1")).await.unwrap_err();
    assert!(matches!(refused, Error::UnknownKey { .. }), "DynamoDB does not write down keys: {refused}");

    use tabletheory_core::schema::{AttributeDefinition, KeyElement, KeyType};
    let keys =
        (vec![KeyElement::hash("Id")], vec![AttributeDefinition { name: "Id".into(), kind: KeyType::N }]);
    let export = open(&place).await.with_keys(keys.0, keys.1);
    export.check(&|_| {}).await.unwrap();
    let copy = copy(of(export), side(&to, "b"));
    let reports = run(&copy, &pairs, &folder.path().join("j2")).await.unwrap();
    assert!(reports[0].is_equal());
    let found = items(&to, "books").await;
    assert!(
        found.len() == 2 && found[0].contains("Book 103 Title") && found[1].contains("AAEC"),
        "{found:?}"
    );
}

#[tokio::test]
async fn an_import_that_was_stopped_goes_on_at_a_line_of_a_file() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 4000).await;
    let place = place(folder.path());
    write(&from, &place).await.unwrap();
    let path = folder.path().join("journal");
    for _ in 0..100 {
        to.trouble("BatchWriteItem", Trouble::Slow(std::time::Duration::ZERO));
    }
    to.trouble("BatchWriteItem", Trouble::Refused(StoreError::AccessDenied("not now".into())));
    let first = copy(of(open(&place).await), side(&to, "b"));
    run(&first, &[pair("users", "users")], &path).await.unwrap_err();
    to.forget_calls();
    // Another process has nothing open.
    let second = copy(of(open(&place).await), side(&to, "b"));
    let reports = resume(&second, &path).await.unwrap();
    assert!(reports[0].is_equal() && reports[0].copied.unwrap().written == 4000);
    assert!(to.count("BatchWriteItem") < 160 - 40, "{}", to.count("BatchWriteItem"));
    assert_eq!(items(&from, "users").await, items(&to, "users").await);
}

#[tokio::test]
async fn an_export_that_fails_leaves_no_manifest() {
    let (from, folder) = (TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    fill(&from, "users", 100).await;
    let place = place(folder.path());
    from.trouble("Scan", Trouble::Slow(std::time::Duration::ZERO));
    from.trouble("Scan", Trouble::Refused(StoreError::AccessDenied("not now".into())));
    write(&from, &place).await.unwrap_err();
    let none = place.exports().await.unwrap_err().to_string();
    assert!(none.starts_with("there is no export in"), "{none}");
}

#[tokio::test]
async fn several_exports_are_told_apart() {
    let (from, folder) = (TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    let place = place(folder.path());
    let first = write(&from, &place).await.unwrap();
    fill(&from, "users", 5).await;
    let second = write(&from, &place).await.unwrap();
    let found = place.exports().await.unwrap();
    assert_eq!(found.iter().map(|export| export.items).sum::<u64>(), 5);
    assert_ne!(first.found.id, second.found.id);
    let own = self::place(&folder.path().join("AWSDynamoDB").join(&second.found.id));
    assert_eq!(own.exports().await.unwrap().remove(0).items, 5, "the folder of one export is a place too");
}

#[tokio::test]
async fn an_export_can_only_be_read() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path(), |_| {}, &lines());
    let export = open(&place(folder.path())).await;
    let put = tabletheory_core::store::op::PutItem { item: Item::new(), ..Default::default() };
    let refused = tabletheory_core::StoreExt::put_item(&export, put).await.unwrap_err();
    assert_eq!(refused.to_string(), "an export can only be read; PutItem is refused");
}
