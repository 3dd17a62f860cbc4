//! What people meet when something is wrong: nobody listens, the token is another's, the other side is no gateway, nobody reads.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use serde_json::json;

use super::stand_in::{Answer, StandIn};
use super::{TOKEN, ask, refused, said, theory, told};

#[test]
fn that_nobody_listens_is_told_with_what_to_do() {
    let port =
        TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("an address").port();
    let address = format!("http://127.0.0.1:{port}");
    for command in
        [&["pages", "ls"][..], &["leases"], &["requests", "ls"], &["limits", "top"], &["pages", "warm", "/a"]]
    {
        let output =
            theory().args(command).args(["--admin", &address, "--json"]).output().expect("the binary starts");
        let error = refused(&output, 1);
        assert!(
            error.contains(&format!("no gateway at {address}")) && error.contains("theory serve"),
            "{error}"
        );
        assert_eq!(said(&output.stdout), "");
    }
}

#[test]
fn an_address_that_is_none_is_refused() {
    for wrong in
        ["", "localhost:9090", "ftp://x", "http://", "127.0.0.1", "http://127.0.0.1:9090/?a=b", "http://a b"]
    {
        let output = theory().args(["leases", "--admin", wrong]).output().expect("the binary starts");
        let error = refused(&output, 1);
        assert!(error.contains("--admin") && error.contains("http://127.0.0.1:9090"), "{error}");
    }
}

#[test]
fn a_token_is_found_in_a_file_a_variable_or_the_gateways_folder() {
    let gateway = StandIn::always(json!({ "leases": [], "cursor": null }));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("admin-token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let ask = || {
        let mut command = theory();
        command.args(["leases", "--admin", &gateway.address]);
        command
    };
    told(&ask().arg("--token-file").arg(&file).output().unwrap());
    told(&ask().env("THEORY_ADMIN_TOKEN", TOKEN).output().unwrap());
    told(&ask().arg("--data").arg(folder.path()).output().unwrap());
    // What was said comes before what was found.
    let wrong = folder.path().join("wrong");
    std::fs::write(&wrong, "another").unwrap();
    let output = ask().env("THEORY_ADMIN_TOKEN", TOKEN).arg("--token-file").arg(&wrong).output().unwrap();
    let error = refused(&output, 1);
    assert!(error.contains("does not accept the token") && error.contains("wrong"), "{error}");
    assert!(!error.contains("another"), "a token is not shown: {error}");
    std::fs::write(&wrong, "").unwrap();
    let error = refused(&ask().arg("--token-file").arg(&wrong).output().unwrap(), 1);
    assert!(error.contains("holds no token"), "{error}");
    let error = refused(&ask().output().unwrap(), 1);
    assert!(error.contains("wants a token") && error.contains("no-such-folder"), "{error}");
}

#[test]
fn what_is_no_gateway_is_recognised() {
    let cases: [(u16, &'static str, &'static str, &str); 4] = [
        (200, "text/html", "<html>hello</html>", "not as a gateway does"),
        (404, "text/html", "<html>not here</html>", "it is no gateway's admin listener"),
        (502, "text/plain", "bad gateway", "502"),
        (200, "application/json", "[]", "no list"),
    ];
    for (status, kind, body, expected) in cases {
        let other = StandIn::open(move |_| Answer { status, kind, body: body.as_bytes().to_vec() });
        let error = refused(&ask(&other, &["pages", "ls"]), 1);
        assert!(error.contains(expected), "{error}");
    }
    let other = StandIn::raw(|_| b"SSH-2.0-OpenSSH_9.9\r\n".to_vec());
    let error = refused(&ask(&other, &["pages", "ls"]), 1);
    assert!(error.contains("no gateway"), "{error}");
}

#[test]
fn an_answer_that_is_cut_short_or_wrong_is_told() {
    let cut = StandIn::raw(|_| {
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"pages\":["
            .to_vec()
    });
    let error = refused(&ask(&cut, &["pages", "ls"]), 1);
    assert!(error.contains("broke off"), "{error}");
    let wrong = StandIn::always(json!({ "pages": [{ "url": 5 }], "cursor": null }));
    let error = refused(&ask(&wrong, &["pages", "ls"]), 1);
    assert!(error.contains("cannot be read"), "{error}");
}

#[test]
fn an_answer_that_never_comes_is_not_waited_for() {
    // Connections are accepted by the system and nobody answers them.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let output = theory().args(["leases", "--timeout", "1", "--admin", &address]).output().unwrap();
    let error = refused(&output, 1);
    assert!(error.contains("did not answer within 1s"), "{error}");
}

#[test]
fn a_reader_who_has_seen_enough_ends_the_command() {
    // Far more than a pipe holds, so that the command meets the closed end.
    let pages: Vec<_> =
        (0..5000).map(|number| json!({ "url": format!("/a/long/address/of/page/{number}") })).collect();
    let gateway = StandIn::always(json!({ "pages": pages, "cursor": null }));
    for json in [&[][..], &["--json"]] {
        let mut command = theory();
        command
            .args(["pages", "ls", "--all", "--admin", &gateway.address])
            .args(json)
            .env("THEORY_ADMIN_TOKEN", TOKEN);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut first).unwrap();
        assert!(!first.is_empty());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), said(&output.stderr)), (Some(0), String::new()));
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let gateway = StandIn::always(json!({ "pages": [{ "url": "/a" }], "cursor": null }));
    let mut command = theory();
    command.args(["pages", "ls", "--admin", &gateway.address]).env("THEORY_ADMIN_TOKEN", TOKEN);
    let output = command.stdout(full).output().unwrap();
    let error = refused(&output, 1);
    assert!(error.contains("cannot write the output"), "{error}");
}

#[test]
fn arguments_that_are_no_text_are_refused() {
    let strange = std::ffi::OsStr::from_bytes(b"/a\xff");
    let output = theory().args(["pages", "show"]).arg(strange).output().unwrap();
    refused(&output, 2);
    let output = theory().args(["leases", "--token-file"]).arg(strange).output().unwrap();
    refused(&output, 1);
    let output = theory().arg(strange).output().unwrap();
    refused(&output, 2);
}

#[test]
fn colours_are_for_terminals() {
    let gateway = StandIn::always(json!({ "pages": [{ "url": "/a", "state": "fresh" }], "cursor": null }));
    assert!(!told(&ask(&gateway, &["pages", "ls"])).contains('\u{1b}'));
}
