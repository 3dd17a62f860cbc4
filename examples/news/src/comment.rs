//! Comments: written once, in one transaction with the answer to whoever sent them.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::StatusCode;
use http::header::RETRY_AFTER;
use idempotent::Attempt;
use serde::{Deserialize, Serialize};
use tabletheory::error::TransactionFailure;
use tabletheory::{Db, Error};

use crate::model::{Article, Comment, is_slug, now};
use crate::pages::Pages;

const BYTES_MAX: usize = 2_000;

/// What a reader sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct NewComment {
    name: String,
    text: String,
}

/// `POST /news/{slug}/comments`.
pub(crate) async fn add(
    State(pages): State<Pages>,
    Extension(attempt): Extension<Attempt>,
    Path(article): Path<String>,
    Json(NewComment { name, text }): Json<NewComment>,
) -> Response {
    if !is_slug(&article) {
        return (StatusCode::NOT_FOUND, "there is no such article\n").into_response();
    }
    let is_said = |word: &str| !word.trim().is_empty() && word.len() <= BYTES_MAX;
    if !is_said(&name) || !is_said(&text) {
        let advice = format!("`name` and `text` have to say something in at most {BYTES_MAX} bytes\n");
        return (StatusCode::UNPROCESSABLE_ENTITY, advice).into_response();
    }
    let id = format!("{:032x}", pages.db.entropy().bits());
    let comment = Comment { article, written: now(&pages.db), id, name, text };
    match record(&pages.db, &attempt, &comment).await {
        Ok(Some(answer)) => {
            // The comment is there whatever becomes of this: without the purge it shows when the page's minute is over.
            if let Err(error) = pages.commented(&comment.article).await {
                eprintln!("a page was not purged: {error:#}");
            }
            answer
        }
        Ok(None) => (StatusCode::NOT_FOUND, "there is no such article\n").into_response(),
        Err(error) => {
            eprintln!("a comment was not confirmed: {error:#}");
            (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "1")]).into_response()
        }
    }
}

/// The comment and the answer are written together, if the article is there: nothing if it is not.
async fn record(db: &Db, attempt: &Attempt, comment: &Comment) -> anyhow::Result<Option<Response>> {
    let answer = idempotent::Response::new(201, "thank you\n")?.with_header("content-type", "text/plain");
    let completion = attempt.completion(&answer).await?;
    let article = Article::key(comment.article.as_str());
    let write =
        db.transact().check(article, Article::TITLE.exists()).with(db.create(comment)).with(completion);
    match write.await {
        Ok(()) => Ok(Some(http::Response::from(answer).map(axum::body::Body::from))),
        Err(Error::TransactionFailed(failure)) if is_about_the_article(&failure) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether it was the check of the article that failed: it stands first.
fn is_about_the_article(failure: &TransactionFailure) -> bool {
    failure.first().is_some_and(|(place, _)| place == 0)
}
