//! The code of keys: their templates, the attributes they become, and the functions that take their fields.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type};

use crate::field::Field;
use crate::key::Key;
use crate::kind::{is_integer, is_option, present};
use crate::model::Model;
use crate::template::Segment;

pub(crate) fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::std::option::Option::Some(#value)),
        None => quote!(::std::option::Option::None),
    }
}

pub(crate) fn key_attribute(model: &Model, key: &Key) -> TokenStream {
    let (name, kind) = match key {
        Key::Template { attribute, .. } => (attribute, quote!(::tabletheory::derived::KeyType::S)),
        Key::Field(at) => {
            let field = &model.fields[*at];
            let kind = field.stored_kind();
            (
                &field.attribute,
                quote_spanned!(field.kind.span()=> <#kind as ::tabletheory::derived::KeyValue>::KIND),
            )
        }
    };
    quote!(::tabletheory::derived::KeyAttribute { name: #name, kind: #kind })
}

pub(crate) fn key_shape(model: &Model) -> TokenStream {
    let pattern = |key: &Key| {
        let (kind, value) = match key {
            Key::Template { .. } => (quote!(Template), template(model, key)),
            Key::Field(_) => (quote!(Field), key_attribute(model, key)),
        };
        quote!(::tabletheory::derived::KeyPattern::#kind(#value))
    };
    let (partition, sort) = (pattern(&model.partition), option(model.sort.as_ref().map(pattern)));
    quote!(::tabletheory::derived::KeyShape { partition: #partition, sort: #sort })
}

/// `__unfit`, which says of which model an attribute is wrong.
pub(crate) fn unfit(variant: &str) -> TokenStream {
    let variant = Ident::new(variant, Span::call_site());
    quote! {
        let __unfit = |source| ::tabletheory::derived::ModelError::#variant {
            model: <Self as ::tabletheory::derived::Model>::NAME,
            source,
        };
    }
}

/// Puts the text of a template into the item. A key that is a field is there already. The values are those of the fields, or
/// of the types that `kind` makes of theirs.
pub(crate) fn put_key(
    model: &Model,
    key: &Key,
    put: &str,
    kind: fn(&Type) -> &Type,
    value: impl Fn(&Field) -> TokenStream,
) -> TokenStream {
    let Key::Template { segments, .. } = key else { return TokenStream::new() };
    let template = template(model, key);
    let put = Ident::new(put, Span::call_site());
    let parts = segments.iter().filter_map(|segment| match segment {
        Segment::Text(_) => None,
        Segment::Field { name, .. } => {
            let field = field_called(model, name);
            let (kind, value) = (kind(&field.kind), value(field));
            Some(quote!(::tabletheory::derived::part::<#kind>(&#value)))
        }
    });
    quote!(#template.#put(&mut __item, &[#(#parts),*])?;)
}

pub(crate) fn field_called<'m>(model: &'m Model, name: &str) -> &'m Field {
    let found = model.fields.iter().find(|field| field.name == name);
    found.expect("the fields of templates were checked to exist")
}

pub(crate) fn template(model: &Model, key: &Key) -> TokenStream {
    let Key::Template { attribute, segments } = key else { return TokenStream::new() };
    let name = model.ident.to_string();
    let segments = segments.iter().map(|segment| match segment {
        Segment::Text(text) => quote!(::tabletheory::derived::Segment::Text(#text)),
        Segment::Field { name, width } => {
            let width = option(width.map(|width| quote!(#width)));
            quote!(::tabletheory::derived::Segment::Field { name: #name, width: #width })
        }
    });
    quote! {
        ::tabletheory::derived::Template { model: #name, attribute: #attribute, segments: &[#(#segments),*] }
    }
}

/// An expression for the key, with the fields' values as `value` writes them.
pub(crate) fn key(model: &Model, value: impl Fn(&Field) -> TokenStream) -> TokenStream {
    let attributes = key_attributes(model, model.keys(), value);
    quote!(::tabletheory::derived::Key::new(#attributes))
}

/// An expression for an item with these keys, or what is wrong with them.
pub(crate) fn key_attributes<'m>(
    model: &'m Model,
    keys: impl Iterator<Item = &'m Key> + Clone,
    value: impl Fn(&Field) -> TokenStream,
) -> TokenStream {
    let parts = keys.clone().map(|key| match key {
        Key::Template { .. } => put_key(model, key, "put", present, &value),
        Key::Field(at) => {
            let field = &model.fields[*at];
            let value = value(field);
            let value =
                if is_option(&field.kind) { quote!(::std::option::Option::Some(#value)) } else { value };
            let put = field.put(&quote!(&#value));
            quote!(#put.map_err(__unfit)?;)
        }
    });
    let unfit = keys.clone().any(|key| matches!(key, Key::Field(_))).then(|| unfit("Write"));
    let attributes = keys.count();
    quote! {
        (|| {
            let mut __item = ::tabletheory::derived::Item::with_capacity(#attributes);
            #unfit
            #(#parts)*
            ::std::result::Result::Ok(__item)
        })()
    }
}

/// The fields that make these keys, each once, in their order.
pub(crate) fn key_fields<'m>(model: &'m Model, keys: impl Iterator<Item = &'m Key>) -> Vec<&'m Field> {
    let mut fields: Vec<&Field> = Vec::new();
    for key in keys {
        let named: Vec<&Field> = match key {
            Key::Field(at) => vec![&model.fields[*at]],
            Key::Template { segments, .. } => {
                let names = segments.iter().filter_map(|segment| match segment {
                    Segment::Field { name, .. } => Some(name),
                    Segment::Text(_) => None,
                });
                names.map(|name| field_called(model, name)).collect()
            }
        };
        for field in named {
            if !fields.iter().any(|known| known.name == field.name) {
                fields.push(field);
            }
        }
    }
    fields
}

pub(crate) fn key_fn(model: &Model) -> TokenStream {
    let vis = &model.vis;
    let doc = format!("The key of a `{}`.", model.ident);
    let (arguments, conversions) = arguments(&key_fields(model, model.keys()));
    let key = key(model, |field| {
        let ident = &field.ident;
        quote!(#ident)
    });
    quote! {
        #[doc = #doc]
        #[must_use]
        #vis fn key(#(#arguments),*) -> ::tabletheory::derived::Key<Self> {
            #(#conversions)*
            #key
        }
    }
}

/// The arguments of a function that takes these fields, and how they become what the fields hold if they are there.
pub(crate) fn arguments(fields: &[&Field]) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let (mut arguments, mut conversions) = (Vec::new(), Vec::new());
    for Field { ident, kind, .. } in fields {
        let kind = present(kind);
        // A bare number has no type of its own that it could be converted from.
        if is_integer(kind) {
            arguments.push(quote!(#ident: #kind));
        } else {
            arguments.push(quote!(#ident: impl ::std::convert::Into<#kind>));
            conversions.push(quote!(let #ident: #kind = #ident.into();));
        }
    }
    (arguments, conversions)
}

/// The key of the table in which a field stands that is only there.
pub(crate) fn key_with<'m>(model: &'m Model, field: &Field) -> &'m Key {
    model.keys().find(|key| key.names(field)).expect("a field that is key_only stands in a key")
}
