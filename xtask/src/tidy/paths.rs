//! What a Rust file defines and which paths it uses, read from its tokens. A light reader: it knows `use` trees, paths
//! in code, modules in line and `#[cfg(test)]`, and nothing of types.

use std::collections::BTreeSet;

use super::source::{self, Token};

/// The names a file defines at its top level, and the paths it uses. Test code is left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    /// Names of functions, types, constants, macros.
    pub(super) definitions: BTreeSet<String>,
    /// Every path of two or more segments, and every import.
    pub(super) usages: Vec<Usage>,
}

/// One path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Usage {
    /// Its segments, as written.
    pub(super) segments: Vec<String>,
    /// How it is used.
    pub(super) kind: Kind,
    /// How many modules in line surround it.
    pub(super) nesting: usize,
    /// From 1.
    pub(super) line: usize,
}

/// How a path is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// In code.
    Code,
    /// By `use`, under this name.
    Import {
        /// `pub use`.
        public: bool,
        /// The name it binds.
        name: String,
    },
    /// By `use path::*`.
    Glob {
        /// `pub use`.
        public: bool,
    },
}

impl Usage {
    /// Whether it is a `pub use`.
    pub(super) fn is_reexport(&self) -> bool {
        matches!(self.kind, Kind::Import { public: true, .. } | Kind::Glob { public: true })
    }
}

const DEFINING: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
const TEST_ONLY: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

