//! The code that puts a field into an item and takes it out again, in whatever form it is stored.

use proc_macro2::TokenStream;
use quote::quote;

use crate::field::Field;
use crate::form::Form;
use crate::kind::{is_option, present};

impl Field {
    /// The type that the attribute has for the toolkit.
    pub(crate) fn stored_kind(&self) -> TokenStream {
        match &self.form {
            Form::Own => {
                let kind = &self.kind;
                quote!(#kind)
            }
            Form::As { whole, .. } => quote!(#whole),
        }
    }

    /// The same of the value that is there, if the field is an `Option`.
    pub(crate) fn present_kind(&self) -> TokenStream {
        match &self.form {
            Form::Own => {
                let kind = present(&self.kind);
                quote!(#kind)
            }
            Form::As { present, .. } => quote!(#present),
        }
    }

    /// A function that gives what a missing attribute is read as, in the form in which it is stored, if the model says so.
    pub(crate) fn default(&self) -> Option<TokenStream> {
        let kind = &self.kind;
        let lenient = (self.is("omit_empty") && !is_option(kind)) || self.is("default");
        let function = match &self.attrs.default {
            Some(path) => quote!(#path),
            None if lenient => quote!(<#kind as ::std::default::Default>::default),
            None => return None,
        };
        Some(match &self.form {
            Form::Own => function,
            Form::As { whole, .. } => {
                quote!(|| <#whole as ::tabletheory::derived::Form<#kind>>::of(#function()))
            }
        })
    }

    /// An expression that puts the value, a reference, into `__item`.
    pub(crate) fn put(&self, value: &TokenStream) -> TokenStream {
        let Self { attribute, kind, .. } = self;
        match &self.form {
            Form::Own => quote!(::tabletheory::derived::put::<#kind>(&mut __item, #attribute, #value)),
            Form::As { whole: form, .. } => {
                quote!(::tabletheory::derived::put_as::<#form, #kind>(&mut __item, #attribute, #value))
            }
        }
    }

    /// The same, but nothing is put if the value is empty and that is not stored.
    pub(crate) fn put_unless_omitted(&self, value: &TokenStream) -> TokenStream {
        if !self.is("omit_empty") && !is_option(&self.kind) {
            return self.put(value);
        }
        let Self { attribute, kind, .. } = self;
        match &self.form {
            Form::Own => {
                quote!(::tabletheory::derived::put_unless_empty::<#kind>(&mut __item, #attribute, #value))
            }
            Form::As { whole: form, .. } => {
                quote!(::tabletheory::derived::put_as_unless_empty::<#form, #kind>(&mut __item, #attribute, #value))
            }
        }
    }

    /// An expression that takes the value out of `__item`.
    pub(crate) fn take(&self) -> TokenStream {
        let Self { attribute, kind, .. } = self;
        let lenient = (self.is("omit_empty") && !is_option(kind)) || self.is("default");
        let otherwise = self.attrs.default.as_ref();
        match (&self.form, otherwise) {
            (Form::Own, Some(path)) => {
                quote!(::tabletheory::derived::take_or_else::<#kind>(&mut __item, #attribute, #path))
            }
            (Form::Own, None) if lenient => {
                quote!(::tabletheory::derived::take_or_default::<#kind>(&mut __item, #attribute))
            }
            (Form::Own, None) => quote!(::tabletheory::derived::take::<#kind>(&mut __item, #attribute)),
            (Form::As { whole: form, .. }, path) => {
                let otherwise = match path {
                    Some(path) => quote!(::std::option::Option::Some(#path)),
                    None if lenient => quote!(::std::option::Option::Some(::std::default::Default::default)),
                    None => quote!(::std::option::Option::None),
                };
                quote!(::tabletheory::derived::take_as::<#form, #kind>(&mut __item, #attribute, #otherwise))
            }
        }
    }
}
