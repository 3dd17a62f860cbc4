//! A gateway in front of a scripted application.

use std::net::SocketAddr;

use theory_gateway::config::{Document, Flags, read};
use theory_gateway::run::Running;
use theory_gateway::settings::Settings;

/// A gateway, and somebody who asks it.
pub(super) struct World {
    pub(super) gateway: Running,
    pub(super) client: reqwest::Client,
}

impl World {
    /// A gateway in front of this application; `more` is what the settings say besides.
    pub(super) async fn start(application: SocketAddr, more: &str) -> Self {
        let gateway = Running::start(settings(application, more)).await.unwrap();
        Self { gateway, client: reqwest::Client::new() }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.gateway.addresses()[0]
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    pub(super) async fn get(&self, path: &str) -> reqwest::Response {
        self.client.get(self.url(path)).send().await.unwrap()
    }
}

/// The settings of a gateway in memory on a free port.
pub(super) fn settings(application: SocketAddr, more: &str) -> Settings {
    let text = format!(
        "listen = '127.0.0.1:0'\nadmin = {{listen = 'off'}}\nstore = {{kind = 'memory'}}\n{}\n",
        more.replace("ORIGIN", &format!("http://{application}"))
    );
    let document = Document::new("theory.toml", "", text);
    read(&document, &Flags::default(), &|_| None).unwrap_or_else(|error| panic!("{error}")).settings
}

/// One header of an answer.
pub(super) fn header<'a>(answer: &'a reqwest::Response, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}
