//! What a read asks for besides where: filters, attributes, consistency. Checked against the schema before anything is sent,
//! because an index that lacks an attribute would otherwise pass for items that lack it.

use std::fmt;

use tabletheory_core::Value;
use tabletheory_core::expr::{Comparator, Condition, Operand, Path, ProjectionExpression};
use tabletheory_core::store::op::Select;

use crate::error::Error;
use crate::key::Beginning;
use crate::model::{Index, IndexProjection, IndexScope, KeyAttribute, KeyPattern, Model, Schema};

/// What a read asks for.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct Terms {
    pub(super) table: String,
    pub(super) index: Option<&'static str>,
    pub(super) filter: Option<Condition>,
    /// How much of what is visited the filter lets through.
    pub(super) yields: Yield,
    pub(super) projection: Option<ProjectionExpression>,
    pub(super) select: Option<Select>,
    pub(super) consistent: bool,
    /// How many items each request visits at most.
    pub(super) page_size: Option<u32>,
}

/// How much of what is visited a read gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Yield {
    /// Every item.
    #[default]
    All,
    /// The items of one model, which may be all there are.
    Model,
    /// Nobody knows.
    Unknown,
}

impl Terms {
    /// Lets only those items through that this condition is true of too.
    pub(super) fn also(&mut self, condition: Condition, yields: Yield) {
        self.filter = Some(match self.filter.take() {
            Some(other) => other.and(condition),
            None => condition,
        });
        if self.yields != Yield::Unknown {
            self.yields = yields;
        }
    }

    /// Lets only those items through whose keys begin as the model's do.
    pub(super) fn only<M: Model>(&mut self) {
        for pattern in [Some(M::KEYS.partition), M::KEYS.sort].into_iter().flatten() {
            let KeyPattern::Template(template) = pattern else { continue };
            let Beginning { text, whole } = template.constant();
            if text.is_empty() {
                continue;
            }
            let (side, text) = (Operand::Path(Path::attribute(template.attribute)), Value::S(text).into());
            let condition = match whole {
                true => Condition::Compare(side, Comparator::Eq, text),
                false => Condition::BeginsWith(side, text),
            };
            self.also(condition, Yield::Model);
        }
    }

    /// Reckons with items of other models among those of a query: their keys may go on where the model's end. They are
    /// passed over when they come, because no filter of a query can name its keys.
    pub(super) fn among_others<M: Model>(&mut self) {
        if self.yields == Yield::All && has_templates::<M>() {
            self.yields = Yield::Model;
        }
    }

    /// Asks for these attributes, or for whole items, of which the model's attributes are wanted.
    pub(super) fn select<M: Model>(&mut self, attributes: Option<&[&'static str]>) -> Result<(), Error<M>> {
        let index = self.index::<M>()?;
        if let Some(index) = index {
            match attributes {
                Some(wanted) => self.check_carried::<M>(index, wanted)?,
                None => {
                    let fields = M::SCHEMA.attributes.iter().filter(|attribute| attribute.is_field);
                    let wanted: Vec<&str> = fields.map(|attribute| attribute.name).collect();
                    self.check_carried::<M>(index, &wanted)?;
                }
            }
            // A local index fetches from the table what it does not carry, but only if it is told to.
            if attributes.is_none()
                && index.projection != IndexProjection::All
                && index.scope == IndexScope::Local
            {
                self.select = Some(Select::AllAttributes);
            }
        }
        self.projection = attributes.map(|wanted| {
            // Without its key nobody could tell whether an item is one of the model.
            let own = [Some(M::SCHEMA.partition), M::SCHEMA.sort].into_iter().flatten();
            let own = own.filter(|key| has_templates::<M>() && !wanted.contains(&key.name));
            projection(&wanted.iter().copied().chain(own.map(|key| key.name)).collect::<Vec<_>>())
        });
        Ok(())
    }

    /// Asks how many items there are and for nothing of them.
    pub(super) fn count<M: Model>(&mut self) -> Result<(), Error<M>> {
        if let Some(index) = self.index::<M>()? {
            self.check_carried::<M>(index, &[])?;
        }
        self.select = Some(Select::Count);
        Ok(())
    }

    /// The index, if it is not the table; and whether the rest goes together with it.
    fn index<M: Model>(&self) -> Result<Option<&'static Index>, Error<M>> {
        if self.page_size == Some(0) {
            return Err(Error::Validation("a page size of 0 reads nothing".to_owned()));
        }
        let Some(name) = self.index else { return Ok(None) };
        let index = find(&M::SCHEMA, name);
        let index = index.ok_or_else(|| Error::Validation(format!("a {} has no index `{name}`", M::NAME)))?;
        if self.consistent && index.scope == IndexScope::Global {
            return Err(Error::Validation(format!(
                "the index `{name}` of a {} is global: it follows the table, so it has no consistent reads",
                M::NAME
            )));
        }
        Ok(Some(index))
    }

    /// Whether the index has what is asked for. What a local index does not carry, it fetches; but it does not filter by it.
    fn check_carried<M: Model>(&self, index: &Index, wanted: &[&str]) -> Result<(), Error<M>> {
        let filter = self.filter.as_ref().map(Condition::attributes).unwrap_or_default();
        let wanted = if index.scope == IndexScope::Global { wanted } else { &[] };
        let missing = wanted.iter().chain(&filter).find(|name| !carries(&M::SCHEMA, index, name));
        match missing {
            None => Ok(()),
            Some(attribute) => Err(Error::NotProjected {
                model: M::NAME,
                index: index.name,
                attribute: (*attribute).to_owned(),
            }),
        }
    }
}

/// What is asked is not shown: filters hold values.
impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Terms");
        shown.field("table", &self.table).field("index", &self.index).finish_non_exhaustive()
    }
}

/// Whether the keys of the model have a form, by which its items are told from others.
fn has_templates<M: Model>() -> bool {
    let patterns = [Some(M::KEYS.partition), M::KEYS.sort];
    patterns.iter().flatten().any(|pattern| matches!(pattern, KeyPattern::Template(_)))
}

/// The index of this name.
pub(super) fn find(schema: &Schema, name: &str) -> Option<&'static Index> {
    schema.indexes.iter().find(|index| index.name == name)
}

/// The attributes of the keys of the table and the index, each once.
pub(super) fn keys(schema: &Schema, index: Option<&Index>) -> Vec<KeyAttribute> {
    let own = [Some(schema.partition), schema.sort].into_iter().flatten();
    let of_index = index.into_iter().flat_map(|index| index.partition.iter().chain(index.sort)).copied();
    let mut keys = Vec::new();
    for key in own.chain(of_index) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// A projection of these attributes.
pub(super) fn projection(attributes: &[&'static str]) -> ProjectionExpression {
    ProjectionExpression { paths: attributes.iter().map(|name| Path::attribute(*name)).collect() }
}

fn carries(schema: &Schema, index: &Index, attribute: &str) -> bool {
    let included = match index.projection {
        IndexProjection::All => true,
        IndexProjection::Keys => false,
        IndexProjection::Include(names) => names.contains(&attribute),
    };
    included || keys(schema, Some(index)).iter().any(|key| key.name == attribute)
}
