//! Pages of a function: answered from the cache by the gateway's own code, and rendered again before the answer or elsewhere,
//! because after the answer the process stands still.

mod sent;

use std::convert::Infallible;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use facetheory::{Intent, Isr, PageKey, Regenerated};
use http::{Request, Response, Uri};
use matchit::Router;
use theory_gateway::answer::Body;
use theory_gateway::asked::Asked;
use theory_gateway::edge::Peer;
use theory_gateway::page::{Later, PagePlace, Pages as Cache, Unkeepable};
use theory_gateway::settings::EdgeLimits;
use theory_synth::metric;
use tokio::time::Instant;
use tower_service::Service;

use crate::application::{Application, Unanswered, read};
use crate::error::{BoxError, told};
use crate::figures::Figures;
use crate::message::{self, MessageError, RegenerationMessage};
use crate::process::Process;
use crate::queue::{Regeneration, RegenerationQueue};
use crate::refusal::{BROKEN, TOO_LONG};
use crate::time::{Time, before};

use sent::Sent;

/// For so long a visitor of a stale page waits for its render, unless something else is said. REST APIs answer 504 after 29 seconds.
const AWAITED_MAX: Duration = Duration::from_secs(10);

/// The pages of a site and the application behind them, as a `tower` service. [`Site`](crate::Site) makes it. Clones are the same.
#[derive(Clone)]
pub struct Pages(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    cache: Arc<Cache>,
    places: Router<Arc<PagePlace>>,
    application: Arc<dyn Application>,
    regeneration: Regeneration,
    awaited_max: Duration,
    sent: Sent,
    time: Time,
    figures: Figures,
    limits: EdgeLimits,
}

/// Why a message was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegenerateError {
    /// It asks for nothing that could be rendered.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The cache failed.
    #[error("the page cannot be rendered again")]
    Cache(#[from] facetheory::Error),
    /// Another renders the page, and may die before its end: whoever keeps the message brings it again.
    #[error("another renders the page, and has not published it yet")]
    UnderWay,
}

impl Pages {
    pub(crate) fn new(
        cache: Cache,
        places: Router<Arc<PagePlace>>,
        application: Arc<dyn Application>,
        process: &Process,
    ) -> Self {
        Self(Arc::new(Inner {
            cache: Arc::new(cache),
            places,
            application,
            regeneration: Regeneration::Await,
            awaited_max: AWAITED_MAX,
            sent: Sent::default(),
            time: process.time().clone(),
            figures: process.figures().clone(),
            limits: EdgeLimits::default(),
        }))
    }

    /// With another way to render stale pages.
    #[must_use]
    pub fn regenerating(mut self, regeneration: Regeneration) -> Self {
        Arc::make_mut(&mut self.0).regeneration = regeneration;
        self
    }

    /// With another bound than ten seconds for the render that the visitor of a stale page waits for. Whatever came of it, the visitor then
    /// gets the page that was there. A page that takes longer to render stays stale until a queue renders it, or nobody may be served
    /// the old one any more.
    #[must_use]
    pub fn awaiting_at_most(mut self, bound: Duration) -> Self {
        Arc::make_mut(&mut self.0).awaited_max = bound;
        self
    }

    /// Renders a page because a message asks for it. A message is done when the page is another than the one that was found stale,
    /// whoever rendered it.
    ///
    /// # Errors
    /// If it asks for nothing that could be rendered, the store does not answer, or another is at work and has not published yet.
    pub async fn regenerate(&self, message: &RegenerationMessage) -> Result<Regenerated, RegenerateError> {
        let head = message.request().map_err(|_| MessageError::NotAPage)?;
        let asked = self.0.asked(&head).map_err(|_| MessageError::NotAPage)?;
        let place = self.0.places.at(asked.path()).map_err(|_| MessageError::NotAPage)?.value;
        let visit = place.visit(&asked, &head.headers).map_err(|_| MessageError::NotAPage)?;
        let isr = self.0.cache.isr();
        if !stands(isr, visit.key(), message.id()).await? {
            return Ok(Regenerated::LeftToOthers);
        }
        let digest = visit.key().digest();
        let intent = Intent::from_message_id(message.id()).with_inputs(&[digest.as_bytes()]);
        let visit = visit.intent(intent);
        let regenerated = isr.regenerate(&visit, place.renderer())?.run().await;
        if regenerated == Regenerated::LeftToOthers && stands(isr, visit.key(), message.id()).await? {
            return Err(RegenerateError::UnderWay);
        }
        Ok(regenerated)
    }
}

