//! Time to live: which attribute says when an item may be removed.

use tabletheory_core::limits::KEY_NAME_BYTES_MAX;
use tabletheory_core::store::op::{
    DescribeTimeToLive, DescribeTimeToLiveOutput, UpdateTimeToLive, UpdateTimeToLiveOutput,
};
use tabletheory_core::{Response, StoreError};

use super::{named, no_table, redefine};
use crate::commit::Work;
use crate::group::Group;
use crate::table::TableSpec;
use crate::view::View;

/// `UpdateTimeToLive`.
pub(crate) fn update(request: UpdateTimeToLive) -> Result<impl Work + use<>, StoreError> {
    if request.attribute.is_empty() || request.attribute.len() > KEY_NAME_BYTES_MAX {
        return Err(StoreError::validation(format!(
            "1 validation error detected: Value '{}' at 'timeToLiveSpecification.attributeName' failed to satisfy \
             constraint: Member must have length between 1 and 255",
            request.attribute
        )));
    }
    Ok(move |group: &mut Group<'_>| {
        let table = group.catalog.find(&request.table).cloned().ok_or_else(|| no_table(&request.table))?;
        let ttl = match (&table.spec.ttl, request.enabled) {
            (Some(current), true) if *current == request.attribute => {
                return Err(StoreError::validation("TimeToLive is already enabled"));
            }
            (Some(current), _) if *current != request.attribute => {
                return Err(StoreError::validation(format!(
                    "TimeToLive is active on a different AttributeName: current AttributeName is {current}"
                )));
            }
            (None, false) => return Err(StoreError::validation("TimeToLive is already disabled")),
            (_, enabled) => enabled.then(|| request.attribute.clone()),
        };
        let spec = TableSpec { ttl, ..table.spec.clone() };
        group.apply(|group| redefine(group, &table, spec))?;
        let output = UpdateTimeToLiveOutput { attribute: request.attribute, enabled: request.enabled };
        Ok(Response::UpdateTimeToLive(Box::new(output)))
    })
}

/// `DescribeTimeToLive`.
pub(crate) fn describe(
    view: &View<'_>,
    request: &DescribeTimeToLive,
) -> Result<DescribeTimeToLiveOutput, StoreError> {
    Ok(DescribeTimeToLiveOutput { attribute: named(view, &request.table)?.spec.ttl.clone() })
}
