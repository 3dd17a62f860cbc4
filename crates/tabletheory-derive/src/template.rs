//! Key templates such as `TENANT#{tenant}#AT#{second:010}`: text and fields. A field ends at `#` or at the end of the
//! template, because its value never contains `#`: so every key can be read in only one way.

use syn::{Error, LitStr, Result};

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Text(String),
    Field { name: String, width: Option<usize> },
}

/// Takes a template apart.
pub(crate) fn parse(template: &LitStr) -> Result<Vec<Segment>> {
    let refuse = |text: String| Error::new(template.span(), text);
    let text = template.value();
    if text.is_empty() {
        return Err(refuse("a key template cannot be empty".to_owned()));
    }
    let mut segments = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let brace = rest.find(['{', '}']).unwrap_or(rest.len());
        if brace > 0 {
            segments.push(Segment::Text(rest[..brace].to_owned()));
        }
        rest = &rest[brace..];
        if rest.starts_with('}') {
            return Err(refuse(format!("the template `{text}` closes a brace that it did not open")));
        }
        let Some(inside) = rest.strip_prefix('{') else { break };
        let end = inside.find(['{', '}']).filter(|end| inside[*end..].starts_with('}'));
        let end =
            end.ok_or_else(|| refuse(format!("the template `{text}` opens a brace that it does not close")))?;
        segments.push(field(&inside[..end]).map_err(refuse)?);
        rest = &inside[end + 1..];
        if !rest.is_empty() && !rest.starts_with('#') {
            let shown = &inside[..end];
            let fix = format!("put `#` after `{{{shown}}}`: that is where its value ends");
            return Err(refuse(format!("the template `{text}` could be read in two ways; {fix}")));
        }
    }
    Ok(segments)
}

/// What stands between braces.
fn field(inside: &str) -> std::result::Result<Segment, String> {
    let (name, width) = match inside.split_once(':') {
        None => (inside, None),
        Some((name, format)) => {
            let digits = format.strip_prefix('0').and_then(|width| width.parse().ok());
            let width = digits.filter(|width| (1..=20).contains(width)).ok_or_else(|| {
                format!("`:{format}` is not a number of digits; write `{{{name}:013}}` for thirteen of them, 20 at most")
            })?;
            (name, Some(width))
        }
    };
    if name.is_empty() {
        return Err("braces without a field; write `{field}`".to_owned());
    }
    Ok(Segment::Field { name: name.to_owned(), width })
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn check(template: &str, expected: &str) {
        let outcome = parse(&LitStr::new(template, Span::call_site()));
        let shown = match outcome {
            Ok(segments) => segments.iter().map(show).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        };
        assert!(shown.contains(expected), "{template}: {shown}");
    }

    fn show(segment: &Segment) -> String {
        match segment {
            Segment::Text(text) => format!("'{text}'"),
            Segment::Field { name, width: None } => name.clone(),
            Segment::Field { name, width: Some(width) } => format!("{name}/{width}"),
        }
    }

    #[test]
    fn templates_are_text_and_fields() {
        check("META", "'META'");
        check("{id}", "id");
        check("TENANT#{tenant}#CACHE#{key}", "'TENANT#' tenant '#CACHE#' key");
        check("GEN#{at:013}#", "'GEN#' at/13 '#'");
    }

    #[test]
    fn templates_that_cannot_be_read_back_are_refused() {
        check("", "cannot be empty");
        check("A#{x", "does not close");
        check("A#{x{y}}", "does not close");
        check("A#x}", "did not open");
        check("{}", "braces without a field");
        check("{a}{b}", "two ways");
        check("{a}-{b}", "put `#` after `{a}`");
        check("{a:13}", "not a number of digits");
        check("{a:099}", "not a number of digits");
    }
}
