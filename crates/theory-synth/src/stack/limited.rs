//! A function whose callers are limited, with the table of limits.

use super::{further, tenancy};
use crate::alarm;
use crate::error::Error;
use crate::function::{FunctionResource, FunctionSettings};
use crate::kind::Kind;
use crate::table::{TableResource, TableSettings};
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
        let mut template = Template::new(
            "A function with rate limits, and their table (theory synth rate-limited-function).",
        );
        if self.is_exported {
            template = template.exported();
        }
        let kind = Kind::Limits;
        let layout = if self.is_indexed { kind.indexed_layout()? } else { kind.layout()? };
        let table = TableResource::new(kind.table_id(), layout).with_settings(self.table.clone());
        table.add_to(&mut template)?;
        let function = FunctionResource::new("Function", self.function.clone());
        let mut function = tenancy::granted(&mut template, function, &table, (kind, self.is_isolated))?;
        if self.has_overrides {
            function = function.allowed(Kind::overrides_grant(table.id()));
        }
        let also = (&self.also[..], kind);
        let how = (self.is_isolated, self.has_alarms);
        let function = further::granted(&mut template, function, also, &self.table, how)?;
        function.add_to(&mut template)?;
        if self.has_alarms {
            alarm::add_all(&mut template, alarm::function(&function))?;
            alarm::add_all(&mut template, alarm::limits(&function))?;
            let mut operations = kind.operations().to_vec();
            if self.has_overrides {
                operations.push("BatchGetItem");
            }
            alarm::add_all(&mut template, alarm::table(&table, &operations))?;
            alarm::user_errors().add_to(&mut template)?;
        }
        Ok(template)
    }
}
