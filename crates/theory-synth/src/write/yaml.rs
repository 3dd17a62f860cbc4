//! YAML with the short forms of CloudFormation's functions where they read better. A text is written without quotes only where every
//! program reads a text.

use crate::node::{Map, Node};

/// YAML takes a name of up to 1,024 signs before its colon, quotes and escapes counted. A longer one stands behind a question mark.
const BARE_NAME_MAX: usize = 1000;

/// The tree as YAML, with a line end.
#[must_use]
pub fn yaml(node: &Node) -> String {
    let mut text = String::new();
    if let Some(short) = short(node) {
        return short + "\n";
    }
    match node {
        Node::Map(map) if !map.is_empty() => members(&mut text, map, 0),
        Node::List(nodes) if !nodes.is_empty() => items(&mut text, nodes, 0),
        other => {
            text.push_str(&scalar(other));
            text.push('\n');
        }
    }
    text
}

/// Writes what stands behind `name:` or `-`. Behind a dash the first line goes on where the dash stands.
fn value(text: &mut String, node: &Node, indent: usize, is_item: bool) {
    if let Some(short) = short(node) {
        text.push(' ');
        text.push_str(&short);
        text.push('\n');
        return;
    }
    match node {
        Node::Map(map) if !map.is_empty() => {
            text.push(if is_item { ' ' } else { '\n' });
            members(text, map, indent);
        }
        Node::List(nodes) if !nodes.is_empty() => {
            text.push(if is_item { ' ' } else { '\n' });
            items(text, nodes, indent);
        }
        other => {
            text.push(' ');
            text.push_str(&scalar(other));
            text.push('\n');
        }
    }
}

fn members(text: &mut String, map: &Map, indent: usize) {
    for (name, node) in map.iter() {
        pad(text, indent);
        let name = written(name);
        if name.len() > BARE_NAME_MAX {
            text.push_str("? ");
        }
        text.push_str(&name);
        if name.len() > BARE_NAME_MAX {
            text.push('\n');
            pad(text, indent);
        }
        text.push(':');
        value(text, node, indent + 2, false);
    }
}

fn items(text: &mut String, nodes: &[Node], indent: usize) {
    for node in nodes {
        pad(text, indent);
        text.push('-');
        value(text, node, indent + 2, true);
    }
}

/// Indents, unless the line has begun behind a dash.
fn pad(text: &mut String, indent: usize) {
    if text.is_empty() || text.ends_with('\n') {
        text.extend(std::iter::repeat_n(' ', indent));
    }
}

/// `!Ref`, `!GetAtt` and `!Sub`.
fn short(node: &Node) -> Option<String> {
    let map = node.map().filter(|map| map.len() == 1)?;
    let (name, argument) = map.iter().next()?;
    match (name, argument) {
        ("Ref", Node::Text(id)) => Some(format!("!Ref {}", written(id))),
        ("Fn::Sub", Node::Text(text)) => Some(format!("!Sub {}", written(text))),
        ("Fn::GetAtt", Node::List(parts)) => match &parts[..] {
            [Node::Text(id), Node::Text(attribute)] if is_word(id) && is_plain(attribute) => {
                Some(format!("!GetAtt {id}.{attribute}"))
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn scalar(node: &Node) -> String {
    match node {
        Node::Null => "null".to_owned(),
        Node::Flag(flag) => flag.to_string(),
        Node::Number(number) => number.clone(),
        Node::Text(text) => written(text),
        Node::List(_) => "[]".to_owned(),
        Node::Map(_) => "{}".to_owned(),
    }
}

/// A text: bare, in single quotes, or in double quotes if something in it must be escaped.
fn written(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        escaped(text)
    }
}

/// Whether a text without quotes is the same text to every program.
fn is_plain(text: &str) -> bool {
    // Older YAML reads these as truths, and everyone reads the last as nothing.
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b" _./:+-,()".contains(&byte);
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(inside)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !WORDS.contains(&text.to_ascii_lowercase().as_str())
}

fn escaped(text: &str) -> String {
    let mut quoted = String::from('"');
    for sign in text.chars() {
        match sign {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            sign if sign.is_ascii() && !sign.is_control() => quoted.push(sign),
            sign if u32::from(sign) > 0xffff => quoted.push_str(&format!("\\U{:08x}", u32::from(sign))),
            sign => quoted.push_str(&format!("\\u{:04x}", u32::from(sign))),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intrinsic::{attribute, reference, sub};

    #[track_caller]
    fn check(node: impl Into<Node>, expected: &str) {
        assert_eq!(yaml(&node.into()).trim_end(), expected);
    }

    #[test]
    fn a_text_has_no_quotes_where_every_program_reads_a_text() {
        check("AWS::DynamoDB::Table", "AWS::DynamoDB::Table");
        check("Tables, and (perhaps) alarms.", "Tables, and (perhaps) alarms.");
    }

    #[test]
    fn what_could_be_read_as_something_else_has_quotes() {
        for text in [
            "yes",
            "No",
            "on",
            "null",
            "Y",
            "true",
            "2012-10-17",
            "1e3",
            "0x1f",
            "",
            "~",
            "- a",
            "a: b",
            "a:",
        ] {
            check(text, &format!("'{text}'"));
        }
        check("it's # so", "'it''s # so'");
        check("two\nlines \u{feff}ä", "\"two\\nlines \\ufeff\\u00e4\"");
    }

    #[test]
    fn functions_have_their_short_form() {
        check(reference("AWS::Region"), "!Ref AWS::Region");
        check(attribute("Table", "Arn"), "!GetAtt Table.Arn");
        check(sub("${A}-b"), "!Sub '${A}-b'");
    }

    /// Found by `cargo xtask prove`: a name whose escapes made it longer than YAML allows was written and not read again.
    #[test]
    fn a_name_of_any_length_is_read_again() {
        for name in ["n".repeat(999), "n".repeat(1001), "ü".repeat(300), "'".repeat(70_000)] {
            let inner = Map::new().with(&name, "a").with("B", Map::new().with(&name, ["c"]));
            let map = Node::from(Map::new().with("A", [inner.clone()]).with(&name, inner));
            let written = yaml(&map);
            assert_eq!(crate::read(&written).ok().as_ref(), Some(&map), "{written}");
        }
    }

    #[test]
    fn lists_and_maps_stand_below_their_name() {
        let map = Map::new().with("A", [Map::new().with("B", 1).with("C", ["d"])]).with("E", Map::new());
        check(map, "A:\n  - B: 1\n    C:\n      - d\nE: {}");
        check(vec![Node::from(vec!["a", "b"]), Node::from(vec!["c"])], "- - a\n  - b\n- - c");
    }
}
