//! The attributes of a model as they are written: `#[model(...)]` on the struct and on its fields. What they mean together
//! is checked in `model`.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, ExprPath, Ident, LitStr, Result, Token, parenthesized, token};

use crate::case::Case;
use crate::suggest::unknown;

/// What stands on the struct.
#[derive(Default)]
pub(crate) struct StructAttrs {
    pub(crate) table: Option<LitStr>,
    /// The variables that name the table, the first before the others.
    pub(crate) table_env: Vec<LitStr>,
    rename_all: Option<LitStr>,
    pub(crate) pk: Option<LitStr>,
    pub(crate) sk: Option<LitStr>,
    pub(crate) pk_attr: Option<LitStr>,
    pub(crate) sk_attr: Option<LitStr>,
    pub(crate) indexes: Vec<IndexAttrs>,
}

/// `index(...)` or `local_index(...)`.
pub(crate) struct IndexAttrs {
    pub(crate) span: Span,
    pub(crate) local: bool,
    pub(crate) name: Option<LitStr>,
    pub(crate) function: Option<LitStr>,
    pub(crate) pk: Option<KeySource>,
    pub(crate) sk: Option<KeySource>,
    pub(crate) pk_attr: Option<LitStr>,
    pub(crate) sk_attr: Option<LitStr>,
    pub(crate) project: Option<LitStr>,
}

/// What the key of an index is made from.
pub(crate) enum KeySource {
    Template(LitStr),
    Fields(Vec<Ident>),
}

/// What stands on a field: a word, and where.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) attr: Option<LitStr>,
    /// `json = "..."`.
    pub(crate) json: Option<LitStr>,
    /// `default = "..."`.
    pub(crate) default: Option<ExprPath>,
    words: Vec<(&'static str, Span)>,
}

const STRUCT_WORDS: [&str; 9] =
    ["table", "table_env", "rename_all", "pk", "sk", "pk_attr", "sk_attr", "index", "local_index"];
const INDEX_WORDS: [&str; 7] = ["name", "fn", "pk", "sk", "pk_attr", "sk_attr", "project"];
const FIELD_WORDS: [&str; 15] = [
    "pk",
    "sk",
    "ttl",
    "version",
    "created_at",
    "updated_at",
    "omit_empty",
    "skip",
    "default",
    "key_only",
    "attr",
    "encrypted",
    "json",
    "set",
    "binary",
];

impl StructAttrs {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut own = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("model")) {
            attribute.parse_nested_meta(|meta| own.read(&meta))?;
        }
        Ok(own)
    }

    fn read(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        match word(meta).as_str() {
            "table" => once(&mut self.table, meta),
            "table_env" => variables(&mut self.table_env, meta),
            "rename_all" => once(&mut self.rename_all, meta),
            "pk" => once(&mut self.pk, meta),
            "sk" => once(&mut self.sk, meta),
            "pk_attr" => once(&mut self.pk_attr, meta),
            "sk_attr" => once(&mut self.sk_attr, meta),
            "index" => self.index(meta, false),
            "local_index" => self.index(meta, true),
            other => Err(unknown(meta.path.span(), "attribute", other, &STRUCT_WORDS)),
        }
    }

    fn index(&mut self, meta: &ParseNestedMeta, local: bool) -> Result<()> {
        let mut index = IndexAttrs {
            span: meta.path.span(),
            local,
            name: None,
            function: None,
            pk: None,
            sk: None,
            pk_attr: None,
            sk_attr: None,
            project: None,
        };
        meta.parse_nested_meta(|meta| index.read(&meta))?;
        self.indexes.push(index);
        Ok(())
    }

    /// How attributes are named.
    pub(crate) fn case(&self) -> Result<Case> {
        self.rename_all.as_ref().map_or(Ok(Case::Same), Case::parse)
    }
}

impl IndexAttrs {
    fn read(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        match word(meta).as_str() {
            "name" => once(&mut self.name, meta),
            "fn" => once(&mut self.function, meta),
            "pk" if self.local => {
                Err(meta.error("a local index has the partition key of its table; give it only a `sk`"))
            }
            "pk" => source(&mut self.pk, meta),
            "sk" => source(&mut self.sk, meta),
            "pk_attr" => once(&mut self.pk_attr, meta),
            "sk_attr" => once(&mut self.sk_attr, meta),
            "project" => once(&mut self.project, meta),
            other => Err(unknown(meta.path.span(), "attribute of an index", other, &INDEX_WORDS)),
        }
    }
}

