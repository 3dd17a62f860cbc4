//! Articles, and how they are rendered.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use tabletheory::{Db, Model};

/// An article.
#[derive(Model, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[model(table = "articles", table_env("ARTICLES_TABLE_NAME"))]
pub struct Article {
    /// Its name in addresses.
    #[model(pk)]
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// How long it takes to render, because some do: with figures, quotations, a search for what is related.
    #[model(default)]
    pub render_ms: u64,
}

/// Renders an article. It knows nothing of caches: it is asked once for all who read it.
pub(crate) async fn show(State(db): State<Db>, Path(slug): Path<String>) -> Response {
    match db.get(Article::key(slug)).await {
        Ok(Some(article)) => {
            tokio::time::sleep(Duration::from_millis(article.render_ms)).await;
            Html(format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(&article.title), escaped(&article.text)))
                .into_response()
        }
        Ok(None) => (StatusCode::NOT_FOUND, Html("<h1>There is no such article</h1>\n")).into_response(),
        Err(error) => {
            eprintln!("an article was not read: {error:#}");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
