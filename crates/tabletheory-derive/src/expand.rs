//! The code of a checked model. It names everything by its full path, so that it compiles in any module.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use crate::attributes;
use crate::field::Field;
use crate::index::{Index, Projection};
use crate::key::Key;
use crate::key_code::{
    field_called, key, key_attribute, key_fields, key_fn, key_shape, key_with, option, put_key, template,
    unfit,
};
use crate::model::Model;
use crate::template::Segment;

/// `impl Model`, the constants and the key function.
pub(crate) fn expand(model: &Model) -> TokenStream {
    let ident = &model.ident;
    let name = ident.to_string();
    let (schema, keys, table) = (schema(model), key_shape(model), table(model));
    let (to_item, from_item) = (to_item(model), from_item(model));
    let key_of = key(model, |field| {
        let ident = &field.ident;
        quote!(self.#ident)
    });
    let (constants, key_fn, checks) = (constants(model), key_fn(model), checks(model));
    quote! {
        #[automatically_derived]
        impl ::tabletheory::derived::Model for #ident {
            const NAME: &'static str = #name;
            const SCHEMA: ::tabletheory::derived::Schema = #schema;
            const KEYS: ::tabletheory::derived::KeyShape = #keys;

            fn table() -> ::std::borrow::Cow<'static, str> { #table }
            fn to_item(&self) -> ::std::result::Result<::tabletheory::derived::Item, ::tabletheory::derived::ModelError> {
                #to_item
            }
            fn from_item(
                mut __item: ::tabletheory::derived::Item,
            ) -> ::std::result::Result<Self, ::tabletheory::derived::ModelError> {
                #from_item
            }
            fn key_of(&self) -> ::tabletheory::derived::Key<Self> { #key_of }
        }

        #[automatically_derived]
        #[allow(dead_code, reason = "few programs ask for every field")]
        impl #ident {
            #constants
            #key_fn
        }

        #checks
    }
}

