//! A function whose requests happen once, with the table of requests.

use super::{further, tenancy};
use crate::alarm;
use crate::error::Error;
use crate::function::{FunctionResource, FunctionSettings};
use crate::kind::Kind;
use crate::table::{TableResource, TableSettings};
use crate::template::Template;

/// A template with a function and its idempotent requests.
///
/// ```
/// use theory_synth::stack::IdempotentFunction;
///
/// let yaml = IdempotentFunction::default().template()?.to_yaml()?;
/// assert!(yaml.contains("IDEMPOTENCY_TABLE_NAME: !Ref IdempotencyTable"));
/// let isolated = IdempotentFunction { is_isolated: true, ..IdempotentFunction::default() };
/// assert!(isolated.template().is_err(), "keys are hashes, and say nothing of the tenant");
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentFunction {
    /// The function.
    pub function: FunctionSettings,
    /// The table.
    pub table: TableSettings,
    /// Further tables of the product that the function works with.
    pub also: Vec<Kind>,
    /// Whether the table has the indexes of the seed, each of which costs a write for each write.
    pub is_indexed: bool,
    /// Whether the function may touch the rows of one tenant only.
    pub is_isolated: bool,
    /// Whether there are alarms.
    pub has_alarms: bool,
    /// Whether other stacks may import the outputs.
    pub is_exported: bool,
}

impl Default for IdempotentFunction {
    fn default() -> Self {
        Self {
            function: FunctionSettings::default(),
            table: TableSettings::default(),
            also: Vec::new(),
            is_indexed: false,
            is_isolated: false,
            has_alarms: true,
            is_exported: false,
        }
    }
}

impl IdempotentFunction {
    /// The template.
    ///
    /// # Errors
    /// If AWS would refuse something.
    pub fn template(&self) -> Result<Template, Error> {
        let mut template = Template::new(
            "A function whose requests happen once, and the table of requests (theory synth idempotent-function).",
        );
        if self.is_exported {
            template = template.exported();
        }
        let kind = Kind::Requests;
        let layout = if self.is_indexed { kind.indexed_layout()? } else { kind.layout()? };
        let table = TableResource::new(kind.table_id(), layout).with_settings(self.table.clone());
        table.add_to(&mut template)?;
        let function = FunctionResource::new("Function", self.function.clone());
        let function = tenancy::granted(&mut template, function, &table, (kind, self.is_isolated))?;
        let also = (&self.also[..], kind);
        let how = (self.is_isolated, self.has_alarms);
        let function = further::granted(&mut template, function, also, &self.table, how)?;
        function.add_to(&mut template)?;
        if self.has_alarms {
            alarm::add_all(&mut template, alarm::function(&function))?;
            alarm::add_all(&mut template, alarm::table(&table, kind.operations()))?;
            alarm::user_errors().add_to(&mut template)?;
        }
        Ok(template)
    }
}
