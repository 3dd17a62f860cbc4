//! A news site in one process and one table. Its front page and its articles are kept as pages: rendered once for all readers,
//! served stale while they are rendered again, purged when somebody edits. Comments are limited by address, and one that is
//! sent again, by a browser that lost the answer, appears once.

mod comment;
mod desk;
mod html;
mod limits;
pub mod model;
mod pages;

use axum::Router;
use axum::routing::{get, post, put};
use facetheory::Isr;
use idempotent::{Idempotency, IdempotencyLayer, Scope};
use limited::Limiter;
use tabletheory::Db;

use model::{Article, Comment};
use pages::Pages;

/// The site: articles and comments in this database, rendered pages in this cache. Tables that are missing are made.
///
/// # Errors
/// If a table cannot be made.
pub async fn app(db: Db, isr: Isr) -> anyhow::Result<Router> {
    db.table::<Article>().and::<Comment>().ensure().await?;
    isr.meta().create_table().await?;
    let limiter = Limiter::new(db.clone());
    limiter.create_table().await?;
    let requests = Idempotency::new(db.clone());
    requests.create_table().await?;

    // Readers have no names here, so a key belongs to an address. Where people sign in, it would belong to them.
    let once = IdempotencyLayer::new(requests, |parts| {
        let address = limits::peer(parts)?.to_string();
        Some(Scope::route(&parts.method, parts.uri.path()).tenant("news").principal(address))
    });
    // The last layer that is added is the first that a request meets: who is over the limit claims no key.
    let comments = Router::new()
        .route("/news/{slug}/comments", post(comment::add))
        .route_layer(once.require_key())
        .route_layer(limits::comments(limiter)?);
    Ok(Router::new()
        .route("/", get(pages::front))
        .route("/news/{slug}", get(pages::article))
        .route("/news/{slug}", put(desk::publish))
        .merge(comments)
        .with_state(Pages::new(db, isr)))
}
