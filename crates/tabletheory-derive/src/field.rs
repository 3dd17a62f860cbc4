//! The fields of a model: their attribute names and roles.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type};

use crate::attrs::FieldAttrs;
use crate::case::Case;
use crate::form::Form;
use crate::kind::is_option;

/// A field of a model.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) kind: Type,
    pub(crate) attribute: String,
    pub(crate) form: Form,
    pub(crate) attrs: FieldAttrs,
}

impl Field {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.attrs.has(word).is_some()
    }

    /// Whether the field is an attribute of the item.
    pub(crate) fn is_stored(&self) -> bool {
        !self.is("skip") && !self.is("key_only")
    }

    pub(crate) fn is_managed(&self) -> bool {
        self.is("version") || self.is("created_at") || self.is("updated_at")
    }
}

/// The fields of a struct.
pub(crate) fn fields(input: &DeriveInput, case: Case) -> Result<Vec<Field>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.ident.span(), "a model is a struct with named fields"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new(input.ident.span(), "a model is a struct with named fields"));
    };
    if !input.generics.params.is_empty() {
        return Err(Error::new(input.generics.span(), "a model has no type parameters or lifetimes"));
    }
    let mut fields = Vec::new();
    for field in &named.named {
        let ident = field.ident.clone().expect("the fields of this struct are named");
        let attrs = FieldAttrs::parse(&field.attrs)?;
        let name = ident.unraw().to_string();
        let attribute = match &attrs.attr {
            Some(attr) if attr.value().is_empty() => {
                return Err(Error::new(attr.span(), "the name of an attribute cannot be empty"));
            }
            Some(attr) => attr.value(),
            None if case == Case::Dynamorm && attrs.has("pk").is_some() => "PK".to_owned(),
            None if case == Case::Dynamorm && attrs.has("sk").is_some() => "SK".to_owned(),
            None => case.apply(&name),
        };
        let form = Form::new(&attrs, &field.ty)?;
        let field = Field { ident, name, kind: field.ty.clone(), attribute, form, attrs };
        check_words(&field)?;
        fields.push(field);
    }
    for role in ["ttl", "version", "created_at", "updated_at"] {
        if let Some(second) = fields.iter().filter_map(|field| field.attrs.has(role)).nth(1) {
            return Err(Error::new(second, format!("two fields are `{role}`; a model has one at most")));
        }
    }
    Ok(fields)
}

/// Words that contradict each other on one field.
fn check_words(field: &Field) -> Result<()> {
    const ROLES: [&str; 6] = ["pk", "sk", "ttl", "version", "created_at", "updated_at"];
    let found: Vec<(&str, Span)> =
        ROLES.iter().filter_map(|role| field.attrs.has(role).map(|span| (*role, span))).collect();
    if let [(first, _), (second, span), ..] = found[..] {
        return Err(Error::new(span, format!("a field cannot be both `{first}` and `{second}`")));
    }
    let against = |word: &str, others: &[&str]| -> Result<()> {
        let Some(span) = field.attrs.has(word) else { return Ok(()) };
        match others.iter().find(|other| field.is(other)) {
            Some(other) => Err(Error::new(span, format!("`{word}` and `{other}` contradict each other"))),
            None => Ok(()),
        }
    };
    let stored = ["pk", "sk", "ttl", "version", "created_at", "updated_at", "omit_empty", "default"];
    against("skip", &[&stored[..], &["key_only"]].concat())?;
    against("key_only", &stored)?;
    against("omit_empty", &["pk", "sk", "version"])?;
    if let Some(path) =
        field.attrs.default.as_ref().filter(|_| field.is("omit_empty") || is_option(&field.kind))
    {
        let text =
            "an empty value is not stored here, and would be read back as this default; use `default` alone";
        return Err(Error::new(path.span(), text));
    }
    if (field.is("pk") || field.is("sk")) && is_option(&field.kind) {
        return Err(Error::new(field.kind.span(), "a key cannot be optional: every item has its whole key"));
    }
    if let Some(attr) = field.attrs.attr.as_ref().filter(|_| !field.is_stored()) {
        return Err(Error::new(attr.span(), "this field is not stored, so it has no attribute to name"));
    }
    Ok(())
}
