//! What somebody may do: statements of policies. Nothing is allowed on everything, and nothing is allowed that nobody does.

use std::borrow::Cow;

use crate::node::{Map, Node};

/// One permission: actions on resources, perhaps under conditions.
///
/// ```
/// use theory_synth::Statement;
///
/// let read = Statement::new("ReadPages").actions(&["s3:GetObject"]).on("arn:aws:s3:::pages/isr/*");
/// assert_eq!(read.action_names().collect::<Vec<_>>(), ["s3:GetObject"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    sid: Cow<'static, str>,
    actions: Vec<&'static str>,
    resources: Vec<Node>,
    condition: Map,
}

impl Statement {
    /// A permission, and what it is for. A role has one for each purpose.
    #[must_use]
    pub fn new(sid: impl Into<Cow<'static, str>>) -> Self {
        Self { sid: sid.into(), actions: Vec::new(), resources: Vec::new(), condition: Map::new() }
    }

    /// To do this.
    #[must_use]
    pub fn actions(mut self, actions: &[&'static str]) -> Self {
        self.actions.extend(actions);
        self
    }

    /// With this.
    #[must_use]
    pub fn on(mut self, resource: impl Into<Node>) -> Self {
        self.resources.push(resource.into());
        self
    }

    /// Only if the values are such.
    #[must_use]
    pub fn condition(mut self, operator: &str, values: Map) -> Self {
        self.condition.set(operator, values);
        self
    }

    /// What it allows.
    pub fn action_names(&self) -> impl Iterator<Item = &'static str> {
        self.actions.iter().copied()
    }

    /// As it stands in a policy.
    #[must_use]
    pub fn to_node(&self) -> Node {
        let one_or_all = |nodes: &[Node]| match nodes {
            [one] => one.clone(),
            all => Node::List(all.to_vec()),
        };
        Map::new()
            .with("Sid", &*self.sid)
            .with("Effect", "Allow")
            .with("Action", self.actions.clone())
            .with("Resource", one_or_all(&self.resources))
            .maybe("Condition", (!self.condition.is_empty()).then(|| self.condition.clone()))
            .into()
    }
}

/// A document with these statements.
pub(crate) fn document(statements: &[Statement]) -> Map {
    let statements: Vec<Node> = statements.iter().map(Statement::to_node).collect();
    Map::new().with("Version", "2012-10-17").with("Statement", statements)
}
