//! `#[derive(Projection)]`: a struct with some of a model's fields. The model's constants say what they are called and of
//! which types they are, so that the two cannot disagree.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, FieldsNamed, Result, Type};

use crate::attrs::word;
use crate::suggest::unknown;

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let ident = &input.ident;
    let fields = named(input)?;
    let model = model(input)?;
    let name = ident.unraw().to_string();
    let sources = fields.named.iter().map(|field| {
        let ident = field.ident.as_ref().expect("these fields are named");
        let constant = format_ident!("{}", ident.unraw().to_string().to_uppercase(), span = ident.span());
        quote_spanned!(ident.span()=> <#model>::#constant)
    });
    let sources: Vec<TokenStream> = sources.collect();
    let values = fields.named.iter().zip(&sources).map(|(field, source)| {
        let (ident, kind) = (&field.ident, &field.ty);
        quote_spanned! {kind.span()=>
            #ident: ::tabletheory::derived::project::<#kind, _, _>(&mut __item, #name, #source)?
        }
    });
    let count = sources.len();
    Ok(quote! {
        #[automatically_derived]
        impl ::tabletheory::derived::FromItem for #ident {
            const ATTRIBUTES: ::std::option::Option<&'static [&'static str]> = {
                const NAMES: &([&str; #count], usize) = &::tabletheory::derived::distinct([#(#sources.name()),*]);
                ::std::option::Option::Some(NAMES.0.split_at(NAMES.1).0)
            };

            fn schema(
                _item: &::tabletheory::derived::Item,
            ) -> ::std::option::Option<::tabletheory::derived::Schema> {
                ::std::option::Option::Some(<#model as ::tabletheory::derived::Model>::SCHEMA)
            }
            fn accepts(__item: &::tabletheory::derived::Item) -> bool {
                <#model as ::tabletheory::derived::FromItem>::accepts(__item)
            }
            fn from_item(
                mut __item: ::tabletheory::derived::Item,
            ) -> ::std::result::Result<Self, ::tabletheory::derived::ModelError> {
                ::std::result::Result::Ok(Self { #(#values),* })
            }
        }
    })
}

fn named(input: &DeriveInput) -> Result<&FieldsNamed> {
    if !input.generics.params.is_empty() {
        return Err(Error::new(input.generics.span(), "a projection has no type parameters or lifetimes"));
    }
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) if !named.named.is_empty() => Ok(named),
            _ => {
                Err(Error::new(input.ident.span(), "a projection is a struct with named fields of its model"))
            }
        },
        _ => Err(Error::new(input.ident.span(), "a projection is a struct with named fields of its model")),
    }
}

/// The model of `#[projection(of = Model)]`.
fn model(input: &DeriveInput) -> Result<Type> {
    let mut model: Option<Type> = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("projection")) {
        attribute.parse_nested_meta(|meta| match word(&meta).as_str() {
            "of" if model.is_some() => Err(meta.error("`of` is given twice")),
            "of" => {
                model = Some(meta.value()?.parse()?);
                Ok(())
            }
            word => Err(unknown(meta.path.span(), "attribute", word, &["of"])),
        })?;
    }
    model.ok_or_else(|| {
        Error::new(input.ident.span(), "a projection is one of a model: `#[projection(of = Page)]`")
    })
}
