//! What is refused although the signature may be right, and in which words.

use super::{ACCESS_KEY, SECRET_KEY, SIGNED_HEADERS, Sample, verifier};
use crate::sigv4::{Credentials, Invalid, Refusal, Verifier};

const MISMATCH: &str = "The request signature we calculated does not match the signature you provided. Check your AWS \
                        Secret Access Key and signing method. Consult the service documentation for details.";

#[track_caller]
fn check(sample: &Sample, code: &str, message: &str) {
    let refusal = sample.verify().expect_err("it is refused");
    assert_eq!((refusal.code(), refusal.to_string().as_str()), (code, message));
}

#[track_caller]
fn incomplete(sample: &Sample, message: &str) {
    check(sample, "IncompleteSignatureException", message);
}

#[track_caller]
fn invalid(sample: &Sample, message: &str) {
    check(sample, "InvalidSignatureException", message);
}

#[test]
fn a_request_that_nobody_signed_is_missing_its_token() {
    let missing = |sample: &Sample| {
        check(sample, "MissingAuthenticationTokenException", "Request is missing Authentication Token");
    };
    missing(&Sample::unsigned());
    for value in
        ["", " ", "Basic YTpi", "Bearer x", "AWS AKID:signature", "aws4-hmac-sha256 Credential=a", "AWS4"]
    {
        missing(&Sample::unsigned().add("Authorization", value));
    }
}

#[test]
fn every_missing_piece_is_named() {
    let [credential, signature, signed_headers, date] = [
        "Authorization header requires 'Credential' parameter.",
        "Authorization header requires 'Signature' parameter.",
        "Authorization header requires 'SignedHeaders' parameter.",
        "Authorization header requires existence of a 'X-Amz-Date' header.",
    ];
    let with = |value: &str| Sample::unsigned().add("Authorization", value);
    let all = [credential, signature, signed_headers].join(" ");
    incomplete(&with("AWS4-HMAC-SHA256"), &all);
    incomplete(&with("AWS4-HMAC-SHA256 "), &all);
    incomplete(&with("AWS4-HMAC-SHA256 Credential=,SignedHeaders=,Signature="), &all);
    incomplete(&with("AWS4-HMAC-SHA256").without("X-Amz-Date"), &[all.as_str(), date].join(" "));
    incomplete(&with("AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b"), signature);
    incomplete(&with("AWS4-HMAC-SHA256 Credential=a, Signature=b"), signed_headers);
    incomplete(&with("AWS4-HMAC-SHA256 SignedHeaders=a, Signature=b"), credential);
    incomplete(&Sample::signed().without("X-Amz-Date"), date);
    incomplete(&Sample::signed().without("X-Amz-Date").add("Date", "Sat, 14 Mar 2026 09:26:53 GMT"), date);
}

#[test]
fn a_header_that_is_not_three_pairs_is_malformed() {
    let malformed = "Not a valid key=value pair in Authorization header.";
    for list in
        ["a", ",", "Credential", "Credential=a,", "credential=a", "Credential=a,,Signature=b", "Color=red"]
    {
        incomplete(&Sample::unsigned().add("Authorization", format!("AWS4-HMAC-SHA256 {list}")), malformed);
    }
    let missing = "Authorization header requires 'SignedHeaders' parameter.";
    incomplete(&Sample::signed().rewrite(", SignedHeaders", " SignedHeaders"), missing);
    incomplete(
        &Sample::signed().rewrite("Credential=", "Credential=x, Credential="),
        "Authorization header has the same parameter more than once.",
    );
    assert_eq!(Sample::signed().rewrite(", ", ",").verify(), Ok(()));
}

#[test]
fn another_algorithm_is_refused() {
    for algorithm in ["AWS4-HMAC-SHA25", "AWS4-HMAC-SHA512", "AWS4-ECDSA-P256-SHA256", "AWS4-hmac-sha256"] {
        let message = "Unsupported AWS 'algorithm' (only AWS4-HMAC-SHA256 for now). ";
        incomplete(&Sample::signed().rewrite("AWS4-HMAC-SHA256", algorithm), message);
    }
}

