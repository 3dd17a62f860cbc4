//! `theory serve` in front of an application, and what its visitors and operators say to it.

use std::process::Command;
use std::time::Duration;

use reqwest::Client;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::server::Server;

const TOKEN: &str = "a-token-for-the-operators";

/// A running gateway.
pub(super) struct Gateway {
    visitors: String,
    operators: String,
    client: Client,
    _server: Server,
    _folder: TempDir,
}

/// What it answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    headers: reqwest::header::HeaderMap,
    pub(super) body: String,
}

impl Answer {
    /// The value of a header, empty if there is none.
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("headers are text"))
    }
}

impl Gateway {
    /// Starts one in front of this application: articles are pages, everything else is passed.
    pub(super) fn start(app: &Server) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("theory.toml");
        let settings = format!(
            "origin = '{}'\nlisten = '127.0.0.1:0'\n[store]\nkind = 'memory'\n[admin]\nlisten = '127.0.0.1:0'\n\
             [[route]]\npath = '/news/{{slug}}'\nrevalidate = '1h'\ntags = ['article-{{slug}}']\ntag_header = 'cache-tag'\n\
             query = []\n",
            app.address
        );
        std::fs::write(&file, settings).expect("a file can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
        command.args(["serve", "--json", "--config"]).arg(&file).env("THEORY_ADMIN_TOKEN", TOKEN);
        let server = Server::start(&mut command, "");
        let told: Json = serde_json::from_str(&server.address).expect("it says in JSON where it is");
        let address = |told: &Json| told.as_str().expect("an address").to_owned();
        let (visitors, operators) = (address(&told["listen"][0]), address(&told["admin"]));
        let client = Client::builder().no_proxy().build().expect("a client");
        Self { visitors, operators, client, _server: server, _folder: folder }
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await
    }

    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let url = format!("{}{path}", self.visitors);
        let mut request = self.client.request(method.parse().expect("a method"), url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !body.is_empty() {
            request = request.header("content-type", "text/plain; charset=utf-8").body(body.to_owned());
        }
        let answer = request.send().await.expect("the gateway answers");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Answer { status, headers, body: answer.text().await.expect("the answer is whole") }
    }

    /// Asks for a page until it contains `text`: the new one is rendered beside the answer.
    pub(super) async fn until(&self, path: &str, text: &str) {
        for _ in 0..500 {
            if self.get(path).await.body.contains(text) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{path} never contains {text:?}");
    }

    /// What an operator does.
    pub(super) async fn operate(&self, path: &str, what: &Json) -> Json {
        let url = format!("{}{path}", self.operators);
        let request = self.client.post(url).bearer_auth(TOKEN).header("content-type", "application/json");
        let answer = request.body(what.to_string()).send().await.expect("the gateway answers");
        let status = answer.status();
        let said = answer.text().await.expect("the answer is whole");
        assert!(status.is_success(), "{path} {what}: {said}");
        serde_json::from_str(&said).expect("JSON")
    }
}
