//! The keys of a model: fields, or templates whose fields exist and sort as they should.

use proc_macro2::Span;
use syn::{Error, LitStr, Result};

use crate::attrs::StructAttrs;
use crate::case::Case;
use crate::field::Field;
use crate::form::Form;
use crate::kind::{is_integer, is_option, is_string};
use crate::suggest::unknown;
use crate::template::{self, Segment};

/// A key attribute.
#[derive(Clone)]
pub(crate) enum Key {
    /// The field at this place.
    Field(usize),
    /// A text made from fields.
    Template { attribute: String, segments: Vec<Segment> },
}

/// Which key a template is for: that decides what may stand in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    TablePartition,
    TableSort,
    IndexPartition,
    IndexSort,
}

impl Key {
    /// Whether the field at this place stands in the template.
    pub(crate) fn names(&self, field: &Field) -> bool {
        match self {
            Self::Field(_) => false,
            Self::Template { segments, .. } => segments
                .iter()
                .any(|segment| matches!(segment, Segment::Field { name, .. } if *name == field.name)),
        }
    }
}

/// The partition or sort key of the table: a template on the struct or a field.
pub(crate) fn own_key(attrs: &StructAttrs, fields: &[Field], case: Case, usage: Use) -> Result<Option<Key>> {
    let (word, template, attr) = match usage {
        Use::TablePartition => ("pk", &attrs.pk, &attrs.pk_attr),
        _ => ("sk", &attrs.sk, &attrs.sk_attr),
    };
    let marked = fields.iter().enumerate().filter_map(|(at, field)| Some((at, field.attrs.has(word)?)));
    let marked: Vec<(usize, Span)> = marked.collect();
    match (template, &marked[..]) {
        (None, []) => match attr {
            Some(attr) => Err(Error::new(
                attr.span(),
                format!("`{word}_attr` names the attribute of a template; there is no `{word}` template"),
            )),
            None => Ok(None),
        },
        (None, [(at, _)]) => match attr {
            Some(attr) => Err(Error::new(
                attr.span(),
                format!("`{word}_attr` is for templates; use `attr` on the field"),
            )),
            None => Ok(Some(Key::Field(*at))),
        },
        (None, [_, (_, span), ..]) => {
            let text = format!(
                "two fields are `{word}`; a template such as `{word} = \"{{a}}#{{b}}\"` makes one key of two"
            );
            Err(Error::new(*span, text))
        }
        (Some(_), [(_, span), ..]) => {
            Err(Error::new(*span, format!("`{word}` is given twice: here and as a template on the struct")))
        }
        (Some(template), []) => {
            let standard = if case == Case::Dynamorm { word.to_uppercase() } else { word.to_owned() };
            let attribute = attr.as_ref().map_or(standard, LitStr::value);
            Ok(Some(Key::Template { attribute, segments: check_template(template, fields, usage)? }))
        }
    }
}

/// A template whose fields exist and sort as they should.
pub(crate) fn check_template(template: &LitStr, fields: &[Field], usage: Use) -> Result<Vec<Segment>> {
    let refuse = |text: String| Err(Error::new(template.span(), text));
    let segments = template::parse(template)?;
    let of_table = matches!(usage, Use::TablePartition | Use::TableSort);
    for segment in &segments {
        let Segment::Field { name, width } = segment else { continue };
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            return Err(unknown(template.span(), "field in a key template", name, &known));
        };
        if matches!(usage, Use::TableSort | Use::IndexSort) && is_integer(&field.kind) && width.is_none() {
            return refuse(format!(
                "`{{{name}}}` is a number in a sort key, where 10 would come before 9; say how many digits it has: \
                 `{{{name}:013}}`"
            ));
        }
        if width.is_some() && is_string(&field.kind) {
            return refuse(format!("`{{{name}}}` is a text, and only numbers are padded with zeros"));
        }
        if of_table && is_option(&field.kind) {
            return refuse(format!("`{{{name}}}` is optional, but every item has its whole key"));
        }
        if field.is("skip") {
            return refuse(format!(
                "`{{{name}}}` is a skipped field, so its value would be lost; `key_only` keeps it"
            ));
        }
        if field.is("ttl") && matches!(field.form, Form::As { .. }) {
            return refuse(format!(
                "`{{{name}}}` is stored in whole seconds, so the key would not be the same after reading; use a number"
            ));
        }
        if field.is("version") || field.is("updated_at") {
            return refuse(format!("`{{{name}}}` changes with every update, and a key does not"));
        }
        if field.is("created_at") {
            return refuse(format!(
                "`{{{name}}}` is set when the item is written, and its key is made before that; an index on the field \
                 itself is filled"
            ));
        }
    }
    Ok(segments)
}
