//! The functions that begin queries: one for the table, one for whole partitions, one for each index.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Error, Ident, Result};

use crate::field::Field;
use crate::key::Key;
use crate::key_code::{arguments, field_called, key_attributes, key_fields, option, template};
use crate::kind::present;
use crate::model::Model;
use crate::template::Segment;

/// The most fields that the runtime takes values for.
const FIELDS_MAX: usize = 8;

/// A function that begins a query.
struct Function<'m> {
    name: Ident,
    doc: String,
    index: Option<&'m str>,
    partition: &'m [Key],
    /// An expression for the partition attributes of the schema.
    names: TokenStream,
    sort: Sort,
}

/// What can be asked of a sort key: its type, an expression for it, and the template whose keys alone are visited.
struct Sort {
    kind: TokenStream,
    value: TokenStream,
    within: Option<TokenStream>,
}

/// The functions of a model.
pub(crate) fn expand(model: &Model) -> Result<TokenStream> {
    let ident = &model.ident;
    let partition = std::slice::from_ref(&model.partition);
    let names = quote!(&[<Self as ::tabletheory::derived::Model>::SCHEMA.partition]);
    let own = Function {
        name: Ident::new("query", Span::call_site()),
        doc: format!("The items of a partition that are a `{ident}`."),
        index: None,
        partition,
        names: names.clone(),
        sort: sort(model, model.sort.as_slice())?,
    };
    let all = Function {
        name: Ident::new("partition", Span::call_site()),
        doc: "All items of a partition, whatever they are.".to_owned(),
        index: None,
        partition,
        names,
        sort: nothing("AnySort"),
    };
    let mut functions = vec![own, all];
    for (at, index) in model.indexes.iter().enumerate() {
        functions.push(Function {
            name: index.function.clone(),
            doc: format!("The items of a partition of the index `{}`.", index.name),
            index: Some(&index.name),
            partition: &index.partition,
            names: quote!(<Self as ::tabletheory::derived::Model>::SCHEMA.indexes[#at].partition),
            sort: sort(model, &index.sort)?,
        });
    }
    let functions = functions.iter().map(|function| definition(model, function));
    Ok(quote! {
        #[automatically_derived]
        #[allow(dead_code, reason = "few programs ask for every index")]
        impl #ident {
            #(#functions)*
        }
    })
}

fn definition(model: &Model, function: &Function) -> TokenStream {
    let vis = &model.vis;
    let Function { name, doc, partition, names, .. } = function;
    let Sort { kind, value, within } = &function.sort;
    let (arguments, conversions) = arguments(&key_fields(model, partition.iter()));
    let attributes = key_attributes(model, partition.iter(), |Field { ident, .. }| quote!(#ident));
    let index = option(function.index.map(|index| quote!(#index)));
    let within = within.as_ref().map(|template| quote!(.within(&#template)));
    quote! {
        #[doc = #doc]
        #vis fn #name(#(#arguments),*) -> ::tabletheory::derived::KeyQuery<Self, #kind> {
            #(#conversions)*
            ::tabletheory::derived::KeyQuery::new(#index, #attributes, #names, #value) #within
        }
    }
}

fn nothing(kind: &str) -> Sort {
    let kind = Ident::new(kind, Span::call_site());
    let kind = quote!(::tabletheory::derived::#kind);
    Sort { value: kind.clone(), kind, within: None }
}

fn sort(model: &Model, keys: &[Key]) -> Result<Sort> {
    match keys {
        [key @ Key::Template { segments, .. }] => by_template(model, key, segments),
        keys => Ok(keys.iter().rev().fold(nothing("NoSort"), |rest, key| by_field(model, key, &rest))),
    }
}

fn by_field(model: &Model, key: &Key, rest: &Sort) -> Sort {
    let Key::Field(at) = key else { unreachable!("a template is the only key of its kind") };
    let field = &model.fields[*at];
    let (attribute, kind) = (&field.attribute, field.present_kind());
    let (rest_kind, rest_value) = (&rest.kind, &rest.value);
    Sort {
        kind: quote!(::tabletheory::derived::SortField<#kind, #rest_kind>),
        value: quote!(::tabletheory::derived::SortField::new(#attribute, #rest_value)),
        within: None,
    }
}

fn by_template(model: &Model, key: &Key, segments: &[Segment]) -> Result<Sort> {
    let template = template(model, key);
    let fields = segments.iter().filter_map(|segment| match segment {
        Segment::Text(_) => None,
        Segment::Field { name, .. } => Some(present(&field_called(model, name).kind)),
    });
    let fields: Vec<_> = fields.collect();
    if fields.len() > FIELDS_MAX {
        let text = format!("the template of a sort key has at most {FIELDS_MAX} fields");
        return Err(Error::new(model.ident.span(), text));
    }
    if fields.is_empty() {
        return Ok(Sort { within: Some(template), ..nothing("NoSort") });
    }
    Ok(Sort {
        kind: quote!(::tabletheory::derived::SortTemplate<(#(#fields,)*)>),
        value: quote!(::tabletheory::derived::SortTemplate::new(#template)),
        within: Some(template),
    })
}
