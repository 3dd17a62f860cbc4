//! The parts of a table's definition: attributes, keys, indexes, throughput, stream.

use std::fmt::Display;

use tabletheory_core::StoreError;
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyRole, KeyType, LocalIndex, Projection,
    StreamView, Throughput,
};
use tabletheory_core::store::op::StreamUpdate;

use crate::constraint::{Constraints, Names};
use crate::shape::{Flag, Integer, List, Text, structure};

structure! {
    /// An attribute that a key uses.
    AttributeShape {
        name: Text<'a> = "AttributeName",
        kind: Text<'a> = "AttributeType",
    }
}

structure! {
    /// One attribute of a key.
    KeyShape {
        name: Text<'a> = "AttributeName",
        role: Text<'a> = "KeyType",
    }
}

structure! {
    /// An index of either kind, or a change of one.
    IndexShape {
        name: Text<'a> = "IndexName",
        keys: List<KeyShape<'a>> = "KeySchema",
        projection: ProjectionShape<'a> = "Projection",
        throughput: ThroughputShape<'a> = "ProvisionedThroughput",
    }
}

structure! {
    /// What an index carries.
    ProjectionShape {
        kind: Text<'a> = "ProjectionType",
        attributes: List<Text<'a>> = "NonKeyAttributes",
    }
}

structure! {
    /// Provisioned units.
    ThroughputShape {
        read: Integer = "ReadCapacityUnits",
        write: Integer = "WriteCapacityUnits",
    }
}

structure! {
    /// A table's stream.
    StreamShape {
        enabled: Flag = "StreamEnabled",
        view: Text<'a> = "StreamViewType",
    }
}

const KEY_TYPES: &Names<KeyType> = &[("B", KeyType::B), ("N", KeyType::N), ("S", KeyType::S)];
const KEY_ROLES: &Names<KeyRole> = &[("HASH", KeyRole::Hash), ("RANGE", KeyRole::Range)];
const STREAM_VIEWS: &Names<StreamView> = &[
    ("NEW_IMAGE", StreamView::NewImage),
    ("OLD_IMAGE", StreamView::OldImage),
    ("NEW_AND_OLD_IMAGES", StreamView::NewAndOldImages),
    ("KEYS_ONLY", StreamView::KeysOnly),
];
const PROJECTION_KINDS: &Names<ProjectionKind> = &[
    ("ALL", ProjectionKind::All),
    ("INCLUDE", ProjectionKind::Include),
    ("KEYS_ONLY", ProjectionKind::KeysOnly),
];
pub(super) const BILLING_MODES: &Names<BillingMode> =
    &[("PROVISIONED", BillingMode::Provisioned), ("PAY_PER_REQUEST", BillingMode::PayPerRequest)];
pub(super) const TABLE_CLASSES: &Names<&'static str> =
    &[("STANDARD", "STANDARD"), ("STANDARD_INFREQUENT_ACCESS", "STANDARD_INFREQUENT_ACCESS")];

/// `AttributeDefinitions`.
pub(super) fn attributes(
    constraints: &mut Constraints,
    list: Option<List<AttributeShape<'_>>>,
) -> Vec<AttributeDefinition> {
    let read = |(at, shape): (usize, AttributeShape<'_>)| {
        let member = |rest| format!("attributeDefinitions.{}.member.{rest}", at + 1);
        let name = constraints.required(member("attributeName"), shape.name).into_string();
        let kind = constraints.required(member("attributeType"), shape.kind.map(Some));
        let kind = constraints.one_of(member("attributeType"), kind, KEY_TYPES);
        // Without a type the constraints refuse the request, so it does not matter which stands here.
        AttributeDefinition { name, kind: kind.unwrap_or(KeyType::S) }
    };
    list.unwrap_or_default().0.into_iter().enumerate().map(read).collect()
}

/// `KeySchema`, of the table or of an index.
pub(super) fn keys(constraints: &mut Constraints, place: &str, list: List<KeyShape<'_>>) -> Vec<KeyElement> {
    let read = |(at, shape): (usize, KeyShape<'_>)| {
        let member = |rest| format!("{place}.{}.member.{rest}", at + 1);
        let name = constraints.required(member("attributeName"), shape.name).into_string();
        let role = constraints.required(member("keyType"), shape.role.map(Some));
        let role = constraints.one_of(member("keyType"), role, KEY_ROLES);
        KeyElement { name, role: role.unwrap_or(KeyRole::Hash) }
    };
    list.0.into_iter().enumerate().map(read).collect()
}

