//! The quick ways past the long one: a page that this process has at hand, and a render that nobody keeps.

use std::sync::Arc;

use crate::error::Error;
use crate::event::{Event, State};
use crate::freshness::Plan;
use crate::isr::Isr;
use crate::render::Renderer;
use crate::visit::{Served, Visit};

impl Isr {
    /// What `answer` makes of the page, if this process knows it to be fresh and has its body in memory. Never waits and never
    /// renders. If there is nothing, or `answer` makes nothing of it, the visit was none, and [`serve`](Self::serve) says what comes of it.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use facetheory::render::{Render, Rendered, Renderer};
    /// # use facetheory::{Bodies, Isr, MetaStore, PageKey, State, Visit};
    /// # use tabletheory::Db;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let meta = MetaStore::new(Db::memory());
    /// # meta.create_table().await?;
    /// let isr = Isr::new(meta, Bodies::memory());
    /// let origin: Arc<dyn Renderer> = Arc::new(|_: Render| async { Ok(Rendered::html("<h1>News")) });
    /// let news = Visit::to(PageKey::path("/news"));
    /// assert!(isr.at_hand(&news, |served| Some(served.state)).is_none());
    /// isr.serve(&news, &origin).await?;
    /// assert_eq!(isr.at_hand(&news, |served| Some(served.state)), Some(State::Hit));
    /// # Ok::<(), facetheory::Error>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_hand<T>(&self, visit: &Visit, answer: impl FnOnce(&Served) -> Option<T>) -> Option<T> {
        let inner = &*self.inner;
        if !visit.is_cacheable() || visit.policy.check().is_err() {
            return None;
        }
        let now = inner.moment();
        let known =
            inner.known.get(&visit.key).filter(|known| known.is_recent(now, inner.settings.meta_cache))?;
        if !matches!(known.plan(now.wall, &visit.policy), Plan::Serve | Plan::Negative) {
            return None;
        }
        let page = known.page.as_ref()?;
        let kept = page.kept()?;
        let body = inner.bodies.cached(&kept.pointer, kept.stored.as_ref())?;
        let page = Arc::clone(page);
        let served = Served { state: State::Hit, age: page.age(now.wall), page, body, later: None };
        let answered = answer(&served)?;
        inner.served(&visit.key, State::Hit);
        Some(answered)
    }

    /// Renders a page for one visitor, past the cache: nothing of it is kept, whatever it says, and nothing that is kept is
    /// looked at.
    ///
    /// # Errors
    /// If the page could not be rendered.
    pub async fn preview(&self, visit: &Visit, renderer: &Arc<dyn Renderer>) -> Result<Served, Error> {
        visit.policy.check()?;
        let served = self.inner.pass_alone(visit, &**renderer).await;
        match &served {
            Ok(served) => self.inner.served(&visit.key, served.state),
            Err(_) => self.inner.tell(&visit.key, &Event::Refused),
        }
        served
    }
}
