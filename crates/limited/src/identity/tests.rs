//! Who says who they are, and who does not.

use std::net::IpAddr;

use http::Request;

use super::*;

const USER: HeaderName = HeaderName::from_static("x-user-id");

fn request(headers: &[(HeaderName, &[u8])]) -> Parts {
    let mut request = Request::new(());
    for (name, value) in headers {
        let value = HeaderValue::from_bytes(value).expect("a value that HTTP can carry");
        request.headers_mut().append(name, value);
    }
    request.extensions_mut().insert(IpAddr::from([203, 0, 113, 7]));
    request.into_parts().0
}

fn found(identity: &Identity, parts: &Parts) -> Whom {
    identity.find(parts, &ClientAddress::socket())
}

fn caller(name: &str) -> Whom {
    Whom::Caller(name.to_owned())
}

#[test]
fn a_header_names_a_caller_if_it_stands_there_once() {
    let identity = Identity::header(USER, Missing::Skip);
    let check = |values: &[&[u8]], expected: Whom| {
        let headers: Vec<_> = values.iter().map(|value| (USER, *value)).collect();
        assert_eq!(found(&identity, &request(&headers)), expected, "{values:?}");
    };
    check(&[b"alice"], caller("x-user-id:alice"));
    check(&[b" alice "], caller("x-user-id:alice"));
    check(&["zoë".as_bytes()], caller("x-user-id:zoë"));
    check(&[], Whom::Nobody);
    check(&[b""], Whom::Nobody);
    check(&[b" \t "], Whom::Nobody);
    // Of two, the application may believe the one that is not counted.
    check(&[b"alice", b"bob"], Whom::Refused(Missing::BadRequest));
    check(&[b"alice", b"alice"], Whom::Refused(Missing::BadRequest));
    let long = [b'x'; 10_240];
    check(&[&long], caller(&format!("x-user-id:{}", "x".repeat(10_240))));
}

#[test]
fn what_is_no_text_has_a_name_of_its_own() {
    let identity = Identity::header(USER, Missing::Skip);
    let name = |value: &[u8]| found(&identity, &request(&[(USER, value)]));
    assert_ne!(name(b"\xff\xfe"), name(b"\xff\xfd"));
    let Whom::Caller(hashed) = name(b"\xff\xfe") else { panic!("a caller") };
    assert!(hashed.starts_with("x-user-id=") && hashed.len() == "x-user-id=".len() + 64, "{hashed}");
}

#[test]
fn who_does_not_say_is_treated_as_the_rule_says() {
    let challenge = HeaderValue::from_static("Bearer");
    let check = |missing: Missing, expected: Whom| {
        assert_eq!(found(&Identity::header(USER, missing), &request(&[])), expected);
    };
    check(Missing::Address, caller("ip:203.0.113.7"));
    check(Missing::Skip, Whom::Nobody);
    check(Missing::BadRequest, Whom::Refused(Missing::BadRequest));
    check(Missing::Unauthorized(challenge.clone()), Whom::Refused(Missing::Unauthorized(challenge)));
}

#[test]
fn an_address_that_nobody_knows_is_nobodys_bucket() {
    let (parts, ()) = Request::new(()).into_parts();
    assert_eq!(found(&Identity::address(), &parts), Whom::Unknown);
    assert_eq!(found(&Identity::header(USER, Missing::Address), &parts), Whom::Unknown);
}

#[test]
fn a_closure_that_finds_an_empty_name_finds_nobody() {
    let identity = Identity::from_fn(Missing::Skip, |parts| Some(parts.uri.host()?.to_owned()));
    assert_eq!(found(&identity, &request(&[])), Whom::Nobody);
    let empty = Identity::from_fn(Missing::BadRequest, |_| Some(String::new()));
    assert_eq!(found(&empty, &request(&[])), Whom::Refused(Missing::BadRequest));
}

#[test]
fn a_secret_is_no_name() {
    let identity = Identity::secret_header(AUTHORIZATION, SecretKey::new([7; 32]), Missing::Skip);
    let name = |value: &[u8]| found(&identity, &request(&[(AUTHORIZATION, value)]));
    let Whom::Caller(hashed) = name(b"Bearer hunter2") else { panic!("a caller") };
    assert!(hashed.starts_with("key:") && !hashed.contains("hunter2"));
    assert!(!format!("{identity:?}").contains('7'), "the key is not shown");
    for same in ["bearer hunter2", "BEARER   hunter2", "Bearer\thunter2"] {
        assert_eq!(name(same.as_bytes()), Whom::Caller(hashed.clone()), "{same}");
    }
    for other in ["Bearer Hunter2", "Basic hunter2", "hunter2", "Bearer hunter2 x"] {
        assert_ne!(name(other.as_bytes()), Whom::Caller(hashed.clone()), "{other}");
    }
    assert_ne!(name(b"\xff"), name(b"\xfe"), "bytes that are no text are secrets too");
}
