//! A function whose requests happen once, with the table of requests.

use super::one_table::OneTable;
use crate::error::Error;
use crate::function::FunctionSettings;
use crate::kind::Kind;
use crate::table::TableSettings;
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
        let stack = OneTable {
            description: "A function whose requests happen once, and the table of requests (theory synth idempotent-function).",
            kind: Kind::Requests,
            function: &self.function,
            table: &self.table,
            also: &self.also,
            is_indexed: self.is_indexed,
            has_overrides: false,
            is_isolated: self.is_isolated,
            has_alarms: self.has_alarms,
            is_exported: self.is_exported,
        };
        stack.template()
    }
}
