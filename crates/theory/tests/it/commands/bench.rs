//! `theory bench`.

use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::stand_in::StandIn;
use super::{refused, said, theory, told};
use crate::application::{Answer, Application};

fn bench(url: &str, arguments: &[&str]) -> Output {
    theory().args(["bench", url]).args(arguments).output().expect("the binary starts")
}

fn result(output: &Output) -> Value {
    serde_json::from_str(&told(output)).expect("one line of JSON")
}

/// Measures until there is enough to look at: a machine may stand still for all of the short time, and then nothing is measured.
fn measured(mut measure: impl FnMut() -> Output, is_enough: impl Fn(&Output) -> bool) -> Output {
    const TRIES_MAX: usize = 5;
    for _ in 0..TRIES_MAX {
        let output = measure();
        if !said(&output.stderr).contains("nothing was answered") && is_enough(&output) {
            return output;
        }
    }
    panic!("{TRIES_MAX} times there was not enough to look at");
}

fn number(result: &Value, name: &str) -> u64 {
    result[name].as_u64().unwrap_or_else(|| panic!("{name} in {result}"))
}

/// Says where its answers come from.
async fn shop() -> Application {
    Application::start(|path| match path {
        "/kept" => Answer { headers: "x-facetheory-isr: hit\r\n", ..Answer::ok("0123456789") },
        "/made" => {
            Answer { headers: "cache-status: theory; fwd=miss; stored\r\n", ..Answer::ok("0123456789") }
        }
        _ => Answer { status: 404, ..Answer::ok("0123456789") },
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_counted_by_status_and_by_where_they_came_from() {
    let shop = shop().await;
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    writeln!(file, "# what visitors look at\n/kept\n\n /made \n/kept\n/gone").unwrap();
    let paths = file.path().to_str().expect("the name is text");
    let arguments = ["--connections", "3", "--seconds", "1", "--path-file", paths];
    let mut asked_before = 0;
    let output = measured(
        || {
            asked_before = shop.asked();
            bench(&shop.address, &[&arguments[..], &["--json"]].concat())
        },
        |output| number(&result(output), "requests") >= 100,
    );
    let result = result(&output);
    let requests = number(&result, "requests");
    // One goes ahead, to see whether anybody is there.
    assert_eq!(requests + number(&result, "unfinished") + 1, shop.asked() - asked_before, "{result}");
    assert_eq!((number(&result, "connections_made"), number(&result, "failed")), (3, 0), "{result}");
    assert_eq!((number(&result, "bytes"), &result["errors"]), (requests * 10, &json!({})), "{result}");
    let near = |part: &Value, of_four: u64| part.as_u64().unwrap().abs_diff(requests * of_four / 4) <= 4;
    assert!(near(&result["cache"]["hit"], 2) && near(&result["cache"]["miss"], 1), "{result}");
    assert!(near(&result["statuses"]["2xx"], 3) && near(&result["statuses"]["4xx"], 1), "{result}");
    let latency =
        ["p50", "p90", "p99", "p99.9", "max"].map(|name| result["latency_ms"][name].as_f64().unwrap());
    assert!(latency.is_sorted() && latency[0] > 0.0, "{result}");
    assert_eq!(said(&output.stderr), "", "there is no bar without a terminal");

    let output = measured(|| bench(&shop.address, &arguments), |output| told(output).contains("status 4xx"));
    let table = told(&output);
    for part in ["3 connections of HTTP/1.1", "latency p99.9 ", "status 4xx", "from the cache", "  miss "] {
        assert!(table.contains(part), "{part:?} in\n{table}");
    }
    assert!(!table.contains("error"), "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_rate_requests_begin_by_the_clock() {
    let shop = shop().await;
    let url = format!("{}/kept", shop.address);
    let result = result(&measured(|| bench(&url, &["--rate", "40", "--seconds", "1", "--json"]), |_| true));
    let sum: u64 = ["requests", "behind", "unfinished"].iter().map(|name| number(&result, name)).sum();
    assert_eq!((sum, result["rate"].as_u64()), (40, Some(40)), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn latency_counts_from_when_a_request_should_have_begun() {
    let slow =
        Application::start(|_| Answer { after: Duration::from_millis(300), ..Answer::ok("slow") }).await;
    let arguments = ["--rate", "20", "--connections", "1", "--seconds", "2", "--json"];
    let output =
        measured(|| bench(&slow.address, &arguments), |output| number(&result(output), "requests") > 1);
    let result = result(&output);
    let answers = u32::try_from(number(&result, "requests")).expect("some");
    assert!(number(&result, "behind") > 0, "{result}");
    // The last of them should have begun twenty times a second, and ended when all before it had.
    let waited_ms = answers * 300 - (answers - 1) * 50;
    assert!(result["latency_ms"]["max"].as_f64().unwrap() >= f64::from(waited_ms) * 0.99, "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_early_and_the_result_is_printed() {
    let shop = shop().await;
    let mut command = theory();
    command.args(["bench", &shop.address, "--seconds", "3600", "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    while shop.asked() < 200 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let result = result(&child.wait_with_output().expect("it ends"));
    assert!(number(&result, "requests") >= 90, "{result}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_is_measured_with_either_version() {
    let shop = Application::start(|path| Answer::ok(format!("this is {path}"))).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let settings = format!(
        "origin = '{}'\nlisten = '127.0.0.1:0'\n[store]\nkind = 'memory'\n[admin]\nlisten = 'off'\n[[route]]\npath = '/news'\nrevalidate = '1h'\n",
        shop.address
    );
    let gateway = crate::served::Served::start(folder.path(), &settings, |_| {});
    let url = format!("{}/news", gateway.address);
    for (version, more) in [("1.1", &[][..]), ("2", &["--http2"])] {
        let output = measured(
            || bench(&url, &[&["--seconds", "1", "--json"], more].concat()),
            |output| result(output)["cache"]["hit"].as_u64() > Some(0),
        );
        let result = result(&output);
        assert_eq!(result["http_version"], version);
        assert_eq!(result["errors"], json!({}), "{result}");
    }
    assert_eq!(shop.asked(), 1, "the page was rendered once");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().unwrap().port();
    let nobody = format!("http://127.0.0.1:{port}/");
    let error = refused(&bench(&nobody, &["--json"]), 1);
    assert!(
        error.contains(&format!("no connection to {nobody}")) && error.contains("does it run?"),
        "{error}"
    );
    for wrong in ["", "127.0.0.1:80", "/news", "ftp://a/", "http://me@a/"] {
        let error = refused(&bench(wrong, &[]), 1);
        assert!(error.contains("address"), "{error}");
    }
    for (arguments, expected) in [
        (&["--header", "no colon"][..], "is no header"),
        (&["--path-file", "no/such/file"], "no/such/file"),
        (&["--path-file", "/dev/null"], "holds no paths"),
    ] {
        let error = refused(&bench("http://127.0.0.1:1/", arguments), 1);
        assert!(error.contains(expected), "{error}");
    }
    for (name, value) in [("--connections", "0"), ("--seconds", "0"), ("--rate", "0"), ("--rate", "many")] {
        let error = refused(&bench("http://127.0.0.1:1/", &[name, value]), 2);
        assert!(error.contains(name), "{error}");
    }
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    writeln!(file, "/a\nhttp://elsewhere.example/b").unwrap();
    let error = refused(&bench("http://127.0.0.1:1/", &["--path-file", file.path().to_str().unwrap()]), 1);
    assert!(error.contains("line 2 of"), "{error}");
}

#[test]
fn what_is_no_http_is_told_and_nothing_answered_is_a_failure() {
    let other = StandIn::raw(|_| b"SSH-2.0-OpenSSH_9.9\r\n".to_vec());
    let error = refused(&bench(&other.address, &[]), 1);
    assert!(error.contains("gives no answer of HTTP"), "{error}");
    // It answers once and never again.
    let asked = std::sync::atomic::AtomicBool::new(false);
    let once = StandIn::raw(move |_| match asked.swap(true, std::sync::atomic::Ordering::SeqCst) {
        false => b"HTTP/1.1 204 Said\r\nconnection: close\r\n\r\n".to_vec(),
        true => Vec::new(),
    });
    let output = bench(&once.address, &["--connections", "1", "--seconds", "1"]);
    let error = refused(&output, 1);
    assert!(error.contains("nothing was answered"), "{error}");
    assert!(said(&output.stdout).contains("broken off: "), "{}", said(&output.stdout));
}
