//! Key templates at run time: filled with the fields of a value, and taken apart again. The derive macro has checked their
//! form: every field is followed by `#` or by the end, so that a key can be read in only one way.

use tabletheory_core::{Item, Value};

use super::part::{AnyPart, KeyPart};
use crate::model::{KeyFault, ModelError};

/// The sign between the parts of a key.
const DELIMITER: char = '#';

/// The last code point, which is no character. No part contains it, so that a range of keys can end with it.
pub(crate) const LAST: char = char::MAX;

/// A key attribute that is made from fields.
///
/// ```
/// use tabletheory::key::{Segment, Template};
/// use tabletheory_core::{Item, Value};
///
/// const VISIT: Template = Template {
///     model: "Visit",
///     attribute: "sk",
///     segments: &[Segment::Text("AT#"), Segment::Field { name: "second", width: Some(10) }],
/// };
/// let mut item = Item::default();
/// VISIT.put(&mut item, &[&1700000000u64])?;
/// assert_eq!(item.get("sk"), Some(&Value::s("AT#1700000000")));
/// assert_eq!(VISIT.read::<u64>(&item, "second")?, 1700000000);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Template {
    /// The model, for messages.
    pub model: &'static str,
    /// The attribute that holds the key.
    pub attribute: &'static str,
    /// What the key consists of.
    pub segments: &'static [Segment],
}

/// A piece of a template.
///
/// ```
/// use tabletheory::key::Segment;
///
/// assert_ne!(Segment::Text("USER#"), Segment::Field { name: "id", width: None });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Text that is the same in every key.
    Text(&'static str),
    /// The value of a field.
    Field {
        /// The field.
        name: &'static str,
        /// How many digits its number has.
        width: Option<usize>,
    },
}

/// A template that is filled from the left, as far as there are parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    /// The text up to the first field without a part. Every key with these parts begins with it.
    pub(crate) text: String,
    /// Whether that is the whole key.
    pub(crate) whole: bool,
}

/// The text of a part, if there is a value.
type PartText = Result<Option<String>, KeyFault>;

impl Template {
    /// Puts the key into an item.
    ///
    /// ```
    /// # use tabletheory::key::{Segment, Template};
    /// # use tabletheory_core::{Item, Value};
    /// # const SEGMENTS: &[Segment] = &[Segment::Text("DAY#"), Segment::Field { name: "day", width: Some(3) }];
    /// # const DAY: Template = Template { model: "Day", attribute: "sk", segments: SEGMENTS };
    /// let mut item = Item::new();
    /// DAY.put(&mut item, &[&7u8])?;
    /// assert_eq!(item.get("sk"), Some(&Value::s("DAY#007")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If a part cannot stand in a key.
    pub fn put(&self, item: &mut Item, parts: &[&dyn AnyPart]) -> Result<(), ModelError> {
        let absent = |field| self.fault(field, KeyFault::Empty);
        let key = self.fill(parts)?.map_err(absent)?;
        item.insert(self.attribute, Value::S(key));
        Ok(())
    }

    /// Puts the key of an index into an item, unless a field has no value: then the item is not in the index.
    ///
    /// ```
    /// # use tabletheory::key::{Segment, Template};
    /// # use tabletheory_core::{Item, Value};
    /// # const SEGMENTS: &[Segment] = &[Segment::Text("DAY#"), Segment::Field { name: "day", width: Some(3) }];
    /// # const DAY: Template = Template { model: "Day", attribute: "sk", segments: SEGMENTS };
    /// let mut item = Item::new();
    /// DAY.put_if_complete(&mut item, &[&None::<u8>])?;
    /// assert!(item.is_empty());
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If a part cannot stand in a key.
    pub fn put_if_complete(&self, item: &mut Item, parts: &[&dyn AnyPart]) -> Result<(), ModelError> {
        if let Ok(key) = self.fill(parts)? {
            item.insert(self.attribute, Value::S(key));
        }
        Ok(())
    }

    /// The value of a field in an item's key.
    ///
    /// ```
    /// # use tabletheory::key::{Segment, Template};
    /// # use tabletheory_core::{Item, Value};
    /// # const SEGMENTS: &[Segment] = &[Segment::Text("DAY#"), Segment::Field { name: "day", width: Some(3) }];
    /// # const DAY: Template = Template { model: "Day", attribute: "sk", segments: SEGMENTS };
    /// let item = Item::from([("sk", Value::s("DAY#007"))]);
    /// assert_eq!(DAY.read::<u8>(&item, "day")?, 7);
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the key is missing or does not have the form of the template.
    pub fn read<T: KeyPart>(&self, item: &Item, field: &'static str) -> Result<T, ModelError> {
        let form = || self.fault(field, KeyFault::Form);
        let key = item.get(self.attribute).and_then(Value::as_s).ok_or_else(form)?;
        let parts = self.parts(key).ok_or_else(form)?;
        let (_, part) = parts.iter().rfind(|(name, _)| *name == field).ok_or_else(form)?;
        T::from_part(part).map_err(|fault| self.fault(field, fault))
    }

