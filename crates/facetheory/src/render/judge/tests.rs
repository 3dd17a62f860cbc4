//! Answers that are kept, and those that are not.

use super::*;

fn page(headers: &[(&'static str, &str)]) -> Rendered {
    let mut page = Rendered::html("<p>page");
    for (name, value) in headers {
        page.headers.append(*name, value.parse().expect("a value"));
    }
    page
}

#[track_caller]
fn check(rendered: &Rendered, expected: Option<Verdict>) {
    let verdict = judge(&Method::GET, rendered, &Policy::default());
    match expected {
        Some(expected) => assert_eq!(verdict, expected),
        None => assert!(matches!(verdict, Verdict::Keep { .. }), "{verdict:?}"),
    }
}

fn pass(refusal: Refusal) -> Option<Verdict> {
    Some(Verdict::Pass(refusal))
}

#[test]
fn a_page_is_kept() {
    check(&page(&[]), None);
    check(&page(&[("cache-control", "public, max-age=0")]), None);
    check(&page(&[("vary", "accept-encoding")]), None);
}

/// G6: `private, no-store` was ignored, and replaced by `public`.
#[test]
fn what_the_origin_forbids_is_not_kept() {
    for value in ["private", "no-store", "max-age=3, Private", "no-cache=\"x\""] {
        check(&page(&[("cache-control", value)]), pass(Refusal::Forbidden));
    }
    check(&page(&[("cache-control", "public"), ("cache-control", "no-store")]), pass(Refusal::Forbidden));
}

#[test]
fn what_is_for_one_visitor_is_not_kept() {
    check(&page(&[("set-cookie", "session=1")]), pass(Refusal::SetCookie));
    check(&page(&[("vary", "accept, *")]), pass(Refusal::Vary));
}

/// G7: a page with its nonce was replayed to every later visitor.
#[test]
fn a_nonce_is_not_kept() {
    check(&page(&[("content-security-policy", "script-src 'Nonce-abc'")]), pass(Refusal::Nonce));
    check(&page(&[("content-security-policy-report-only", "script-src 'nonce-abc'")]), pass(Refusal::Nonce));
    check(&page(&[("content-security-policy", "script-src 'self'")]), None);
}

/// G2: a body whose end was missing was kept as a success.
#[test]
fn a_body_that_was_cut_off_is_a_failure() {
    check(&page(&[("content-length", "100")]), Some(Verdict::Failed(Refusal::Incomplete)));
    check(&page(&[("content-length", "7")]), None);
}

#[test]
fn a_failure_of_the_origin_is_never_kept() {
    for status in [500, 502, 503, 599] {
        let status = StatusCode::from_u16(status).expect("a status");
        check(&Rendered { status, ..page(&[]) }, Some(Verdict::Failed(Refusal::OriginFailed)));
    }
}

#[test]
fn few_statuses_are_worth_keeping() {
    for status in [201, 204, 206, 304, 400, 401, 403, 429] {
        let status = StatusCode::from_u16(status).expect("a status");
        check(&Rendered { status, ..page(&[("location", "/x")]) }, pass(Refusal::Status));
    }
}

/// G5: a redirection was kept without its place to go to.
#[test]
fn a_redirection_is_kept_with_its_location() {
    let moved = Rendered { status: StatusCode::MOVED_PERMANENTLY, ..page(&[("location", "/new")]) };
    let Verdict::Keep { headers, .. } = judge(&Method::GET, &moved, &Policy::default()) else {
        panic!("kept")
    };
    assert!(headers.contains(&KeptHeader { name: "location".into(), value: "/new".into() }));
    check(&Rendered { status: StatusCode::PERMANENT_REDIRECT, ..page(&[]) }, pass(Refusal::NoLocation));
}

/// G3: the answer to a `POST` was served to those who asked with `GET`.
#[test]
fn only_get_and_head_are_kept() {
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS, Method::PATCH] {
        assert_eq!(judge(&method, &page(&[]), &Policy::default()), Verdict::Pass(Refusal::Method));
    }
    assert!(matches!(judge(&Method::HEAD, &page(&[]), &Policy::default()), Verdict::Keep { .. }));
}

#[test]
fn that_there_is_no_page_is_kept_for_its_own_time() {
    let missing = Rendered { status: StatusCode::NOT_FOUND, ..page(&[]) };
    let policy = Policy { negative: Seconds(7), ..Policy::default() };
    assert!(matches!(judge(&Method::GET, &missing, &policy), Verdict::Keep { revalidate: Seconds(7), .. }));
    let policy = Policy { negative: Seconds(0), ..Policy::default() };
    assert_eq!(judge(&Method::GET, &missing, &policy), Verdict::Pass(Refusal::Status));
}

#[test]
fn a_page_may_know_better_how_long_it_is_fresh() {
    let wish = |seconds| Rendered { revalidate: Some(Seconds(seconds)), ..page(&[]) };
    let policy = Policy::default();
    for (asked, given) in [(5, 5), (-5, 0), (i64::MAX, policy.retention.0 - 1)] {
        let verdict = judge(&Method::GET, &wish(asked), &policy);
        assert!(
            matches!(verdict, Verdict::Keep { revalidate, .. } if revalidate == Seconds(given)),
            "{verdict:?}"
        );
    }
}

#[test]
fn headers_that_cannot_be_kept_keep_the_page_out() {
    check(&page(&[("link", &"x".repeat(70_000))]), pass(Refusal::Headers));
    let mut page = page(&[]);
    page.headers.insert("link", http::HeaderValue::from_bytes(b"\xff").expect("a value"));
    check(&page, pass(Refusal::Headers));
}

#[test]
fn a_compressed_answer_is_not_kept() {
    check(&page(&[("content-encoding", "gzip")]), pass(Refusal::Encoded));
    check(&page(&[("content-encoding", "Identity")]), None);
}

#[test]
fn tags_without_end_keep_the_page_out() {
    let mut page = page(&[]);
    page.tags = vec!["x".repeat(1000); 100];
    check(&page, pass(Refusal::Headers));
}

#[test]
fn headers_of_one_connection_are_not_kept() {
    let page =
        page(&[("connection", "close"), ("age", "3"), ("x-request-id", "1"), ("x-robots-tag", "none")]);
    let Verdict::Keep { headers, .. } = judge(&Method::GET, &page, &Policy::default()) else {
        panic!("kept")
    };
    let names: Vec<&str> = headers.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(names, ["content-type", "x-robots-tag"]);
}
