//! A model that makes sense: its fields with their attribute names and roles, its keys and indexes. Everything that the
//! syntax shows to be wrong is refused here, where it stands.

use std::collections::HashMap;

use syn::{DeriveInput, Error, Ident, LitStr, Result, Visibility};

use crate::attrs::StructAttrs;
use crate::field::{self, Field};
use crate::index::{self, Index};
use crate::key::{Key, Use, own_key};
use crate::sealed;
use crate::template::Segment;

/// A checked model.
pub(crate) struct Model {
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) table: LitStr,
    pub(crate) table_env: Vec<LitStr>,
    pub(crate) fields: Vec<Field>,
    pub(crate) partition: Key,
    pub(crate) sort: Option<Key>,
    pub(crate) indexes: Vec<Index>,
}

impl Model {
    /// Reads and checks a struct.
    pub(crate) fn new(input: &DeriveInput) -> Result<Self> {
        let attrs = StructAttrs::parse(&input.attrs)?;
        let case = attrs.case()?;
        let fields = field::fields(input, case)?;
        let table = attrs.table.clone().ok_or_else(|| {
            let text = "a model needs a table: `#[model(table = \"...\")]`; `table_env` names a variable that replaces it";
            Error::new(input.ident.span(), text)
        })?;
        let partition = own_key(&attrs, &fields, case, Use::TablePartition)?.ok_or_else(|| {
            let text = "a model needs a partition key: `#[model(pk)]` on a field, or a template such as \
                        `#[model(pk = \"USER#{id}\")]` on the struct";
            Error::new(input.ident.span(), text)
        })?;
        let sort = own_key(&attrs, &fields, case, Use::TableSort)?;
        let indexes = index::indexes(&attrs.indexes, &fields, &partition)?;
        sealed::check(&fields, &[Some(&partition), sort.as_ref()], &indexes)?;
        let model = Self {
            ident: input.ident.clone(),
            vis: input.vis.clone(),
            table,
            table_env: attrs.table_env,
            fields,
            partition,
            sort,
            indexes,
        };
        model.check_names()?;
        model.check_key_only()?;
        Ok(model)
    }

    /// The key attributes of the table.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Key> + Clone {
        [Some(&self.partition), self.sort.as_ref()].into_iter().flatten()
    }

    /// Two things under one name would overwrite each other. Indexes may share a key that is the same.
    fn check_names(&self) -> Result<()> {
        let mut taken: HashMap<&str, Option<&[Segment]>> = HashMap::new();
        let indexes = self.indexes.iter().flat_map(|index| index.partition.iter().chain(&index.sort));
        for key in self.keys().chain(indexes) {
            if let Key::Template { attribute, segments } = key
                && let Some(other) = taken.insert(attribute, Some(segments))
                && other != Some(segments)
            {
                let text = format!("two different keys would be stored in the attribute `{attribute}`");
                return Err(Error::new(self.ident.span(), text));
            }
        }
        for field in self.fields.iter().filter(|field| field.is_stored()) {
            if taken.insert(&field.attribute, None).is_some() {
                let text = format!(
                    "the attribute `{}` is taken already; give this field another with `#[model(attr = \"...\")]`",
                    field.attribute
                );
                return Err(Error::new(field.ident.span(), text));
            }
        }
        Ok(())
    }

    /// A field that is not stored must be readable from the key of every item.
    fn check_key_only(&self) -> Result<()> {
        for field in &self.fields {
            if let Some(span) = field.attrs.has("key_only")
                && !self.keys().any(|key| key.names(field))
            {
                let text = format!(
                    "`{}` is `key_only`, but stands in no key template of the table, so it could not be read back",
                    field.name
                );
                return Err(Error::new(span, text));
            }
        }
        Ok(())
    }
}
