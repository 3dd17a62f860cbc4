//! What a value can be: a text, a number, yes or no, a word among a few, a list. Each says what it should look like, and how it is
//! shown.

use serde_json::Value;

use super::problem::shown;
use super::raw::Raw;
use super::suggest;

/// Why a value cannot be.
#[derive(Debug)]
pub(super) struct Wrong {
    /// What to do.
    pub(super) advice: String,
    /// Which part of it is meant, as an error repeats it, and where that stands in the file.
    pub(super) part: Option<(String, Option<usize>)>,
}

impl From<String> for Wrong {
    fn from(advice: String) -> Self {
        Self { advice, part: None }
    }
}

impl From<&str> for Wrong {
    fn from(advice: &str) -> Self {
        advice.to_owned().into()
    }
}

/// What a value can be.
pub(super) trait Form: Sized {
    /// It, if it can be.
    fn read(raw: &Raw<'_>) -> Result<Self, Wrong>;
    /// As people and programs are told.
    fn shown(&self) -> Value;
}

/// A value that is written as a text.
pub(super) trait Word: Sized {
    /// It, or what to write instead.
    fn word(text: &str) -> Result<Self, String>;
    /// As it is written.
    fn written(&self) -> String;
}

impl<W: Word> Form for W {
    fn read(raw: &Raw<'_>) -> Result<Self, Wrong> {
        let text = raw.text().ok_or("write a text in quotes")?;
        W::word(text.trim()).map_err(Wrong::from)
    }

    fn shown(&self) -> Value {
        Value::String(self.written())
    }
}

impl Word for String {
    fn word(text: &str) -> Result<Self, String> {
        match text.chars().any(char::is_control) {
            true => Err("leave out control characters".to_owned()),
            false if text.is_empty() => Err("leave it out, or say something".to_owned()),
            false => Ok(text.to_owned()),
        }
    }

    fn written(&self) -> String {
        self.clone()
    }
}

impl Form for bool {
    fn read(raw: &Raw<'_>) -> Result<Self, Wrong> {
        raw.boolean().ok_or_else(|| "write true or false".into())
    }

    fn shown(&self) -> Value {
        Value::Bool(*self)
    }
}

/// A whole number between `MIN` and `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count<const MIN: u32, const MAX: u32>(pub(super) u32);

impl<const MIN: u32, const MAX: u32> Form for Count<MIN, MAX> {
    fn read(raw: &Raw<'_>) -> Result<Self, Wrong> {
        let count = raw.integer().and_then(|integer| u32::try_from(integer).ok());
        count
            .filter(|count| (MIN..=MAX).contains(count))
            .map(Self)
            .ok_or_else(|| format!("write a whole number from {MIN} to {MAX}").into())
    }

    fn shown(&self) -> Value {
        Value::from(self.0)
    }
}

/// One or several, written as a text or as a list of texts; with commas outside of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct List<W>(pub(super) Vec<W>);

impl<W: Word> Form for List<W> {
    fn read(raw: &Raw<'_>) -> Result<Self, Wrong> {
        let wrong = |text: &str, at: Option<usize>, advice: String| Wrong {
            advice,
            part: Some((format!("`{}`", shown(text)), at)),
        };
        let one = |text: &str, at| W::word(text.trim()).map_err(|advice| wrong(text, at, advice));
        match raw {
            Raw::Outside(text) => {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                words.map(|word| one(word, None)).collect::<Result<_, _>>().map(Self)
            }
            Raw::File(value) => {
                let Some(items) = value.get_ref().as_array() else {
                    let text = raw.text().ok_or("write a text, or a list of texts")?;
                    return one(text, None).map(|word| Self(vec![word]));
                };
                let texts = items.iter().map(|item| {
                    let at = item.span().start;
                    let text = item.get_ref().as_str().ok_or_else(|| {
                        wrong(&Raw::File(item).shown(), Some(at), "write a text in quotes".to_owned())
                    })?;
                    one(text, Some(at))
                });
                texts.collect::<Result<_, _>>().map(Self)
            }
        }
    }

    fn shown(&self) -> Value {
        self.0.iter().map(Word::written).collect()
    }
}

/// Finds the word that was said among a few.
pub(super) fn one_of<T: Copy>(text: &str, words: &[(&'static str, T)]) -> Result<T, String> {
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
        return Ok(*value);
    }
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    Err(match suggest::nearest_word(text, &names) {
        Some(nearest) => format!("did you mean `{nearest}`? It is one of {}", names.join(", ")),
        None => format!("it is one of {}", names.join(", ")),
    })
}
