//! CloudFormation's own functions, in their long form: the writer of YAML shortens them, the reader lengthens them again.

use crate::node::{Map, Node};

/// A parameter's value, or what a resource is known by.
#[must_use]
pub fn reference(id: &str) -> Node {
    call("Ref", id)
}

/// An attribute of a resource.
#[must_use]
pub fn attribute(id: &str, name: &str) -> Node {
    call("Fn::GetAtt", [id, name])
}

/// A text with `${…}` in it.
#[must_use]
pub fn sub(text: &str) -> Node {
    call("Fn::Sub", text)
}

/// The parts as one text.
#[must_use]
pub fn join(parts: impl Into<Node>) -> Node {
    call("Fn::Join", [Node::from(""), parts.into()])
}

/// The one or the other, as a condition says.
#[must_use]
pub fn choose(condition: &str, yes: impl Into<Node>, no: impl Into<Node>) -> Node {
    call("Fn::If", [Node::from(condition), yes.into(), no.into()])
}

/// The value if a condition holds, and otherwise as if the property were not there.
#[must_use]
pub fn when(condition: &str, yes: impl Into<Node>) -> Node {
    choose(condition, yes, reference("AWS::NoValue"))
}

/// Whether a parameter was given.
#[must_use]
pub fn is_given(parameter: &str) -> Node {
    let empty = call("Fn::Equals", [reference(parameter), Node::from("")]);
    call("Fn::Not", [empty])
}

fn call(name: &str, argument: impl Into<Node>) -> Node {
    Map::new().with(name, argument).into()
}
