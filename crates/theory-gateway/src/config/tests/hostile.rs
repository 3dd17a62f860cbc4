//! Files that nobody should have: they are refused, and nothing else happens.

use std::io::Write;

use proptest::prelude::*;

use super::load;
use crate::config::{Document, FILE_FLAG, Flags};

#[track_caller]
fn open(bytes: &[u8]) -> Result<Document, String> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("it can be written");
    Document::open(file.path()).map_err(|error| error.to_string())
}

#[test]
fn a_file_that_is_no_text_is_refused_with_its_line() {
    let error = open(b"a = 1\nb = \"\xff\"").expect_err("no text");
    assert!(error.contains(":2: this is no UTF-8 text"), "{error}");
}

#[test]
fn a_file_that_is_too_long_is_refused() {
    assert!(open(&vec![b'#'; 1 << 20]).is_ok());
    assert!(open(&vec![b'#'; (1 << 20) + 1]).is_err_and(|error| error.contains("longer than 1 MB")));
}

#[test]
fn a_mark_of_byte_order_does_no_harm() {
    let document = open("\u{feff}listen = '127.0.0.1:1'".as_bytes()).expect("a text");
    assert!(document.text().starts_with("listen"));
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let flags = Flags::default().with(FILE_FLAG, ["/nowhere/theory.toml"]);
    let error = crate::config::load(&flags, &|_| None).expect_err("not there");
    assert!(error.to_string().contains("cannot read /nowhere/theory.toml"), "{error}");
}

#[test]
fn what_is_no_toml_is_told_with_its_place() {
    let error = load("a = \nlisten = '127.0.0.1:1'\n[x\n").expect_err("no TOML").to_string();
    assert!(error.starts_with("theory.toml:1:5: ") && error.contains("theory.toml:3:"), "{error}");
    let error = load("listen = '127.0.0.1:1'\nlisten = '127.0.0.1:1'").expect_err("twice").to_string();
    assert!(error.starts_with("theory.toml:2:1: duplicate key"), "{error}");
}

#[test]
fn columns_count_characters() {
    let error = load("'ää' = 1\norigin = { 'öö' = 1, url = 'http://a' }").expect_err("unknown").to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(lines[0].starts_with("theory.toml:1:1: `ää` is unknown"), "{error}");
    assert!(lines[1].starts_with("theory.toml:2:12: `origin.öö` is unknown"), "{error}");
}

#[test]
fn many_errors_are_counted_and_deep_tables_refused() {
    let text: String = (0..20_000).map(|number| format!("k{number} = 1\n")).collect();
    let error = load(&text).expect_err("all unknown").to_string();
    assert!(error.lines().count() == 51 && error.contains("more"), "{}", error.lines().count());
    let deep = format!("route = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(load(&deep).is_err());
    let dotted = format!("{} = 1", vec!["a"; 10_000].join("."));
    assert!(load(&dotted).is_err());
}

#[test]
fn control_characters_are_not_repeated() {
    let error = load("\"\\u001b[31m\" = 1\norigin = \"\\u001b[31m\"").expect_err("no address").to_string();
    assert!(!error.contains('\u{1b}'), "{error:?}");
}

fn toml_like() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("listen"),
        Just("origin"),
        Just("[[route]]"),
        Just("[[site]]"),
        Just("path"),
        Just("kind"),
        Just("hosts"),
        Just("="),
        Just("\n"),
        Just("'/a/{b}'"),
        Just("'http://a'"),
        Just("[]"),
        Just("{}"),
        Just("'60s'"),
        Just("1"),
        Just("true"),
        Just("revalidate"),
        Just("rate_limits"),
        Just("limit"),
        Just("'1/s'"),
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just(","),
        Just("[store]"),
        Just("[admin]"),
        Just("token"),
        Just("'"),
        Just("\""),
        Just("ä"),
        Just("1979-05-27"),
        Just("nan"),
        Just("tags"),
        Just("'{'"),
        Just("query"),
        Just("'*'"),
        Just("idempotency"),
        Just("."),
        Just("#"),
    ];
    proptest::collection::vec(word, 0..60).prop_map(|words| words.join(" ").replace("\n ", "\n"))
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,200}") {
        let _ = load(&text);
    }

    #[test]
    fn no_file_makes_it_panic(text in toml_like()) {
        if let Err(error) = load(&text) {
            prop_assert!(!error.problems().is_empty());
        }
    }
}
