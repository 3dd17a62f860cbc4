//! The rows of the site, in one table. An article and its comments share a partition, so one query reads both; an index has
//! the articles by time.

use jiff::Timestamp;
use tabletheory::{Db, Entities, Model};

/// An article.
#[derive(Model, Debug, Clone, PartialEq, Eq)]
#[model(table = "news", table_env = "NEWS_TABLE", pk = "ARTICLE#{slug}", sk = "ARTICLE")]
#[model(index(name = "newest", pk = "ARTICLES", sk = "{published}"))]
pub struct Article {
    /// Its name in addresses.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// When it was first published.
    pub published: Timestamp,
    /// Counts the edits, so that two editors do not overwrite each other.
    #[model(version)]
    pub version: u64,
}

/// What a reader says about an article.
#[derive(Model, Debug, Clone, PartialEq, Eq)]
#[model(table = "news", table_env = "NEWS_TABLE", pk = "ARTICLE#{article}", sk = "COMMENT#{written}#{id}")]
pub struct Comment {
    /// About which article.
    pub article: String,
    /// When.
    pub written: Timestamp,
    /// Keeps apart what is written in one moment.
    pub id: String,
    /// Who says it.
    pub name: String,
    /// What.
    pub text: String,
}

/// What stands in the partition of an article.
#[derive(Entities, Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// The article itself.
    Article(Article),
    /// What is said about it.
    Comment(Comment),
}

/// Now, as this database has it.
pub(crate) fn now(db: &Db) -> Timestamp {
    Timestamp::from_millisecond(db.clock().now().millis()).unwrap_or(Timestamp::MAX)
}

/// Whether this can be the name of an article in addresses: up to 80 small letters, digits and `-`.
#[must_use]
pub fn is_slug(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=80).contains(&text.len()) && text.bytes().all(fits)
}
