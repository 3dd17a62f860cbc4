//! A news site as a function of AWS Lambda. Articles are rendered by an ordinary `axum` router; around it, the pages are kept in
//! DynamoDB and S3 and rendered once for all processes, and readers are limited by their address. The same function reads the
//! queue of pages that are to be rendered again, if there is one, and sweeps what nothing names when a schedule says so.

mod article;

use anyhow::Context;
use axum::Router;
use axum::routing::get;
use facetheory::{Isr, Policy};
use limited::{ClientAddress, Identity, Limiter, RateLimitLayer, RateLimitRule};
use tabletheory::Db;
use tabletheory::core::Seconds;
use theory_lambda::{BoxError, Function, PageRoute, Pages, Process, Regeneration, Site};
use tower_layer::Layer;

pub use article::Article;

/// The application: it renders articles, wherever it runs.
pub fn app(db: Db) -> Router {
    let about = || async { "A news site. Articles are at /news/{slug}.\n" };
    Router::new().route("/news/{slug}", get(article::show)).route("/", get(about)).with_state(db)
}

/// The application with its articles kept as pages.
///
/// # Errors
/// If the routes cannot be used.
pub fn pages(
    process: &Process,
    db: Db,
    isr: Isr,
    regeneration: Regeneration,
    fresh_for: Seconds,
) -> Result<Pages, theory_lambda::Error> {
    // A process that is killed in the middle of a render keeps others waiting for as long as its lease.
    let policy = Policy { lease: Seconds(4), ..Policy::fresh_for(fresh_for) };
    let site = Site::new("news").page("/news/{slug}", PageRoute::new(policy));
    Ok(site.serve(process, isr, app(db))?.regenerating(regeneration))
}

/// Initialises the function: once for each process.
///
/// # Errors
/// If the environment lacks something.
pub async fn init(process: Process) -> Result<Function, BoxError> {
    println!("initialised");
    let db = process.db().await?;
    let (isr, regeneration) = (process.isr(&db)?, process.regeneration().await?);
    let pages = pages(&process, db.clone(), isr.clone(), regeneration, fresh_for()?)?;
    let per_address = limited::Policy::new("address", ["50/s burst 100".parse()?])?;
    let limits = RateLimitLayer::new(Limiter::new(db), ClientAddress::socket())
        .rule(RateLimitRule::new(per_address, Identity::address()));
    Ok(Function::http(process.counted(limits).layer(pages.clone())).regenerations(pages).sweeping(isr))
}

/// How long articles are fresh: a minute, unless the environment says otherwise.
fn fresh_for() -> anyhow::Result<Seconds> {
    match std::env::var("SITE_FRESH_SECONDS") {
        Ok(seconds) => {
            Ok(Seconds(seconds.parse().context("SITE_FRESH_SECONDS has to be a number of seconds")?))
        }
        Err(_) => Ok(Seconds(60)),
    }
}
