//! The indexes of a model.

use syn::{Error, Ident, LitStr, Result};

use crate::attrs::{IndexAttrs, KeySource};
use crate::field::Field;
use crate::function;
use crate::key::{Key, Use, check_template};
use crate::suggest::unknown;

/// A checked index.
pub(crate) struct Index {
    pub(crate) name: String,
    /// The function that begins a query of it.
    pub(crate) function: Ident,
    pub(crate) local: bool,
    pub(crate) partition: Vec<Key>,
    pub(crate) sort: Vec<Key>,
    pub(crate) projection: Projection,
}

/// What an index carries besides the keys.
pub(crate) enum Projection {
    All,
    Keys,
    /// These attributes.
    Include(Vec<String>),
}

/// The indexes of a table with this partition key.
pub(crate) fn indexes(written: &[IndexAttrs], fields: &[Field], partition: &Key) -> Result<Vec<Index>> {
    let mut indexes: Vec<Index> = Vec::new();
    for attrs in written {
        let index = index(attrs, fields, partition)?;
        if indexes.iter().any(|known| known.name == index.name) {
            return Err(Error::new(attrs.span, format!("two indexes are called `{}`", index.name)));
        }
        function::check_free(&index.function, indexes.iter().map(|known| &known.function))?;
        indexes.push(index);
    }
    Ok(indexes)
}

fn index(attrs: &IndexAttrs, fields: &[Field], partition: &Key) -> Result<Index> {
    let refuse = |text: &str| Error::new(attrs.span, text);
    let name = attrs.name.as_ref().ok_or_else(|| refuse("an index needs a name: `name = \"...\"`"))?;
    let function = function::of_index(name, attrs.function.as_ref())?;
    let name = name.value();
    let keys = |source: Option<&KeySource>,
                attr: Option<&LitStr>,
                word: &str,
                usage: Use|
     -> Result<Vec<Key>> {
        match (source, attr) {
            (Some(KeySource::Template(template)), attr) => {
                let attribute = attr.map_or_else(|| format!("{name}{word}"), LitStr::value);
                Ok(vec![Key::Template { attribute, segments: check_template(template, fields, usage)? }])
            }
            (_, Some(attr)) => {
                let text =
                    format!("`{word}_attr` names the attribute of a template; there is no `{word}` template");
                Err(Error::new(attr.span(), text))
            }
            (Some(KeySource::Fields(names)), None) => names.iter().map(|name| field(name, fields)).collect(),
            (None, None) => Ok(Vec::new()),
        }
    };
    let sort = keys(attrs.sk.as_ref(), attrs.sk_attr.as_ref(), "sk", Use::IndexSort)?;
    let own = keys(attrs.pk.as_ref(), attrs.pk_attr.as_ref(), "pk", Use::IndexPartition)?;
    let partition = if attrs.local { vec![partition.clone()] } else { own };
    if partition.is_empty() {
        return Err(refuse("an index needs a partition key: `pk = field` or `pk = \"TEMPLATE#{field}\"`"));
    }
    if attrs.local && sort.len() != 1 {
        return Err(refuse("a local index needs one sort key: `sk = field` or `sk = \"TEMPLATE#{field}\"`"));
    }
    let projection = attrs.project.as_ref().map_or(Ok(Projection::All), |text| projection(text, fields))?;
    Ok(Index { name, function, local: attrs.local, partition, sort, projection })
}

/// The key that is a field.
fn field(name: &Ident, fields: &[Field]) -> Result<Key> {
    let at = fields.iter().position(|field| field.ident == *name).ok_or_else(|| {
        let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        unknown(name.span(), "field in the key of an index", &name.to_string(), &known)
    })?;
    if fields[at].is_stored() {
        Ok(Key::Field(at))
    } else {
        Err(Error::new(
            name.span(),
            "this field is not stored, so an index cannot be sorted by it; use a template",
        ))
    }
}

/// `all`, `keys` or `include(field, field)`.
fn projection(text: &LitStr, fields: &[Field]) -> Result<Projection> {
    let written = text.value();
    let included = written.strip_prefix("include(").and_then(|rest| rest.strip_suffix(')'));
    match (written.as_str(), included) {
        ("all", _) => Ok(Projection::All),
        ("keys", _) => Ok(Projection::Keys),
        (_, Some(names)) => {
            let stored = || fields.iter().filter(|field| field.is_stored());
            let attribute = |name: &str| match stored().find(|field| field.name == name) {
                Some(field) => Ok(field.attribute.clone()),
                None => {
                    let known: Vec<&str> = stored().map(|field| field.name.as_str()).collect();
                    Err(unknown(text.span(), "field in a projection", name, &known))
                }
            };
            names
                .split(',')
                .map(|name| attribute(name.trim()))
                .collect::<Result<_>>()
                .map(Projection::Include)
        }
        _ => Err(unknown(text.span(), "projection", &written, &["all", "keys", "include(field, field)"])),
    }
}
