//! The members of a map: what their attributes say, and how they are put into it and taken out again.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Error, FieldsNamed, Ident, LitStr, Result, Type};

use crate::attrs::{once, word};
use crate::case::Case;
use crate::kind::is_option;
use crate::suggest::unknown;

/// What stands in `#[attribute(...)]`, wherever it stands.
#[derive(Default)]
pub(super) struct Attrs {
    rename_all: Option<LitStr>,
    pub(super) tag: Option<LitStr>,
    pub(super) attr: Option<LitStr>,
    pub(super) words: Vec<&'static str>,
}

pub(super) const TYPE_WORDS: [&str; 3] = ["rename_all", "tag", "key"];
const FIELD_WORDS: [&str; 4] = ["attr", "omit_empty", "skip", "default"];
pub(super) const VARIANT_WORDS: [&str; 1] = ["attr"];

impl Attrs {
    pub(super) fn parse(attributes: &[Attribute], known: &'static [&'static str]) -> Result<Self> {
        let mut own = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("attribute")) {
            attribute.parse_nested_meta(|meta| {
                let written = word(&meta);
                let Some(known) = known.iter().find(|known| **known == written) else {
                    return Err(unknown(meta.path.span(), "attribute", &written, known));
                };
                match *known {
                    "rename_all" => once(&mut own.rename_all, &meta),
                    "tag" => once(&mut own.tag, &meta),
                    "attr" => once(&mut own.attr, &meta),
                    flag => {
                        own.words.push(flag);
                        Ok(())
                    }
                }
            })?;
        }
        Ok(own)
    }

    pub(super) fn case(&self) -> Result<Case> {
        self.rename_all.as_ref().map_or(Ok(Case::Same), Case::parse)
    }
}

/// A member of a map.
pub(super) struct Member {
    pub(super) ident: Ident,
    pub(super) kind: Type,
    pub(super) name: String,
    pub(super) attrs: Attrs,
}

/// The fields of a struct or a variant, each under another name.
pub(super) fn members(named: &FieldsNamed, case: Case) -> Result<Vec<Member>> {
    let mut members: Vec<Member> = Vec::new();
    for field in &named.named {
        let ident = field.ident.clone().expect("these fields are named");
        let attrs = Attrs::parse(&field.attrs, &FIELD_WORDS)?;
        let name = attrs.attr.as_ref().map_or_else(|| case.apply(&ident.unraw().to_string()), LitStr::value);
        if members.iter().any(|known| known.name == name) {
            return Err(Error::new(ident.span(), format!("the member `{name}` is taken already")));
        }
        members.push(Member { ident, kind: field.ty.clone(), name, attrs });
    }
    Ok(members)
}

/// Statements that put members into `__map`.
pub(super) fn puts(members: &[Member], value: impl Fn(&Member) -> TokenStream) -> TokenStream {
    let stored = members.iter().filter(|member| !member.attrs.words.contains(&"skip"));
    let puts = stored.map(|member| {
        let (name, kind, value) = (&member.name, &member.kind, value(member));
        let omit = member.attrs.words.contains(&"omit_empty") || is_option(&member.kind);
        let put = Ident::new(if omit { "put_unless_empty" } else { "put" }, Span::call_site());
        quote!(::tabletheory::derived::#put::<#kind>(&mut __map, #name, #value)?;)
    });
    quote!(#(#puts)*)
}

/// Fields taken out of `__map`.
pub(super) fn takes(members: &[Member]) -> TokenStream {
    let takes = members.iter().map(|Member { ident, kind, name, attrs }| {
        let has = |word| attrs.words.contains(&word);
        if has("skip") {
            return quote!(#ident: ::std::default::Default::default());
        }
        let lenient = (has("omit_empty") && !is_option(kind)) || has("default");
        let take = Ident::new(if lenient { "take_or_default" } else { "take" }, Span::call_site());
        quote!(#ident: ::tabletheory::derived::#take::<#kind>(&mut __map, #name)?)
    });
    quote!(#(#takes),*)
}

/// The trait's implementation around the bodies of its two functions; the value always has this type.
pub(super) fn implementation(
    ident: &Ident,
    value_type: &str,
    to_value: &TokenStream,
    from_value: &TokenStream,
) -> TokenStream {
    let value_type = Ident::new(value_type, Span::call_site());
    quote! {
        #[automatically_derived]
        impl ::tabletheory::derived::Attribute for #ident {
            const TYPE: ::std::option::Option<::tabletheory::derived::ValueType> =
                ::std::option::Option::Some(::tabletheory::derived::ValueType::#value_type);

            fn to_value(
                &self,
            ) -> ::std::result::Result<::tabletheory::derived::Value, ::tabletheory::derived::AttributeError> {
                #to_value
            }
            fn from_value(
                __value: ::tabletheory::derived::Value,
            ) -> ::std::result::Result<Self, ::tabletheory::derived::AttributeError> {
                #from_value
            }
        }
    }
}
