//! `#[derive(Entities)]`: an enum of the models that lie in one table.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Type, Variant};

use crate::attrs::{once, word};
use crate::suggest::unknown;

/// A checked enum.
struct Entities<'i> {
    ident: &'i Ident,
    tag: Option<LitStr>,
    models: Vec<Entity<'i>>,
    /// The variant for everything else.
    other: Option<&'i Ident>,
}

/// A variant with a model.
struct Entity<'i> {
    variant: &'i Ident,
    model: &'i Type,
    name: String,
}

/// What stands in `#[entities(...)]` on a variant.
#[derive(Default)]
struct VariantAttrs {
    name: Option<LitStr>,
    other: bool,
}

impl VariantAttrs {
    fn parse(variant: &Variant) -> Result<Self> {
        let mut own = Self::default();
        for attribute in variant.attrs.iter().filter(|attribute| attribute.path().is_ident("entities")) {
            attribute.parse_nested_meta(|meta| match word(&meta).as_str() {
                "name" => once(&mut own.name, &meta),
                "other" => {
                    own.other = true;
                    Ok(())
                }
                word => Err(unknown(meta.path.span(), "attribute of a variant", word, &["name", "other"])),
            })?;
        }
        Ok(own)
    }
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let entities = Entities::new(input)?;
    let (reading, checks) = (entities.reading(), entities.checks());
    let conversions = entities.conversions();
    Ok(quote!(#reading #conversions #checks))
}

impl<'i> Entities<'i> {
    fn new(input: &'i DeriveInput) -> Result<Self> {
        let ident = &input.ident;
        let Data::Enum(data) = &input.data else {
            return Err(Error::new(ident.span(), "entities are an enum with a variant for each model"));
        };
        if !input.generics.params.is_empty() {
            return Err(Error::new(input.generics.span(), "entities have no type parameters or lifetimes"));
        }
        let mut own = Self { ident, tag: None, models: Vec::new(), other: None };
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("entities")) {
            attribute.parse_nested_meta(|meta| match word(&meta).as_str() {
                "tag" => once(&mut own.tag, &meta),
                word => Err(unknown(meta.path.span(), "attribute", word, &["tag"])),
            })?;
        }
        for variant in &data.variants {
            own.add(variant)?;
        }
        if own.models.is_empty() {
            return Err(Error::new(ident.span(), "entities have a variant for each model, and here is none"));
        }
        Ok(own)
    }

    fn add(&mut self, variant: &'i Variant) -> Result<()> {
        let attrs = VariantAttrs::parse(variant)?;
        let refuse = |text: &str| Error::new(variant.ident.span(), text);
        let held = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
            _ => return Err(refuse("a variant holds one model: `Page(Page)`")),
        };
        if let Some(name) = attrs.name.as_ref().filter(|_| self.tag.is_none() || attrs.other) {
            let text = "`name` is what an attribute says of a model: `#[entities(tag = \"...\")]` on the enum names it";
            return Err(Error::new(name.span(), text));
        }
        if attrs.other {
            if self.other.replace(&variant.ident).is_some() {
                return Err(refuse("two variants are `other`; one takes all that is none of the models"));
            }
            return Ok(());
        }
        let name = attrs.name.map_or_else(|| variant.ident.unraw().to_string(), |name| name.value());
        if self.models.iter().any(|known| known.name == name) {
            return Err(refuse(&format!("two variants have the name `{name}`")));
        }
        self.models.push(Entity { variant: &variant.ident, model: held, name });
        Ok(())
    }

