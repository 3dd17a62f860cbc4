//! Who serves pages, and how each is started.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::bare_hyper::BARE_HYPER;
use super::nginx::Sending;
use super::ours::Keeps;
use super::page::Page;
use super::{next, nginx, ours, varnish, wrk};
use crate::args::Plan;
use crate::server::Server;

/// nginx is measured with one worker, so whoever runs on tokio gets one too.
const WORKERS: (&str, &str) = ("TOKIO_WORKER_THREADS", "1");

/// A server of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Ours,
    BareHyper,
    Nginx,
    NginxSendfile,
    Varnish,
    Next,
}

/// In front of whom it stands, and how.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    /// The port of the origin.
    pub(crate) origin: u16,
    /// For how long pages are fresh.
    pub(crate) fresh_s: u64,
    /// Where ours keeps them.
    pub(crate) keeps: Keeps<'a>,
    /// How many bytes the page has with which a server shows that it is there.
    pub(crate) first_bytes: usize,
}

impl Entry {
    pub(crate) const ALL: [Self; 6] =
        [Self::Ours, Self::BareHyper, Self::Nginx, Self::NginxSendfile, Self::Varnish, Self::Next];

    /// As it stands in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "theory serve",
            Self::BareHyper => "bare hyper",
            Self::Nginx => "nginx",
            Self::NginxSendfile => "nginx, sendfile",
            Self::Varnish => "varnish",
            Self::Next => "Next.js",
        }
    }

    /// Who of these takes part, and who is missing and why: a table that lacks a peer has to say so.
    pub(crate) fn present(plan: &Plan, wanted: &[Self]) -> Result<(Vec<Self>, Vec<String>)> {
        wrk::ensure_present()?;
        let (mut entries, mut absent) = (Vec::new(), Vec::new());
        for entry in wanted {
            match entry.why_absent(plan) {
                None => entries.push(*entry),
                Some(reason) => absent.push(format!("{} takes no part: {reason}", entry.name())),
            }
        }
        for line in &absent {
            eprintln!("!! {line}");
        }
        Ok((entries, absent))
    }

    /// Why it takes no part, if it does not.
    fn why_absent(self, plan: &Plan) -> Option<String> {
        if plan.skips(self.name()) {
            return Some("it was to be skipped".to_owned());
        }
        let lacks = |program: &str| (!starts(program)).then(|| format!("`{program}` is not on the path"));
        match self {
            Self::Ours if plan.theory.is_none() => Some("nobody said where it is (--theory)".to_owned()),
            Self::Ours | Self::BareHyper => None,
            Self::Nginx | Self::NginxSendfile => lacks(nginx::PROGRAM),
            Self::Varnish => lacks(varnish::PROGRAM),
            Self::Next if plan.next.is_none() => Some("nobody said where it is (--next)".to_owned()),
            Self::Next => lacks("node"),
        }
    }

    /// Its page of so many bytes.
    pub(crate) fn page(self, bytes: usize) -> Page {
        match self {
            Self::Next => next::page(bytes),
            _ => Page::of_origin(bytes),
        }
    }

    /// Starts it in an empty folder of its own.
    pub(crate) fn start(self, plan: &Plan, home: &Path, scene: &Scene<'_>) -> Result<Server> {
        let first = self.page(scene.first_bytes).request();
        let server = Server::start(home, &first, |address| {
            let mut command = match self {
                Self::Ours => {
                    let theory = plan.theory.as_deref().context("nobody said where it is")?;
                    ours::command(theory, home, (address, scene.origin), scene.fresh_s, scene.keeps)?
                }
                Self::BareHyper => {
                    let mut command = Command::new(std::env::current_exe()?);
                    command.args([BARE_HYPER, &address.port().to_string()]);
                    command
                }
                Self::Nginx => nginx::command(home, address, scene.origin, Sending::Default)?,
                Self::NginxSendfile => nginx::command(home, address, scene.origin, Sending::Sendfile)?,
                Self::Varnish => varnish::command(home, address, scene.origin)?,
                Self::Next => {
                    next::command(plan.next.as_deref().context("nobody said where it is")?, address)
                }
            };
            command.env(WORKERS.0, WORKERS.1);
            Ok(command)
        });
        server.with_context(|| format!("cannot start {}", self.name()))
    }
}

/// Whether there is such a program; what it says to that does not matter.
fn starts(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("-v").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}
