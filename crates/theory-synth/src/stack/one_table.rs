//! A function with one table of the product: what the stacks of limits and of requests have in common.

use super::{further, tenancy};
use crate::alarm;
use crate::error::Error;
use crate::function::{FunctionResource, FunctionSettings};
use crate::kind::Kind;
use crate::table::{TableResource, TableSettings};
use crate::template::Template;

/// A template with a function and its table.
#[derive(Debug)]
pub(super) struct OneTable<'s> {
    pub(super) description: &'static str,
    pub(super) kind: Kind,
    pub(super) function: &'s FunctionSettings,
    pub(super) table: &'s TableSettings,
    pub(super) also: &'s [Kind],
    pub(super) is_indexed: bool,
    /// Whether the function reads limits of callers' own.
    pub(super) has_overrides: bool,
    pub(super) is_isolated: bool,
    pub(super) has_alarms: bool,
    pub(super) is_exported: bool,
}

impl OneTable<'_> {
    pub(super) fn template(&self) -> Result<Template, Error> {
        let mut template = Template::new(self.description);
        if self.is_exported {
            template = template.exported();
        }
        let kind = self.kind;
        let layout = if self.is_indexed { kind.indexed_layout()? } else { kind.layout()? };
        let table = TableResource::new(kind.table_id(), layout).with_settings(self.table.clone());
        table.add_to(&mut template)?;
        let function = FunctionResource::new("Function", self.function.clone());
        let mut function = tenancy::granted(&mut template, function, &table, (kind, self.is_isolated))?;
        if self.has_overrides {
            function = function.allowed(Kind::overrides_grant(table.id()));
        }
        let how = (self.is_isolated, self.has_alarms);
        let function = further::granted(&mut template, function, (self.also, kind), self.table, how)?;
        function.add_to(&mut template)?;
        if self.has_alarms {
            self.add_alarms(&mut template, &function, &table)?;
        }
        Ok(template)
    }

    fn add_alarms(
        &self,
        template: &mut Template,
        function: &FunctionResource,
        table: &TableResource,
    ) -> Result<(), Error> {
        alarm::add_all(template, alarm::function(function))?;
        if self.kind == Kind::Limits {
            alarm::add_all(template, alarm::limits(function))?;
        }
        let mut operations = self.kind.operations().to_vec();
        if self.has_overrides {
            operations.push("BatchGetItem");
        }
        alarm::add_all(template, alarm::table(table, &operations))?;
        alarm::user_errors().add_to(template)
    }
}