/// `ProvisionedThroughput`, of the table or of an index.
pub(super) fn throughput(
    constraints: &mut Constraints,
    place: impl Display,
    shape: Option<ThroughputShape<'_>>,
) -> Option<Throughput> {
    let shape = shape?;
    let mut units = |member: &str, units: Option<Integer>| {
        let member = format!("{place}.{member}");
        let given = constraints.required(&member, units.map(Some));
        u64::from(constraints.count(member, 1, given).unwrap_or_default())
    };
    let read_units = units("readCapacityUnits", shape.read);
    Some(Throughput { read_units, write_units: units("writeCapacityUnits", shape.write) })
}

/// `StreamSpecification`, whose constraints were looked at.
#[derive(Debug)]
pub(super) struct Stream {
    enabled: bool,
    view: Option<StreamView>,
}

/// `StreamSpecification`.
pub(super) fn stream(constraints: &mut Constraints, shape: Option<StreamShape<'_>>) -> Option<Stream> {
    let shape = shape?;
    let Flag(enabled) = constraints.required("streamSpecification.streamEnabled", shape.enabled);
    let view = constraints.one_of("streamSpecification.streamViewType", shape.view, STREAM_VIEWS);
    Some(Stream { enabled, view })
}

impl Stream {
    /// What it does to the table.
    pub(super) fn update(self) -> Result<StreamUpdate, StoreError> {
        match (self.enabled, self.view) {
            (true, Some(view)) => Ok(StreamUpdate::Enable(view)),
            (false, None) => Ok(StreamUpdate::Disable),
            (true, None) => Err(StoreError::validation(
                "One or more parameter values were invalid: StreamViewType is required when StreamEnabled is true",
            )),
            (false, Some(_)) => Err(StoreError::validation(
                "One or more parameter values were invalid: StreamViewType must not be specified when StreamEnabled is \
                 false",
            )),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum ProjectionKind {
    All,
    Include,
    KeysOnly,
}

/// An index whose constraints were looked at.
#[derive(Debug)]
pub(super) struct Index {
    name: String,
    keys: Vec<KeyElement>,
    projection: Option<ProjectionKind>,
    attributes: Option<Vec<String>>,
    throughput: Option<Throughput>,
}

/// `LocalSecondaryIndexes` or `GlobalSecondaryIndexes`.
pub(super) fn indexes(
    constraints: &mut Constraints,
    parameter: &str,
    list: Option<List<IndexShape<'_>>>,
) -> Vec<Index> {
    let read = |(at, shape)| index(constraints, &format!("{parameter}.{}.member", at + 1), shape);
    list.unwrap_or_default().0.into_iter().enumerate().map(read).collect()
}

/// One index as it is asked for.
pub(super) fn index(constraints: &mut Constraints, place: &str, shape: IndexShape<'_>) -> Index {
    let name = constraints.required(format!("{place}.indexName"), shape.name).into_string();
    let key_list = constraints.required(format!("{place}.keySchema"), shape.keys);
    let projection = constraints.required(format!("{place}.projection"), shape.projection);
    let member = format!("{place}.projection.projectionType");
    Index {
        name,
        keys: keys(constraints, &format!("{place}.keySchema"), key_list),
        projection: constraints.one_of(member, projection.kind, PROJECTION_KINDS),
        attributes: projection.attributes.map(|list| list.0.into_iter().map(Text::into_string).collect()),
        throughput: throughput(constraints, format_args!("{place}.provisionedThroughput"), shape.throughput),
    }
}

impl Index {
    /// A local index. What is said of its throughput is passed over: it has none.
    pub(super) fn local(self) -> Result<LocalIndex, StoreError> {
        let projection = projection(self.projection, self.attributes)?;
        Ok(LocalIndex { name: self.name, keys: self.keys, projection })
    }

    /// A global index.
    pub(super) fn global(self) -> Result<GlobalIndex, StoreError> {
        let projection = projection(self.projection, self.attributes)?;
        Ok(GlobalIndex { name: self.name, keys: self.keys, projection, throughput: self.throughput })
    }
}

fn projection(
    kind: Option<ProjectionKind>,
    attributes: Option<Vec<String>>,
) -> Result<Projection, StoreError> {
    let refused = |what: &str| {
        Err(StoreError::validation(format!("One or more parameter values were invalid: {what}")))
    };
    match (kind, attributes) {
        (Some(ProjectionKind::All), None) => Ok(Projection::All),
        (Some(ProjectionKind::KeysOnly), None) => Ok(Projection::KeysOnly),
        (Some(ProjectionKind::Include), attributes) => {
            Ok(Projection::Include(attributes.unwrap_or_default()))
        }
        (Some(ProjectionKind::All), Some(_)) => {
            refused("ProjectionType is ALL, but NonKeyAttributes is specified")
        }
        (Some(ProjectionKind::KeysOnly), Some(_)) => {
            refused("ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified")
        }
        (None, _) => refused("Unknown ProjectionType: null"),
    }
}