/// Whether a page is still the one that was found stale.
async fn stands(isr: &Isr, page: &PageKey, id: &str) -> Result<bool, facetheory::Error> {
    let look = isr.meta().get(&isr.meta().partition(page)?).await?;
    let now = look.meta.and_then(|meta| message::id(page, &facetheory::Page::of(&meta)));
    Ok(now.as_deref() == Some(id))
}

impl Inner {
    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let (mut head, body) = request.into_parts();
        let asked = match self.asked(&head) {
            Ok(asked) => asked,
            Err(refusal) => return refusal.into(),
        };
        // What is decided by and what the application is asked are the same text.
        head.uri = Uri::from(asked.target().clone());
        if let Ok(found) = self.places.at(asked.path())
            && self.cache.is_for_page(found.value, &asked, &head.headers)
        {
            match self.cache.answer_alone(found.value, &asked, &head, !body.is_empty()).await {
                Ok((answer, None)) => return answer,
                Ok((answer, Some(later))) => {
                    self.do_later(&asked, later).await;
                    return answer;
                }
                Err(Unkeepable) => {}
            }
        }
        match self.application.ask(Request::from_parts(head, body)).await {
            Ok(answer) => answer.map(Body::whole),
            Err(error) => {
                tracing::error!(path = asked.path(), %error, "a request was not answered");
                let refusal = if error == Unanswered::TooLong { TOO_LONG } else { BROKEN };
                refusal.into()
            }
        }
    }

    fn asked(&self, head: &http::request::Parts) -> Result<Asked, theory_gateway::refusal::Refusal> {
        let nobody = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let address = head.extensions.get::<SocketAddr>().copied().unwrap_or(nobody);
        let peer = Peer { is_secure: true, ..Peer::plain(address) };
        Asked::read(head, &peer, &self.limits)
    }

    /// Renders a stale page, or has it rendered. Nothing of this concerns the visitor, whose answer is there.
    async fn do_later(&self, asked: &Asked, later: Later) {
        if let Regeneration::Queue(queue) = &self.regeneration {
            let message = RegenerationMessage::of(later.visit().key(), asked.host(), later.page());
            match self.hand_over(&**queue, message.as_ref()).await {
                Ok(()) => return,
                Err(why) => {
                    self.figures.add(metric::REGENERATION_NOT_QUEUED, 1);
                    tracing::warn!(path = asked.path(), %why, "the queue did not take a page, so it is rendered here");
                }
            }
        }
        if !self.time.allows_render() {
            tracing::info!(
                path = asked.path(),
                "a stale page is left to its next visitor: there is no time left"
            );
            return;
        }
        // The answer is there, and whoever stands between us and the visitor may wait for less than the invocation lasts.
        let awaited = Instant::now() + self.awaited_max;
        let bound = self.time.bounds().map_or(awaited, |bounds| bounds.calls.min(awaited));
        match before(Some(bound), later.run()).await {
            Some(regenerated) => {
                tracing::debug!(path = asked.path(), ?regenerated, "a stale page was rendered")
            }
            None => tracing::warn!(path = asked.path(), "a stale page could not be rendered in time"),
        }
    }

    async fn hand_over(
        &self,
        queue: &dyn RegenerationQueue,
        message: Option<&RegenerationMessage>,
    ) -> Result<(), BoxError> {
        let message = message.ok_or("its key is no text")?;
        if self.sent.is_known(message.id()) {
            return Ok(());
        }
        let bound = self.time.bounds().map(|bounds| bounds.renders);
        let sending = before(bound, queue.send(message)).await;
        sending.ok_or("there was no time")?.map_err(|error| told(&*error))?;
        self.sent.note(message.id());
        Ok(())
    }
}

impl<B> Service<Request<B>> for Pages
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            Ok(match read(request).await {
                Ok(request) => inner.answer(request).await,
                Err(error) => {
                    tracing::error!(error = told(&*error), "the body of a request could not be read");
                    BROKEN.into()
                }
            })
        })
    }
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("regeneration", &self.0.regeneration).finish_non_exhaustive()
    }
}
