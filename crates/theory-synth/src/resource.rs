//! One thing that a template makes.

use crate::node::{Map, Node};

/// A resource: its kind, its properties, and what becomes of it when the stack goes.
///
/// ```
/// use theory_synth::{Map, Resource};
///
/// let bucket = Resource::new("AWS::S3::Bucket", Map::new()).kept();
/// assert_eq!(bucket.kind(), "AWS::S3::Bucket");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    kind: &'static str,
    properties: Map,
    depends_on: Vec<String>,
    is_kept: bool,
}

impl Resource {
    /// A resource of a kind, such as `AWS::SQS::Queue`.
    #[must_use]
    pub fn new(kind: &'static str, properties: Map) -> Self {
        Self { kind, properties, depends_on: Vec::new(), is_kept: false }
    }

    /// Keeps it when it leaves the stack or is replaced: what lies in it is worth more than the stack. A creation that failed
    /// leaves nothing behind, so that the next attempt finds its name free.
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// Makes it after another one, where no reference says so.
    #[must_use]
    pub fn after(mut self, id: &str) -> Self {
        self.depends_on.push(id.to_owned());
        self
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) fn to_node(&self) -> Node {
        let properties = (!self.properties.is_empty()).then(|| self.properties.clone());
        let depends = (!self.depends_on.is_empty()).then(|| self.depends_on.clone());
        Map::new()
            .with("Type", self.kind)
            .maybe("DependsOn", depends)
            .maybe("DeletionPolicy", self.is_kept.then_some("RetainExceptOnCreate"))
            .maybe("UpdateReplacePolicy", self.is_kept.then_some("Retain"))
            .maybe("Properties", properties)
            .into()
    }
}

/// Labels, if there are any.
pub(crate) fn tags(tags: &[(String, String)]) -> Option<Vec<Map>> {
    let tag = |(key, value): &(String, String)| Map::new().with("Key", key).with("Value", value);
    (!tags.is_empty()).then(|| tags.iter().map(tag).collect())
}
