//! `#[derive(Attribute)]`: structs and enums as values of attributes.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Fields, FieldsNamed, Ident, LitStr, Result, Type, Variant,
};

use crate::attrs::{once, word};
use crate::case::Case;
use crate::kind::is_option;
use crate::suggest::unknown;

/// What stands in `#[attribute(...)]`, wherever it stands.
#[derive(Default)]
struct Attrs {
    rename_all: Option<LitStr>,
    tag: Option<LitStr>,
    attr: Option<LitStr>,
    words: Vec<&'static str>,
}

const TYPE_WORDS: [&str; 3] = ["rename_all", "tag", "key"];
const FIELD_WORDS: [&str; 4] = ["attr", "omit_empty", "skip", "default"];
const VARIANT_WORDS: [&str; 1] = ["attr"];

impl Attrs {
    fn parse(attributes: &[Attribute], known: &'static [&'static str]) -> Result<Self> {
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

    fn case(&self) -> Result<Case> {
        self.rename_all.as_ref().map_or(Ok(Case::Same), Case::parse)
    }
}

/// A member of a map.
struct Member {
    ident: Ident,
    kind: Type,
    name: String,
    attrs: Attrs,
}

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
                let attribute = structure(&input.ident, &members)?;
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

fn has_data(variant: &Variant) -> bool {
    !matches!(variant.fields, Fields::Unit)
}

fn members(named: &FieldsNamed, case: Case) -> Result<Vec<Member>> {
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
fn puts(members: &[Member], value: impl Fn(&Member) -> TokenStream) -> TokenStream {
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
fn takes(members: &[Member]) -> TokenStream {
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
fn implementation(
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

fn structure(ident: &Ident, members: &[Member]) -> Result<TokenStream> {
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
    Ok(implementation(ident, "M", &to_value, &from_value))
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

fn plain_enum(ident: &Ident, data: &DataEnum, case: Case) -> Result<TokenStream> {
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

fn tagged_enum(ident: &Ident, data: &DataEnum, attrs: &Attrs) -> Result<TokenStream> {
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
