//! Answers that are not kept: for methods that change something, and for the hour when the store is gone.

use std::sync::Arc;

use tabletheory_core::{Seconds, Timestamp};

use crate::body::Bodies;
use crate::error::Error;
use crate::event::{Event, State};
use crate::flight::Joined;
use crate::isr::Inner;
use crate::outcome::Passed;
use crate::page::Page;
use crate::render::{Refusal, Render, RenderError, Rendered, Renderer, Verdict, ask, is_for_all, judge};
use crate::underway::Underway;
use crate::visit::{Served, Visit};

impl Inner {
    /// Renders for one visitor.
    pub(crate) async fn pass_alone(&self, visit: &Visit, renderer: &dyn Renderer) -> Result<Served, Error> {
        let generated = self.now();
        let rendered = self.render_once(visit, renderer).await.map_err(Error::Render)?;
        Ok(passed(&self.bodies, &rendered, generated))
    }

    /// Renders once for all who ask now and may share the answer.
    pub(crate) async fn pass_together(
        self: &Arc<Self>,
        visit: &Visit,
        renderer: &Arc<dyn Renderer>,
    ) -> Result<Served, Error> {
        if visit.method == http::Method::HEAD {
            // Its answer has no body, which whoever joined would miss.
            return self.pass_alone(visit, &**renderer).await;
        }
        let begin = || {
            let (inner, visit, renderer) = (Arc::clone(self), visit.clone(), Arc::clone(renderer));
            async move {
                let generated = inner.now();
                match inner.render_once(&visit, &*renderer).await {
                    Err(reason) => Passed::Failed(reason),
                    Ok(rendered) => match judge(&visit.method, &rendered, &visit.policy) {
                        Verdict::Keep { .. } => Passed::ForAll(Arc::new(rendered), generated),
                        // When the origin fails too, it is not asked once more by each who waits.
                        Verdict::Failed(_) if is_for_all(&rendered) => {
                            Passed::ForAll(Arc::new(rendered), generated)
                        }
                        _ => Passed::ForOne(Arc::new(rendered), generated),
                    },
                }
            }
        };
        let Joined { flight, is_first } = self.passes.join(&visit.key, begin);
        match flight.await {
            Passed::ForAll(rendered, generated) => Ok(passed(&self.bodies, &rendered, generated)),
            Passed::ForOne(rendered, generated) if is_first => Ok(passed(&self.bodies, &rendered, generated)),
            Passed::ForOne(..) => self.pass_alone(visit, &**renderer).await,
            Passed::Failed(reason) => Err(Error::Render(reason)),
        }
    }

    async fn render_once(&self, visit: &Visit, renderer: &dyn Renderer) -> Result<Rendered, RenderError> {
        let underway = Underway::begin(self, &visit.key);
        let render = Render::new(&visit.key, visit.method.clone());
        let rendered = ask(renderer, render, visit.policy.render_max).await;
        // Half a body is worse than none.
        let rendered = rendered.and_then(|rendered| match judge(&visit.method, &rendered, &visit.policy) {
            Verdict::Failed(Refusal::Incomplete) => Err(RenderError::new(Refusal::Incomplete.as_str())),
            _ => Ok(rendered),
        });
        let took = underway.end();
        let event = match &rendered {
            Ok(_) => Event::Rendered { took },
            Err(reason) if reason.is_unkeepable() => Event::Rendered { took },
            Err(reason) => Event::RenderFailed { took, why: reason.to_string() },
        };
        self.tell(&visit.key, &event);
        rendered
    }
}

/// An answer that is not kept.
pub(crate) fn passed(bodies: &Bodies, rendered: &Rendered, generated: Timestamp) -> Served {
    Served {
        state: State::Uncached,
        page: Arc::new(Page::passed(rendered, generated)),
        body: bodies.unkept(rendered.body.clone()),
        age: Seconds(0),
        later: None,
    }
}
