//! Patterns of paths: what they look like, which parts of a path they name, and whether two of them want the same paths.

use matchit::{InsertError, Router};

use super::form::Word;

/// A pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(pub(super) String);

impl Word for Pattern {
    fn word(text: &str) -> Result<Self, String> {
        if !text.starts_with('/') {
            return Err(format!("a path begins with `/`; did you mean `/{}`?", super::problem::shown(text)));
        }
        let has_marks = text.split('/').any(|part| part.starts_with(':') || part == "*" || part == "**");
        if has_marks {
            let parts = text.split('/').map(|part| match part.strip_prefix(':') {
                Some(name) => format!("{{{name}}}"),
                None if part.starts_with('*') => "{*rest}".to_owned(),
                None => part.to_owned(),
            });
            let meant = parts.collect::<Vec<_>>().join("/");
            return Err(format!(
                "parts are written in braces; did you mean `{}`?",
                super::problem::shown(&meant)
            ));
        }
        if text.contains(['?', '#']) {
            return Err("a pattern is of the path alone; parameters are chosen with `query`".to_owned());
        }
        if text.bytes().any(|byte| !byte.is_ascii_graphic() || b"\\\"<>^`|;".contains(&byte)) {
            return Err("paths are compared as browsers send them: write other signs with %, such as `%20`"
                .to_owned());
        }
        let mut parts = text[1..].split('/').rev();
        let last = parts.next();
        let is_reached = parts.clone().all(|part| !part.is_empty());
        if !is_reached || parts.chain(last).any(|part| part == "." || part == "..") {
            return Err("no path looks like that once `//`, `.` and `..` are resolved".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    fn written(&self) -> String {
        self.0.clone()
    }
}

impl Pattern {
    /// The parts of a path that it names.
    pub(super) fn names(&self) -> Vec<&str> {
        names(&self.0).collect()
    }
}

/// What stands in braces. Doubled braces are braces.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find('{')?;
            let after = &rest[start + 1..];
            if let Some(escaped) = after.strip_prefix('{') {
                rest = escaped;
                continue;
            }
            let end = after.find('}')?;
            rest = &after[end + 1..];
            return Some(after[..end].trim_start_matches('*'));
        }
    })
}

/// The patterns of a site, as the gateway will look paths up.
#[derive(Debug, Default)]
pub(super) struct Patterns(Router<()>);

impl Patterns {
    /// Adds a pattern, or says why it cannot be.
    pub(super) fn try_add(&mut self, pattern: &Pattern) -> Result<(), String> {
        self.0.insert(pattern.0.clone(), ()).map_err(|error| match error {
            InsertError::Conflict { with } if with == pattern.0 => {
                "is there already: leave one out".to_owned()
            }
            InsertError::Conflict { with } => {
                format!(
                    "wants the same paths as `{}`: make one of them more specific",
                    super::problem::shown(&with)
                )
            }
            InsertError::InvalidParamSegment => {
                "has two names between two slashes: one is allowed, such as `/img-{id}.png`".to_owned()
            }
            InsertError::InvalidCatchAll => "has `{*…}` before its end: it takes all that follows".to_owned(),
            _ => "has braces that are no name: write `{slug}`, or `{{` for a brace".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = Pattern::word(text).and_then(|pattern| {
            Patterns::default().try_add(&pattern)?;
            Ok(pattern.names().join(","))
        });
        let said = said.unwrap_or_else(|advice| format!("error: {advice}"));
        assert!(
            said.starts_with(expected) || said.contains(expected) && expected.len() > 3,
            "{text:?}: {said}"
        );
    }

    #[test]
    fn patterns_name_parts_of_a_path() {
        check("/", "");
        check("/blog/{slug}", "slug");
        check("/{*rest}", "rest");
        check("/a/{b}/c/{*d}", "b,d");
        check("/img-{id}.png", "id");
        check("/{{x}}/{y}", "y");
    }

    #[test]
    fn other_forms_are_shown_the_right_one() {
        check("blog", "did you mean `/blog`");
        check("/blog/:slug", "`/blog/{slug}`");
        check("/static/*", "`/static/{*rest}`");
        check("/a?b", "`query`");
        check("/a b", "with %");
        check("/ä", "with %");
        check("/a//b", "no path looks like that");
        check("/a/../b", "no path looks like that");
        check("/{a}{b}", "two names");
        check("/{*a}/b", "before its end");
        check("/{", "braces");
        check("/{}", "braces");
    }

    #[test]
    fn two_patterns_for_the_same_paths_are_refused() {
        let mut patterns = Patterns::default();
        let mut add = |text: &str| patterns.try_add(&Pattern(text.to_owned()));
        assert_eq!(add("/a/{b}"), Ok(()));
        assert_eq!(add("/a/x"), Ok(()), "the more specific one counts");
        assert_eq!(add("/{*all}"), Ok(()));
        assert!(add("/a/{b}").is_err_and(|error| error.contains("already")));
        assert!(add("/a/{c}").is_err_and(|error| error.contains("`/a/{b}`")));
    }
}
