//! What has to be accepted: AWS's published examples, what botocore signs, and what the second signer signs.

use super::super::canonical::{self, Sink};
use super::{ACCESS_KEY, SECRET_KEY, SIGNED, SIGNED_HEADERS, Sample, botocore, moment, verifier};
use crate::sigv4::{Credentials, Verifier};

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// One example of AWS's test suite: all are signed at the same moment for `us-east-1`.
fn published(service: &'static str, sample: Sample, signed_headers: &str, signature: &str) {
    let value = format!(
        "AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/20150830/us-east-1/{service}/aws4_request, \
         SignedHeaders={signed_headers}, Signature={signature}"
    );
    let sample = sample.add("X-Amz-Date", "20150830T123600Z").add("Authorization", value);
    let verifier = Verifier::for_service(&[Credentials::new(ACCESS_KEY, SECRET_KEY)], service);
    let answer = verifier.verify(&sample.parts().unwrap(), &sample.body, moment("20150830T123600Z"));
    assert_eq!(answer, Ok(()), "{sample:?}");
}

#[test]
fn the_published_examples_hold() {
    let check = |method: &str, uri: &str, headers: &[(&str, &str)], names: &str, signature: &str| {
        let sample = Sample::new(method, uri, headers, "").add("Host", "example.amazonaws.com");
        published("service", sample, names, signature);
    };
    let plain = "host;x-amz-date";
    let unreserved = "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let trim = [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")];
    let trimmed = "host;my-header1;my-header2;x-amz-date";
    check("GET", "/", &[], plain, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
    check("POST", "/", &[], plain, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    check("GET", "/", &trim, trimmed, "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
    check("GET", unreserved, &[], plain, "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
    check(
        "GET",
        "//example//",
        &[],
        plain,
        "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
    );
    check(
        "GET",
        "/?Param2=value2&Param1=value1",
        &[],
        plain,
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    );
    check(
        "GET",
        "/?%E1%88%B4=bar",
        &[],
        plain,
        "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    );
}

#[test]
fn the_example_of_the_signing_guide_holds() {
    let content_type = "application/x-www-form-urlencoded; charset=utf-8";
    let headers = [("Host", "iam.amazonaws.com"), ("Content-Type", content_type)];
    let sample = Sample::new("GET", "/?Action=ListUsers&Version=2010-05-08", &headers, "");
    let signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";
    published("iam", sample, "content-type;host;x-amz-date", signature);
}

#[test]
fn a_path_has_one_canonical_form() {
    let check = |path: &str, expected: &str| {
        let mut text = Vec::new();
        canonical::path(path, &mut text);
        assert_eq!(String::from_utf8(text).unwrap(), expected, "{path}");
    };
    check("/", "/");
    check("", "/");
    check("*", "/%2A");
    check("//", "/");
    check("/./", "/");
    check("/example/..", "/");
    check("/../../x", "/x");
    check("/example1/example2/../..", "/");
    check("/./example", "/example");
    check("//example//", "/example/");
    check("/example space/", "/example%20space/");
    check("/example%20space", "/example%2520space");
    check("/ሴ", "/%E1%88%B4");
}

#[test]
fn a_query_has_one_canonical_form() {
    let check = |query: &str, expected: &str| {
        let mut text = Vec::new();
        canonical::query(query, &mut text);
        assert_eq!(String::from_utf8(text).unwrap(), expected, "{query}");
    };
    check("", "");
    check("&&", "");
    check("a", "a=");
    check("a=", "a=");
    check("b=2&a=1", "a=1&b=2");
    check("a=2&a=1&a=", "a=&a=1&a=2");
    check("a=b=c", "a=b%3Dc");
    check("%41=%7e", "A=~");
    check("a=%2f%ff", "a=%2F%FF");
    check("a=%", "a=%25");
    check("a=%4", "a=%254");
    check("a=%zz", "a=%25zz");
    check("ሴ=bar", "%E1%88%B4=bar");
}

#[test]
fn a_header_has_one_canonical_form() {
    let check = |value: &[u8], expected: &[u8]| {
        let mut text = Vec::new();
        canonical::header("name", value, &mut text);
        assert_eq!(text, [b"name:", expected, b"\n"].concat());
    };
    check(b"", b"");
    check(b"   ", b"");
    check(b"a", b"a");
    check(b" a  b c   d ", b"a b c d");
    check(b"\"a   b\"", b"\"a b\"");
    check(b"a\tb", b"a\tb");
    check(b"a \t b", b"a \t b");
    check(b"\xFF  \xFE", b"\xFF \xFE");
}

#[test]
fn what_botocore_signs_is_accepted() {
    let samples = botocore();
    assert_eq!(samples.len(), 8);
    // One verifier for all, twice: the second round is answered with remembered keys.
    let verifier = verifier();
    for sample in samples.iter().chain(&samples) {
        assert_eq!(sample.verify_with(&verifier), Ok(()), "{}", sample.name);
    }
}

#[test]
fn every_credential_may_sign_with_its_own_secret_only() {
    let scope = "20260314/us-east-1/dynamodb/aws4_request";
    let verifier = verifier();
    let sign = |key: &str, secret: &str| Sample::unsigned().sign_as(key, secret, scope, SIGNED_HEADERS);
    assert_eq!(sign(ACCESS_KEY, SECRET_KEY).verify_with(&verifier), Ok(()));
    assert_eq!(sign("OTHER", "other secret").verify_with(&verifier), Ok(()));
    assert!(sign("OTHER", SECRET_KEY).verify_with(&verifier).is_err());
    assert!(sign(ACCESS_KEY, "other secret").verify_with(&verifier).is_err());
}

#[test]
fn the_last_of_two_credentials_with_one_access_key_counts() {
    let verifier =
        Verifier::new(vec![Credentials::new(ACCESS_KEY, "old"), Credentials::new(ACCESS_KEY, SECRET_KEY)]);
    assert_eq!(Sample::signed().verify_with(&verifier), Ok(()));
}

#[test]
fn any_region_will_do_and_headers_that_are_not_signed_may_be_anything() {
    for region in ["us-east-1", "local", "x", "7", "-", &"a".repeat(64)] {
        let scope = format!("20260314/{region}/dynamodb/aws4_request");
        let sample = Sample::unsigned().sign_as(ACCESS_KEY, SECRET_KEY, &scope, SIGNED_HEADERS);
        let sample = sample.add("X-Forwarded-For", "1.2.3.4").add("X-Forwarded-For", b"\xFF");
        assert_eq!(sample.verify(), Ok(()), "{region}");
    }
}

#[test]
fn both_ends_of_the_window_count() {
    let verifier = verifier();
    let parts = Sample::signed().parts().unwrap();
    let at = |now: &str, more_ms: i64| {
        let now = tabletheory_core::Timestamp::from_millis(moment(now).millis() + more_ms);
        verifier.verify(&parts, b"{}", now).map_err(|refusal| refusal.to_string())
    };
    assert_eq!(at(SIGNED, 0), Ok(()));
    assert_eq!(at("20260314T093153Z", 999), Ok(()));
    assert_eq!(at("20260314T092153Z", 0), Ok(()));
    let expired = "Signature expired: 20260314T092653Z is now earlier than 20260314T092654Z (20260314T093154Z - 5 min.)";
    assert_eq!(at("20260314T093154Z", 0), Err(expired.to_owned()));
    let early = "Signature not yet current: 20260314T092653Z is still later than 20260314T092652Z (20260314T092152Z + 5 min.)";
    assert_eq!(at("20260314T092152Z", 999), Err(early.to_owned()));
    assert!(at("20270314T092653Z", 0).is_err());
}