#[test]
fn a_credential_has_five_elements() {
    let message =
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term";
    for (from, to) in
        [("/aws4_request", ""), ("/aws4_request", "/aws4_request/"), ("AKID", "AK/ID"), ("/us-east-1", "")]
    {
        incomplete(&Sample::signed().rewrite(from, to), message);
    }
}

#[test]
fn a_wrong_scope_is_described_even_if_it_is_what_was_signed() {
    let sign = |scope: &str| Sample::unsigned().sign_as(ACCESS_KEY, SECRET_KEY, scope, SIGNED_HEADERS);
    let [region, service, terminator, date] = [
        "Credential should be scoped to a valid region.",
        "Credential should be scoped to correct service: 'dynamodb'.",
        "Credential should be scoped with a valid terminator: 'aws4_request'.",
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP.",
    ];
    for wrong in ["", "US-EAST-1", "us_east_1", "us east", "é", &"a".repeat(65)] {
        invalid(&sign(&format!("20260314/{wrong}/dynamodb/aws4_request")), region);
    }
    invalid(&sign("20260314/us-east-1/s3/aws4_request"), service);
    invalid(&sign("20260314/us-east-1/DynamoDB/aws4_request"), service);
    invalid(&sign("20260314/us-east-1/dynamodb/aws5_request"), terminator);
    invalid(&sign("20260313/us-east-1/dynamodb/aws4_request"), date);
    invalid(&sign("a/B/c/d"), &[region, service, terminator, date].join(" "));
}

#[test]
fn a_date_in_another_form_is_refused() {
    let message = "Date must be in ISO-8601 'basic format'. See http://en.wikipedia.org/wiki/ISO_8601";
    for date in ["", "201", "2026-03-14T09:26:53Z", "Sat, 14 Mar 2026 09:26:53 GMT", "20260314T092653+0000"] {
        incomplete(&Sample::unsigned().with("X-Amz-Date", date).sign(SIGNED_HEADERS), message);
    }
}

