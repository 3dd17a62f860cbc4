//! Templates of others, checked: a table with which the runtime would fail is found before it is deployed.

use tabletheory::table::Layout;
use theory_synth::check::{CheckError, Claims, Need, Report, check};
use theory_synth::{Kind, read};

use crate::scenes::{self, Order};

#[track_caller]
fn report(template: &str, claims: &Claims) -> Report {
    check(&read(template).unwrap(), claims).unwrap()
}

#[track_caller]
fn refused(template: &str, claims: &Claims, words: &[&str]) {
    let report = report(template, claims);
    assert!(!report.is_good(), "{report}");
    for word in words {
        assert!(report.to_string().contains(word), "{report} does not say {word:?}");
    }
}

/// Every template that we make passes, in both forms, without a word about what its tables are for.
#[test]
fn our_own_templates_are_good() {
    for (name, template) in scenes::all() {
        for text in [template.to_yaml().unwrap(), template.to_json().unwrap()] {
            let claims = match name {
                _ if name.starts_with("cache-table") => Claims::default().only(Kind::Cache),
                "tables" => Claims::default().layouts(scenes::shop().layouts()),
                "ttl-archive-existing" => continue,
                _ => Claims::default(),
            };
            let report = report(&text, &claims);
            assert!(report.is_good() && report.unknown.is_empty(), "{name}: {report}");
        }
    }
}

/// The table that another toolkit's construct makes for its limiter (pk, sk, ttl): every call of the limiter failed, and it let everybody
/// pass.
const LIFT: &str = r#"
AWSTemplateFormatVersion: 2010-09-09
Resources:
  RateTable:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: api-rate-limits
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - { AttributeName: PK, AttributeType: S }
        - { AttributeName: SK, AttributeType: S }
      KeySchema:
        - { AttributeName: PK, KeyType: HASH }
        - { AttributeName: SK, KeyType: RANGE }
      TimeToLiveSpecification: { AttributeName: expires_at, Enabled: true }
  Function:
    Type: AWS::Lambda::Function
    Properties:
      Environment:
        Variables:
          RATE_LIMIT_TABLE_NAME: !Ref RateTable
"#;

#[test]
fn a_table_that_does_not_fit_its_limiter_is_refused() {
    let words = [
        "RateTable: refused",
        "RATE_LIMIT_TABLE_NAME of Function",
        "its key is (PK, SK), not (Identifier, WindowTime)",
        "items expire by `expires_at`, not by `ExpiresAt`",
        "KeySchema",
    ];
    refused(LIFT, &Claims::default(), &words);
}

#[test]
fn a_table_is_known_in_every_way_in_which_templates_name_one() {
    for form in [
        "!Ref RateTable",
        "!Sub '${RateTable}'",
        "api-rate-limits",
        "{ Ref: RateTable }",
        "!GetAtt RateTable.Arn",
    ] {
        let template =
            LIFT.replace("RATE_LIMIT_TABLE_NAME: !Ref RateTable", &format!("RATE_LIMIT_TABLE_NAME: {form}"));
        refused(&template, &Claims::default(), &["RateTable: refused"]);
    }
    for variable in ["FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME", "IDEMPOTENCY_TABLE_NAME"] {
        refused(&LIFT.replace("RATE_LIMIT_TABLE_NAME", variable), &Claims::default(), &[variable]);
    }
    let silent = LIFT.replace("RATE_LIMIT_TABLE_NAME", "OTHER");
    let error = check(&read(&silent).unwrap(), &Claims::default()).expect_err("nothing is known of it");
    assert!(matches!(&error, CheckError::NothingKnown { tables } if tables == &["RateTable"]), "{error}");
    for name in ["RateTable", "api-rate-limits"] {
        refused(&silent, &Claims::default().table(name, Need::Kind(Kind::Limits)), &["its key is"]);
    }
    refused(
        &silent,
        &Claims::default().only(Kind::Requests),
        &["its key is (PK, SK), not (IdempotencyKey, SK)"],
    );
    let error = check(&read(LIFT).unwrap(), &Claims::default().table("Other", Need::Kind(Kind::Cache)));
    assert!(error.unwrap_err().to_string().contains("RateTable"));
}

