//! A function whose callers are limited, with the table of limits.

use super::one_table::OneTable;
use crate::error::Error;
use crate::function::FunctionSettings;
use crate::kind::Kind;
use crate::table::TableSettings;
use crate::template::Template;

/// A template with a function and its rate limits.
///
/// ```
/// use theory_synth::stack::RateLimitedFunction;
///
/// let yaml = RateLimitedFunction::default().template()?.to_yaml()?;
/// assert!(yaml.contains("RATE_LIMIT_TABLE_NAME: !Ref RateLimitTable"));
/// assert!(yaml.contains("dynamodb:UpdateItem") && !yaml.contains("dynamodb:Scan"));
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitedFunction {
    /// The function.
    pub function: FunctionSettings,
    /// The table.
    pub table: TableSettings,
    /// Further tables of the product that the function works with.
    pub also: Vec<Kind>,
    /// Whether the table has the indexes of the seed, each of which costs a write for each request.
    pub is_indexed: bool,
    /// Whether callers may have limits of their own, which the function then reads.
    pub has_overrides: bool,
    /// Whether the function may touch the rows of one tenant only.
    pub is_isolated: bool,
    /// Whether there are alarms.
    pub has_alarms: bool,
    /// Whether other stacks may import the outputs.
    pub is_exported: bool,
}

impl Default for RateLimitedFunction {
    fn default() -> Self {
        Self {
            function: FunctionSettings::default(),
            table: TableSettings::default(),
            also: Vec::new(),
            is_indexed: false,
            has_overrides: false,
            is_isolated: false,
            has_alarms: true,
            is_exported: false,
        }
    }
}

impl RateLimitedFunction {
    /// The template.
    ///
    /// # Errors
    /// If AWS would refuse something.
    pub fn template(&self) -> Result<Template, Error> {
        let stack = OneTable {
            description: "A function with rate limits, and their table (theory synth rate-limited-function).",
            kind: Kind::Limits,
            function: &self.function,
            table: &self.table,
            also: &self.also,
            is_indexed: self.is_indexed,
            has_overrides: self.has_overrides,
            is_isolated: self.is_isolated,
            has_alarms: self.has_alarms,
            is_exported: self.is_exported,
        };
        stack.template()
    }
}
