//! What is not fit is named before anything changes.

use std::process::{Command, Output};

use local_s3::LocalS3;
use tabletheory_core::schema::StreamView;

use super::table::{Table, connect, create, fill};
use super::{archive, name, run, text};
use crate::server::Server;

/// What a command that failed said.
#[track_caller]
fn refused(output: &Output) -> String {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{}{error}", text(&output.stdout));
    assert!(!error.contains("panicked") && output.stdout.is_empty(), "{}{error}", text(&output.stdout));
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_not_fit_is_named_and_no_folder_is_made() {
    for (stream, words) in [
        (
            None,
            "the table app has no stream, so nobody is told what is removed; turn one on with the view OLD_IMAGE",
        ),
        (
            Some(StreamView::KeysOnly),
            "the stream of app carries KEYS_ONLY, and not the items that are removed",
        ),
    ] {
        let (server, folder) = (Server::dynamodb(&["--memory"]), tempfile::tempdir().unwrap());
        create(&*connect(&server.address).await, stream).await;
        let place = folder.path().join("archive");
        let arguments = ["run", "--to", name(&place), "--endpoint", &server.address, "--once", "--table"];
        let error = refused(&run(&[&arguments[..], &["app"]].concat()));
        assert!(error.contains(words), "{error}");
        let error = refused(&run(&[&arguments[..], &["nothing"]].concat()));
        assert!(error.contains("nothing"), "{error}");
        assert!(!place.exists());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_cannot_be_used_is_named_and_nothing_is_archived() {
    let (server, folder) = (Server::dynamodb(&["--memory"]), tempfile::tempdir().unwrap());
    let table = Table::make(&server.address).await;
    table.put(0..3).await;
    let arguments = ["run", "--table", "app", "--endpoint", server.address.as_str(), "--once", "--to"];

    let file = folder.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let error = refused(&run(&[&arguments[..], &[name(&file)]].concat()));
    assert!(error.contains(name(&file)), "{error}");

    // A disk on which no byte has room.
    let full = folder.path().join("full");
    let mut command = Command::new("sh");
    let limited = archive(&[&arguments[..], &[name(&full)]].concat());
    command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(limited.get_program());
    command.args(limited.get_args()).env("AWS_EC2_METADATA_DISABLED", "true").env("AWS_REGION", "us-east-1");
    let error = refused(&command.output().unwrap());
    assert!(error.contains(".checkpoint/app/") && error.contains("cannot be written"), "{error}");

    let bucket = LocalS3::start("archive").await.unwrap();
    let mut command = archive(&[&arguments[..], &["s3://archive/app"]].concat());
    command.env("AWS_ENDPOINT_URL_S3", bucket.endpoint()).env("AWS_SECRET_ACCESS_KEY", "wrong");
    let error = refused(&command.output().unwrap());
    assert!(error.contains("s3://archive/app") && error.contains("credentials"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_another_process_has_open_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (data, place) = (folder.path().join("data"), folder.path().join("archive"));
    fill(&data, 1).await;
    let _server = Server::dynamodb(&["--data", name(&data)]);
    let error = refused(&run(&["run", "--table", "app", "--to", name(&place), "--data", name(&data)]));
    assert!(error.contains("is in use by another process") && !place.exists(), "{error}");
}

#[test]
fn what_is_not_understood_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let place = name(folder.path());
    for (arguments, words) in [
        (&["ls", "--from", place, "--since", "yesterday"][..], "it is such as 2024-01-31"),
        (&["ls", "--from", place, "--limit", "0"], "0"),
        (&["restore", "--from", place, "--table", "t", "--key", "id"], "a key is such as"),
        (&["restore", "--from", place, "--table", "t", "--ttl-in", "soon"], "it is a span such as"),
        (&["restore", "--from", place, "--table", "t", "--keep-ttl", "--without-ttl"], "cannot be used with"),
        (&["run", "--to", place], "--table"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(words), "{arguments:?}: {}", text(&output.stderr));
    }
    let error = refused(&run(&["ls", "--from", place, "--cursor", "x"]));
    assert!(error.contains("is no cursor of a listing"), "{error}");
    let error = refused(&run(&["ls", "--from", name(&folder.path().join("none"))]));
    assert!(error.contains("there is no folder"), "{error}");
    let nothing = run(&["ls", "--from", place]);
    assert!(nothing.status.success() && text(&nothing.stderr).contains("nothing is archived there"));
    let empty = run(&["ls", "--from", place, "--json"]);
    assert_eq!(text(&empty.stdout), "{\"objects\":[\n],\"cursor\":null}\n");
}
