//! `theory synth` as a person runs it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn synth(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
    command.arg("synth").args(arguments).stdin(Stdio::null()).output().expect("the binary starts")
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is text")
}

#[track_caller]
fn told(arguments: &[&str]) -> String {
    let output = synth(arguments);
    assert!(output.status.success(), "{}{}", said(&output.stdout), said(&output.stderr));
    said(&output.stdout)
}

/// What a command said that failed with this code. It must have written nothing to the standard output but a report.
#[track_caller]
fn refused(arguments: &[&str], code: i32) -> String {
    let output = synth(arguments);
    let error = said(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{}{error}", said(&output.stdout));
    assert!(!error.contains("panicked"), "{error}");
    format!("{}{error}", said(&output.stdout))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

const MODELS: &str = r#"
dms_version: "0.2"
models:
  - name: "Session"
    table: { name: "sessions" }
    keys:
      partition: { attribute: "id", type: "S" }
    attributes:
      - { attribute: "id", type: "S", required: true, roles: ["pk"] }
      - { attribute: "ends", type: "N", format: "unix_seconds", roles: ["ttl"] }
  - name: "User"
    table: { name: "users" }
    keys:
      partition: { attribute: "id", type: "S" }
    attributes:
      - { attribute: "id", type: "S", required: true, roles: ["pk"] }
"#;

#[test]
fn every_template_is_made_twice_the_same_in_both_forms_and_passes_its_own_check() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let models = folder.path().join("models.yaml");
    std::fs::write(&models, MODELS).expect("the folder takes a file");
    let models = text(&models);
    let stacks: [(&[&str], &[&str]); 6] = [
        (&["cache-table"], &["--kind", "cache"]),
        (&["rate-limited-function"], &[]),
        (&["idempotent-function"], &[]),
        (&["isr-site", "--queue", "--public", "--tenant-isolation"], &[]),
        (&["ttl-archive", "--model", models, "--table", "sessions"], &[]),
        (&["tables", models], &["--model", models]),
    ];
    for (stack, claims) in stacks {
        for form in ["--json", "--yaml"] {
            let file = folder.path().join("template");
            let out = [stack, &[form, "--out", text(&file)]].concat();
            assert_eq!(told(&out), "");
            let printed = told(&[stack, &[form]].concat());
            assert_eq!(std::fs::read_to_string(&file).expect("it was written"), printed, "{stack:?}");
            assert_eq!(printed.starts_with('{'), form == "--json", "{stack:?}");
            let report = told(&[&["--check", text(&file)], claims].concat());
            assert!(report.contains(": good ("), "{stack:?}: {report}");
        }
    }
}

#[test]
fn what_is_chosen_stands_in_the_template() {
    let yaml = told(&[
        "rate-limited-function",
        "--table-name",
        "limits",
        "--read",
        "5..50",
        "--write",
        "6..60",
        "--target",
        "80",
        "--encryption",
        "new-key",
        "--memory",
        "1024",
        "--timeout",
        "20",
        "--log-days",
        "7",
        "--trace",
        "--env",
        "MODE=fast=yes",
        "--tag",
        "team=web",
        "--indexes",
        "--overrides",
        "--export",
        "--function-name",
        "api",
    ]);
    for word in [
        "TableName: limits",
        "MaxCapacity: 50",
        "MinCapacity: 6",
        "TargetValue: 80",
        "AWS::KMS::Key",
        "MemorySize: 1024",
        "Timeout: 20",
        "RetentionInDays: 7",
        "Mode: Active",
        "MODE: 'fast=yes'",
        "Value: web",
        "gsi-tenant",
        "dynamodb:BatchGetItem",
        "Export:",
        "FunctionName: api",
    ] {
        assert!(yaml.contains(word), "{word}");
    }
    assert!(!told(&["isr-site", "--no-alarms"]).contains("AWS::CloudWatch::Alarm"));
    let stream = told(&["ttl-archive", "--stream", "--ttl-attribute", "expires_at", "--glacier-days", "30"]);
    assert!(stream.contains("TTL_ATTRIBUTE_NAME: expires_at") && stream.contains("DEEP_ARCHIVE"));
    assert!(!stream.contains("kms:Decrypt"));
    let key = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
    let keyed = told(&["ttl-archive", "--stream", "--ttl-attribute", "expires_at", "--encryption", key]);
    assert!(keyed.contains("kms:Decrypt") && keyed.contains(key), "{keyed}");
}

#[test]
fn what_aws_would_refuse_is_said_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("template.yaml");
    let models = folder.path().join("models.yaml");
    std::fs::write(&models, MODELS).expect("the folder takes a file");
    std::fs::write(&file, "as it was").expect("the folder takes a file");
    let cases: [(&[&str], &str); 10] = [
        (&["cache-table", "--table-name", "my pages"], "\"my pages\""),
        (&["isr-site", "--bucket-name", "My_Bucket"], "\"My_Bucket\""),
        (&["isr-site", "--prefix", "a/../b"], "a/../b"),
        (&["rate-limited-function", "--timeout", "901"], "901"),
        (&["rate-limited-function", "--tenant-isolation"], "tenants cannot be kept apart"),
        (&["cache-table", "--encryption", "arn:aws:s3:::bucket"], "KMS"),
        (&["ttl-archive", "--model", text(&models), "--table", "users"], "never expire"),
        (&["ttl-archive", "--model", text(&models)], "sessions, users"),
        (&["tables", "no-such-file.yaml"], "no-such-file.yaml"),
        (&["ttl-archive", "--stream", "--ttl-attribute", "ttl", "--encryption", "new-key"], "ARN of its key"),
    ];
    for (arguments, word) in cases {
        let error = refused(&[arguments, &["--out", text(&file)]].concat(), 1);
        assert!(error.contains(word), "{error}");
    }
    for arguments in
        [&["cache-table", "--read", "5..50"][..], &["cache-table", "--encryption", "rot13"], &["ttl-archive"]]
    {
        refused(arguments, 2);
    }
    for flag in [&["--read-max", "5"][..], &["--no-recovery"], &["--infrequent-access"], &["--target", "50"]]
    {
        let error = refused(&[&["ttl-archive", "--stream", "--ttl-attribute", "ttl"], flag].concat(), 2);
        assert!(error.contains(flag[0]) && error.contains("cannot be used with"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "as it was");
    assert_eq!(std::fs::read_dir(folder.path()).expect("it is there").count(), 2, "no draft is left behind");
    let nowhere = folder.path().join("no-such-folder/template.yaml");
    assert!(refused(&["cache-table", "--out", text(&nowhere)], 1).contains("no-such-folder"));
}

#[test]
fn models_that_contradict_each_other_are_both_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (first, second) = (folder.path().join("first.yaml"), folder.path().join("second.yaml"));
    std::fs::write(&first, MODELS).expect("the folder takes a file");
    let other = MODELS.replace("\"Session\"", "\"Visit\"").replace("type: \"S\"", "type: \"N\"");
    std::fs::write(&second, other).expect("the folder takes a file");
    let error = refused(&["tables", text(&first), text(&second)], 1);
    assert!(error.contains("Session") && error.contains("Visit") && error.contains("`id`"), "{error}");
}

/// The construct of another toolkit: its limiter refused every call, and let everybody pass.
const WRONG: &str = r#"
Resources:
  Limits:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{ AttributeName: pk, AttributeType: S }, { AttributeName: sk, AttributeType: S }]
      KeySchema: [{ AttributeName: pk, KeyType: HASH }, { AttributeName: sk, KeyType: RANGE }]
      TimeToLiveSpecification: { AttributeName: ttl, Enabled: true }
  Api:
    Type: AWS::Lambda::Function
    Properties: { Environment: { Variables: { RATE_LIMIT_TABLE_NAME: !Ref Limits } } }
