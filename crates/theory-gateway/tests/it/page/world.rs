//! One site with one page route, and an application that writes down what it is asked, byte for byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use facetheory::{Bodies, Isr, IsrSettings, MetaStore, Policy};
use http::{HeaderName, Request, Response, Uri};
use http_body_util::BodyExt;
use parking_lot::Mutex;
use tabletheory::testing::TestStore;
use tabletheory_core::{ManualClock, Seconds, Timestamp};
use theory_gateway::answer::Body;
use theory_gateway::asked::Asked;
use theory_gateway::edge::Peer;
use theory_gateway::origin::Origin;
use theory_gateway::page::{PagePlace, Pages, SiteAtWork};
use theory_gateway::settings::{
    Chosen, EdgeLimits, Host, KeyRule, OriginSettings, PageRoute, Scheme, Secret, Site,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

pub(crate) const PREVIEW_SECRET: &str = "s3cr3t-of-previews";

/// What the application says to a request with this head, as it goes over the wire.
type Script = dyn Fn(&str) -> String + Send + Sync;

/// The application.
pub(crate) struct Application {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Application {
    async fn start(script: Arc<Script>, gate: Arc<Semaphore>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let written = Arc::clone(&heads);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(talk(stream, Arc::clone(&script), Arc::clone(&gate), Arc::clone(&written)));
            }
        });
        Self { address, heads, task }
    }

    /// What it was asked, in order.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().clone()
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn talk(
    mut stream: TcpStream,
    script: Arc<Script>,
    gate: Arc<Semaphore>,
    heads: Arc<Mutex<Vec<String>>>,
) {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let Ok(byte) = stream.read_u8().await else { return };
            head.push(byte);
        }
        let head = String::from_utf8(head).unwrap();
        heads.lock().push(head.clone());
        let Ok(pass) = gate.acquire().await else { return };
        drop(pass);
        if stream.write_all(script(&head).as_bytes()).await.is_err() {
            return;
        }
    }
}

/// An answer as it goes over the wire.
pub(crate) fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: text/html\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
}

/// The site.
pub(crate) struct World {
    pub(crate) pages: Arc<Pages>,
    pub(crate) place: Arc<PagePlace>,
    pub(crate) application: Application,
    pub(crate) clock: Arc<ManualClock>,
    /// Requests that the application answers pass here.
    pub(crate) gate: Arc<Semaphore>,
}

/// A route whose key has two parameters, a header and a cookie.
pub(crate) fn route() -> PageRoute {
    PageRoute {
        policy: Arc::new(Policy::fresh_for(Seconds(60))),
        key: KeyRule {
            query: Chosen::These(vec!["page".into(), "f_*".into()]),
            headers: vec![http::header::ACCEPT_LANGUAGE],
            cookies: vec!["theme".into()],
        },
        bypass: vec![HeaderName::from_static("x-draft")],
        tags: vec!["posts".into(), "post:{slug}".into()],
        tag_header: Some(HeaderName::from_static("cache-tag")),
        follow_origin: true,
    }
}

impl World {
    pub(crate) async fn new(script: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self::with(route(), script).await
    }

    pub(crate) async fn with(
        route: PageRoute,
        script: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        let gate = Arc::new(Semaphore::new(1000));
        let application = Application::start(Arc::new(script), Arc::clone(&gate)).await;
        let mut origin =
            OriginSettings::new(Uri::try_from(format!("http://{}", application.address)).unwrap());
        origin.head_wait = Duration::from_secs(5);
        origin.scheme = Scheme::Https;
        let site = Site {
            name: "blog".into(),
            hosts: vec![Host::Exact("example.com".into()), Host::Any],
            tenant: None,
            origin: origin.clone(),
            routes: Vec::new(),
        };
        let site = Arc::new(SiteAtWork::new(&site, Origin::new(&origin).unwrap()));
        let place = Arc::new(PagePlace::new(site, "/blog/{slug}", Arc::new(route)).unwrap());
        // The store removes by the same clock what has expired, whatever the machine's clock says.
        let store = TestStore::new();
        let clock = store.clock();
        clock.set(Timestamp::from_seconds(1_800_000_000));
        let meta = MetaStore::new(store.db());
        meta.create_table().await.unwrap();
        // What was read is believed until the clock of these tests moves.
        let settings = IsrSettings { meta_cache: Duration::from_secs(3600), ..IsrSettings::default() };
        let isr = Isr::new(meta, Bodies::memory()).with_settings(settings);
        let pages = Arc::new(Pages::new(isr, Some(Secret::new(PREVIEW_SECRET))));
        Self { pages, place, application, clock, gate }
    }

    pub(crate) async fn get(&self, target: &str) -> Seen {
        self.send("GET", target, &[]).await
    }

    pub(crate) async fn send(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Seen {
        self.send_to("example.com", method, target, headers).await
    }

    pub(crate) async fn send_to(
        &self,
        host: &str,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
    ) -> Seen {
        let (head, asked) = request(host, method, target, headers);
        Seen::of(self.pages.answer(&self.place, &asked, &head, false).await.unwrap()).await
    }
}

/// A request as it comes from the edge.
pub(crate) fn request(
    host: &str,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
) -> (http::request::Parts, Asked) {
    let mut request = Request::builder().method(method).uri(target).header("host", host);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (head, ()) = request.body(()).unwrap().into_parts();
    let asked = Asked::read(&head, &Peer::plain(([192, 0, 2, 1], 1).into()), &EdgeLimits::default()).unwrap();
    (head, asked)
}

/// An answer as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    async fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let text = |(name, value): (&HeaderName, &http::HeaderValue)| {
            (name.to_string(), value.to_str().unwrap().to_owned())
        };
        let mut headers: Vec<_> = parts.headers.iter().map(text).collect();
        headers.sort();
        Self {
            status: parts.status.as_u16(),
            headers,
            body: body.collect().await.unwrap().to_bytes().to_vec(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The header's value; empty if it is not there. It must not stand there twice.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut values = self.headers.iter().filter(|(other, _)| other == name).map(|(_, value)| value);
        let value = values.next().map_or("", String::as_str);
        assert!(values.next().is_none(), "{name} stands twice in {self:?}");
        value
    }

    pub(crate) fn state(&self) -> &str {
        self.header("x-facetheory-isr")
    }
}
