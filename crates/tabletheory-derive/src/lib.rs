//! `#[derive(Model)]` and `#[derive(Attribute)]`: a struct as the items of a table, and a struct or an enum as the value of
//! an attribute. `#[derive(Projection)]` and `#[derive(Entities)]`: what else items are read as. The way is parse (`attrs`), check (`model`), emit (`expand`); a mistake is told where it stands.

mod attributes;
mod attrs;
mod case;
mod entities;
mod expand;
mod field;
mod form;
mod function;
mod index;
mod key;
mod key_code;
mod kind;
mod model;
mod projection;
mod query;
mod sealed;
mod storage;
mod suggest;
mod template;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, parse_macro_input};

/// Makes a struct a model: the items of one table. The generated code speaks to the crate `tabletheory`.
///
/// On the struct, as `#[model(...)]`:
///
/// | attribute | meaning |
/// |---|---|
/// | `table = "app"` | the table; every model names one |
/// | `table_env = "APP_TABLE"` | an environment variable that names the table instead, if it is set and not empty |
/// | `table_env("APP_TABLE", "TABLE_NAME")` | several of them: the first that is set and not empty holds |
/// | `rename_all = "camelCase"` | how attributes are named: also `snake_case`, `PascalCase`, and `dynamorm` (`PK`, `SK`, the rest in camel case) |
/// | `pk = "USER#{id}"`, `sk = "META"` | templates of the key; `{n:013}` pads a number with zeros |
/// | `pk_attr`, `sk_attr` | the attributes of these templates, `pk` and `sk` if they are not given |
/// | `index(name = "gsi1", pk = ..., sk = ..., project = ..., fn = ...)` | a global index; a key is a template, a field or up to four fields `(a, b)`; `project` is `"all"`, `"keys"` or `"include(a, b)"`; templates are stored in `gsi1pk` and `gsi1sk` unless `pk_attr` and `sk_attr` say otherwise; `fn = "name"` names its function |
/// | `local_index(name = "lsi1", sk = ...)` | a local index |
///
/// On a field:
///
/// | attribute | meaning |
/// |---|---|
/// | `pk`, `sk` | the field is the partition or the sort key |
/// | `attr = "name"` | the attribute's name |
/// | `ttl` | until when the item lives: a number of seconds since 1970, or a `jiff::Timestamp` or `SystemTime`, which is stored as that number, without the part of a second |
/// | `version` | counts the updates |
/// | `created_at`, `updated_at` | when the item was made and changed |
/// | `omit_empty` | an empty value is not stored; a missing attribute is read as the default |
/// | `default`, `default = "path"` | a missing attribute is read as the type's default, or as what the function at the path gives |
/// | `skip` | not stored; read as the default |
/// | `key_only` | stands only in the key template and is read back from it |
/// | `encrypted` | the table keeps an envelope that only the key provider opens; never in a key, and never compared |
/// | `json` | any type of serde, stored as maps, lists and their members; a JSON text is read too |
/// | `json = "text"` | any type of serde, stored as a JSON text with sorted keys |
/// | `set` | a `Vec<T>` stored as a set: a member that is there twice is stored once, and the order is lost |
/// | `binary` | a `Vec<u8>` stored as bytes, which otherwise is a list of numbers |
///
/// A value in a template is never empty and never contains `#`, and every `{field}` ends at `#` or at the end: so a value
/// cannot pass for another key. A field that is `None` in the template of an index keeps the item out of that index.
///
/// Words of names end at `_`: `user_id` is `userId` in camel case. Names that the Go toolkit makes from capitals, such as
/// `userID`, and its `s3key` in snake case are given with `attr`.
///
/// Besides the trait there is a constant for each stored field (`Page::S3_KEY`), and functions:
///
/// | function | what it makes |
/// |---|---|
/// | `Page::key(...)` | the key of an item, from the fields of the partition key, then those of the sort key |
/// | `Page::query(...)` | a query of the pages in a partition, from the fields of the partition key. If the sort key's template begins with text (`ORDER#{day}#{number:06}`), other rows of the partition are not visited |
/// | `Page::partition(...)` | a query of everything in a partition, whatever it is |
/// | `Page::gsi1(...)` | a query of an index, from the fields of its partition key. The function has the name of the index in snake case (`gsi-status`: `gsi_status`) |
///
/// What a query can ask next depends on the sort key, and the compiler knows it:
///
/// | sort key | questions |
/// |---|---|
/// | none, or a template without fields | none |
/// | a field | `eq`, `lt`, `le`, `gt`, `ge`, `between`; `begins_with` for text and bytes |
/// | a template | `eq` of all its fields; `begins_with`, `lt`, `le`, `gt`, `ge`, `between` of its first fields: a value, or a tuple of them; `begins_with_partial` of the beginning of a text |
/// | several fields | `eq` of the first, then the same for the next |
#[proc_macro_derive(Model, attributes(model))]
pub fn derive_model(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let expansion = model::Model::new(&input).and_then(|model| {
        let mut expansion = expand::expand(&model);
        expansion.extend(query::expand(&model)?);
        Ok(expansion)
    });
    expansion.unwrap_or_else(Error::into_compile_error).into()
}

/// Makes a struct or an enum the value of an attribute.
///
/// | type | value |
/// |---|---|
/// | struct with named fields | a map (`M`) |
/// | struct around one value | that value; with `#[attribute(key)]` it can also be a key and a part of a key template |
/// | enum without data | the variant's name (`S`); it can also be a key and a part of a key template |
/// | enum with data | a map (`M`) with the variant's name as the member `type`, and the variant's fields beside it; one value without a name is the member `value` |
///
/// `#[attribute(rename_all = "camelCase")]` names members (or the variants of an enum), `#[attribute(tag = "kind")]` names
/// the member `type`. On fields: `attr = "name"`, `omit_empty`, `skip`, `default`, as for models; on variants:
/// `attr = "name"`.
///
/// A struct with named fields has a constant for each of them, which leads into the fields of models that hold it:
/// `User::HOME.at(Address::ZIP_CODE)`.
#[proc_macro_derive(Attribute, attributes(attribute))]
pub fn derive_attribute(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    value::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes an enum of models something that items can be read as: `enum Row { Page(Page), Lease(Lease) }` is what a
/// partition with rows of both models holds.
///
/// An item is the model whose keys it has, by the constant texts and the form of the templates. If it could be two of them,
/// it is the one with more constant text; models whose keys could not be told apart do not compile.
///
/// | attribute | where | meaning |
/// |---|---|---|
/// | `tag = "type"` | on the enum | an attribute says which model an item is, not the keys |
/// | `name = "page"` | on a variant | what that attribute says, the variant's name if this is not given |
/// | `other` | on a variant with an `Item` | what is none of the models; without it such an item is an error |
///
/// Each model becomes the enum with `From`.
#[proc_macro_derive(Entities, attributes(entities))]
pub fn derive_entities(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    entities::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// Makes a struct with some of a model's fields something that items can be read as, so that a read returns only those:
/// `#[projection(of = Page)] struct Headline { title: String, etag: Option<String> }`.
///
/// A field has the name of a field of the model and its type, or an `Option` of it, which is `None` where the attribute is
/// missing. A field that is `key_only` is read from the key; one that is `skip` is not there to be read.
#[proc_macro_derive(Projection, attributes(projection))]
pub fn derive_projection(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    projection::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}