    /// The beginning of the keys whose first fields have these parts. `part` gives the text of the part at a place, in
    /// as many digits as the template asks for, or `None` where the parts end.
    ///
    /// # Errors
    /// If a part cannot stand in a key.
    pub(crate) fn beginning(
        &self,
        part: &dyn Fn(usize, Option<usize>) -> Option<PartText>,
    ) -> Result<Beginning, ModelError> {
        let mut text = String::new();
        let mut place = 0;
        for segment in self.segments {
            match segment {
                Segment::Text(constant) => text.push_str(constant),
                Segment::Field { name, width } => {
                    let Some(part) = part(place, *width) else { return Ok(Beginning { text, whole: false }) };
                    let part = part.and_then(|part| sound(part.unwrap_or_default()));
                    text.push_str(&part.map_err(|fault| self.fault(name, fault))?);
                    place += 1;
                }
            }
        }
        Ok(Beginning { text, whole: true })
    }

    /// Whether a key has the form of the template.
    pub(crate) fn fits(&self, key: &str) -> bool {
        self.parts(key).is_some()
    }

    /// The parts of a key, one for each field, if it has the form of the template.
    fn parts<'k>(&self, key: &'k str) -> Option<Vec<(&'static str, &'k str)>> {
        let mut rest = key;
        let mut parts = Vec::new();
        for segment in self.segments {
            match segment {
                Segment::Text(text) => rest = rest.strip_prefix(text)?,
                Segment::Field { name, .. } => {
                    let (part, after) = rest.split_at(rest.find(DELIMITER).unwrap_or(rest.len()));
                    if part.is_empty() {
                        return None;
                    }
                    parts.push((*name, part));
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(parts)
    }

    /// What all keys of the template begin with.
    pub(crate) fn constant(&self) -> Beginning {
        let texts = self.segments.iter().map_while(|segment| match segment {
            Segment::Text(text) => Some(*text),
            Segment::Field { .. } => None,
        });
        let whole = texts.clone().count() == self.segments.len();
        Beginning { text: texts.collect(), whole }
    }

    /// Text as the beginning of the field at this place.
    ///
    /// # Errors
    /// If no value can begin with it.
    pub(crate) fn partial(&self, place: usize, text: &str) -> Result<String, ModelError> {
        let mut fields = self.segments.iter().filter_map(|segment| match segment {
            Segment::Field { name, .. } => Some(*name),
            Segment::Text(_) => None,
        });
        let name = fields.nth(place).expect("a part that is begun has a field");
        let part = sound(text.to_owned());
        part.map_err(|fault| self.fault(name, fault))
    }

    /// The key, or the field that has no value.
    fn fill(&self, parts: &[&dyn AnyPart]) -> Result<Result<String, &'static str>, ModelError> {
        let mut parts = parts.iter();
        let mut key = String::with_capacity(self.room());
        let mut absent = None;
        for segment in self.segments {
            match segment {
                Segment::Text(text) => key.push_str(text),
                Segment::Field { name, width } => {
                    let part = parts.next().expect("a template is given a part for each of its fields");
                    let start = key.len();
                    let fault = |fault| self.fault(name, fault);
                    if part.push_any_to(&mut key, *width).map_err(fault)? {
                        sound(&key[start..]).map_err(fault)?;
                    } else {
                        absent = Some(*name);
                    }
                }
            }
        }
        assert!(parts.next().is_none(), "a template is given no more parts than it has fields");
        Ok(absent.map_or(Ok(key), Err))
    }

    /// About as many bytes as a key has.
    fn room(&self) -> usize {
        let room = |segment: &Segment| match segment {
            Segment::Text(text) => text.len(),
            Segment::Field { width, .. } => width.unwrap_or(16),
        };
        self.segments.iter().map(room).sum()
    }

    fn fault(&self, field: &'static str, fault: KeyFault) -> ModelError {
        ModelError::Key { model: self.model, attribute: self.attribute, field, fault }
    }
}

/// A part that ends where the next one begins.
fn sound<T: AsRef<str>>(part: T) -> Result<T, KeyFault> {
    match part.as_ref() {
        "" => Err(KeyFault::Empty),
        text if text.contains(DELIMITER) => Err(KeyFault::Delimiter),
        text if !text.is_ascii() && text.contains(LAST) => Err(KeyFault::End),
        _ => Ok(part),
    }
}
