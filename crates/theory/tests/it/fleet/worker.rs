//! A worker of the fleet: this test binary, started again with one test and its orders. It serves every page in a loop with a
//! slow origin, and writes down what happened, until it is ended.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use facetheory::render::{Render, RenderError, Rendered, Renderer};
use facetheory::{Bodies, Event, Isr, MetaStore, Observer, PageKey, State, Visit};
use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{Entropy as _, jittered};
use tokio::time::sleep;

use super::orders::{FleetPage, ORDERS, Orders, PAGES};
use crate::cache;
use crate::process;
use crate::said::Said;

const RENDER_MIN: Duration = Duration::from_millis(200);
const RENDER_MORE: Duration = Duration::from_millis(1300);
/// Visitors of one page at the same time.
const VISITORS: usize = 2;

#[test]
fn serves_pages_until_it_is_ended() {
    process::obey(ORDERS, work);
}

async fn work(orders: Orders) {
    let said = Said::to(&orders.said);
    process::check_clock(orders.skew, orders.now_ms);
    let db = cache::connect(&orders.endpoint).await;
    let isr = Isr::new(MetaStore::new(db), Bodies::folder(&orders.bodies).expect("a folder for bodies"));
    let isr = isr.with_observer(Arc::new(said.clone()));
    let origin: Arc<dyn Renderer> = Arc::new(Origin(orders.origin));
    let visitors = PAGES.iter().flat_map(|page| std::iter::repeat_n(*page, VISITORS));
    let visits: Vec<_> = visitors
        .map(|page| tokio::spawn(visit(isr.clone(), page, Arc::clone(&origin), said.clone())))
        .collect();
    for visit in visits {
        visit.await.expect("a visitor never panics");
    }
}

/// Visits a page again and again.
async fn visit(isr: Isr, page: FleetPage, origin: Arc<dyn Renderer>, said: Said) {
    let visit = Visit::to(page.key()).policy(page.policy());
    loop {
        match isr.serve(&visit, &origin).await {
            Ok(served) => {
                let content = String::from_utf8_lossy(served.body.bytes()).into_owned();
                said.line(&format!("served {} {} {content}", page.path, served.state));
                if let Some(later) = served.later {
                    tokio::spawn(later.run());
                }
            }
            Err(error) => said.line(&format!("failed {} {error}", page.path)),
        }
        sleep(jittered(Duration::from_millis(300), &SystemEntropy)).await;
    }
}

/// Renders the version that a file names, slowly.
struct Origin(PathBuf);

impl Renderer for Origin {
    fn render(&self, _: Render) -> facetheory::render::Rendering<'_> {
        Box::pin(async {
            // It is read first: what is published is as old as the moment at which the origin was asked.
            let version = std::fs::read_to_string(&self.0).map_err(|_| RenderError::new("no origin"))?;
            let more_us = SystemEntropy.bits() % (RENDER_MORE.as_micros() + 1);
            sleep(RENDER_MIN + Duration::from_micros(u64::try_from(more_us).unwrap_or(0))).await;
            Ok(Rendered::html(format!("version {version} drawn {:x}", SystemEntropy.bits())))
        })
    }
}

impl Observer for Said {
    fn saw(&self, page: Option<&PageKey>, event: &Event) {
        if *event != Event::Served(State::Hit) {
            let path = page.and_then(PageKey::page_path).map(String::from_utf8_lossy).unwrap_or_default();
            self.line(&format!("event {path} {}", event.name()));
        }
    }
}
