//! What readers see. Every word that somebody else wrote is escaped.

use crate::model::{Article, Comment};

/// The front page, newest first.
pub(crate) fn front(articles: &[Article]) -> String {
    let line = |article: &Article| {
        let (slug, title) = (escaped(&article.slug), escaped(&article.title));
        format!("<li><a href=\"/news/{slug}\">{title}</a> <time>{}</time></li>\n", article.published)
    };
    let list: String = articles.iter().map(line).collect();
    document("News", &format!("<h1>News</h1>\n<ul>\n{list}</ul>\n"))
}

/// An article with its comments, oldest first.
pub(crate) fn article(article: &Article, comments: &[Comment]) -> String {
    let line = |comment: &Comment| {
        format!("<li><b>{}</b> {}</li>\n", escaped(&comment.name), escaped(&comment.text))
    };
    let list: String = comments.iter().map(line).collect();
    let (slug, title, text) = (escaped(&article.slug), escaped(&article.title), escaped(&article.text));
    document(
        &title,
        &format!("<h1>{title}</h1>\n<p>{text}</p>\n<h2>Comments</h2>\n<ul>\n{list}</ul>\n{}", form(&slug)),
    )
}

/// There is no such article.
pub(crate) fn nothing() -> String {
    document("News", "<h1>There is no such article</h1>\n")
}

/// The browser makes the key, because the page is the same for all readers; and makes it once, so that a second click on a slow
/// connection is the same comment.
fn form(slug: &str) -> String {
    format!(
        "<form id=\"form\"><input name=\"name\" placeholder=\"Your name\" required> <input name=\"text\" placeholder=\"Your comment\" required>\n\
         <button>Send</button> <output id=\"said\"></output></form>\n\
         <script>\n\
         const key = crypto.randomUUID();\n\
         form.onsubmit = async (event) => {{\n  \
           event.preventDefault();\n  \
           const comment = JSON.stringify(Object.fromEntries(new FormData(form)));\n  \
           const headers = {{ \"content-type\": \"application/json\", \"idempotency-key\": key }};\n  \
           const answer = await fetch(\"/news/{slug}/comments\", {{ method: \"POST\", headers, body: comment }});\n  \
           said.value = answer.ok ? \"Thank you.\" : `Not sent: ${{answer.status}}`;\n\
         }};\n\
         </script>\n"
    )
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <body style=\"max-width: 40em; margin: 2em auto; font-family: serif\">\n{body}</body>\n</html>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
