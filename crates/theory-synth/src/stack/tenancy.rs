//! A function that may touch the rows of one tenant only: the one that its role is tagged with.

use crate::error::Error;
use crate::function::FunctionResource;
use crate::intrinsic::reference;
use crate::kind::Kind;
use crate::node::Map;
use crate::table::TableResource;
use crate::template::Template;

/// The parameter with the tenant's name.
const TENANT: &str = "TenantId";

/// Lets a function use a table of the product, of all tenants or of one, and tells it the table's name.
pub(super) fn granted(
    template: &mut Template,
    function: FunctionResource,
    table: &TableResource,
    (kind, is_isolated): (Kind, bool),
) -> Result<FunctionResource, Error> {
    let mut function = function;
    for (variable, name) in kind.environment(table.id()) {
        function = function.with_variable(variable, name);
    }
    function = if is_isolated {
        // The same names that the key of a page takes: nothing in it can pass for another tenant, or for all of them.
        let parameter = Map::new()
            .with("Type", "String")
            .with("Description", "The tenant whose rows the function may touch.")
            .with("AllowedPattern", "^[A-Za-z0-9_-]{1,64}$");
        let statement = kind.tenant_grant(table.id())?;
        template.parameter(TENANT, parameter)?;
        function.role_tag("TenantID", reference(TENANT)).allowed(statement)
    } else {
        function.allowed(kind.grant(table.id()))
    };
    Ok(match table.settings().encryption.grant(table.id()) {
        Some(key) => function.allowed(key),
        None => function,
    })
}
