//! YAML in and out: the part of YAML that JSON has words for. Anchors, aliases, tags and texts that programs disagree about
//! are refused while reading, so nothing can grow on the way.

use std::collections::HashSet;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span};

use super::error::{DmsError, Fault, Located};
use super::node::{BYTES_MAX, Content, LEVELS_MAX, Node, Place};
use super::path::Path;

/// Reads a text.
pub(super) fn read(text: &str) -> Result<Node, DmsError> {
    if text.len() > BYTES_MAX {
        return Err(refused(None, Fault::TooLarge { bytes_max: BYTES_MAX }));
    }
    let mut reader = Reader { events: Parser::new_from_str(text) };
    let mut document = None;
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => break,
            (Event::DocumentStart(_), span) if document.is_some() => {
                return Err(refused(Some(span.start), Fault::NotJson { what: "a second document" }));
            }
            (Event::DocumentStart(_), _) => {
                let (event, span) = reader.next()?;
                document = Some(reader.node(event, span, 1)?);
            }
            _ => {}
        }
    }
    document.ok_or_else(|| refused(None, Fault::Missing))
}

struct Reader<'t> {
    events: Parser<'t, saphyr_parser::StrInput<'t>>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), DmsError> {
        match self.events.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(syntax(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'t>, span: Span, level: usize) -> Result<Node, DmsError> {
        let refuse = |fault| Err(refused(Some(span.start), fault));
        if level > LEVELS_MAX {
            return refuse(Fault::TooDeep { levels_max: LEVELS_MAX });
        }
        let content = match event {
            Event::Alias(_) => return refuse(Fault::NotJson { what: "an alias" }),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(anchor, _)
            | Event::MappingStart(anchor, _)
                if anchor > 0 =>
            {
                return refuse(Fault::NotJson { what: "an anchor" });
            }
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                return refuse(Fault::NotJson { what: "a tag" });
            }
            Event::Scalar(text, ScalarStyle::Plain, ..) => match plain(&text) {
                Ok(content) => content,
                Err(fault) => return refuse(fault),
            },
            Event::Scalar(text, ..) => Content::Text(text.into_owned()),
            Event::SequenceStart(..) => self.list(level)?,
            Event::MappingStart(..) => self.map(level)?,
            _ => return refuse(Fault::Missing),
        };
        Ok(Node { place: Some(place(span.start)), content })
    }

    fn list(&mut self, level: usize) -> Result<Content, DmsError> {
        let mut nodes = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Content::List(nodes)),
                (event, span) => nodes.push(self.node(event, span, level + 1)?),
            }
        }
    }

    fn map(&mut self, level: usize) -> Result<Content, DmsError> {
        let mut members: Vec<(String, Node)> = Vec::new();
        let mut names = HashSet::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok(Content::Map(members));
            }
            let refuse = |fault| Err(refused(Some(span.start), fault));
            if matches!(&event, Event::Scalar(name, ScalarStyle::Plain, ..) if name == "<<") {
                return refuse(Fault::NotJson { what: "a merge" });
            }
            let name = match self.node(event, span, level + 1)?.content {
                Content::Text(name) => name,
                _ => return refuse(Fault::NotJson { what: "a name that is no text" }),
            };
            if !names.insert(name.clone()) {
                return refuse(Fault::Duplicate { name });
            }
            let (event, span) = self.next()?;
            members.push((name, self.node(event, span, level + 1)?));
        }
    }
}

fn place(marker: Marker) -> Place {
    Place { line: marker.line(), column: marker.col() + 1 }
}

fn refused(marker: Option<Marker>, fault: Fault) -> DmsError {
    let place = marker.map(place);
    let (line, column) = (place.map(|place| place.line), place.map(|place| place.column));
    DmsError { faults: vec![Located { path: Path::default(), line, column, fault }] }
}

fn syntax(error: &ScanError) -> DmsError {
    let message = super::path::shown(error.info());
    refused(Some(*error.marker()), Fault::Syntax { message })
}

/// What a text without quotes is.
fn plain(text: &str) -> Result<Content, Fault> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Content::Null),
        "true" | "True" | "TRUE" => return Ok(Content::Flag(true)),
        "false" | "False" | "FALSE" => return Ok(Content::Flag(false)),
        _ => {}
    }
    if serde_json::from_str::<serde_json::Number>(text).is_ok() {
        return Ok(Content::Number(text.to_owned()));
    }
    if is_ambiguous(text) {
        return Err(Fault::Ambiguous { text: text.to_owned() });
    }
    Ok(Content::Text(text.to_owned()))
}

