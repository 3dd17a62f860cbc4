//! Requests about tables: create, describe, list, update, delete.

pub(super) mod definition;
pub(super) mod tags;
pub(super) mod time_to_live;

use serde::de::IgnoredAny;
use tabletheory_core::StoreError;
use tabletheory_core::schema::Throughput;
use tabletheory_core::store::op::{
    CreateTable, DeleteTable, DescribeTable, GlobalIndexUpdate, ListTables, StreamUpdate, UpdateTable,
};

use crate::constraint::Constraints;
use crate::shape::{Flag, Integer, List, Text, structure};
use definition::{AttributeShape, IndexShape, KeyShape, StreamShape, ThroughputShape};
use tags::TagShape;

structure! {
    /// The members of `CreateTable`. How a table is encrypted and how warm it is do not matter here.
    CreateShape {
        table: Text<'a> = "TableName",
        attributes: List<AttributeShape<'a>> = "AttributeDefinitions",
        keys: List<KeyShape<'a>> = "KeySchema",
        local_indexes: List<IndexShape<'a>> = "LocalSecondaryIndexes",
        global_indexes: List<IndexShape<'a>> = "GlobalSecondaryIndexes",
        billing: Text<'a> = "BillingMode",
        throughput: ThroughputShape<'a> = "ProvisionedThroughput",
        stream: StreamShape<'a> = "StreamSpecification",
        deletion_protection: Flag = "DeletionProtectionEnabled",
        table_class: Text<'a> = "TableClass",
        tags: List<TagShape<'a>> = "Tags",
        policy: IgnoredAny = "ResourcePolicy",
        source: IgnoredAny = "GlobalTableSourceArn",
        vector_indexes: IgnoredAny = "VectorIndexes",
    }
}

/// Reads a `CreateTable`.
pub(super) fn create(shape: CreateShape<'_>) -> Result<CreateTable, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table);
    let attributes = definition::attributes(&mut constraints, shape.attributes);
    let keys = constraints.required("keySchema", shape.keys);
    let keys = definition::keys(&mut constraints, "keySchema", keys);
    let local = definition::indexes(&mut constraints, "localSecondaryIndexes", shape.local_indexes);
    let global = definition::indexes(&mut constraints, "globalSecondaryIndexes", shape.global_indexes);
    let billing = constraints.one_of("billingMode", shape.billing, definition::BILLING_MODES);
    let throughput = definition::throughput(&mut constraints, "provisionedThroughput", shape.throughput);
    let stream = definition::stream(&mut constraints, shape.stream);
    let tags = tags::read(&mut constraints, shape.tags.unwrap_or_default());
    let table_class = constraints.one_of("tableClass", shape.table_class, definition::TABLE_CLASSES);
    constraints.finish()?;
    refuse_unsupported(&[
        ("ResourcePolicy", shape.policy.is_some()),
        ("GlobalTableSourceArn", shape.source.is_some()),
        ("VectorIndexes", shape.vector_indexes.is_some()),
    ])?;
    let stream = match stream.map(definition::Stream::update).transpose()? {
        Some(StreamUpdate::Enable(view)) => Some(view),
        Some(StreamUpdate::Disable) | None => None,
    };
    Ok(CreateTable {
        table: table.into_string(),
        attributes,
        keys,
        local_indexes: local.into_iter().map(definition::Index::local).collect::<Result<_, _>>()?,
        global_indexes: global.into_iter().map(definition::Index::global).collect::<Result<_, _>>()?,
        billing: billing.unwrap_or_default(),
        throughput,
        stream,
        deletion_protection: shape.deletion_protection.is_some_and(|Flag(flag)| flag),
        table_class: table_class.map(str::to_owned),
        tags,
    })
}

structure! {
    /// The members of `DescribeTable` and `DeleteTable`.
    NameShape {
        table: Text<'a> = "TableName",
    }
}

impl NameShape<'_> {
    fn read(self) -> Result<String, StoreError> {
        let mut constraints = Constraints::default();
        let table = constraints.required("tableName", self.table);
        constraints.finish()?;
        Ok(table.into_string())
    }
}

/// Reads a `DescribeTable`.
pub(super) fn describe(shape: NameShape<'_>) -> Result<DescribeTable, StoreError> {
    Ok(DescribeTable { table: shape.read()? })
}

/// Reads a `DeleteTable`.
pub(super) fn delete(shape: NameShape<'_>) -> Result<DeleteTable, StoreError> {
    Ok(DeleteTable { table: shape.read()? })
}

structure! {
    /// The members of `ListTables`.
    ListShape {
        start_after: Text<'a> = "ExclusiveStartTableName",
        limit: Integer = "Limit",
    }
}

/// Reads a `ListTables`.
pub(super) fn list(shape: ListShape<'_>) -> Result<ListTables, StoreError> {
    let mut constraints = Constraints::default();
    let limit = constraints.count("limit", 1, shape.limit);
    constraints.finish()?;
    Ok(ListTables { start_after: shape.start_after.map(Text::into_string), limit })
}