"#;

#[test]
fn a_template_with_which_the_runtime_would_fail_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("template.yaml");
    std::fs::write(&file, WRONG).expect("the folder takes a file");
    let report = refused(&["--check", text(&file)], 1);
    for word in ["Limits", "(pk, sk), not (Identifier, WindowTime)", "`ttl`, not by `ExpiresAt`", "KeySchema"]
    {
        assert!(report.contains(word), "{report}");
    }
    // The same table is what the cache needs.
    let report = refused(&["--check", text(&file), "--table", "Limits=cache"], 1);
    assert!(report.contains("Limits: good (it was said to hold rendered pages)"), "{report}");
    let output = synth(&["--check", text(&file), "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((json["good"].as_bool(), json["tables"][0]["table"].as_str()), (Some(false), Some("Limits")));
    assert!(refused(&["--check", text(&file), "--table", "Other=cache"], 1).contains("Limits"));
}

#[test]
fn what_is_no_template_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("template.yaml");
    for (bytes, word) in [
        (&b"A: [1"[..], "line"),
        (b"", "empty"),
        (b"\xff\xfe", "no text"),
        (b"a: b", "no Resources"),
        (b"Resources: {}", "no table"),
    ] {
        std::fs::write(&file, bytes).expect("the folder takes a file");
        let error = refused(&["--check", text(&file)], 1);
        assert!(error.contains(word) && error.contains("template.yaml"), "{error}");
    }
    assert!(refused(&["--check", "no-such-file"], 1).contains("no-such-file"));
    refused(&["--kind", "cache"], 2);
}

#[test]
fn help_teaches_with_examples() {
    for arguments in
        [&["--help"][..], &["isr-site", "--help"], &["ttl-archive", "--help"], &["tables", "--help"]]
    {
        assert!(told(arguments).contains("Examples:\n  theory synth"), "{arguments:?}");
    }
}