fn orders(change: impl Fn(String) -> String) -> String {
    change(scenes::shop().template().unwrap().to_yaml().unwrap())
}

#[test]
fn every_difference_is_said_with_what_to_do() {
    let claims = Claims::default().layouts(&[Layout::of::<Order>()]);
    assert!(report(&orders(|yaml| yaml), &claims).is_good());
    let check = |from: &str, to: &str, words: &[&str]| {
        let template = orders(|yaml| {
            assert!(yaml.contains(from), "{yaml}");
            yaml.replace(from, to)
        });
        refused(&template, &claims, words);
    };
    check(
        "IndexName: by_customer",
        "IndexName: by_client",
        &["`by_customer` is missing", "GlobalSecondaryIndexes"],
    );
    check("IndexName: by-total", "IndexName: by-sum", &["local index `by-total` is missing", "new table"]);
    check("AttributeType: 'N'", "AttributeType: S", &["`placed_at` is S, not N", "AttributeDefinitions"]);
    check("ProjectionType: INCLUDE", "ProjectionType: KEYS_ONLY", &["`by_state` carries only keys"]);
    check("AttributeName: forget_at", "AttributeName: forgotten", &["expire by `forgotten`"]);
    check(
        "Enabled: true",
        "Enabled: false",
        &["items do not expire by `forget_at`", "TimeToLiveSpecification"],
    );
    check("KeyType: RANGE", "KeyType: HASH", &["its key is"]);
    check("AttributeName: forget_at", "AttributeName: !Ref Ttl", &["known only after the deployment"]);
    check("KeyType: HASH", "KeyType: HUSH", &["HUSH"]);
}

/// More than is needed does no harm: another index, a wider one, a stream.
#[test]
fn what_is_there_besides_is_allowed() {
    let claims = Claims::default().layouts(&[Layout::of::<Order>()]);
    let wider = orders(|yaml| yaml.replace("ProjectionType: INCLUDE", "ProjectionType: ALL"));
    assert!(report(&wider, &claims).is_good());
    let indexed = theory_synth::stack::RateLimitedFunction { is_indexed: true, ..Default::default() };
    assert!(report(&indexed.template().unwrap().to_yaml().unwrap(), &Claims::default()).is_good());
}

#[test]
fn a_global_table_is_a_table() {
    let template = LIFT.replace("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable");
    refused(&template, &Claims::default(), &["its key is"]);
}

#[test]
fn a_table_without_a_stream_is_no_table_for_the_archive() {
    let archive =
        scenes::all().into_iter().find(|(name, _)| *name == "ttl-archive").unwrap().1.to_yaml().unwrap();
    let check = |from: &str, to: &str, words: &[&str]| {
        assert!(archive.contains(from), "{archive}");
        refused(&archive.replace(from, to), &Claims::default(), words);
    };
    check(
        "      StreamSpecification:\n        StreamViewType: NEW_AND_OLD_IMAGES\n",
        "",
        &["no stream", "NEW_AND_OLD_IMAGES"],
    );
    check("NEW_AND_OLD_IMAGES", "NEW_IMAGE", &["NEW_IMAGE", "what an item was"]);
    check("AttributeName: ExpiresAt", "AttributeName: ends", &["expire by `ends`", "told `ExpiresAt`"]);
    check("Enabled: true", "Enabled: false", &["never expire"]);
}

#[test]
fn what_is_no_template_is_said_to_be_none() {
    for text in ["[]", "a: b", "Resources: 3", "just words"] {
        let error = check(&read(text).unwrap(), &Claims::default()).expect_err("it is none");
        assert_eq!(error, CheckError::NoTemplate, "{text}");
    }
    let two = Claims::default().only(Kind::Cache);
    let error = check(&read("Resources: {}").unwrap(), &two).expect_err("there is no table");
    assert!(error.to_string().contains("no table"), "{error}");
}
