//! A person with a browser in front of the demo's dashboard. Pictures of what was seen stay in the target folder.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

use crate::server::wait;

const MODULES: &str = "THEORY_BROWSER_NODE_MODULES";
const SKIP: &str = "THEORY_SKIP_BROWSER";
/// How long a person may take for everything: browsers are slow to start, and machines busy.
const PATIENCE: Duration = Duration::from_secs(240);

/// The demo without visitors: pages change only when the person changes them.
struct Demo {
    child: Child,
    told: Json,
}

impl Demo {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
        command.args(["demo", "--json", "--no-visitors", "--listen", "127.0.0.1:0"]);
        command.args(["--admin-listen", "127.0.0.1:0"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("the demo says where it is");
        let told = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        Self { child, told }
    }

    fn address(&self, name: &str) -> &str {
        self.told[name].as_str().unwrap_or_else(|| panic!("the demo does not say its {name}: {}", self.told))
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn in_the_demo_a_person_renders_a_page_again_and_rolls_it_back() {
    if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
        return;
    }
    assert!(
        std::env::var_os(MODULES).is_some(),
        "{MODULES} is not set: run `cargo xtask test`, which installs Chromium and puppeteer and sets it, or set {SKIP}=1"
    );
    let demo = Demo::start();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let visited = client.get(format!("{}/products/1", demo.address("gateway"))).send().await;
    assert!(visited.expect("an answer").status().is_success());

    let link = demo.address("dashboard");
    let token = link.split("#token=").nth(1).expect("the link brings the token along");
    let list =
        client.get(format!("{}/api/pages?prefix=/products/1", demo.address("admin"))).bearer_auth(token);
    let list = list.send().await.expect("an answer").bytes().await.expect("a list");
    let list: Json = serde_json::from_slice(&list).expect("a list of pages");
    let page = list["pages"][0]["url"].as_str().unwrap_or_else(|| panic!("the page is not kept: {list}"));

    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/dashboard.mjs");
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures/demo");
    let mut person = Command::new("node");
    person.arg(script).args(["--link", link, "--page", page, "--pictures"]).arg(pictures);
    let mut person = person.stdin(Stdio::null()).spawn().expect("node starts");
    let ended = wait(&mut person, PATIENCE);
    let _ = person.kill();
    assert!(ended.is_some_and(|status| status.success()), "see above what the person said: {ended:?}");
}
