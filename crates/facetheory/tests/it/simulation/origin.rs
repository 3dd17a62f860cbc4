//! The origin: pages whose versions grow by edits, and renders that are slow, fail, hang, are cut off, or meant for one
//! visitor. Everything it ever answered is remembered, so that any body can be judged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use facetheory::render::{Render, RenderError, Rendered, Renderer, Rendering};
use facetheory::{PageKey, Tenant};
use http::{HeaderValue, StatusCode, header};
use parking_lot::Mutex;
use tabletheory_core::Timestamp;

use super::stage::Stage;

/// The tags that pages have.
pub(super) const TAGS: [&str; 2] = ["even", "odd"];
/// How many pages there are.
pub(super) const PAGES: usize = 6;

/// One page of the site.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) key: PageKey,
    pub(super) tenant: Option<Tenant>,
    pub(super) path: &'static str,
    pub(super) tag: &'static str,
}

/// One answer of the origin.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) place: usize,
    pub(super) version: u64,
    /// When its content was read.
    pub(super) read_at: Timestamp,
    pub(super) body: Bytes,
    /// For which visitor it was made.
    pub(super) visitor: u64,
    pub(super) is_whole: bool,
    pub(super) is_private: bool,
    pub(super) is_head: bool,
}

#[derive(Debug)]
pub(super) struct Origin {
    stage: Arc<Stage>,
    pub(super) places: Vec<Place>,
    versions: [AtomicU64; PAGES],
    answers: Mutex<Vec<Answer>>,
    /// The lease that renders are measured by, in milliseconds.
    lease_ms: u64,
}

/// How a render goes.
enum Mood {
    Good,
    NotFound,
    Fails,
    ServerError { is_private: bool },
    Truncated,
    Private,
    Hangs,
}

impl Origin {
    pub(super) fn new(stage: &Arc<Stage>, lease_ms: u64) -> Arc<Self> {
        let tenants = [None, Some("acme"), Some("acme-2")];
        let places = (0..PAGES).map(|at| {
            let tenant: Option<Tenant> = tenants[at % 3].map(|name| name.parse().unwrap());
            let (path, tag) = (["/news", "/shop"][at / 3], TAGS[at % 2]);
            let key = match &tenant {
                None => PageKey::path(path),
                Some(tenant) => PageKey::path(path).tenant(tenant.clone()),
            };
            Place { key, tenant, path, tag }
        });
        Arc::new(Self {
            stage: Arc::clone(stage),
            places: places.collect(),
            versions: Default::default(),
            answers: Mutex::default(),
            lease_ms,
        })
    }

    pub(super) fn edit(&self, place: usize) {
        self.versions[place].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn version(&self, place: usize) -> u64 {
        self.versions[place].load(Ordering::Relaxed)
    }

    /// Who renders for this visitor.
    pub(super) fn renderer(self: &Arc<Self>, visitor: u64) -> Arc<dyn Renderer> {
        Arc::new(ForVisitor { origin: Arc::clone(self), visitor })
    }

    /// The answer with this entity tag.
    pub(super) fn answer(&self, etag: &str) -> Option<Answer> {
        let at: usize = etag.trim_matches('"').parse().ok()?;
        self.answers.lock().get(at).cloned()
    }

    fn mood(&self) -> Mood {
        if !self.stage.is_troubled() {
            return Mood::Good;
        }
        match self.stage.roll(100) {
            0..=4 => Mood::Fails,
            5..=8 => Mood::ServerError { is_private: self.stage.chance(50) },
            9..=12 => Mood::Truncated,
            13..=17 => Mood::Private,
            18..=19 => Mood::Hangs,
            20..=23 => Mood::NotFound,
            _ => Mood::Good,
        }
    }

    /// A tenth of the lease to four times the lease, mostly short.
    fn takes(&self) -> Duration {
        if !self.stage.is_troubled() {
            return Duration::from_millis(200);
        }
        let tenth = self.lease_ms / 10;
        match self.stage.roll(10) {
            0 => self.stage.span(tenth, 4 * self.lease_ms),
            1..=3 => self.stage.span(tenth, self.lease_ms),
            _ => self.stage.span(20, 2 * tenth),
        }
    }

    async fn render(self: Arc<Self>, render: Render, visitor: u64) -> Result<Rendered, RenderError> {
        let place = self.places.iter().position(|place| place.key == render.key).unwrap();
        let (mood, takes) = (self.mood(), self.takes());
        self.stage.count("renders");
        // What is read early and answered late is the harder case.
        let (version, read_at) = (self.version(place), self.stage.now());
        tokio::time::sleep(takes).await;
        match mood {
            Mood::Fails => {
                self.stage.count("renders that fail");
                return Err(RenderError::new("the origin closed the connection"));
            }
            Mood::Hangs => {
                self.stage.count("renders that hang");
                std::future::pending::<()>().await;
            }
            _ => {}
        }
        let (is_private, is_whole) = match &mood {
            Mood::Private => (true, true),
            Mood::ServerError { is_private } => (*is_private, true),
            Mood::Truncated => (false, false),
            _ => (false, true),
        };
        let is_head = render.method == http::Method::HEAD;
        let is_whole = is_whole || is_head;
        let text = format!("{:?} version {version} for {visitor} {:->200}", render.key, "end");
        let body = match (is_head, is_whole) {
            (true, _) => Bytes::new(),
            (false, true) => Bytes::from(text.clone()),
            (false, false) => Bytes::from(text[..text.len() / 2].to_owned()),
        };
        let etag = {
            let mut answers = self.answers.lock();
            let body = body.clone();
            answers.push(Answer { place, version, read_at, body, visitor, is_whole, is_private, is_head });
            format!("\"{}\"", answers.len() - 1)
        };
        let mut rendered = Rendered::html(body).tagged(self.places[place].tag);
        rendered.headers.insert(header::ETAG, HeaderValue::try_from(etag).unwrap());
        rendered.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(text.len()));
        self.dress(&mut rendered, &mood, is_private);
        Ok(rendered)
    }

    fn dress(&self, rendered: &mut Rendered, mood: &Mood, is_private: bool) {
        match mood {
            Mood::ServerError { .. } => {
                self.stage.count("renders with a server error");
                rendered.status = StatusCode::INTERNAL_SERVER_ERROR;
            }
            Mood::NotFound => {
                self.stage.count("renders that find nothing");
                rendered.status = StatusCode::NOT_FOUND;
            }
            Mood::Truncated => self.stage.count("renders that are cut off"),
            Mood::Private => self.stage.count("renders for one visitor"),
            Mood::Good | Mood::Fails | Mood::Hangs => {}
        }
        if is_private {
            rendered.headers.insert(header::SET_COOKIE, HeaderValue::from_static("session=1"));
        }
    }
}

/// The origin, asked for one visitor.
struct ForVisitor {
    origin: Arc<Origin>,
    visitor: u64,
}

impl Renderer for ForVisitor {
    fn render(&self, render: Render) -> Rendering<'_> {
        Box::pin(Arc::clone(&self.origin).render(render, self.visitor))
    }
}
