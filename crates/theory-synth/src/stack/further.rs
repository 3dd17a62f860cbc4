//! Further tables of the product that a function works with, beside the one that its template is about.

use super::tenancy;
use crate::alarm;
use crate::error::Error;
use crate::function::FunctionResource;
use crate::kind::Kind;
use crate::table::{TableResource, TableSettings};
use crate::template::Template;

/// Makes the tables, like the first one but for its name, and lets the function use them.
pub(super) fn granted(
    template: &mut Template,
    mut function: FunctionResource,
    (kinds, own): (&[Kind], Kind),
    settings: &TableSettings,
    (is_isolated, has_alarms): (bool, bool),
) -> Result<FunctionResource, Error> {
    for &kind in kinds {
        if kind == own || kind == Kind::Cache {
            let rule = "limits or requests, and not what the template is about (pages have a template of their own: isr-site)";
            return Err(Error::Name { what: "a further table", value: kind.name().to_owned(), rule });
        }
        let settings = TableSettings { name: None, ..settings.clone() };
        let table = TableResource::new(kind.table_id(), kind.layout()?).with_settings(settings);
        table.add_to(template)?;
        function = tenancy::granted(template, function, &table, (kind, is_isolated))?;
        if has_alarms {
            alarm::add_all(template, alarm::table(&table, kind.operations()))?;
        }
        if has_alarms && kind == Kind::Limits {
            alarm::add_all(template, alarm::limits(&function))?;
        }
    }
    Ok(function)
}