#[test]
fn host_date_and_target_have_to_be_signed() {
    let sign = |names: &str| Sample::unsigned().sign(names);
    invalid(
        &sign("x-amz-date;x-amz-target"),
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
    );
    invalid(&sign("host;x-amz-target"), "'X-Amz-Date' must be a 'SignedHeader' in the AWS Authorization.");
    invalid(&sign("host;x-amz-date"), "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
    assert_eq!(Sample::unsigned().without("X-Amz-Target").sign("host;x-amz-date").verify(), Ok(()));
}

#[test]
fn a_signed_header_that_is_not_there_is_named() {
    invalid(
        &Sample::unsigned().sign("host;x-absent;x-amz-date;x-amz-target"),
        "'x-absent' is a 'SignedHeader' in the AWS Authorization but not a header of the request.",
    );
    assert!(Sample::signed().without("Content-Type").verify().is_err());
    assert!(Sample::signed().without("Host").verify().is_err());
}

#[test]
fn a_list_of_signed_headers_that_is_not_canonical_is_refused() {
    let message =
        "'SignedHeaders' must be lower-case header names in alphabetical order, each once, separated by ';'.";
    for names in [
        "x-amz-target;x-amz-date;host",
        "host;host;x-amz-date;x-amz-target",
        "Host;x-amz-date;x-amz-target",
        "host;x-amz-date;x-amz-target;",
        ";host;x-amz-date;x-amz-target",
        "host;;x-amz-date;x-amz-target",
        "host;x amz;x-amz-date",
        "host;\u{e9}",
    ] {
        incomplete(&Sample::unsigned().sign(names), message);
    }
}

#[test]
fn a_header_the_signature_depends_on_may_not_be_repeated() {
    for name in ["host", "x-amz-date", "x-amz-target", "content-type"] {
        let value = Sample::signed().get(name).to_vec();
        let message = format!("'{name}' is in the request more than once.");
        // Added afterwards, and signed as a list the way the specification would have it.
        invalid(&Sample::signed().add(name, &value), &message);
        invalid(&Sample::unsigned().add(name, &value).sign(SIGNED_HEADERS), &message);
    }
    let authorization = Sample::signed().get("Authorization").to_vec();
    invalid(
        &Sample::signed().add("Authorization", authorization),
        "'authorization' is in the request more than once.",
    );
    let hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    let twice = Sample::signed().add("X-Amz-Content-Sha256", hash).add("X-Amz-Content-Sha256", hash);
    invalid(&twice, "'x-amz-content-sha256' is in the request more than once.");
    // A target that was not signed at all, next to none that was: the repetition is found first.
    let unsigned_targets =
        Sample::unsigned().add("X-Amz-Target", "DynamoDB_20120810.DeleteTable").sign("host;x-amz-date");
    invalid(&unsigned_targets, "'x-amz-target' is in the request more than once.");
}

#[test]
fn an_announced_hash_has_to_be_that_of_the_body() {
    let message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
    let names = "host;x-amz-content-sha256;x-amz-date;x-amz-target";
    let with = |hash: &str| Sample::unsigned().add("X-Amz-Content-Sha256", hash).sign(names);
    let hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert_eq!(with(hash).verify(), Ok(()));
    let other = &hash.replace("44", "45");
    for wrong in [other, &hash.to_uppercase(), "", "UNSIGNED-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"] {
        invalid(&with(wrong), message);
        invalid(&Sample::signed().add("X-Amz-Content-Sha256", wrong), message);
    }
}

#[test]
fn a_signature_in_the_address_is_refused() {
    let uri = "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Signature=b";
    incomplete(
        &Sample { uri: uri.to_owned(), ..Sample::unsigned() },
        "A signature in the query string is not supported: sign with the 'Authorization' header.",
    );
    invalid(
        &Sample { uri: uri.to_owned(), ..Sample::signed() },
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    );
}

#[test]
fn an_unknown_key_is_answered_like_a_wrong_signature() {
    let wrong_secret = Sample::unsigned().sign_as(
        ACCESS_KEY,
        "x",
        "20260314/us-east-1/dynamodb/aws4_request",
        SIGNED_HEADERS,
    );
    invalid(&wrong_secret, MISMATCH);
    for key in ["AKIDNOBODY", "", "akidexample", "AKIDEXAMPL", "AKIDEXAMPLEE"] {
        invalid(&Sample::signed().rewrite("AKIDEXAMPLE", key), MISMATCH);
    }
    let nobody = Verifier::new(Vec::new());
    assert_eq!(Sample::signed().verify_with(&nobody), Err(Refusal::InvalidSignature(Invalid::Mismatch)));
}

#[test]
fn what_the_stand_in_for_unknown_keys_signs_is_refused() {
    let scope = "20260314/us-east-1/dynamodb/aws4_request";
    for key in ["", "AKIDNOBODY"] {
        let secret = "this secret is public: whatever it signs is refused";
        // The same signature with this secret does hold where somebody has it, so the test would notice another one.
        let sample = Sample::unsigned().sign_as(key, secret, scope, SIGNED_HEADERS);
        assert_eq!(sample.verify_with(&Verifier::new(vec![Credentials::new(key, secret)])), Ok(()));
        invalid(&sample, MISMATCH);
    }
}

#[test]
fn a_signature_of_another_length_or_case_is_a_wrong_one() {
    let authorization = String::from_utf8(Sample::signed().get("Authorization").to_vec()).unwrap();
    let signature = authorization.split("Signature=").nth(1).unwrap();
    for wrong in [&signature[1..], &format!("{signature}0"), &signature.to_uppercase(), "x", &"g".repeat(64)]
    {
        invalid(&Sample::signed().rewrite(signature, wrong), MISMATCH);
    }
}

#[test]
fn every_refusal_is_a_400_and_nothing_prints_a_secret() {
    assert_eq!(Refusal::STATUS.as_u16(), 400);
    let credentials = Credentials::new(ACCESS_KEY, SECRET_KEY);
    for text in [format!("{credentials:?}"), format!("{:?}", verifier())] {
        assert!(text.contains(ACCESS_KEY) && !text.contains("wJalr"), "{text}");
    }
    // Whoever swaps key and secret finds neither in the answer.
    let scope = "20260314/us-east-1/dynamodb/aws4_request";
    let swapped = Sample::unsigned().sign_as(SECRET_KEY, ACCESS_KEY, scope, SIGNED_HEADERS);
    let refusal = swapped.verify().unwrap_err();
    assert!(!format!("{refusal} {refusal:?}").contains("wJalr"));
}
