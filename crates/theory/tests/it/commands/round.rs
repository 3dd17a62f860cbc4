//! One whole round with the gateway itself: pages are visited, listed, rendered again, rolled back and purged; callers are counted,
//! requests remembered; the doctor looks at it while it runs.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};

use super::stand_in::{Answer, StandIn};
use super::{refused, theory, told};
use crate::server;

const PATIENCE: Duration = Duration::from_secs(60);

/// A running gateway and its folder.
struct Gateway {
    process: Child,
    listen: String,
    admin: String,
    folder: tempfile::TempDir,
}

impl Gateway {
    fn start(origin: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = format!(
            "listen = '127.0.0.1:0'\norigin = '{origin}'\n[admin]\nlisten = '127.0.0.1:0'\n\
             [[route]]\npath = '/news/{{id}}'\nkind = 'page'\nrevalidate = '1h'\nversions = true\ntags = ['news', 'news:{{id}}']\n\
             [[route]]\npath = '/orders'\nkind = 'pass'\nidempotency = true\n\
             [[route.rate_limits]]\nname = 'orders'\nlimit = '100/h log'\nby = 'address'\n"
        );
        std::fs::write(folder.path().join("theory.toml"), text).expect("a file is written");
        let mut command = clean(folder.path());
        command.args(["serve", "--json"]).stdout(Stdio::piped()).stdin(Stdio::null());
        let mut process = command.spawn().expect("the binary starts");
        let output = process.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // After the first line nobody listens.
                let _ = sender.send(line);
            }
        });
        let line = lines.recv_timeout(PATIENCE).unwrap_or_default();
        let told: Value = serde_json::from_str(&line).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let gateway = Self { process, listen: text(&told["listen"][0]), admin: text(&told["admin"]), folder };
        assert!(!gateway.admin.is_empty(), "it says where it is: {line}");
        gateway
    }

    /// A command that finds the token in the gateway's folder.
    fn ask(&self, arguments: &[&str]) -> Output {
        let mut command = clean(self.folder.path());
        command.args(arguments).args(["--admin", &self.admin]).output().expect("the binary starts")
    }

    /// What a command says in JSON.
    fn json(&self, arguments: &[&str]) -> Value {
        let text = told(&self.ask(&[arguments, &["--json"]].concat()));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The answer to a visitor.
    fn visit(&self, head: &str) -> String {
        let address = self.listen.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a span above zero");
        let request = format!("{head}\r\nhost: {address}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    fn page(&self, path: &str) -> String {
        let answer = self.visit(&format!("GET {path} HTTP/1.1"));
        answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or(answer)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The binary in a folder, with nothing of this machine's environment that it listens to.
fn clean(folder: &Path) -> Command {
    let mut command = theory();
    for name in
        ["THEORY_DATA", "THEORY_CONFIG", "THEORY_ORIGIN", "THEORY_LISTEN", "THEORY_STORE", "THEORY_BODIES"]
    {
        command.env_remove(name);
    }
    command.current_dir(folder);
    command
}

/// An application that counts its renders in the body.
fn application() -> (StandIn, Arc<AtomicU64>) {
    let renders = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&renders);
    let application = StandIn::open(move |asked| match asked.target.as_str() {
        "/sitemap.xml" => {
            let body = "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                        <url><loc>/news/8</loc></url><url><loc>/news/9</loc></url></urlset>";
            Answer { status: 200, kind: "application/xml", body: body.as_bytes().to_vec() }
        }
        "/orders" => Answer { status: 201, kind: "application/json", body: b"{}".to_vec() },
        "/news/bad" => Answer { status: 500, kind: "text/plain", body: Vec::new() },
        path => {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            Answer { status: 200, kind: "text/html", body: format!("{path} render {number}").into_bytes() }
        }
    });
    (application, renders)
}

#[test]
fn pages_are_listed_rendered_again_rolled_back_and_purged() {
    let (application, renders) = application();
    let gateway = Gateway::start(&application.address);
    assert_eq!(gateway.page("/news/1"), "/news/1 render 1");
    assert_eq!(gateway.page("/news/2"), "/news/2 render 2");
    assert_eq!(gateway.page("/news/1"), "/news/1 render 1");

    let listed = gateway.json(&["pages", "ls"]);
    let pages = listed["pages"].as_array().expect("pages are a list");
    assert_eq!((pages.len(), &listed["cursor"]), (2, &Value::Null), "{listed}");
    assert!(pages.iter().all(|page| page["state"] == "fresh" && page["status"] == 200), "{listed}");
    let table = told(&gateway.ask(&["pages", "ls", "/news/1"]));
    assert!(table.lines().count() == 2 && table.contains("news:1") && table.contains("/news/1"), "{table}");

    let outcome = gateway.json(&["pages", "revalidate", "/news/1"]);
    assert_eq!(outcome["outcome"], "published", "{outcome}");
    assert_eq!(gateway.page("/news/1"), "/news/1 render 3");
    let versions = gateway.json(&["pages", "versions", "/news/1"]);
    let versions = versions["versions"].as_array().expect("versions are a list");
    assert_eq!(versions.len(), 2);
    let old = versions.iter().find(|version| version["is_shown"] == false).expect("an older one");
    let old = old["id"].as_str().expect("a version has a name");
    told(&gateway.ask(&["pages", "rollback", "/news/1", "--to", old, "--hold", "1h"]));
    assert_eq!(gateway.page("/news/1"), "/news/1 render 1");
    let table = told(&gateway.ask(&["pages", "versions", "/news/1"]));
    assert!(table.lines().any(|line| line.starts_with(&format!("*  {old}"))), "{table}");
    assert!(told(&gateway.ask(&["pages", "show", "/news/1"])).contains("versions\n"));

    told(&gateway.ask(&["pages", "purge", "/news/2"]));
    let rendered = renders.load(Ordering::SeqCst);
    assert_eq!(gateway.page("/news/2"), format!("/news/2 render {}", rendered + 1));
    told(&gateway.ask(&["pages", "revalidate", "--tag", "news"]));
    let stale = gateway.json(&["pages", "ls", "--state", "stale"]);
    assert_eq!(stale["pages"].as_array().map(Vec::len), Some(2), "{stale}");
    told(&gateway.ask(&["pages", "purge", "--all", "--yes"]));
    let error = refused(&gateway.ask(&["pages", "rollback", "/news/1", "--to", "no-such-version"]), 1);
    assert!(error.contains("version"), "{error}");
    let error = refused(&gateway.ask(&["pages", "show", "/orders"]), 1);
    assert!(error.starts_with("error: ") && error.contains("/orders"), "{error}");
}

#[test]
fn pages_are_warmed_from_a_list_and_a_sitemap() {
    let (application, renders) = application();
    let gateway = Gateway::start(&application.address);
    let told_warm = told(&gateway.ask(&["pages", "warm", "/news/1", "/news/2"]));
    assert!(told_warm.starts_with("2 pages in "), "{told_warm}");
    told(&gateway.ask(&["pages", "warm", "--sitemap", "/sitemap.xml"]));
    assert_eq!(renders.load(Ordering::SeqCst), 4);
    gateway.page("/news/9");
    assert_eq!(renders.load(Ordering::SeqCst), 4, "it was warm");
    let error = refused(&gateway.ask(&["pages", "warm", "/news/1", "/orders"]), 1);
    assert!(error.contains("failed /orders"), "{error}");
}

#[test]
fn callers_are_counted_and_requests_remembered() {
    let (application, _) = application();
    let mut gateway = Gateway::start(&application.address);
    let order = "POST /orders HTTP/1.1\r\nidempotency-key: order-1";
    for _ in 0..3 {
        let answer = gateway.visit(order);
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
    let top = gateway.json(&["limits", "top"]);
    let consumer =
        top["consumers"].as_array().and_then(|top| top.first()).unwrap_or_else(|| panic!("{top}")).clone();
    assert_eq!((&consumer["policy"], &consumer["asked"]), (&json!("orders"), &json!(3)), "{top}");
    let id = consumer["id"].as_str().expect("a caller has a name");
    let shown = gateway.json(&["limits", "show", "orders", id]);
    assert_eq!(shown["limits"][0]["used"], 3, "{shown}");
    told(&gateway.ask(&["limits", "reset", "orders", id]));
    assert_eq!(gateway.json(&["limits", "show", "orders", id])["limits"][0]["used"], 0);

    let requests = gateway.json(&["requests", "ls"]);
    let request = requests["requests"][0].clone();
    assert_eq!(
        (requests["requests"].as_array().map(Vec::len), &request["code"]),
        (Some(1), &json!(201)),
        "{requests}"
    );
    let id = request["id"].as_str().expect("a request has a name");
    assert_eq!(gateway.json(&["requests", "show", id])["id"], id);
    told(&gateway.ask(&["requests", "forget", id]));
    assert_eq!(gateway.json(&["requests", "ls"])["requests"], json!([]));
    assert_eq!(gateway.json(&["leases"])["leases"], json!([]));

    // A gateway that runs has its folder, and the doctor knows it.
    let admin = gateway.admin.trim_start_matches("http://").to_owned();
    let output = clean(gateway.folder.path())
        .args(["doctor", "--admin-listen", &admin])
        .output()
        .expect("the binary starts");
    let findings = told(&output);
    assert!(
        findings.contains("a gateway answers at") && findings.contains("in use by the running gateway"),
        "{findings}"
    );
    let error =
        refused(&clean(gateway.folder.path()).args(["tables", "ls"]).output().expect("the binary starts"), 1);
    assert!(error.contains("in use by another process"), "{error}");

    // Its folder can be looked at when it has ended.
    let stopped = Command::new("kill").args(["-TERM", &gateway.process.id().to_string()]).status();
    assert!(stopped.is_ok_and(|status| status.success()));
    assert!(server::wait(&mut gateway.process, PATIENCE).is_some_and(|status| status.success()));
    let tables =
        told(&clean(gateway.folder.path()).args(["tables", "ls"]).output().expect("the binary starts"));
    assert!(tables.contains("facetheory-cache") && tables.contains("idempotency"), "{tables}");
}
