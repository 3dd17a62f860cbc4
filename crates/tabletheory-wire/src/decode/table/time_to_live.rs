//! Requests about the time to live of a table's items.

use tabletheory_core::StoreError;
use tabletheory_core::store::op::{DescribeTimeToLive, UpdateTimeToLive};

use super::NameShape;
use crate::constraint::Constraints;
use crate::shape::{Flag, Text, structure};

structure! {
    /// The members of `UpdateTimeToLive`.
    UpdateShape {
        table: Text<'a> = "TableName",
        specification: SpecificationShape<'a> = "TimeToLiveSpecification",
    }
}

structure! {
    /// Which attribute, and on or off.
    SpecificationShape {
        attribute: Text<'a> = "AttributeName",
        enabled: Flag = "Enabled",
    }
}

/// Reads an `UpdateTimeToLive`.
pub(crate) fn update(shape: UpdateShape<'_>) -> Result<UpdateTimeToLive, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table);
    let (attribute, enabled) = match shape.specification {
        Some(specification) => {
            let member = "timeToLiveSpecification.attributeName";
            let attribute = constraints.required(member, specification.attribute);
            let enabled = constraints.required("timeToLiveSpecification.enabled", specification.enabled);
            (attribute.into_string(), enabled.0)
        }
        None => constraints.required("timeToLiveSpecification", None),
    };
    constraints.finish()?;
    Ok(UpdateTimeToLive { table: table.into_string(), attribute, enabled })
}

/// Reads a `DescribeTimeToLive`.
pub(crate) fn describe(shape: NameShape<'_>) -> Result<DescribeTimeToLive, StoreError> {
    Ok(DescribeTimeToLive { table: shape.read()? })
}
