//! The list of a model's attributes in its schema: each attribute of an item once, with what is known of it.

use proc_macro2::TokenStream;
use quote::quote;

use crate::field::Field;
use crate::key::Key;
use crate::kind::is_option;
use crate::model::Model;

/// `&[AttributeInfo { .. }, ..]`: the keys that come from templates, then the fields.
pub(crate) fn attributes(model: &Model) -> TokenStream {
    let indexes = model.indexes.iter().flat_map(|index| index.partition.iter().chain(&index.sort));
    let own = model.keys().map(|key| (key, false));
    let mut named: Vec<&str> = Vec::new();
    let mut infos: Vec<TokenStream> = Vec::new();
    for (key, may_be_missing) in own.chain(indexes.map(|key| (key, true))) {
        let Key::Template { attribute, .. } = key else { continue };
        if !named.contains(&attribute.as_str()) {
            named.push(attribute);
            infos.push(template(attribute, may_be_missing));
        }
    }
    infos.extend(model.fields.iter().filter(|field| field.is_stored()).map(field_info));
    quote!(&[#(#infos),*])
}

/// A key from a template is a text. That of an index is missing where a field of its template is.
fn template(attribute: &str, may_be_missing: bool) -> TokenStream {
    quote! {
        ::tabletheory::derived::AttributeInfo {
            name: #attribute,
            kind: ::std::option::Option::Some(::tabletheory::derived::ValueType::S),
            may_be_missing: #may_be_missing,
            omit_empty: false,
            json: false,
            is_field: false,
        }
    }
}

fn field_info(field: &Field) -> TokenStream {
    let Field { attribute, kind, .. } = field;
    let omit_empty = field.is("omit_empty");
    let may_be_missing = omit_empty || field.is("default") || is_option(kind);
    let json = field.is("json");
    // Of JSON that is stored as it is built only a type that is an attribute too says what it becomes.
    let stored = if json && field.attrs.json.is_none() { quote!(#kind) } else { field.stored_kind() };
    // A type that cannot be an attribute is told where the field is written, and not here too.
    let value_type = quote!({
        use ::tabletheory::derived::NoType as _;
        ::tabletheory::derived::TypeOf::<#stored>::TYPE
    });
    quote! {
        ::tabletheory::derived::AttributeInfo {
            name: #attribute,
            kind: #value_type,
            may_be_missing: #may_be_missing,
            omit_empty: #omit_empty,
            json: #json,
            is_field: true,
        }
    }
}
