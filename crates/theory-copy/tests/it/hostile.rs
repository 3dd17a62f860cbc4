//! Exports that are damaged, foreign, or made to do harm: each is refused with its file, before anything is copied.

use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use theory_copy::export::{ExportError, ExportStore};

use crate::exports::{by_hand, lines, open, place};

const OWN: &str = "AWSDynamoDB/01693685827463-2d8752fd";

async fn found(folder: &Path) -> ExportError {
    place(folder).exports().await.unwrap_err()
}

async fn checked(folder: &Path) -> String {
    open(&place(folder)).await.check(&|_| {}).await.unwrap_err().to_string()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Replaces the first data file, and forgets its checksum, so that only its contents tell.
fn replace(folder: &Path, bytes: &[u8]) {
    let list = folder.join(OWN).join("manifest-files.json");
    let text = std::fs::read_to_string(&list).unwrap();
    let mut entries: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    entries[0]["md5Checksum"] = json!("");
    let text: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
    std::fs::write(list, text).unwrap();
    std::fs::write(folder.join(OWN).join("data/file0.json.gz"), bytes).unwrap();
}

#[tokio::test]
async fn exports_of_another_kind_are_refused_by_their_kind() {
    for (name, value, said) in [
        ("outputFormat", json!("ION"), "its format is ION; only DYNAMODB_JSON is read"),
        ("exportType", json!("INCREMENTAL_EXPORT"), "it is an INCREMENTAL_EXPORT, which holds changes"),
        ("tableArn", json!("nonsense"), "names no table"),
        ("itemCount", json!(-1), "is no manifest of an export"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        by_hand(folder.path(), |summary| summary[name] = value.clone(), &lines());
        let refused = found(folder.path()).await.to_string();
        assert!(refused.contains(said) && refused.contains("manifest-summary.json"), "{refused}");
    }
}

#[tokio::test]
async fn manifests_that_contradict_each_other_or_lead_elsewhere_are_refused() {
    let opened = async |folder: &Path| {
        let place = place(folder);
        let found = place.exports().await.unwrap().remove(0);
        ExportStore::open(place, found).await.unwrap_err().to_string()
    };
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path(), |summary| summary["itemCount"] = json!(3), &lines());
    let refused = opened(folder.path()).await;
    assert!(refused.contains("its files have 2 items, and the export has 3"), "{refused}");

    let list = folder.path().join(OWN).join("manifest-files.json");
    let many = |name: &str| {
        let key = format!("{OWN}/data/{name}.json.gz");
        json!({ "itemCount": u64::MAX, "md5Checksum": "", "etag": "", "dataFileS3Key": key })
    };
    std::fs::write(&list, format!("{}\n{}\n", many("file0"), many("file1"))).unwrap();
    let refused = opened(folder.path()).await;
    assert!(refused.contains("its files have too many items, and the export has 3"), "{refused}");
    for key in ["../../../../etc/passwd", "/etc/passwd", "AWSDynamoDB/x/data/..", "data/a\u{0}b"] {
        let entry = json!({ "itemCount": 3, "md5Checksum": "", "etag": "", "dataFileS3Key": key });
        std::fs::write(&list, entry.to_string()).unwrap();
        let refused = opened(folder.path()).await;
        assert!(refused.contains("is no data file of an export"), "{refused}");
    }
    std::fs::write(&list, "{\"itemCount\": 3}").unwrap();
    assert!(opened(folder.path()).await.contains("line 1: missing field"));
    std::fs::remove_file(&list).unwrap();
    assert!(opened(folder.path()).await.ends_with("it is missing"));
}

#[tokio::test]
async fn a_file_that_was_changed_cut_off_or_taken_away_is_named() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path(), |_| {}, &lines());
    let file = folder.path().join(OWN).join("data/file0.json.gz");
    let whole = std::fs::read(&file).unwrap();

    std::fs::write(&file, gzip(&lines()[2])).unwrap();
    let refused = checked(folder.path()).await;
    assert!(refused.contains("data/file0.json.gz") && refused.contains("its MD5 is not that"), "{refused}");

    for length in [0, 1, 5, 12, whole.len() / 2, whole.len() - 1] {
        replace(folder.path(), &whole[..length]);
        let refused = checked(folder.path()).await;
        assert!(refused.contains("data/file0.json.gz"), "{length}: {refused}");
    }
    std::fs::remove_file(&file).unwrap();
    let refused = checked(folder.path()).await;
    assert!(refused.contains("data/file0.json.gz cannot be read"), "{refused}");
}

#[tokio::test]
async fn what_is_no_line_of_an_export_is_told_with_its_number() {
    let good = String::from_utf8(lines()[0].clone()).unwrap();
    for (text, said) in [
        (format!("{good}{{\"Item\":{{}}}}\n").into_bytes(), "line 2: the item has no attributes"),
        (format!("{good}\n\n{{\"NewImage\":{{}}}}\n").into_bytes(), "line 2: unknown field"),
        ([good.as_bytes(), b"{\"Item\":{\"a\":{\"S\":\"\xff\"}}}\n"].concat(), "line 2: "),
        (b"{\"Item\":{\"a\":{\"N\":\"x\"}}}\n".to_vec(), "line 1: "),
        (b"\xef\xbb\xbf{}".to_vec(), "line 1: "),
        (good.clone().into_bytes().repeat(2), "it has 2 items, and 1 in the manifest"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        by_hand(folder.path(), |_| {}, &lines());
        replace(folder.path(), &gzip(&text));
        let refused = checked(folder.path()).await;
        assert!(refused.contains(said) && refused.contains("file0.json.gz"), "{refused}");
    }
}

#[tokio::test]
async fn a_bomb_and_what_follows_a_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path(), |_| {}, &lines());
    // A gigabyte of one line in a megabyte.
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..1024 {
        bomb.write_all(&zeros).unwrap();
    }
    replace(folder.path(), &bomb.finish().unwrap());
    let refused = checked(folder.path()).await;
    assert!(refused.contains("line 1: it is longer than any item"), "{refused}");

    let whole = gzip(&lines()[0]);
    for garbage in [&b"garbage"[..], b"\x00\x00\x00\x00", &[0x1f, 0x8b, 8]] {
        replace(folder.path(), &[&whole[..], garbage].concat());
        let refused = checked(folder.path()).await;
        assert!(refused.contains("it cannot be unpacked after line 1"), "{refused}");
    }
    replace(folder.path(), &[gzip(b""), whole].concat());
    open(&place(folder.path())).await.check(&|_| {}).await.expect("a file may have several parts");
}
