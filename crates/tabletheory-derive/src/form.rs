//! In which form a field is stored: its own, or one that `json`, `set`, `binary` or `ttl` choose for it.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Error, Ident, Result, Type};

use crate::attrs::FieldAttrs;
use crate::kind::{inner, is_option, last, present};

/// How a field is stored.
pub(crate) enum Form {
    /// As its type says.
    Own,
    /// As another type: the one that holds the values of an item.
    As {
        /// For the whole field.
        whole: Box<TokenStream>,
        /// For the value in it, if it is an `Option`.
        present: Box<TokenStream>,
    },
}

const FORMS: [&str; 3] = ["json", "set", "binary"];

impl Form {
    /// The form that the words on a field choose.
    pub(crate) fn new(attrs: &FieldAttrs, kind: &Type) -> Result<Self> {
        check(attrs)?;
        let bare = present(kind);
        let span = kind.span();
        let form = if attrs.has("json").is_some() {
            let form = Ident::new(if json_text(attrs)? { "JsonText" } else { "Json" }, span);
            quote_spanned!(span=> ::tabletheory::derived::#form<#bare>)
        } else if attrs.has("set").is_some() {
            let Some(member) = inner(bare).filter(|_| last(bare).is_some_and(|name| name == "Vec")) else {
                let text = "`set` is for a `Vec`, or an `Option` of one; a `BTreeSet` or a `HashSet` is stored as a set \
                            without it";
                return Err(Error::new(span, text));
            };
            quote_spanned!(span=> ::tabletheory::derived::VecSet<#member>)
        } else if attrs.has("binary").is_some() {
            quote_spanned!(span=> ::tabletheory::derived::Binary)
        } else if attrs.has("ttl").is_some() && is_time(bare) {
            quote_spanned!(span=> ::tabletheory::derived::EpochSeconds<#bare>)
        } else {
            return Ok(Self::Own);
        };
        let whole = if is_option(kind) {
            quote_spanned!(span=> ::tabletheory::derived::Optional<#form>)
        } else {
            form.clone()
        };
        Ok(Self::As { whole: Box::new(whole), present: Box::new(form) })
    }
}

/// Whether the type is written as a moment in time, which DynamoDB's time to live does not understand as text.
fn is_time(kind: &Type) -> bool {
    last(kind).is_some_and(|name| name == "Timestamp" || name == "SystemTime")
}

fn json_text(attrs: &FieldAttrs) -> Result<bool> {
    match &attrs.json {
        None => Ok(false),
        Some(form) if form.value() == "text" => Ok(true),
        Some(form) => {
            let text = "`json = \"text\"` stores a text; `json` alone stores maps, lists and their members";
            Err(Error::new(form.span(), text))
        }
    }
}

/// Words that leave no room for a form, or for a default that is not the empty value.
fn check(attrs: &FieldAttrs) -> Result<()> {
    let found: Vec<_> = FORMS.iter().filter_map(|word| Some((word, attrs.has(word)?))).collect();
    if let [(first, _), (second, span), ..] = found[..] {
        return Err(Error::new(span, format!("`{second}` and `{first}` contradict each other")));
    }
    let Some((word, span)) = found.first() else { return Ok(()) };
    let roles = ["ttl", "version", "created_at", "updated_at", "skip", "key_only"];
    let keys: &[&str] = if **word == "binary" { &[] } else { &["pk", "sk"] };
    match roles.iter().chain(keys).find(|other| attrs.has(other).is_some()) {
        Some(other) => Err(Error::new(*span, format!("`{word}` and `{other}` contradict each other"))),
        None => Ok(()),
    }
}
