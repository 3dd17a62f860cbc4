//! One byte of anything signed is changed: the request is refused.

use super::{SIGNED, Sample, botocore, moment, verifier};
use crate::sigv4::Verifier;

/// A neighbour, the other case, and a byte that is no ASCII: enough where a part goes into the hash as it is.
const FEW: [u8; 3] = [0x01, 0x20, 0x80];

/// Changes each byte of a part in some ways, and requires a refusal of each request that can be sent at all.
fn spoil(
    verifier: &Verifier,
    sample: &Sample,
    changes: impl IntoIterator<Item = u8> + Clone,
    part: impl Fn(&mut Sample) -> &mut Vec<u8>,
) -> usize {
    let mut sample = sample.clone();
    let original = part(&mut sample).clone();
    let mut refused = 0;
    for (position, byte) in original.iter().enumerate() {
        for change in changes.clone() {
            part(&mut sample)[position] = byte ^ change;
            if let Some(parts) = sample.parts() {
                let answer = verifier.verify(&parts, &sample.body, moment(SIGNED));
                assert!(answer.is_err(), "accepted with byte {position} changed: {sample:?}");
                refused += 1;
            }
            part(&mut sample)[position] = *byte;
        }
    }
    refused
}

fn position(sample: &Sample, name: &str) -> usize {
    sample.headers.iter().position(|(known, _)| known.eq_ignore_ascii_case(name)).unwrap()
}

fn signed_headers(sample: &Sample) -> Vec<String> {
    let authorization = String::from_utf8(sample.get("Authorization").to_vec()).unwrap();
    let list = authorization.split("SignedHeaders=").nth(1).unwrap().split(',').next().unwrap();
    list.split(';').map(str::to_owned).collect()
}

#[test]
fn a_changed_byte_of_a_signed_header_is_refused() {
    let verifier = verifier();
    for sample in botocore() {
        for name in signed_headers(&sample) {
            // Spaces around a value, and how many stand in a run, are not signed: this one's are changed below.
            if name != "x-note" {
                let index = position(&sample, &name);
                assert!(spoil(&verifier, &sample, FEW, |sample| &mut sample.headers[index].1) > 0, "{name}");
            }
        }
    }
}

#[test]
fn only_the_number_of_spaces_in_a_header_is_not_signed() {
    let sample = botocore()
        .into_iter()
        .find(|sample| sample.headers.iter().any(|(name, _)| name == "X-Note"))
        .unwrap();
    assert_eq!(sample.clone().with("X-Note", "a b c").verify(), Ok(()));
    let sample = sample.with("X-Note", "a b c");
    let index = position(&sample, "X-Note");
    assert!(spoil(&verifier(), &sample, 1..=255, |sample| &mut sample.headers[index].1) > 0);
    for value in ["a bc", "ab c", "a\tb c", "a b c d", ""] {
        assert!(sample.clone().with("X-Note", value).verify().is_err(), "{value}");
    }
}

#[test]
fn a_changed_byte_of_the_authorization_is_refused() {
    let verifier = verifier();
    let samples = botocore();
    let index = position(&samples[0], "Authorization");
    assert!(spoil(&verifier, &samples[0], 1..=255, |sample| &mut sample.headers[index].1) > 10_000);
    for sample in &samples[1..] {
        let index = position(sample, "Authorization");
        assert!(spoil(&verifier, sample, FEW, |sample| &mut sample.headers[index].1) > 0);
    }
}

#[test]
fn a_changed_body_is_refused() {
    let verifier = verifier();
    for sample in botocore() {
        let refused = spoil(&verifier, &sample, FEW, |sample| &mut sample.body);
        assert_eq!(refused, sample.body.len() * FEW.len());
        let mut longer = sample.clone();
        longer.body.push(b' ');
        assert!(longer.verify_with(&verifier).is_err());
        let mut shorter = sample.clone();
        if shorter.body.pop().is_some() {
            assert!(shorter.verify_with(&verifier).is_err());
        }
    }
}

#[test]
fn another_method_or_address_is_refused() {
    for method in ["GET", "PUT", "post", "POSTS"] {
        assert!(Sample { method: method.to_owned(), ..Sample::signed() }.verify().is_err(), "{method}");
    }
    for uri in ["/x", "/?", "/?a", "/?a=b", "/%2F", "*"] {
        let answer = Sample { uri: uri.to_owned(), ..Sample::signed() }.verify();
        // A question mark with nothing behind it asks nothing.
        assert_eq!(answer.is_ok(), uri == "/?", "{uri}");
    }
    let sample = botocore().into_iter().find(|sample| sample.uri.contains('?')).unwrap();
    for (from, to) in
        [("a=1", "a=2"), ("b=2&", ""), ("empty=", "empty=1"), ("/d/", "/d"), ("%20", "+"), ("%20", "%21")]
    {
        let uri = sample.uri.replace(from, to);
        assert_ne!(uri, sample.uri);
        assert!(Sample { uri, ..sample.clone() }.verify().is_err(), "{from} {to}");
    }
}
