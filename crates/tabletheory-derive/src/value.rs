//! `#[derive(Attribute)]`: structs and enums as values of attributes. `member` knows the members of maps, `variant` enums.

mod member;
mod variant;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, Result, Type};

use member::{Attrs, Member, TYPE_WORDS, implementation, members, puts, takes};
use variant::{has_data, plain_enum, tagged_enum};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        return Err(Error::new(input.generics.span(), "an attribute has no type parameters or lifetimes"));
    }
    let attrs = Attrs::parse(&input.attrs, &TYPE_WORDS)?;
    let tagged = matches!(&input.data, Data::Enum(data) if data.variants.iter().any(has_data));
    if let Some(tag) = attrs.tag.as_ref().filter(|_| !tagged) {
        return Err(Error::new(tag.span(), "`tag` is for enums with data"));
    }
    let wraps = matches!(&input.data, Data::Struct(data) if matches!(data.fields, Fields::Unnamed(_)));
    if attrs.words.contains(&"key") && !wraps {
        return Err(Error::new(input.ident.span(), "`key` is for a struct around one value"));
    }
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => {
                let members = members(named, attrs.case()?)?;
                let constants = constants(input, &members);
                let attribute = structure(&input.ident, &members);
                Ok(quote!(#attribute #constants))
            }
            Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
                let kind = &unnamed.unnamed[0].ty;
                let key = attrs.words.contains(&"key").then(|| wrapper_key(&input.ident, kind));
                let attribute = wrapper(&input.ident, kind);
                Ok(quote!(#attribute #key))
            }
            _ => Err(Error::new(
                input.ident.span(),
                "an attribute is a struct with named fields or around one value",
            )),
        },
        Data::Enum(data) if tagged => tagged_enum(&input.ident, data, &attrs),
        Data::Enum(data) => plain_enum(&input.ident, data, attrs.case()?),
        Data::Union(_) => Err(Error::new(input.ident.span(), "a union cannot be an attribute")),
    }
}

fn structure(ident: &Ident, members: &[Member]) -> TokenStream {
    let puts = puts(members, |Member { ident, .. }| quote!(&self.#ident));
    let takes = takes(members);
    let to_value = quote! {
        let mut __map = ::tabletheory::derived::Item::default();
        #puts
        ::std::result::Result::Ok(::tabletheory::derived::Value::M(__map))
    };
    let from_value = quote! {
        let mut __map = ::tabletheory::derived::map(__value)?;
        ::std::result::Result::Ok(Self { #takes })
    };
    implementation(ident, "M", &to_value, &from_value)
}

/// A constant for each member, by which a field of a model that holds the struct names it.
fn constants(input: &DeriveInput, members: &[Member]) -> TokenStream {
    let (ident, vis) = (&input.ident, &input.vis);
    let stored = members.iter().filter(|member| !member.attrs.words.contains(&"skip"));
    let constants = stored.map(|Member { ident, kind, name, .. }| {
        let constant = format_ident!("{}", ident.unraw().to_string().to_uppercase(), span = ident.span());
        let doc = format!("The member `{name}`.");
        quote! {
            #[doc = #doc]
            #vis const #constant: ::tabletheory::derived::Field<Self, #kind> =
                ::tabletheory::derived::Field::new(#name);
        }
    });
    quote! {
        #[automatically_derived]
        #[allow(dead_code, reason = "few programs ask for every member")]
        impl #ident {
            #(#constants)*
        }
    }
}

/// A struct around one value is that value.
fn wrapper(ident: &Ident, kind: &Type) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::tabletheory::derived::Attribute for #ident {
            const TYPE: ::std::option::Option<::tabletheory::derived::ValueType> =
                <#kind as ::tabletheory::derived::Attribute>::TYPE;

            fn to_value(
                &self,
            ) -> ::std::result::Result<::tabletheory::derived::Value, ::tabletheory::derived::AttributeError> {
                ::tabletheory::derived::Attribute::to_value(&self.0)
            }
            fn from_value(
                __value: ::tabletheory::derived::Value,
            ) -> ::std::result::Result<Self, ::tabletheory::derived::AttributeError> {
                <#kind as ::tabletheory::derived::Attribute>::from_value(__value).map(Self)
            }
            fn missing() -> ::std::option::Option<Self> {
                <#kind as ::tabletheory::derived::Attribute>::missing().map(Self)
            }
            fn is_omitted(&self) -> bool {
                ::tabletheory::derived::Attribute::is_omitted(&self.0)
            }
        }
    }
}

/// A struct around one value is a key if that value is one.
fn wrapper_key(ident: &Ident, kind: &Type) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::tabletheory::derived::KeyValue for #ident {
            const KIND: ::tabletheory::derived::KeyType = <#kind as ::tabletheory::derived::KeyValue>::KIND;
        }

        #[automatically_derived]
        impl ::tabletheory::derived::KeyPart for #ident {
            const NUMBER: bool = <#kind as ::tabletheory::derived::KeyPart>::NUMBER;

            fn part(
                &self,
                __width: ::std::option::Option<usize>,
            ) -> ::std::result::Result<::std::option::Option<::std::string::String>, ::tabletheory::derived::KeyFault> {
                <#kind as ::tabletheory::derived::KeyPart>::part(&self.0, __width)
            }
            fn from_part(__text: &str) -> ::std::result::Result<Self, ::tabletheory::derived::KeyFault> {
                <#kind as ::tabletheory::derived::KeyPart>::from_part(__text).map(Self)
            }
        }
    }
}
