//! All of it, started and stopped: stores are opened, sockets bound, tasks begun; and ended in the other order.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use limited::SecretKey;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tabletheory_core::Clock;
use tabletheory_core::sys::SystemClock;
use tabletheory_engine::EngineError;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};

use crate::admin::{self, Admin, Components, Whereabouts};
use crate::cache::HttpCache;
use crate::config::{TokenError, needs_restart, settle};
use crate::door::Doors;
use crate::edge::{self, Listener, Tls, TlsError};
use crate::gateway::Gateway;
#[cfg(feature = "otlp")]
use crate::otlp::Exporting;
use crate::page::Pages;
use crate::settings::{BodyPlace, Listen, Secret, Settings, StorePlace};
use crate::sites::Sites;
use crate::stores::Stores;
use crate::telemetry::Telemetry;

pub use crate::sites::SitesError;
pub use crate::stores::StoresError;

/// How long work beside answers gets at least after the last connection.
const WRITING_DOWN: Duration = Duration::from_secs(1);
/// How often applications with a path for it are asked whether they are well, at most.
const PROBE_TICK: Duration = Duration::from_secs(1);

/// Why a gateway does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Stores cannot be opened.
    #[error(transparent)]
    Stores(#[from] StoresError),
    /// Sites cannot be put to work.
    #[error(transparent)]
    Sites(#[from] SitesError),
    /// An address cannot be listened on.
    #[error("cannot listen on {address}; is it in use? Choose another")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A certificate cannot be used.
    #[error("the certificate {} cannot be used", chain.display())]
    Tls {
        /// Its file.
        chain: PathBuf,
        /// Why.
        source: TlsError,
    },
    /// There is no token for operators.
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// A gateway that runs.
#[derive(Debug)]
pub struct Running {
    gateway: Arc<Gateway>,
    stores: Stores,
    telemetry: Arc<Telemetry>,
    settings: Mutex<Settings>,
    certificates: Vec<Arc<Tls>>,
    addresses: Vec<SocketAddr>,
    admin: Option<(SocketAddr, Secret)>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
    #[cfg(feature = "otlp")]
    exporting: Option<Exporting>,
}

impl Running {
    /// Starts a gateway.
    ///
    /// # Errors
    /// If something that the settings name cannot be used. Then nothing runs.
    pub async fn start(settings: Settings) -> Result<Self, RunError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let telemetry = Telemetry::new(Arc::clone(&clock));
        // Sockets first: an address in use is the most frequent mistake, and costs nothing to find.
        let mut listeners = Vec::new();
        let mut certificates = Vec::new();
        for listen in &settings.listen {
            listeners.push(bind(listen, &mut certificates).await?);
        }
        let operators = match &settings.admin {
            Some(admin) => Some((listen_on(admin.listen).await?, settle(&admin.token)?)),
            None => None,
        };
        let stores = Stores::open(&settings, Arc::clone(&telemetry) as _).await?;
        let sites =
            Sites::new(&settings, &Sites::default(), &doors(&stores, &settings, &telemetry), &telemetry)?;
        let pages = Pages::new(stores.isr.clone(), settings.preview.clone());
        let cache = HttpCache::new(settings.memory.http_cache, clock);
        let gateway = Arc::new(Gateway::new(sites, pages, cache, &telemetry, settings.edge.clone()));

        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        let mut addresses = Vec::new();
        for (listener, address) in listeners {
            addresses.push(address);
            tasks.spawn(edge::serve(listener, Arc::clone(&gateway), settings.edge.clone(), stopped.clone()));
        }
        let parts = components(&settings, &stores, &telemetry, &gateway);
        #[cfg(feature = "otlp")]
        let exporting = exporting(&settings, &parts);
        let mut reached = None;
        if let Some(((listener, address), token)) = operators {
            let admin = Admin::new(address, token.clone(), parts);
            tasks.spawn(admin::serve(listener, admin, stopped.clone()));
            reached = Some((address, token));
        }
        tasks.spawn(until(stopped.clone(), count(Arc::clone(&telemetry))));
        tasks.spawn(until(stopped.clone(), probe(Arc::clone(&gateway))));
        tasks.spawn(until(stopped, sweep(stores.isr.clone(), settings.sweep_every)));
        Ok(Self {
            gateway,
            stores,
            telemetry,
            settings: Mutex::new(settings),
            certificates,
            addresses,
            admin: reached,
            stop,
            tasks,
            #[cfg(feature = "otlp")]
            exporting,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where operators reach it, and what they must show.
    #[must_use]
    pub fn admin(&self) -> Option<(SocketAddr, &Secret)> {
        self.admin.as_ref().map(|(address, token)| (*address, token))
    }

    /// What it has counted.
    #[must_use]
    pub fn telemetry(&self) -> &Arc<Telemetry> {
        &self.telemetry
    }

    /// Takes up what can be changed while it runs: sites, routes, limits, certificates. Requests under way end as they began. Says what
    /// differs besides, and needs a restart.
    ///
    /// # Errors
    /// If the new settings cannot be used. Then everything stays as it was.
    pub fn reload(&self, new: Settings) -> Result<Vec<&'static str>, RunError> {
        let mut settings = self.settings.lock();
        let rest = needs_restart(&settings, &new);
        // What needs a restart stays as it is, everywhere.
        let (sites, trusted_proxies) = (new.sites, new.trusted_proxies);
        let next = Settings { sites, trusted_proxies, ..settings.clone() };
        let doors = doors(&self.stores, &next, &self.telemetry);
        let sites = Sites::new(&next, &self.gateway.sites(), &doors, &self.telemetry)?;
        for certificate in &self.certificates {
            let chain = || certificate.files().chain.clone();
            certificate.reload().map_err(|source| RunError::Tls { chain: chain(), source })?;
        }
        self.gateway.replace_sites(sites);
        *settings = next;
        Ok(rest)
    }

    /// Stops: no new connection is taken, running requests end within the time they have, and what was written is on the disk.
    ///
    /// # Errors
    /// If a write of the embedded engine did not reach the disk.
    pub async fn stop(self) -> Result<(), EngineError> {
        #[cfg(feature = "otlp")]
        let exporting = self.exporting;
        let Self { gateway, stores, settings, stop, mut tasks, .. } = self;
        let end = Instant::now() + settings.into_inner().edge.drain_max;
        // Tasks that are gone do not need to hear it.
        let _ = stop.send(true);
        while tasks.join_next().await.is_some() {}
        // Connections have had the same time. What ended with them may still be writing down how.
        let end = end.max(Instant::now() + WRITING_DOWN);
        if timeout_at(end, gateway.pages().settled()).await.is_err() {
            let running = gateway.pages().running();
            tracing::warn!(running, "renders and requests were still running and are given up");
        }
        #[cfg(feature = "otlp")]
        if let Some(exporting) = exporting {
            exporting.end().await;
        }
        drop(gateway);
        stores.close()
    }
}

/// Doors that know callers by the same names in the whole fleet.
fn doors(stores: &Stores, settings: &Settings, telemetry: &Arc<Telemetry>) -> Doors {
    let key = SecretKey::new(Sha256::digest(settings.caller_secret.reveal()).into());
    let (limiter, requests) = (stores.limiter.clone(), stores.requests.clone());
    Doors::new(limiter, requests, &settings.trusted_proxies, key, settings.edge.body_bytes_max)
        .with_telemetry(Arc::clone(telemetry))
}

async fn listen_on(address: SocketAddr) -> Result<(TcpListener, SocketAddr), RunError> {
    let refused = |source| RunError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    Ok((listener, bound))
}

async fn bind(listen: &Listen, certificates: &mut Vec<Arc<Tls>>) -> Result<(Listener, SocketAddr), RunError> {
    let (socket, address) = listen_on(listen.address).await?;
    let mut listener = Listener::new(socket);
    if let Some(files) = &listen.certificate {
        let tls = Tls::open(files.clone())
            .map_err(|source| RunError::Tls { chain: files.chain.clone(), source })?;
        certificates.push(Arc::clone(&tls));
        listener = listener.with_tls(tls);
    }
    Ok((listener, address))
}

fn components(
    settings: &Settings,
    stores: &Stores,
    telemetry: &Arc<Telemetry>,
    gateway: &Arc<Gateway>,
) -> Components {
    let tables = &settings.tables;
    Components {
        isr: stores.isr.clone(),
        limiter: stores.limiter.clone(),
        requests: stores.requests.clone(),
        tasks: gateway.pages().tasks().clone(),
        telemetry: Arc::clone(telemetry),
        backstage: Arc::clone(gateway) as _,
        store: match &settings.store {
            StorePlace::Memory => somewhere("memory".to_owned()),
            StorePlace::Embedded { folder, .. } => in_folder(folder),
            StorePlace::DynamoDb { endpoint: Some(endpoint), .. } => {
                somewhere(format!("DynamoDB at {endpoint}"))
            }
            StorePlace::DynamoDb { region: Some(region), .. } => somewhere(format!("DynamoDB in {region}")),
            StorePlace::DynamoDb { .. } => somewhere("DynamoDB".to_owned()),
        },
        tables: vec![tables.cache.clone(), tables.limits.clone(), tables.requests.clone()],
        bodies: match &settings.bodies {
            BodyPlace::Memory => somewhere("memory".to_owned()),
            BodyPlace::Folder(folder) => in_folder(folder),
            BodyPlace::S3 { bucket, prefix, .. } => somewhere(format!("s3://{bucket}/{prefix}")),
        },
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// Whoever tells the collector of these settings. Figures are worth no gateway that does not start.
#[cfg(feature = "otlp")]
fn exporting(settings: &Settings, parts: &Components) -> Option<Exporting> {
    let collector = settings.otlp.as_ref()?;
    let exporting = Exporting::start(collector, parts.clone());
    exporting
        .inspect_err(
            |error| tracing::warn!(collector = %collector.metrics, %error, "no collector is told figures"),
        )
        .ok()
}

fn somewhere(place: String) -> Whereabouts {
    Whereabouts { place, folder: None }
}

fn in_folder(folder: &Path) -> Whereabouts {
    Whereabouts { place: folder.display().to_string(), folder: Some(folder.to_owned()) }
}

/// Work without an end, until the gateway stops.
async fn until(mut stopped: watch::Receiver<bool>, work: impl Future<Output = ()>) {
    tokio::select! {
        // A sender that is gone means the same as its word.
        _ = stopped.wait_for(|is_stopped| *is_stopped) => {}
        () = work => {}
    }
}

async fn count(telemetry: Arc<Telemetry>) {
    let mut seconds = interval(Duration::from_secs(1));
    seconds.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        seconds.tick().await;
        telemetry.tick();
    }
}

/// Asks applications that have a path for it whether they are well. One that is silent keeps no other waiting.
async fn probe(gateway: Arc<Gateway>) {
    let mut ticks = interval(PROBE_TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut tick: u64 = 0;
    let mut asked = FuturesUnordered::new();
    loop {
        tokio::select! {
            _ = ticks.tick() => tick += 1,
            Some(()) = asked.next() => continue,
        }
        let sites = gateway.sites();
        let due = sites.all().iter().filter(|front| {
            let origin = &front.settings.origin;
            origin.health_path.is_some() && tick.is_multiple_of(origin.health_every.as_secs().max(1))
        });
        for front in due {
            let front = Arc::clone(front);
            asked.push(async move { front.origin.probe().await });
        }
    }
}

async fn sweep(isr: facetheory::Isr, every: Duration) {
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first is at once, and a start is no time to read everything.
    ticks.tick().await;
    loop {
        ticks.tick().await;
        if let Err(error) = isr.sweep().await {
            tracing::warn!(%error, "bodies that nothing names could not be removed; the next sweep tries again");
        }
    }
}
