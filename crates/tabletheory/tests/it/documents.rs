//! Documents about models: read as they are meant, and refused with the place of everything that is wrong.

use tabletheory::dms::{DmsError, DmsVersion, Document, Fault, KeyDefinition, WriteMode};
use tabletheory::model::IndexScope;
use tabletheory_core::ValueType;
use tabletheory_core::schema::{KeyType, Projection};

const SHOP: &str = r#"
# A document as people write it.
dms_version: "0.1"
namespace: shop
models:
  - name: Member
    table: {name: members}
    naming:
      convention: camelCase
    keys:
      partition: {attribute: PK, type: S}
      sort: {attribute: SK, type: S}
    write_policy:
      mode: mutable
      protected_attributes: [mailHash]
    attributes:
      - {attribute: PK, type: S, required: true, roles: [pk]}
      - {attribute: SK, type: S, required: true, roles: [sk]}
      - attribute: mailHash
        type: S
        optional: true
        omit_empty: true
        roles: ["index_pk:by-mail"]
      - {attribute: marks, type: SS, optional: true}
      - {attribute: photo, type: B, binary: true, optional: true}
      - {attribute: extra, type: M, json: true, optional: true}
      - {attribute: secret, type: S, optional: true, encryption: {v: 1}}
      - {attribute: createdAt, type: S, format: rfc3339nano, roles: [created_at]}
      - {attribute: updatedAt, type: S, format: rfc3339nano, roles: [updated_at]}
      - {attribute: version, type: N, format: int, roles: [version]}
      - {attribute: ttl, type: N, format: unix_seconds, roles: [ttl], optional: true, tags: {owner: web, at: [1, null]}}
    indexes:
      - name: by-mail
        type: GSI
        partition: {attribute: mailHash, type: S}
        sort: {attribute: createdAt, type: S}
        projection: {type: INCLUDE, fields: [marks, version]}
      - name: by-version
        type: LSI
        partition: {attribute: PK, type: S}
        sort: {attribute: version, type: N}
  - name: Log
    table: {name: members}
    keys:
      partition: {attribute: PK, type: S}
    write_policy: {mode: write_once}
    attributes:
      - {attribute: PK, type: S}
"#;

#[test]
fn a_document_is_read_as_it_is_meant() {
    let document = Document::from_yaml(SHOP).unwrap();
    assert_eq!((document.version, document.namespace.as_deref()), (DmsVersion::V0_1, Some("shop")));
    let member = document.model("Member").unwrap();
    assert_eq!(member.sort, Some(KeyDefinition { attribute: "SK".into(), kind: KeyType::S }));
    assert_eq!(member.write_policy.protected_attributes, ["mailHash"]);
    let named = |name: &str| member.attributes.iter().find(|known| known.attribute == name).unwrap();
    assert!(named("secret").encrypted && named("extra").json && named("photo").binary);
    assert_eq!(named("marks").kind, ValueType::Ss);
    assert_eq!(named("ttl").tags["at"], serde_json::json!([1, null]));
    assert_eq!(member.indexes[0].projection, Projection::Include(vec!["marks".into(), "version".into()]));
    assert_eq!(
        (member.indexes[1].scope, &member.indexes[1].projection),
        (IndexScope::Local, &Projection::All)
    );
    let log = document.model("Log").unwrap();
    assert_eq!((log.write_policy.mode, log.naming), (WriteMode::WriteOnce, None));
}

#[test]
fn a_document_survives_both_forms() {
    let document = Document::from_yaml(SHOP).unwrap();
    assert_eq!(Document::from_yaml(&document.to_yaml()).unwrap(), document);
    assert_eq!(Document::from_json(&document.to_json()).unwrap(), document);
    // What is written as JSON is YAML too.
    assert_eq!(Document::from_yaml(&document.to_json()).unwrap(), document);
}

/// A document with one model, some of whose lines are others.
fn with(attributes: &str, rest: &str) -> String {
    format!(
        "dms_version: \"0.2\"\nmodels:\n  - name: A\n    table: {{name: tab}}\n    keys:\n      \
         partition: {{attribute: id, type: S}}\n    attributes:\n      - {{attribute: id, type: S}}\n{attributes}{rest}"
    )
}

#[track_caller]
fn refused(text: &str) -> DmsError {
    Document::from_yaml(text).expect_err("the document is refused")
}

