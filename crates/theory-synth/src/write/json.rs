//! JSON on many lines.

use crate::node::Node;

/// The tree as JSON, with a line end.
#[must_use]
pub fn json(node: &Node) -> String {
    let mut text = String::new();
    write(&mut text, node, 0);
    text.push('\n');
    text
}

fn write(text: &mut String, node: &Node, indent: usize) {
    match node {
        Node::Null => text.push_str("null"),
        Node::Flag(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Node::Number(number) => text.push_str(number),
        Node::Text(content) => text.push_str(&quoted(content)),
        Node::List(nodes) if nodes.is_empty() => text.push_str("[]"),
        Node::Map(map) if map.is_empty() => text.push_str("{}"),
        Node::List(nodes) => {
            text.push('[');
            for (at, node) in nodes.iter().enumerate() {
                line(text, at, indent + 2);
                write(text, node, indent + 2);
            }
            line(text, 0, indent);
            text.push(']');
        }
        Node::Map(map) => {
            text.push('{');
            for (at, (name, node)) in map.iter().enumerate() {
                line(text, at, indent + 2);
                text.push_str(&quoted(name));
                text.push_str(": ");
                write(text, node, indent + 2);
            }
            line(text, 0, indent);
            text.push('}');
        }
    }
}

/// Begins a line; a part that is not the first comes behind a comma.
fn line(text: &mut String, at: usize, indent: usize) {
    text.push_str(if at > 0 { ",\n" } else { "\n" });
    text.extend(std::iter::repeat_n(' ', indent));
}

fn quoted(content: &str) -> String {
    serde_json::to_string(content).expect("a text is always JSON")
}