    fn reading(&self) -> TokenStream {
        let ident = self.ident;
        let models = self.models.iter().map(|entity| entity.model);
        let (places, variants) = (0..self.models.len(), self.models.iter().map(|entity| entity.variant));
        let schemas = self.models.iter().enumerate().map(|(place, Entity { model, .. })| {
            quote!(#place => <#model as ::tabletheory::derived::Model>::SCHEMA)
        });
        let which = self.which();
        let otherwise = self.otherwise();
        quote! {
            #[automatically_derived]
            impl ::tabletheory::derived::FromItem for #ident {
                const ATTRIBUTES: ::std::option::Option<&'static [&'static str]> = ::std::option::Option::None;

                fn schema(
                    __item: &::tabletheory::derived::Item,
                ) -> ::std::option::Option<::tabletheory::derived::Schema> {
                    ::std::option::Option::Some(match #which? {
                        #(#schemas,)*
                        _ => return ::std::option::Option::None,
                    })
                }
                fn from_item(
                    __item: ::tabletheory::derived::Item,
                ) -> ::std::result::Result<Self, ::tabletheory::derived::ModelError> {
                    let __which = {
                        let __item = &__item;
                        #which
                    };
                    match __which {
                        #(::std::option::Option::Some(#places) => {
                            <#models as ::tabletheory::derived::Model>::from_item(__item).map(Self::#variants)
                        })*
                        _ => #otherwise,
                    }
                }
            }
        }
    }

    /// An expression for the place of the model that `__item`, a reference, is one of.
    fn which(&self) -> TokenStream {
        if let Some(tag) = &self.tag {
            let names = self.models.iter().map(|entity| &entity.name);
            return quote!(::tabletheory::derived::which_tagged(__item, #tag, &[#(#names),*]));
        }
        let models = self.models.iter().map(|entity| entity.model);
        quote!(::tabletheory::derived::which(__item, &[#(<#models as ::tabletheory::derived::Model>::KEYS),*]))
    }

    /// What an item is that is none of the models.
    fn otherwise(&self) -> TokenStream {
        if let Some(other) = self.other {
            return quote!(::std::result::Result::Ok(Self::#other(__item)));
        }
        let name = self.ident.unraw().to_string();
        let known: Vec<String> =
            self.models.iter().map(|entity| entity.variant.unraw().to_string()).collect();
        let known = known.join(", ");
        quote! {
            ::std::result::Result::Err(::tabletheory::derived::ModelError::Unknown {
                entities: #name,
                known: #known,
            })
        }
    }

    /// `From` for each model that stands in one variant.
    fn conversions(&self) -> TokenStream {
        let ident = self.ident;
        let once = self.models.iter().filter(|entity| {
            self.models.iter().filter(|other| written(other.model) == written(entity.model)).count() == 1
        });
        let conversions = once.map(|Entity { variant, model, .. }| {
            quote! {
                #[automatically_derived]
                impl ::std::convert::From<#model> for #ident {
                    fn from(__model: #model) -> Self {
                        Self::#variant(__model)
                    }
                }
            }
        });
        quote!(#(#conversions)*)
    }

    /// Asks the keys of each two models whether they lie in one table, and can be told apart there.
    fn checks(&self) -> TokenStream {
        let pairs = self
            .models
            .iter()
            .enumerate()
            .flat_map(|(at, other)| self.models[..at].iter().map(move |one| (one, other)));
        let checks = pairs.map(|(one, other)| {
            let keys = |entity: &Entity| {
                let model = entity.model;
                quote!(&<#model as ::tabletheory::derived::Model>::KEYS)
            };
            let (first, second) = (one.variant, other.variant);
            let elsewhere = format!(
                "`{first}` and `{second}` cannot lie in one table: their keys are other attributes, or of other types"
            );
            let span = other.model.span();
            let (one, other) = (keys(one), keys(other));
            let table = quote_spanned! {span=>
                const _: () = ::std::assert!(::tabletheory::derived::share_table(#one, #other), #elsewhere);
            };
            if self.tag.is_some() {
                return table;
            }
            let alike = format!(
                "an item could be both `{first}` and `{second}`: give their keys different constant texts, or name an \
                 attribute that tells them apart with `#[entities(tag = \"...\")]`"
            );
            quote_spanned! {span=>
                #table
                const _: () = ::std::assert!(::tabletheory::derived::are_distinct(#one, #other), #alike);
            }
        });
        quote!(#(#checks)*)
    }
}

fn written(kind: &Type) -> String {
    quote!(#kind).to_string()
}