structure! {
    /// The members of `UpdateTable`.
    UpdateShape {
        table: Text<'a> = "TableName",
        attributes: List<AttributeShape<'a>> = "AttributeDefinitions",
        billing: Text<'a> = "BillingMode",
        throughput: ThroughputShape<'a> = "ProvisionedThroughput",
        global_indexes: List<IndexUpdateShape<'a>> = "GlobalSecondaryIndexUpdates",
        stream: StreamShape<'a> = "StreamSpecification",
        deletion_protection: Flag = "DeletionProtectionEnabled",
        table_class: Text<'a> = "TableClass",
        replicas: List<IgnoredAny> = "ReplicaUpdates",
        witnesses: IgnoredAny = "GlobalTableWitnessUpdates",
        consistency: IgnoredAny = "MultiRegionConsistency",
        vector_indexes: IgnoredAny = "VectorIndexUpdates",
    }
}

structure! {
    /// One change of a global index, by its kind.
    IndexUpdateShape {
        create: IndexShape<'a> = "Create",
        update: IndexShape<'a> = "Update",
        delete: IndexShape<'a> = "Delete",
    }
}

/// Reads an `UpdateTable`.
pub(super) fn update(shape: UpdateShape<'_>) -> Result<UpdateTable, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table);
    let attributes = definition::attributes(&mut constraints, shape.attributes);
    let billing = constraints.one_of("billingMode", shape.billing, definition::BILLING_MODES);
    let throughput = definition::throughput(&mut constraints, "provisionedThroughput", shape.throughput);
    let stream = definition::stream(&mut constraints, shape.stream);
    let table_class = constraints.one_of("tableClass", shape.table_class, definition::TABLE_CLASSES);
    let mut drafts = Vec::new();
    for (at, change) in shape.global_indexes.unwrap_or_default().0.into_iter().enumerate() {
        drafts.push(IndexChange::check(&mut constraints, at, change)?);
    }
    constraints.finish()?;
    refuse_unsupported(&[
        ("ReplicaUpdates", shape.replicas.is_some_and(|replicas| !replicas.0.is_empty())),
        ("GlobalTableWitnessUpdates", shape.witnesses.is_some()),
        ("MultiRegionConsistency", shape.consistency.is_some()),
        ("VectorIndexUpdates", shape.vector_indexes.is_some()),
    ])?;
    Ok(UpdateTable {
        table: table.into_string(),
        attributes,
        billing,
        throughput,
        global_indexes: drafts
            .into_iter()
            .filter_map(|change| change.read().transpose())
            .collect::<Result<_, _>>()?,
        stream: stream.map(definition::Stream::update).transpose()?,
        deletion_protection: shape.deletion_protection.map(|Flag(flag)| flag),
        table_class: table_class.map(str::to_owned),
    })
}

/// Refuses what this store cannot do. To say nothing and not do it would be worse.
fn refuse_unsupported(members: &[(&str, bool)]) -> Result<(), StoreError> {
    match members.iter().find(|(_, is_there)| *is_there) {
        Some((member, _)) => Err(StoreError::validation(format!("{member} is not supported here"))),
        None => Ok(()),
    }
}

/// A change of a global index whose constraints were looked at.
enum IndexChange {
    Create(definition::Index),
    Update { name: String, throughput: Option<Throughput> },
    Delete(String),
}

impl IndexChange {
    fn check(
        constraints: &mut Constraints,
        at: usize,
        shape: IndexUpdateShape<'_>,
    ) -> Result<Self, StoreError> {
        let member = |kind| format!("globalSecondaryIndexUpdates.{}.member.{kind}", at + 1);
        match (shape.create, shape.update, shape.delete) {
            (Some(index), None, None) => {
                Ok(Self::Create(definition::index(constraints, &member("create"), index)))
            }
            (None, Some(index), None) => {
                let name = constraints.required(member("update.indexName"), index.name).into_string();
                let place = member("update.provisionedThroughput");
                Ok(Self::Update {
                    name,
                    throughput: definition::throughput(constraints, place, index.throughput),
                })
            }
            (None, None, Some(index)) => {
                let name = constraints.required(member("delete.indexName"), index.name);
                Ok(Self::Delete(name.into_string()))
            }
            _ => Err(StoreError::validation(
                "One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, \
                 GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must be specified",
            )),
        }
    }

    /// The change, or nothing where only such settings are changed as do not matter here.
    fn read(self) -> Result<Option<GlobalIndexUpdate>, StoreError> {
        Ok(match self {
            Self::Create(index) => Some(GlobalIndexUpdate::Create(index.global()?)),
            Self::Update { name, throughput } => {
                throughput.map(|throughput| GlobalIndexUpdate::Update { name, throughput })
            }
            Self::Delete(name) => Some(GlobalIndexUpdate::Delete { name }),
        })
    }
}