/// Reads a file.
pub(super) fn outline(text: &str) -> Outline {
    let code = source::code(text);
    let tokens = source::tokens(&code);
    let mut reader = Reader { tokens: &tokens, outline: Outline::default(), inline: Vec::new(), depth: 0 };
    let mut at = 0;
    while at < tokens.len() {
        at = reader.step(at);
    }
    reader.outline
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    outline: Outline,
    /// Where the modules in line that surround us close.
    inline: Vec<usize>,
    /// Braces around us that are not modules'.
    depth: usize,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// Reads what stands at `at` and says where to go on.
    fn step(&mut self, at: usize) -> usize {
        self.inline.retain(|close| at < *close);
        if TEST_ONLY.iter().enumerate().all(|(offset, word)| self.word(at + offset) == *word) {
            return self.skip_item(at + TEST_ONLY.len());
        }
        match self.word(at) {
            "mod" if self.word(at + 2) == "{" => {
                self.inline.push(source::closing(self.tokens, at + 2) - 1);
                return at + 3;
            }
            "use" if self.word(at + 1) != "<" => return self.import(at),
            "{" => self.depth += 1,
            "}" if !self.inline.contains(&at) => self.depth = self.depth.saturating_sub(1),
            word if self.depth == 0 && self.inline.is_empty() => self.define(word.to_owned(), at),
            _ => {}
        }
        self.path(at)
    }

    fn define(&mut self, word: String, at: usize) {
        let name = match word.as_str() {
            "macro_rules" => self.word(at + 2),
            word if DEFINING.contains(&word) => self.word(at + 1),
            _ => return,
        };
        if is_name(name) {
            self.outline.definitions.insert(name.to_owned());
        }
    }

    /// Reads the path in code that starts at `at`, if one does.
    fn path(&mut self, at: usize) -> usize {
        let starts = is_name(self.word(at)) && (at == 0 || self.word(at - 1) != "::");
        if !starts || self.word(at + 1) != "::" {
            return at + 1;
        }
        let mut segments = vec![self.word(at).to_owned()];
        let mut last = at;
        while self.word(last + 1) == "::" && is_name(self.word(last + 2)) {
            last += 2;
            segments.push(self.word(last).to_owned());
        }
        self.add(segments, Kind::Code, at);
        last + 1
    }

    fn import(&mut self, at: usize) -> usize {
        let public = self.word(at.wrapping_sub(1)) == "pub" || self.is_restricted_pub(at);
        let mut end = self.tree(at + 1, &[], public);
        while end < self.tokens.len() && self.word(end) != ";" {
            end += 1;
        }
        end + 1
    }

    /// Whether `pub(…)` stands before `at`.
    fn is_restricted_pub(&self, at: usize) -> bool {
        let before = &self.tokens[..at];
        before.last().is_some_and(|token| token.text == ")")
            && before
                .iter()
                .rposition(|token| token.text == "(")
                .is_some_and(|open| open > 0 && before[open - 1].text == "pub")
    }

    /// Reads one branch of a `use` tree and returns the position behind it.
    fn tree(&mut self, mut at: usize, prefix: &[String], public: bool) -> usize {
        let start = at;
        let mut segments = prefix.to_vec();
        loop {
            match self.word(at) {
                "::" => at += 1,
                "{" => {
                    at += 1;
                    while !matches!(self.word(at), "}" | "") {
                        at = self.tree(at, &segments, public);
                        at += usize::from(self.word(at) == ",");
                    }
                    return at + 1;
                }
                "*" => {
                    self.add(segments, Kind::Glob { public }, start);
                    return at + 1;
                }
                "as" => {
                    let name = self.word(at + 1).to_owned();
                    self.add(segments, Kind::Import { public, name }, start);
                    return at + 2;
                }
                word if is_name(word) => {
                    // `a::{self}` is `a`; a leading `self` stays.
                    if word != "self" || segments.is_empty() {
                        segments.push(word.to_owned());
                    }
                    at += 1;
                }
                // A character that belongs to no `use` tree, such as a macro's, is passed over.
                "," | "}" | ";" | "" => break,
                _ => at += 1,
            }
        }
        if let Some(name) = segments.last().cloned() {
            self.add(segments, Kind::Import { public, name }, start);
        }
        at
    }

    fn add(&mut self, segments: Vec<String>, kind: Kind, at: usize) {
        let line = self.tokens.get(at).map_or(0, |token| token.line);
        self.outline.usages.push(Usage { segments, kind, nesting: self.inline.len(), line });
    }

    /// Passes over the item at `at`: its attributes, then everything up to its `;` or the end of its braces.
    fn skip_item(&self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            match self.word(at) {
                ";" => return at + 1,
                "{" => return source::closing(self.tokens, at),
                _ => at += 1,
            }
        }
        at
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths as text: `=` before a re-export, `*` behind a glob, `>` for each module in line around it.
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = outline(text).usages.iter().map(spell).collect();
        assert_eq!(found, expected, "in {text}");
    }

    fn spell(usage: &Usage) -> String {
        let mark = if usage.is_reexport() { "=" } else { "" };
        let end = match &usage.kind {
            Kind::Glob { .. } => "::*".to_owned(),
            Kind::Import { name, .. } if usage.segments.last() != Some(name) => format!(" as {name}"),
            _ => String::new(),
        };
        format!("{}{mark}{}{end}", ">".repeat(usage.nesting), usage.segments.join("::"))
    }

    #[test]
    fn use_trees_are_spread_out() {
        check(
            "use crate::a::{b, c::{self, d}, e::*};",
            &["crate::a::b", "crate::a::c", "crate::a::c::d", "crate::a::e::*"],
        );
        check("use super::a as b;", &["super::a as b"]);
        check("pub use a::B; pub(crate) use c::D; use e::F;", &["=a::B", "=c::D", "e::F"]);
        check("fn a() -> impl B + use<'_> {}", &[]);
    }

    #[test]
    fn paths_in_code_are_found() {
        check("fn a() { crate::b::c(); d::E::new::<f::G>() }", &["crate::b::c", "d::E::new", "f::G"]);
        check("// crate::a::b\nfn c() { \"crate::d::e\"; }", &[]);
    }

    #[test]
    fn modules_in_line_nest_and_tests_are_left_out() {
        check("mod a { use super::b::C; } use d::E;", &[">super::b::C", "d::E"]);
        check("#[cfg(test)] mod tests { use super::*; use crate::z::Y; } use d::E;", &["d::E"]);
        check("#[cfg(test)]\n#[path = \"x\"]\nmod tests; use d::E;", &["d::E"]);
    }

    #[test]
    fn definitions_are_those_of_the_top_level() {
        let text = "pub struct A; impl A { fn b() {} } macro_rules! c { () => {} } mod d { fn e() {} } fn f() { fn g() {} }";
        let names: Vec<String> = outline(text).definitions.into_iter().collect();
        assert_eq!(names, ["A", "c", "f"]);
    }
}