impl FieldAttrs {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut own = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("model")) {
            attribute.parse_nested_meta(|meta| own.read(&meta))?;
        }
        Ok(own)
    }

    fn read(&mut self, meta: &ParseNestedMeta) -> Result<()> {
        let written = word(meta);
        if written == "attr" {
            return once(&mut self.attr, meta);
        }
        let known = FIELD_WORDS.iter().find(|known| **known == written);
        let known = known.ok_or_else(|| unknown(meta.path.span(), "attribute", &written, &FIELD_WORDS))?;
        if self.has(known).is_some() {
            return Err(meta.error(format!("`{known}` is given twice")));
        }
        self.words.push((known, meta.path.span()));
        match *known {
            "json" if meta.input.peek(Token![=]) => once(&mut self.json, meta),
            "default" if meta.input.peek(Token![=]) => {
                let path: LitStr = meta.value()?.parse()?;
                let function = path.parse().map_err(|_| {
                    let text =
                        "`default` names a function without arguments, such as `default = \"u64::default\"`";
                    Error::new(path.span(), text)
                })?;
                self.default = Some(function);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Where a word stands.
    pub(crate) fn has(&self, word: &str) -> Option<Span> {
        self.words.iter().find(|(known, _)| *known == word).map(|(_, span)| *span)
    }
}

pub(crate) fn word(meta: &ParseNestedMeta) -> String {
    meta.path.get_ident().map(ToString::to_string).unwrap_or_default()
}

/// Reads `word = "text"`, which may stand only once.
pub(crate) fn once(slot: &mut Option<LitStr>, meta: &ParseNestedMeta) -> Result<()> {
    if slot.is_some() {
        return Err(meta.error(format!("`{}` is given twice", word(meta))));
    }
    *slot = Some(meta.value()?.parse()?);
    Ok(())
}

/// Reads `word = "VARIABLE"` or `word("FIRST", "ALIAS")`, which may stand only once.
fn variables(slot: &mut Vec<LitStr>, meta: &ParseNestedMeta) -> Result<()> {
    if !slot.is_empty() {
        let text = "`table_env` is given twice; list the variables in one: `table_env(\"FIRST\", \"ALIAS\")`";
        return Err(meta.error(text));
    }
    if !meta.input.peek(token::Paren) {
        let variable = if meta.input.peek(Token![=]) { meta.value()?.parse().ok() } else { None };
        slot.push(variable.ok_or_else(|| {
            let text = "`table_env` names a variable, `table_env = \"APP_TABLE\"`, or lists some, of which the first that is \
                        set holds: `table_env(\"APP_TABLE\", \"TABLE_NAME\")`";
            meta.error(text)
        })?);
        return Ok(());
    }
    let inside;
    let paren = parenthesized!(inside in meta.input);
    if inside.is_empty() {
        let text =
            "`table_env` lists no variable: name at least one, `table_env(\"APP_TABLE\")`, or leave it out";
        return Err(Error::new(paren.span.join(), text));
    }
    let text = |error: Error| {
        let text =
            "`table_env` lists the names of variables as texts: `table_env(\"APP_TABLE\", \"TABLE_NAME\")`";
        Error::new(error.span(), text)
    };
    slot.extend(Punctuated::<LitStr, Token![,]>::parse_terminated(&inside).map_err(text)?);
    Ok(())
}

/// Reads `word = "template"`, `word = field` or `word = (field, field)`.
fn source(slot: &mut Option<KeySource>, meta: &ParseNestedMeta) -> Result<()> {
    if slot.is_some() {
        return Err(meta.error(format!("`{}` is given twice", word(meta))));
    }
    let value = meta.value()?;
    *slot = Some(if value.peek(LitStr) {
        KeySource::Template(value.parse()?)
    } else if value.peek(token::Paren) {
        let inside;
        let paren = parenthesized!(inside in value);
        let fields = Punctuated::<Ident, Token![,]>::parse_terminated(&inside)?;
        if !(1..=4).contains(&fields.len()) {
            return Err(Error::new(paren.span.join(), "a key of an index has one to four attributes"));
        }
        KeySource::Fields(fields.into_iter().collect())
    } else {
        KeySource::Fields(vec![value.parse()?])
    });
    Ok(())
}
