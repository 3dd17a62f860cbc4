//! The editors' desk: articles are published and edited here, and what was rendered of them goes.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use tabletheory::Db;

use crate::model::{Article, is_slug, now};
use crate::pages::Pages;

/// A real site would look keys up, and compare their hashes.
const KEY: &str = "Bearer editor-key";

/// What an editor sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Edition {
    title: String,
    text: String,
}

/// `PUT /news/{slug}`: publishes an article, or edits it.
pub(crate) async fn publish(
    State(pages): State<Pages>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Json(edition): Json<Edition>,
) -> Response {
    if headers.get(AUTHORIZATION).is_none_or(|given| given != KEY) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if !is_slug(&slug) {
        let advice = format!("`{slug}` cannot name an article: use up to 80 small letters, digits and `-`\n");
        return (StatusCode::UNPROCESSABLE_ENTITY, advice).into_response();
    }
    match edit(&pages.db, &slug, edition).await {
        Ok(article) => match pages.edited(&slug).await {
            Ok(()) => (StatusCode::OK, format!("version {}\n", article.version)).into_response(),
            Err(error) => unconfirmed(&error.into()),
        },
        Err(error) => unconfirmed(&error),
    }
}

/// Two editors at once do not overwrite each other: the second is told, and asks again.
async fn edit(db: &Db, slug: &str, Edition { title, text }: Edition) -> anyhow::Result<Article> {
    Ok(match db.get(Article::key(slug)).await? {
        Some(article) => db.save(&Article { title, text, ..article }).await?,
        None => {
            let published = now(db);
            db.create(&Article { slug: slug.to_owned(), title, text, published, version: 0 }).await?
        }
    })
}

/// Whoever asks again does no harm: the article is saved, and purged, once more.
fn unconfirmed(error: &anyhow::Error) -> Response {
    eprintln!("an article was not confirmed: {error:#}");
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")]).into_response()
}
