//! What becomes of which path.

use proptest::prelude::*;

use super::*;

fn check(path: &str, expected: Option<&str>) {
    let Ok(target) = path.parse::<PathAndQuery>() else {
        // hyper does not even make a target of it.
        assert_eq!(expected, None, "{path:?}");
        return;
    };
    let normal = normalised(&target);
    assert_eq!(normal.as_ref().map(PathAndQuery::as_str).ok(), expected, "{path:?}");
}

#[test]
fn ordinary_paths_stay_as_they_are() {
    for path in [
        "/",
        "/a",
        "/a/",
        "/a.b/c.d",
        "/a/b?c=//..%2f",
        "/~u/-_.!$&'()*+,;=:@",
        "/a;b=c/d",
        "/a...",
        "/a..b",
        "/?",
        "/a%20b",
        "/%C3%A9",
        "/%252f",
        "/%252E%252E/",
        "/%3B",
        "/%25",
    ] {
        check(path, Some(path));
    }
}

#[test]
fn what_means_the_same_gets_one_form() {
    check("/%41%62%63", Some("/Abc"));
    check("/%7euser/%2dx%5f", Some("/~user/-x_"));
    check("/a%2eb", Some("/a.b"));
    check("/%c3%a9", Some("/%C3%A9"));
    check("/a%3ab", Some("/a%3Ab"));
    check("//a///b//", Some("/a/b/"));
    check("/a{b}|c^\"", Some("/a%7Bb%7D%7Cc%5E%22"));
    check("/...", Some("/..."));
    check("/.well-known/x", Some("/.well-known/x"));
    check("/.a/..b", Some("/.a/..b"));
    check("//a?b//c", Some("/a?b//c"));
    check("/%61?%61", Some("/a?%61"));
}

#[test]
fn what_could_be_read_in_two_ways_is_refused() {
    for path in [
        "/.",
        "/..",
        "/./",
        "/../",
        "/a/..",
        "/a/../b",
        "/a/./b",
        "/%2e",
        "/%2e%2e/",
        "/.%2E/",
        "/%2E./x",
        "/..;/a",
        "/.;/a",
        "/..;x=y",
        "/%2e%2e;/a",
        "/..%3b/a",
        "/..%3Ba",
        "/a/%2f",
        "/%2F..",
        "/%5c",
        "/a%5Cb",
        "/a\\b",
        "/%00",
        "/a%0d%0ab",
        "/%1f",
        "/%7f",
        "/%",
        "/%4",
        "/%zz",
        "/a%",
        "/%u0041",
        "/a%2",
        "/é",
        "/a\u{7f}b",
        "//../",
        "/a//..",
        "/%2e%2e%2f",
    ] {
        check(path, None);
    }
}

/// Everything somebody tried to walk out of a path with, in every encoding.
fn piece() -> impl Strategy<Value = String> {
    let delimiters = proptest::sample::select(vec![
        "/", "//", ".", "..", "...", ";", "\\", "%", "%%", "?", "#", ":", "@", "~", "a", "Z", "9", "-", "{",
        "|", "%2", "%2f", "%5c", "%00", "%0a", "%2e", "%252e", "%3b", "%3f", "%23", "%41", "%c3%a9", "%ff",
    ]);
    (delimiters, 0..4_u8).prop_map(|(text, way)| match way {
        0 => text.to_owned(),
        1 => text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        2 => text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        _ => text.to_ascii_uppercase(),
    })
}

proptest! {
    /// Whoever resolves, decodes or merges the path we hand on once more comes to the same path.
    #[test]
    fn a_path_that_passes_has_no_second_reading(pieces in proptest::collection::vec(piece(), 0..8)) {
        let path = format!("/{}", pieces.concat());
        let Ok(target) = path.parse::<PathAndQuery>() else { return Ok(()) };
        let Ok(normal) = normalised(&target) else { return Ok(()) };
        let path = normal.path();
        prop_assert!(path.starts_with('/') && path.is_ascii());
        prop_assert!(!path.contains("//") && !path.contains('\\'));
        prop_assert!(!path.contains("%2F") && !path.contains("%5C") && !path.contains("%00"));
        for segment in path.split('/') {
            let name = segment.split([';']).next().unwrap();
            prop_assert!(name != "." && name != "..");
        }
        prop_assert_eq!(normal.query(), target.query());
        prop_assert_eq!(normalised(&normal), Ok(normal.clone()));
    }

    /// Spellings that RFC 3986 calls equivalent become the same text.
    #[test]
    fn equivalent_spellings_have_one_form(text in "[a-zA-Z0-9._~-]{1,12}", escaped in any::<u16>()) {
        let spelling: String = text
            .bytes()
            .enumerate()
            .map(|(index, byte)| {
                if escaped >> (index % 16) & 1 == 1 { format!("%{byte:02x}") } else { char::from(byte).to_string() }
            })
            .collect();
        let one = normalised(&format!("/x{text}").parse().unwrap());
        let other = normalised(&format!("/x{spelling}").parse().unwrap());
        prop_assert_eq!(one, other);
    }
}
