//! AWS's DynamoDB Local as the target, and as the source of the way back.

use tabletheory_core::store::contract::DynamoDbLocal;

use super::source::Source;
use super::{copy, told};

#[test]
fn a_table_goes_to_dynamodb_local_and_back() {
    let Some(jar) = DynamoDbLocal::folder("copying into it") else {
        eprintln!("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so nothing is copied into DynamoDB Local");
        return;
    };
    let local = DynamoDbLocal::start(&jar);
    let (folder, address) =
        (tempfile::tempdir().expect("a temporary folder"), format!("http://127.0.0.1:{}", local.port()));
    Source::new("users").fill(&folder.path().join("from"), 3000);
    let run = |arguments: &[&str]| told(&copy(folder.path(), arguments).output().expect("the binary starts"));
    let there = run(&["--from", "./from", "--to", &address, "--all", "--json"]);
    assert_eq!((&there["equal"], &there["tables"][0]["copied"]), (&true.into(), &3000.into()), "{there}");
    let back = run(&["--from", &address, "--to", "./back", "users", "--json"]);
    assert_eq!((&back["equal"], &back["tables"][0]["copied"]), (&true.into(), &3000.into()), "{back}");
    let same = run(&["--from", "./from", "--to", "./back", "users", "--verify-only", "--json"]);
    assert_eq!(same["equal"], true, "{same}");
}
