//! A document as a tree in which every node knows its place in the text. YAML and JSON are read into it and written from it.

/// A place in a text, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A node of a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) place: Option<Place>,
    pub(super) content: Content,
}

/// What a node is: what JSON has, with numbers as they are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Null,
    Flag(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// Levels of a document, at most.
pub(super) const LEVELS_MAX: usize = 32;

/// Bytes of a document, at most.
pub(super) const BYTES_MAX: usize = 1 << 20;

impl Node {
    pub(super) fn new(content: Content) -> Self {
        Self { place: None, content }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::new(Content::Text(text.into()))
    }

    pub(super) fn texts<'t>(texts: impl IntoIterator<Item = &'t String>) -> Self {
        Self::new(Content::List(texts.into_iter().map(Self::text).collect()))
    }

    /// What it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self.content {
            Content::Null => "null",
            Content::Flag(_) => "true or false",
            Content::Number(_) => "a number",
            Content::Text(_) => "a text",
            Content::List(_) => "a list",
            Content::Map(_) => "an object",
        }
    }
}
