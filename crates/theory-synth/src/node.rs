//! A template as a tree: what JSON has, with members in the order in which they were added. The same tree is written twice, as JSON
//! and as YAML, so the two cannot differ, and the same input gives the same bytes.

/// A part of a template.
///
/// ```
/// use theory_synth::{Map, Node};
///
/// let node = Node::from(Map::new().with("Memory", 128).with("Architectures", ["arm64"]));
/// assert_eq!(node.get("Architectures").and_then(|list| list.at(0)?.text()), Some("arm64"));
/// assert_eq!(node.get("Memory").and_then(Node::number), Some(128));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Nothing.
    Null,
    /// A truth.
    Flag(bool),
    /// A number, as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Members with names.
    Map(Map),
}

/// Members with names, in the order in which they were added. A name stands there once.
///
/// ```
/// use theory_synth::Map;
///
/// let map = Map::new().with("a", 1).with("b", 2).with("a", 3).maybe("c", None::<bool>);
/// assert_eq!(map.names().collect::<Vec<_>>(), ["a", "b"]);
/// assert_eq!(map.get("a").and_then(|node| node.number()), Some(3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Map(Vec<(String, Node)>);

impl Map {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a member. One of the same name is replaced.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, node: impl Into<Node>) -> Self {
        self.set(name, node);
        self
    }

    /// With a member, if there is something to say.
    #[must_use]
    pub fn maybe(self, name: impl Into<String>, node: Option<impl Into<Node>>) -> Self {
        match node {
            Some(node) => self.with(name, node),
            None => self,
        }
    }

    /// Sets a member.
    pub fn set(&mut self, name: impl Into<String>, node: impl Into<Node>) {
        let (name, node) = (name.into(), node.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = node,
            None => self.0.push((name, node)),
        }
    }

    /// A member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(name, node)| (name.as_str(), node))
    }
}

impl Node {
    /// A member, if this has any.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.map()?.get(name)
    }

    /// What is deep inside, by the names on the way.
    #[must_use]
    pub fn find(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// A part of a list.
    #[must_use]
    pub fn at(&self, at: usize) -> Option<&Self> {
        self.list()?.get(at)
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, if it is one. Templates may write numbers as texts.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(text) | Self::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The truth, if it is one. Templates may write truths as texts.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(flag) => Some(*flag),
            Self::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
            Self::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        }
    }

    /// The list, if it is one.
    #[must_use]
    pub fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The members, if it has any.
    #[must_use]
    pub fn map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// What it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Flag(_) => "a truth",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
        }
    }
}

impl From<Map> for Node {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl From<bool> for Node {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i64> for Node {
    fn from(number: i64) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<i32> for Node {
    fn from(number: i32) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<u32> for Node {
    fn from(number: u32) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<u64> for Node {
    fn from(number: u64) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Node {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl<T: Into<Node>> From<Vec<T>> for Node {
    fn from(nodes: Vec<T>) -> Self {
        Self::List(nodes.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Node>, const N: usize> From<[T; N]> for Node {
    fn from(nodes: [T; N]) -> Self {
        Self::List(nodes.into_iter().map(Into::into).collect())
    }
}
