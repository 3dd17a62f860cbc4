//! Enums as values of attributes: texts, or maps with a tag.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{DataEnum, Error, Fields, Ident, LitStr, Result, Variant};

use super::member::{Attrs, Member, VARIANT_WORDS, implementation, members, puts, takes};
use crate::case::Case;

/// Whether the variant has more than its name.
pub(super) fn has_data(variant: &Variant) -> bool {
    !matches!(variant.fields, Fields::Unit)
}

/// An enum without data is a text.
pub(super) fn plain_enum(ident: &Ident, data: &DataEnum, case: Case) -> Result<TokenStream> {
    if data.variants.is_empty() {
        return Err(Error::new(ident.span(), "an enum without variants has no values"));
    }
    let names = variant_names(data, case)?;
    let variants: Vec<&Ident> = data.variants.iter().map(|variant| &variant.ident).collect();
    let expected = one_of(&names);
    let to_value = quote! {
        let __name = match self { #(Self::#variants => #names,)* };
        ::std::result::Result::Ok(::tabletheory::derived::Value::from(__name))
    };
    let from_value = quote! {
        match ::tabletheory::derived::text(__value)?.as_str() {
            #(#names => ::std::result::Result::Ok(Self::#variants),)*
            _ => ::std::result::Result::Err(::tabletheory::derived::Fault::Malformed { expected: #expected }.into()),
        }
    };
    let attribute = implementation(ident, "S", &to_value, &from_value);
    Ok(quote! {
        #attribute

        #[automatically_derived]
        impl ::tabletheory::derived::KeyValue for #ident {
            const KIND: ::tabletheory::derived::KeyType = ::tabletheory::derived::KeyType::S;
        }

        #[automatically_derived]
        impl ::tabletheory::derived::KeyPart for #ident {
            fn part(
                &self,
                _width: ::std::option::Option<usize>,
            ) -> ::std::result::Result<::std::option::Option<::std::string::String>, ::tabletheory::derived::KeyFault> {
                let __name = match self { #(Self::#variants => #names,)* };
                ::std::result::Result::Ok(::std::option::Option::Some(::std::string::String::from(__name)))
            }
            fn from_part(__text: &str) -> ::std::result::Result<Self, ::tabletheory::derived::KeyFault> {
                match __text {
                    #(#names => ::std::result::Result::Ok(Self::#variants),)*
                    _ => ::std::result::Result::Err(::tabletheory::derived::KeyFault::Form),
                }
            }
        }
    })
}

/// An enum with data is a map in which the tag names the variant.
pub(super) fn tagged_enum(ident: &Ident, data: &DataEnum, attrs: &Attrs) -> Result<TokenStream> {
    let case = attrs.case()?;
    let tag = attrs.tag.as_ref().map_or_else(|| "type".to_owned(), LitStr::value);
    let names = variant_names(data, case)?;
    let (mut writes, mut reads) = (Vec::new(), Vec::new());
    for (variant, name) in data.variants.iter().zip(&names) {
        let (write, read) = tagged_variant(variant, case, &tag)?;
        let label =
            quote!(::tabletheory::derived::put(&mut __map, #tag, &::std::string::String::from(#name))?;);
        let (pattern, puts) = write;
        writes.push(quote!(#pattern => { #label #puts }));
        reads.push(quote!(#name => ::std::result::Result::Ok(#read)));
    }
    let expected = one_of(&names);
    let to_value = quote! {
        let mut __map = ::tabletheory::derived::Item::default();
        match self { #(#writes)* }
        ::std::result::Result::Ok(::tabletheory::derived::Value::M(__map))
    };
    let from_value = quote! {
        let mut __map = ::tabletheory::derived::map(__value)?;
        let __kind: ::std::string::String = ::tabletheory::derived::take(&mut __map, #tag)?;
        match __kind.as_str() {
            #(#reads,)*
            _ => ::std::result::Result::Err(
                ::tabletheory::derived::AttributeError::from(
                    ::tabletheory::derived::Fault::Malformed { expected: #expected },
                )
                .inside(#tag),
            ),
        }
    };
    Ok(implementation(ident, "M", &to_value, &from_value))
}

/// How a variant is written (its pattern and its members) and read.
fn tagged_variant(
    variant: &Variant,
    case: Case,
    tag: &str,
) -> Result<((TokenStream, TokenStream), TokenStream)> {
    let ident = &variant.ident;
    match &variant.fields {
        Fields::Unit => Ok(((quote!(Self::#ident), TokenStream::new()), quote!(Self::#ident))),
        Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 && tag != "value" => {
            let put = quote!(::tabletheory::derived::put(&mut __map, "value", __inner)?;);
            let read = quote!(Self::#ident(::tabletheory::derived::take(&mut __map, "value")?));
            Ok(((quote!(Self::#ident(__inner)), put), read))
        }
        Fields::Unnamed(_) => {
            let text = "a variant has named fields, or one value without a name (which is stored as `value`)";
            Err(Error::new(ident.span(), text))
        }
        Fields::Named(named) => {
            let members = members(named, case)?;
            if let Some(member) = members.iter().find(|member| member.name == tag) {
                let text = format!(
                    "the member `{tag}` names the variant; give this field another `attr`, or the enum another `tag`"
                );
                return Err(Error::new(member.ident.span(), text));
            }
            let bound = |member: &Member| format_ident!("__{}", member.ident.unraw());
            let stored = members.iter().filter(|member| !member.attrs.words.contains(&"skip"));
            let bindings = stored.map(|member| {
                let (field, bound) = (&member.ident, bound(member));
                quote!(#field: #bound)
            });
            let pattern = quote!(Self::#ident { #(#bindings,)* .. });
            let puts = puts(&members, |member| {
                let bound = bound(member);
                quote!(#bound)
            });
            let takes = takes(&members);
            Ok(((pattern, puts), quote!(Self::#ident { #takes })))
        }
    }
}

/// The stored names of variants, each another one.
fn variant_names(data: &DataEnum, case: Case) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for variant in &data.variants {
        let attrs = Attrs::parse(&variant.attrs, &VARIANT_WORDS)?;
        let name =
            attrs.attr.map_or_else(|| case.apply(&variant.ident.unraw().to_string()), |attr| attr.value());
        if names.contains(&name) {
            return Err(Error::new(variant.ident.span(), format!("the name `{name}` is taken already")));
        }
        names.push(name);
    }
    Ok(names)
}

/// What a text should have been.
fn one_of(names: &[String]) -> String {
    format!("one of {}", names.join(", "))
}
