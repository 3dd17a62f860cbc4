//! Names of settings that come from a fixed set and are used by several operations.

use tabletheory_core::store::capacity::ReturnCapacity;
use tabletheory_core::store::op::{OnConditionFailure, ReturnValues, Select};

use crate::constraint::Names;

pub(super) const CAPACITY: &Names<ReturnCapacity> =
    &[("INDEXES", ReturnCapacity::Indexes), ("TOTAL", ReturnCapacity::Total), ("NONE", ReturnCapacity::None)];

pub(super) const COLLECTION_METRICS: &Names<bool> = &[("SIZE", true), ("NONE", false)];

pub(super) const RETURN_VALUES: &Names<ReturnValues> = &[
    ("ALL_NEW", ReturnValues::AllNew),
    ("UPDATED_OLD", ReturnValues::UpdatedOld),
    ("ALL_OLD", ReturnValues::AllOld),
    ("NONE", ReturnValues::None),
    ("UPDATED_NEW", ReturnValues::UpdatedNew),
];

pub(super) const ON_CONDITION_FAILURE: &Names<OnConditionFailure> =
    &[("ALL_OLD", OnConditionFailure::AllOld), ("NONE", OnConditionFailure::None)];

pub(super) const SELECT: &Names<Select> = &[
    ("SPECIFIC_ATTRIBUTES", Select::SpecificAttributes),
    ("COUNT", Select::Count),
    ("ALL_ATTRIBUTES", Select::AllAttributes),
    ("ALL_PROJECTED_ATTRIBUTES", Select::AllProjectedAttributes),
];
