//! YAML into the same tree. CloudFormation's tags become its functions; anchors and aliases are refused, as the service refuses them.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};

use super::error::ReadError;
use crate::node::{Map, Node};

/// The functions that have a short form, beside `!Ref` and `!Condition`.
const FUNCTIONS: [&str; 19] = [
    "And",
    "Base64",
    "Cidr",
    "Contains",
    "Equals",
    "FindInMap",
    "GetAZs",
    "GetAtt",
    "If",
    "ImportValue",
    "Join",
    "Length",
    "Not",
    "Or",
    "Select",
    "Split",
    "Sub",
    "ToJsonString",
    "Transform",
];

pub(super) fn read(text: &str, levels: usize) -> Result<Node, ReadError> {
    let mut reader = Reader { events: Parser::new_from_str(text) };
    let mut document = None;
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => break,
            (Event::DocumentStart(_), span) if document.is_some() => {
                return Err(refused(span.start, "a second document"));
            }
            (Event::DocumentStart(_), _) => {
                let (event, span) = reader.next()?;
                document = Some(reader.node(event, span, levels)?);
            }
            _ => {}
        }
    }
    document.filter(|node| *node != Node::Null).ok_or(ReadError::Empty)
}

struct Reader<'t> {
    events: Parser<'t, StrInput<'t>>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), ReadError> {
        match self.events.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(refused(*error.marker(), error.info())),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'t>, span: Span, levels: usize) -> Result<Node, ReadError> {
        let below = levels.checked_sub(1).ok_or_else(|| refused(span.start, "nested too deep"))?;
        let (node, anchor, tag) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                // What has a tag is a text, whatever it looks like.
                let is_bare = style == ScalarStyle::Plain && tag.is_none();
                let node = if is_bare { plain(&text) } else { Node::from(&*text) };
                (node, anchor, tag)
            }
            Event::SequenceStart(anchor, tag) => (self.list(below)?, anchor, tag),
            Event::MappingStart(anchor, tag) => (self.map(below)?, anchor, tag),
            Event::Alias(_) => {
                return Err(refused(span.start, "an alias, which CloudFormation does not know"));
            }
            _ => return Err(refused(span.start, "something is missing")),
        };
        if anchor > 0 {
            return Err(refused(span.start, "an anchor, which CloudFormation does not know"));
        }
        match tag {
            None => Ok(node),
            Some(tag) => function(&tag, node).ok_or_else(|| {
                refused(
                    span.start,
                    &format!("`{}{}` is no function of CloudFormation", tag.handle, tag.suffix),
                )
            }),
        }
    }

    fn list(&mut self, levels: usize) -> Result<Node, ReadError> {
        let mut nodes = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Node::List(nodes)),
                (event, span) => nodes.push(self.node(event, span, levels)?),
            }
        }
    }

    fn map(&mut self, levels: usize) -> Result<Node, ReadError> {
        let mut map = Map::new();
        loop {
            let (event, span) = self.next()?;
            let name = match event {
                Event::MappingEnd => return Ok(Node::Map(map)),
                Event::Scalar(name, _, _, None) => name.into_owned(),
                _ => return Err(refused(span.start, "a name that is no text")),
            };
            if map.get(&name).is_some() {
                return Err(refused(span.start, &format!("`{name}` stands there twice")));
            }
            let (event, span) = self.next()?;
            map.set(name, self.node(event, span, levels)?);
        }
    }
}

/// The long form of a tag.
fn function(tag: &Tag, argument: Node) -> Option<Node> {
    // YAML's own tags say what everyone reads anyway.
    if tag.handle == "tag:yaml.org,2002:" {
        return Some(argument);
    }
    let name = tag.suffix.as_str();
    if tag.handle != "!" {
        return None;
    }
    let (name, argument) = match (name, argument) {
        ("Ref" | "Condition", argument) => (name.to_owned(), argument),
        ("GetAtt", Node::Text(path)) => {
            let (id, attribute) = path.split_once('.')?;
            ("Fn::GetAtt".to_owned(), Node::from([id, attribute]))
        }
        (name, argument) if FUNCTIONS.contains(&name) => (format!("Fn::{name}"), argument),
        _ => return None,
    };
    Some(Map::new().with(name, argument).into())
}

/// What a text without quotes is, to CloudFormation.
fn plain(text: &str) -> Node {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Node::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Node::Flag(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Node::Flag(false),
        _ => {}
    }
    if serde_json::from_str::<serde_json::Number>(text).is_ok() {
        return Node::Number(text.to_owned());
    }
    Node::from(text)
}

fn refused(marker: Marker, message: &str) -> ReadError {
    ReadError::Syntax { line: marker.line(), column: marker.col() + 1, message: message.to_owned() }
}