fn table(model: &Model) -> TokenStream {
    let fixed = &model.table;
    match &model.table_env[..] {
        [] => quote!(::std::borrow::Cow::Borrowed(#fixed)),
        variables => quote!(::tabletheory::derived::table(&[#(#variables),*], #fixed)),
    }
}

fn schema(model: &Model) -> TokenStream {
    let partition = key_attribute(model, &model.partition);
    let sort = option(model.sort.as_ref().map(|key| key_attribute(model, key)));
    let indexes = model.indexes.iter().map(|index| index_schema(model, index));
    let role = |word| {
        let field = model.fields.iter().find(|field| field.is(word));
        option(field.map(|field| {
            let attribute = &field.attribute;
            quote!(#attribute)
        }))
    };
    let (ttl, version, created_at, updated_at) =
        (role("ttl"), role("version"), role("created_at"), role("updated_at"));
    let encrypted = model.fields.iter().filter(|field| field.is("encrypted")).map(|field| &field.attribute);
    let attributes = attributes::attributes(model);
    let name = model.ident.to_string();
    quote! {
        ::tabletheory::derived::Schema {
            model: #name,
            partition: #partition,
            sort: #sort,
            indexes: &[#(#indexes),*],
            ttl: #ttl,
            version: #version,
            created_at: #created_at,
            updated_at: #updated_at,
            encrypted: &[#(#encrypted),*],
            attributes: #attributes,
        }
    }
}

fn index_schema(model: &Model, index: &Index) -> TokenStream {
    let name = &index.name;
    let scope = if index.local { quote!(Local) } else { quote!(Global) };
    let partition = index.partition.iter().map(|key| key_attribute(model, key));
    let sort = index.sort.iter().map(|key| key_attribute(model, key));
    let projection = match &index.projection {
        Projection::All => quote!(All),
        Projection::Keys => quote!(Keys),
        Projection::Include(names) => quote!(Include(&[#(#names),*])),
    };
    quote! {
        ::tabletheory::derived::Index {
            name: #name,
            scope: ::tabletheory::derived::IndexScope::#scope,
            partition: &[#(#partition),*],
            sort: &[#(#sort),*],
            projection: ::tabletheory::derived::IndexProjection::#projection,
        }
    }
}

fn to_item(model: &Model) -> TokenStream {
    let fields = model.fields.iter().filter(|field| field.is_stored()).map(|field| {
        let ident = &field.ident;
        let put = field.put_unless_omitted(&quote!(&self.#ident));
        (&field.attribute, quote!(#put.map_err(__unfit)?;))
    });
    let of_self = |field: &Field| {
        let ident = &field.ident;
        quote!(self.#ident)
    };
    let put = |put: &'static str| {
        move |(attribute, key)| (attribute, put_key(model, key, put, |kind| kind, of_self))
    };
    let keys = made(model.keys()).map(put("put"));
    let indexes = made(model.indexes.iter().flat_map(own_keys)).map(put("put_if_complete"));
    let mut puts: Vec<(&String, TokenStream)> = fields.chain(keys).chain(indexes).collect();
    // In the order of an item, so that each attribute is the last one so far.
    puts.sort_by_key(|(attribute, _)| *attribute);
    let (attributes, puts) = (puts.len(), puts.iter().map(|(_, put)| put));
    let unfit = unfit("Write");
    quote! {
        let mut __item = ::tabletheory::derived::Item::with_capacity(#attributes);
        #unfit
        #(#puts)*
        ::std::result::Result::Ok(__item)
    }
}

/// The keys of an index that are not those of the table.
fn own_keys(index: &Index) -> impl Iterator<Item = &Key> {
    let partition = if index.local { &[] } else { &index.partition[..] };
    partition.iter().chain(&index.sort)
}

/// The keys that are made from templates, with the attributes that hold them.
fn made<'m>(keys: impl Iterator<Item = &'m Key>) -> impl Iterator<Item = (&'m String, &'m Key)> {
    keys.filter_map(|key| match key {
        Key::Template { attribute, .. } => Some((attribute, key)),
        Key::Field(_) => None,
    })
}

fn from_item(model: &Model) -> TokenStream {
    // What stands only in the key is read first, while the key is still there.
    let (from_key, mut others): (Vec<&Field>, Vec<&Field>) =
        model.fields.iter().partition(|field| field.is("key_only"));
    // Against the order of an item, with the keys on the way, so that what is taken is the last one left.
    others.sort_by(|one, other| other.attribute.cmp(&one.attribute));
    let indexes = model.indexes.iter().flat_map(own_keys);
    let mut keys: Vec<&String> = made(model.keys().chain(indexes)).map(|(attribute, _)| attribute).collect();
    keys.sort();
    let from_key = from_key.into_iter().map(|field| {
        let Field { ident, name, kind, .. } = field;
        let template = template(model, key_with(model, field));
        quote!(#ident: #template.read::<#kind>(&__item, #name)?)
    });
    let others = others.into_iter().map(|field| {
        let ident = &field.ident;
        if field.is("skip") {
            return quote!(#ident: ::std::default::Default::default());
        }
        let take = field.take();
        let passed = keys.split_off(keys.partition_point(|key| **key < field.attribute)).into_iter().rev();
        quote!(#ident: {
            #(__item.remove(#passed);)*
            #take.map_err(__unfit)?
        })
    });
    let unfit = unfit("Read");
    quote! {
        #unfit
        ::std::result::Result::Ok(Self { #(#from_key,)* #(#others,)* })
    }
}

fn constants(model: &Model) -> TokenStream {
    let key_fields = key_fields(model, model.keys());
    let constants = model.fields.iter().filter(|field| field.is_stored()).map(|field| {
        let Field { ident, name, attribute, .. } = field;
        let kind = field.stored_kind();
        let vis = &model.vis;
        let constant = format_ident!("{}", name.to_uppercase(), span = ident.span());
        let in_key = key_fields.iter().any(|known| known.name == field.name);
        let in_index = model.indexes.iter().flat_map(|index| index.partition.iter().chain(&index.sort));
        let role = if in_key {
            quote!(KeyField)
        } else if field.is("encrypted") {
            quote!(Sealed)
        } else if field.is_managed() {
            quote!(Managed)
        } else if in_index.into_iter().any(|key| key.names(field)) {
            quote!(IndexPart)
        } else {
            quote!(Plain)
        };
        let doc = format!("The attribute `{attribute}`.");
        let default = field.default().map(|default| quote!(.with_default(#default)));
        quote! {
            #[doc = #doc]
            #vis const #constant: ::tabletheory::derived::Field<Self, #kind, ::tabletheory::derived::#role> =
                ::tabletheory::derived::Field::new(#attribute) #default;
        }
    });
    let in_keys = model.fields.iter().filter(|field| field.is("key_only")).map(|field| {
        let Field { ident, name, kind, .. } = field;
        let vis = &model.vis;
        let constant = format_ident!("{}", name.to_uppercase(), span = ident.span());
        let template = template(model, key_with(model, field));
        let doc = format!("The field `{name}`, which stands only in the key.");
        quote! {
            #[doc = #doc]
            #vis const #constant: ::tabletheory::derived::KeyOnly<Self, #kind> =
                ::tabletheory::derived::KeyOnly::new(#template, #name);
        }
    });
    quote!(#(#constants)* #(#in_keys)*)
}

/// Asks the traits whether the fields with a role have a type that fits it.
fn checks(model: &Model) -> TokenStream {
    const ROLES: [(&str, &str); 4] =
        [("version", "Version"), ("ttl", "Lifetime"), ("created_at", "Moment"), ("updated_at", "Moment")];
    let checks = ROLES.iter().filter_map(|(word, role)| {
        let field = model.fields.iter().find(|field| field.is(word))?;
        let kind = field.stored_kind();
        let role = Ident::new(role, Span::call_site());
        let check = quote_spanned!(field.kind.span()=> fits::<#kind>(););
        Some(quote! {
            const _: fn() = || {
                fn fits<T: ::tabletheory::derived::#role>() {}
                #check
            };
        })
    });
    let tables = model.sort.iter().map(|key| (key, true)).chain([(&model.partition, false)]);
    let indexes = model.indexes.iter().flat_map(|index| {
        let sort = index.sort.iter().map(|key| (key, true));
        sort.chain(index.partition.iter().map(|key| (key, false)))
    });
    let paddings = tables.chain(indexes).map(|(key, sorts)| padding(model, key, sorts));
    quote!(#(#checks)* #(#paddings)*)
}

/// Asks the types of a template's fields whether they are numbers: the syntax does not show it for types of one's own.
fn padding(model: &Model, key: &Key, sorts: bool) -> TokenStream {
    let Key::Template { segments, .. } = key else { return TokenStream::new() };
    let checks = segments.iter().filter_map(|segment| {
        let Segment::Field { name, width } = segment else { return None };
        let kind = &field_called(model, name).kind;
        let number = quote_spanned!(kind.span()=> <#kind as ::tabletheory::derived::KeyPart>::NUMBER);
        match width {
            Some(_) => {
                let text = format!("`{name}` is not a number, and only numbers are padded with zeros");
                Some(quote_spanned!(kind.span()=> const _: () = ::std::assert!(#number, #text);))
            }
            None if sorts => {
                let text = format!("`{name}` is a number in a sort key: say how many digits it has");
                Some(quote_spanned!(kind.span()=> const _: () = ::std::assert!(!#number, #text);))
            }
            None => None,
        }
    });
    quote!(#(#checks)*)
}
