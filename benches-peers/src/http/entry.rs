//! Who takes part over HTTP, and how each is started.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::bare_hyper::BARE_HYPER;
use super::dialog::Filler;
use super::load::{self, CONNECTIONS};
use super::request;
use crate::args::Plan;
use crate::contender::Contender;
use crate::dynoxide::{self, Dynoxide};
use crate::record::Record;
use crate::server::Server;

/// The first argument of the child that is dynoxide's server.
pub(crate) const DYNOXIDE_SERVER: &str = "--dynoxide-server";

/// A server, and what it promises about its writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    Ours,
    DynoxideMemory,
    DynoxideFile,
    LocalMemory,
    /// Not a peer: what hyper costs alone.
    BareHyper,
}

impl Entry {
    /// Those that keep tables.
    pub(crate) const ENDPOINTS: [Self; 4] =
        [Self::Ours, Self::DynoxideMemory, Self::DynoxideFile, Self::LocalMemory];

    /// As it stands in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours, sync",
            Self::DynoxideMemory => "dynoxide, memory",
            Self::DynoxideFile => "dynoxide, file",
            Self::LocalMemory => "DynamoDB Local, memory",
            Self::BareHyper => "bare hyper",
        }
    }

    /// Whether this run was told where to find it.
    pub(crate) fn is_here(self, plan: &Plan) -> bool {
        match self {
            Self::Ours => plan.theory.is_some(),
            Self::DynoxideMemory | Self::DynoxideFile | Self::BareHyper => true,
            Self::LocalMemory => plan.dynamodb_local.is_some(),
        }
    }

    /// Starts it in an empty folder of its own, without a table.
    pub(crate) fn start(self, plan: &Plan, home: &Path) -> Result<Server> {
        let own = std::env::current_exe()?;
        let data = home.join("data");
        let first = request::list_tables();
        let started = match self {
            Self::Ours => {
                let theory = plan.theory.as_deref().context("nobody said where `theory` is")?;
                Server::start(home, &first, |address| Ok(theory_command(theory, address, &data)))
            }
            Self::DynoxideMemory => {
                Server::start(home, &first, |address| Ok(dynoxide_command(&own, address, None)))
            }
            Self::DynoxideFile => {
                let file = dynoxide::file(home);
                Server::start(home, &first, |address| Ok(dynoxide_command(&own, address, Some(&file))))
            }
            Self::LocalMemory => {
                let folder = plan.dynamodb_local.as_deref().context("nobody said where DynamoDB Local is")?;
                Server::start(home, &first, |address| Ok(local_command(folder, address)))
            }
            Self::BareHyper => {
                Server::start(home, &first, |address| Ok(bare_hyper_command(&own, address, plan.items)))
            }
        };
        started.with_context(|| format!("cannot start {}", self.name()))
    }

    /// Starts it with a table of this many items.
    pub(crate) fn open(self, plan: &Plan, home: &Path, items: u64) -> Result<Server> {
        let records = (0..items).map(Record::numbered);
        if self == Self::DynoxideFile {
            // Over HTTP it would sync every one of them by itself, which takes minutes; its own import does not.
            Dynoxide::open(home)?.load(&mut { records })?;
            return self.start(plan, home);
        }
        let server = self.start(plan, home)?;
        if self == Self::BareHyper {
            return Ok(server);
        }
        server.call(&request::create_table())?;
        load::run(server.address(), Filler::share(records, CONNECTIONS), None)
            .with_context(|| format!("{} cannot be filled", self.name()))?;
        Ok(server)
    }
}

fn theory_command(theory: &Path, address: SocketAddr, data: &Path) -> Command {
    let mut command = Command::new(theory);
    command.args(["dynamodb", "--durability", "sync", "--addr", &address.to_string(), "--data"]).arg(data);
    command
}

fn dynoxide_command(own: &Path, address: SocketAddr, file: Option<&Path>) -> Command {
    let mut command = Command::new(own);
    command.args([DYNOXIDE_SERVER, &address.port().to_string()]).args(file);
    command
}

fn bare_hyper_command(own: &Path, address: SocketAddr, items: u64) -> Command {
    let mut command = Command::new(own);
    command.args([BARE_HYPER, &address.port().to_string(), &items.to_string()]);
    command
}

fn local_command(folder: &Path, address: SocketAddr) -> Command {
    let mut command = Command::new("java");
    command
        .current_dir(folder)
        .arg(format!("-Djava.library.path={}", folder.join("DynamoDBLocal_lib").display()))
        .args(["-jar", "DynamoDBLocal.jar", "-inMemory", "-port", &address.port().to_string()]);
    command
}

/// What the child does that is dynoxide's server: the same as its own program, on the runtime of `#[tokio::main]`. It is
/// compiled here for speed, while its own release profile asks for small code.
pub(crate) fn dynoxide_server(words: &[String]) -> Result<()> {
    let (port, database) = match words {
        [port] => (port, ::dynoxide::Database::memory()?),
        [port, file] => (port, ::dynoxide::Database::new(file)?),
        _ => bail!("{DYNOXIDE_SERVER} wants a port and perhaps a file"),
    };
    let port: u16 = port.parse().context("a port is a number")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match runtime.block_on(::dynoxide::server::start("127.0.0.1", port, database)) {
        Ok(()) => Ok(()),
        Err(message) => bail!("dynoxide's server: {message}"),
    }
}