/// Checks all faults of a model with these attributes (from line 9) and this rest.
#[track_caller]
fn check(attributes: &str, rest: &str, expected: &[&str]) {
    let found: Vec<String> =
        refused(&with(attributes, rest)).faults.iter().map(|fault| fault.to_string()).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_wrong_with_an_attribute_is_told_with_its_place() {
    assert!(Document::from_yaml(&with("", "")).is_ok());
    let at = "line 9, column 9: models[0].attributes[1]";
    let one = |attribute: &str, expected: &str| {
        check(&format!("      - {{{attribute}}}\n"), "", &[&format!("{at}{expected}")]);
    };
    one("attribute: x, type: S, required: true, optional: true", ": cannot be both required and optional");
    one("attribute: x, type: S, binary: true", ": binary has the type B, not S");
    one("attribute: x, type: SS, json: true", ": json has the type S, N, BOOL, NULL, L or M, not SS");
    let both = "models[0].attributes[1]: json has the type S, N, BOOL, NULL, L or M, not B";
    let contradiction = format!("{at}: cannot be both json and binary");
    let entry = "      - {attribute: x, type: B, json: true, binary: true}\n";
    check(entry, "", &[&contradiction, &format!("line 9, column 9: {both}")]);
    let place = |column, rest: &str| format!("line 9, column {column}: models[0].attributes[1].{rest}");
    let one = |attribute: &str, column: usize, expected: &str| {
        check(&format!("      - {{{attribute}}}\n"), "", &[&place(column, expected)]);
    };
    one("attribute: id, type: S", 21, "attribute: `id` is there twice");
    one("attribute: x, type: T", 30, "type: `T` is none of S, N, B, BOOL, NULL, M, L, SS, NS, BS");
    one("attribute: x", 9, "type: is missing");
    one("type: S", 9, "attribute: is missing");
    one("attribute: 7, type: S", 21, "attribute: is a number, not a text");
    one("attribute: x, type: S, required: \"yes\"", 43, "required: is a text, not true or false");
    one("attribute: x, type: S, optionnal: true", 44, "optionnal: is not known here");
    one("attribute: x, type: S, encryption: {v: 2}", 49, "encryption.v: `2` is none of 1");
    one("attribute: x, type: S, encryption: true", 45, "encryption: is true or false, not an object");
    one(
        "attribute: x, type: S, format: unix_seconds",
        41,
        "format: the format unix_seconds has the type N, not S",
    );
    one("attribute: x, type: S, roles: [ttl]", 41, "roles[0]: the role ttl has the type N, not S");
    one("attribute: x, type: S, roles: [pk]", 41, "roles[0]: the role `pk` belongs to another attribute");
    one("attribute: x, type: S, roles: [sk]", 41, "roles[0]: the role `sk` belongs to another attribute");
    one(
        "attribute: x, type: S, roles: [\"index_pk:g\"]",
        41,
        "roles[0]: the role `index_pk:g` belongs to another attribute",
    );
    let roles = "pk, sk, created_at, updated_at, version, ttl, index_pk:<index>, index_sk:<index>";
    one("attribute: x, type: S, roles: [king]", 41, &format!("roles[0]: `king` is none of {roles}"));
    let rule = "cannot be a name: an attribute has 1 to 255 bytes: letters, digits and _ - . : #";
    one("attribute: \"a`b\", type: S", 21, &format!("attribute: `a`b` {rule}"));
    one("attribute: \"a\\nb\", type: S", 21, &format!("attribute: `a\\nb` {rule}"));
    one("attribute: \"\", type: S", 21, &format!("attribute: `` {rule}"));
}

#[test]
fn what_is_wrong_with_keys_and_indexes_is_told_with_its_place() {
    let text = "      - {attribute: n, type: N}\n      - {attribute: s, type: S, encryption: {v: 1}}\n";
    let one = |index: &str, expected: &[&str]| {
        let indexes = format!("    indexes:\n      - {{name: gsi, {index}}}\n");
        let expected: Vec<String> =
            expected.iter().map(|rest| rest.replace("@", "models[0].indexes[0]")).collect();
        check(text, &indexes, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    };
    one(
        "type: GSI, partition: {attribute: nix, type: S}",
        &["line 12, column 55: @.partition.attribute: the attribute `nix` is not in attributes"],
    );
    one(
        "type: GSI, partition: {attribute: n, type: S}",
        &["line 12, column 64: @.partition.type: the attribute `n` is N, not S"],
    );
    one(
        "type: GSI, partition: {attribute: s, type: S}",
        &["line 12, column 55: @.partition.attribute: the attribute `s` is encrypted, and no key can be"],
    );
    one(
        "type: GSI, partition: {attribute: id, type: BOOL}",
        &["line 12, column 65: @.partition.type: `BOOL` is none of S, N, B"],
    );
    let local =
        "line 12, column 9: @: a local index has the partition key of its table, and a sort key of its own";
    one("type: LSI, partition: {attribute: n, type: N}, sort: {attribute: n, type: N}", &[local]);
    one("type: LSI, partition: {attribute: id, type: S}", &[local]);
    let fields = "line 12, column 81: @.projection: fields belong to the projection INCLUDE, and to no other";
    one("type: GSI, partition: {attribute: id, type: S}, projection: {type: ALL, fields: [n]}", &[fields]);
    one("type: GSI, partition: {attribute: id, type: S}, projection: {type: INCLUDE}", &[fields]);
    one(
        "type: GSI, partition: {attribute: id, type: S}, projection: {type: INCLUDE, fields: [n, nix, n]}",
        &[
            "line 12, column 109: @.projection.fields[1]: the attribute `nix` is not in attributes",
            "line 12, column 114: @.projection.fields[2]: `n` is there twice",
        ],
    );
    let twice = "    indexes:\n      - {name: gsi, type: GSI, partition: {attribute: n, type: N}}\n      \
                 - {name: gsi, type: GSI, partition: {attribute: n, type: N}}\n";
    check(text, twice, &["line 13, column 9: models[0].indexes[1]: `gsi` is there twice"]);
    check(
        "",
        "    write_policy: {mode: never, protected_attributes: [nix]}\n",
        &[
            "line 9, column 26: models[0].write_policy.mode: `never` is none of mutable, write_once",
            "line 9, column 56: models[0].write_policy.protected_attributes[0]: the attribute `nix` is not in attributes",
        ],
    );
}

#[test]
fn everything_that_is_wrong_is_told_at_once_from_the_top() {
    let text = r#"
dms_version: "0.3"
models:
  - name: A
    table: {name: t}
    naming: {convention: snake_case}
    keys:
      partition: {attribute: userId, type: N}
    attributes:
      - {attribute: userId, type: S}
      - {attribute: userId, type: S}
  - name: A
    table: {name: tab}
    naming: {convention: pascalCase}
    keys: {}
    attributes: []
"#;
    let found: Vec<String> = refused(text).faults.iter().map(|fault| fault.to_string()).collect();
    let expected = [
        "line 2, column 14: dms_version: the version `0.3` is not known; 0.1 and 0.2 are",
        "line 5, column 19: models[0].table.name: `t` cannot be a name: tables and indexes have 3 to 255 characters: \
         a-z, A-Z, 0-9, _ - and .",
        "line 8, column 44: models[0].keys.partition.type: the attribute `userId` is S, not N",
        "line 10, column 21: models[0].attributes[0].attribute: `userId` is not in snake_case",
        "line 11, column 21: models[0].attributes[1].attribute: `userId` is not in snake_case",
        "line 11, column 21: models[0].attributes[1].attribute: `userId` is there twice",
        "line 14, column 26: models[1].naming.convention: `pascalCase` is none of camelCase, snake_case, dynamorm",
        "line 15, column 11: models[1].keys.partition: is missing",
        "line 16, column 17: models[1].attributes: has no entry",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_conventions_are_those_of_the_other_toolkits() {
    for (name, camel, snake) in [
        ("PK", true, false),
        ("SK", true, false),
        ("age", true, true),
        ("userID", true, false),
        ("gsi1pk", true, true),
        ("user_id", false, true),
        ("user__id", false, false),
        ("user_", false, false),
        ("_id", false, false),
        ("UserId", false, false),
        ("1st", false, false),
    ] {
        for (convention, fits) in [("camelCase", camel), ("snake_case", snake), ("dynamorm", camel)] {
            let text = with(&format!("      - {{attribute: \"{name}\", type: S}}\n"), "");
            let text =
                text.replace("    keys:", &format!("    naming: {{convention: {convention}}}\n    keys:"));
            assert_eq!(
                Document::from_yaml(&text).is_ok(),
                fits || name == "id" && snake,
                "{name} {convention}"
            );
        }
    }
}

#[track_caller]
fn is_refused_for(text: &str, fault: impl Fn(&Fault) -> bool) {
    let refused = refused(text);
    assert!(refused.faults.iter().any(|located| fault(&located.fault)), "{refused}");
}

#[test]
fn yaml_that_json_has_no_word_for_is_refused() {
    for (text, what) in [
        ("a: &x [1]\nb: *x", "an anchor"),
        ("a: *x", "an alias"),
        ("a: !!str 1", "a tag"),
        ("a: !custom {b: 1}", "a tag"),
        ("--- {}\n--- {}", "a second document"),
        ("<<: {a: 1}", "a merge"),
        ("1: a", "a name that is no text"),
        ("[a]: b", "a name that is no text"),
    ] {
        let refused = refused(text);
        let fault = &refused.faults[0].fault;
        // The parser itself knows that there is nothing behind an alias.
        let is_known =
            *fault == Fault::NotJson { what } || what == "an alias" && matches!(fault, Fault::Syntax { .. });
        assert!(is_known, "{text:?}: {refused}");
    }
}

#[test]
fn a_document_that_grows_when_it_is_read_is_refused() {
    let mut laughs = String::from("a: &a [\"ha\", \"ha\"]\n");
    for (name, before) in ('b'..='z').zip('a'..='y') {
        laughs.push_str(&format!("{name}: &{name} [*{before}, *{before}, *{before}, *{before}]\n"));
    }
    is_refused_for(&laughs, |fault| *fault == Fault::NotJson { what: "an anchor" });
}

#[test]
fn a_document_that_is_too_large_or_too_deep_is_refused() {
    is_refused_for(&" ".repeat((1 << 20) + 1), |fault| matches!(fault, Fault::TooLarge { .. }));
    let deep = format!("a: {}{}", "[".repeat(33), "]".repeat(33));
    is_refused_for(&deep, |fault| matches!(fault, Fault::TooDeep { .. }));
    for deep in ["[".repeat(500_000), "{a: ".repeat(250_000), "- ".repeat(500_000), "? ".repeat(500_000)] {
        assert!(Document::from_yaml(&deep).is_err());
    }
    for deep in ["[".repeat(500_000), "{\"a\":".repeat(200_000)] {
        assert!(Document::from_json(&deep).is_err());
    }
    assert!(Document::from_json(&" ".repeat((1 << 20) + 1)).is_err());
}

#[test]
fn a_document_with_very_many_faults_tells_the_first_hundred() {
    let members: String = (0..20_000).map(|at| format!("a{at}: 1\n")).collect();
    assert_eq!(refused(&members).faults.len(), 100);
}

#[test]
fn texts_that_programs_read_differently_need_quotes() {
    for text in [
        "no",
        "Yes",
        "on",
        "OFF",
        "1_000",
        "0x1f",
        "0o7",
        "010",
        "+1",
        "1:30",
        ".5",
        "1.",
        ".inf",
        "-.inf",
        ".NaN",
        "2024-01-01",
        "2024-01-01T00:00:00Z",
        "0b1",
        "1e",
        "=",
    ] {
        let document = SHOP.replace("namespace: shop", &format!("namespace: {text}"));
        is_refused_for(&document, |fault| matches!(fault, Fault::Ambiguous { .. }));
        let quoted = SHOP.replace("namespace: shop", &format!("namespace: \"{text}\""));
        assert_eq!(Document::from_yaml(&quoted).unwrap().namespace.as_deref(), Some(text));
    }
    for text in ["3d-models", "a.b", "v1.2.3", "yesterday", "-dash", "1st", "2024-orders", "e1", "node"] {
        let document = SHOP.replace("namespace: shop", &format!("namespace: {text}"));
        assert_eq!(Document::from_yaml(&document).unwrap().namespace.as_deref(), Some(text));
    }
    is_refused_for(&SHOP.replace("\"0.1\"", "0.1"), |fault| {
        *fault == Fault::Kind { expected: "a text", found: "a number" }
    });
}

#[test]
fn bad_json_is_told_with_its_line() {
    let refused = Document::from_json("{\n  \"dms_version\": \"0.2\",\n}").unwrap_err();
    assert_eq!(refused.faults[0].line, Some(3));
    let refused = Document::from_json("{\"a\": 1, \"a\": 1}").unwrap_err();
    assert!(refused.to_string().contains("`a` is there twice"), "{refused}");
}
