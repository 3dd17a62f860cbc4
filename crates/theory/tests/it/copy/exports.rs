//! Exports in a folder and in a bucket.

use local_s3::LocalS3;

use super::{copy, refused, told};
use crate::server::Server;

use super::source::Source;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_in_a_bucket_is_read_into_another_store() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Source::new("users").fill(&folder.path().join("from"), 3000);
    let bucket = LocalS3::start("archive").await.expect("an S3 on loopback");
    let run = |arguments: &[&str]| {
        let mut command = copy(folder.path(), arguments);
        command.env("AWS_ENDPOINT_URL_S3", bucket.endpoint()).output().expect("the binary starts")
    };
    let place = "export:s3://archive/backup";
    let exported = told(&run(&["--from", "./from", "--to", place, "--all", "--json"]));
    let table = &exported["tables"][0];
    assert_eq!((&table["items"], &table["equal"]), (&3000.into(), &true.into()), "{exported}");
    assert!(table["export"].as_str().is_some_and(|at| at.starts_with("s3://archive/backup/AWSDynamoDB/")));
    let imported = told(&run(&["--from", place, "--to", "./to", "users", "--json"]));
    assert_eq!(imported["tables"][0]["comparison"]["to"]["items"], 3000);
    assert_eq!(
        told(&run(&["--from", "./from", "--to", "./to", "--all", "--verify-only", "--json"]))["equal"],
        true
    );
    assert_eq!(told(&run(&["--from", "./to", "--to", place, "--verify-only", "--json"]))["equal"], true);

    told(&run(&["--from", "./from", "--to", place, "--all", "--json"]));
    let error = refused(&run(&["--from", place, "--to", "./third", "users"]));
    assert!(error.contains("has several exports of users") && error.contains("/AWSDynamoDB/"), "{error}");
    assert!(!folder.path().join("third").exists());
    let wrong = refused(&run(&["--from", "./from", "--to", "export:s3://nobody/x", "--all"]));
    assert!(wrong.contains("nobody"), "{wrong}");
}

/// The size of files is bounded for the process, as if the disk were full.
#[cfg(target_os = "linux")]
#[test]
fn an_export_onto_a_full_disk_leaves_no_export() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::dynamodb(&["--memory"]);
    Source::new("users").fill(&folder.path().join("from"), 20_000);
    told(
        &copy(folder.path(), &["--from", "./from", "--to", &server.address, "users", "--json"])
            .output()
            .expect("it starts"),
    );
    let whole =
        copy(folder.path(), &["--from", &server.address, "--to", "export:./out", "users", "--segments", "1"]);
    let mut bounded = std::process::Command::new("sh");
    bounded
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh"])
        .arg(whole.get_program())
        .args(whole.get_args());
    bounded.current_dir(folder.path());
    for (name, value) in whole.get_envs() {
        match value {
            Some(value) => bounded.env(name, value),
            None => bounded.env_remove(name),
        };
    }
    let error = refused(&bounded.output().expect("a shell starts"));
    assert!(error.contains(".json.gz cannot be written"), "{error}");
    let error = refused(
        &copy(folder.path(), &["--from", "export:./out", "--to", "./to"]).output().expect("it starts"),
    );
    assert!(error.contains("there is no export in ./out"), "{error}");
}