/// Whether older YAML reads the text as a truth, a number or a moment, and newer YAML does not, or the other way round.
fn is_ambiguous(text: &str) -> bool {
    // Programs agree that a single `y` or `n` is a text, and the type `N` is often written so.
    const TRUTHS: [&str; 4] = ["yes", "no", "on", "off"];
    let lower = text.to_ascii_lowercase();
    let unsigned = lower.strip_prefix(['+', '-']).unwrap_or(&lower);
    let date = |text: &str| {
        let mut parts = text.splitn(3, '-');
        let digits =
            |part: Option<&str>| part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_digit()));
        text.as_bytes().iter().take_while(|byte| byte.is_ascii_digit()).count() == 4
            && digits(parts.next())
            && digits(parts.next())
            && digits(parts.next())
    };
    let radix = ["0x", "0o", "0b"].iter().any(|prefix| {
        let digits = unsigned.strip_prefix(prefix);
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_'))
    });
    let number = unsigned.bytes().any(|byte| byte.is_ascii_digit())
        && unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.bytes().all(|byte| byte.is_ascii_digit() || b"_:.e+-".contains(&byte));
    TRUTHS.contains(&lower.as_str())
        || [".inf", ".nan"].contains(&unsigned)
        || text == "="
        || date(&lower)
        || radix
        || number
}

/// Writes a document as a text.
pub(super) fn write(node: &Node) -> String {
    let mut text = String::new();
    match &node.content {
        Content::Map(members) if !members.is_empty() => map(&mut text, members, 0),
        content => {
            text.push_str(&inline(content));
            text.push('\n');
        }
    }
    text
}

fn map(text: &mut String, members: &[(String, Node)], indent: usize) {
    for (at, (name, node)) in members.iter().enumerate() {
        // The first member of a map in a list stands behind the dash.
        if at > 0 || text.is_empty() || text.ends_with('\n') {
            text.extend(std::iter::repeat_n(' ', indent));
        }
        text.push_str(&name_text(name));
        text.push(':');
        block(text, &node.content, indent + 2);
    }
}

/// Writes what stands behind a name.
fn block(text: &mut String, content: &Content, indent: usize) {
    match content {
        Content::Map(members) if members.iter().any(|(_, node)| is_large(&node.content)) => {
            text.push('\n');
            map(text, members, indent);
        }
        Content::List(nodes) if nodes.iter().any(|node| is_large(&node.content)) => {
            text.push('\n');
            for node in nodes {
                text.extend(std::iter::repeat_n(' ', indent));
                text.push_str("- ");
                match &node.content {
                    Content::Map(members) if !members.is_empty() => map(text, members, indent + 2),
                    content => {
                        text.push_str(&inline(content));
                        text.push('\n');
                    }
                }
            }
        }
        content => {
            text.push(' ');
            text.push_str(&inline(content));
            text.push('\n');
        }
    }
}

/// Whether something is written on lines of its own.
fn is_large(content: &Content) -> bool {
    matches!(content, Content::Map(_) | Content::List(_))
}

fn inline(content: &Content) -> String {
    match content {
        Content::Null => "null".to_owned(),
        Content::Flag(flag) => flag.to_string(),
        Content::Number(number) => number.clone(),
        Content::Text(text) => quoted(text),
        Content::List(nodes) => {
            let nodes: Vec<String> = nodes.iter().map(|node| inline(&node.content)).collect();
            format!("[{}]", nodes.join(", "))
        }
        Content::Map(members) if members.is_empty() => "{}".to_owned(),
        Content::Map(members) => {
            let member =
                |(name, node): &(String, Node)| format!("{}: {}", name_text(name), inline(&node.content));
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A name without quotes where every program reads the same.
fn name_text(name: &str) -> String {
    let simple = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if simple && matches!(plain(name), Ok(Content::Text(_))) { name.to_owned() } else { quoted(name) }
}

/// A text in quotes, with what cannot be printed escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for sign in text.chars() {
        match sign {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{2028}' | '\u{2029}' | '\u{feff}' => quoted.push_str(&format!("\\u{:04x}", u32::from(sign))),
            sign if sign.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(sign))),
            sign => quoted.push(sign),
        }
    }
    quoted.push('"');
    quoted
}
