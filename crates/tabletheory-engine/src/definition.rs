//! Checks of a table's definition, with the service's words, before a table or an index is made.

use std::collections::BTreeSet;

use tabletheory_core::StoreError;
use tabletheory_core::limits::{
    GLOBAL_INDEXES_MAX, INDEX_KEY_ATTRIBUTES_MAX, KEY_NAME_BYTES_MAX, LOCAL_INDEXES_MAX, NAME_LENGTH_MAX,
    NAME_LENGTH_MIN, PROJECTED_ATTRIBUTES_MAX, TAGS_MAX,
};
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyRole, Projection, Tag, Throughput,
};
use tabletheory_core::store::op::CreateTable;

use crate::validate::invalid;

/// Checks a name of a table or an index: 3 to 255 letters, digits, `_`, `-` and `.`.
pub fn name(name: &str, member: &str) -> Result<(), StoreError> {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
    let constraint = if !name.chars().all(allowed) {
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+".to_owned()
    } else if name.len() < NAME_LENGTH_MIN {
        format!("Member must have length greater than or equal to {NAME_LENGTH_MIN}")
    } else if name.len() > NAME_LENGTH_MAX {
        format!("Member must have length less than or equal to {NAME_LENGTH_MAX}")
    } else {
        return Ok(());
    };
    Err(StoreError::validation(format!(
        "1 validation error detected: Value '{name}' at '{member}' failed to satisfy constraint: {constraint}"
    )))
}

/// Checks everything that a new table is asked to be.
pub fn table(request: &CreateTable) -> Result<(), StoreError> {
    name(&request.table, "tableName")?;
    throughput(request)?;
    attributes(&request.attributes)?;
    keys(&request.keys, &request.attributes, 1)?;
    local_indexes(request)?;
    global_indexes(request)?;
    used(request)?;
    projected(request)?;
    tags(&request.tags)
}

fn throughput(request: &CreateTable) -> Result<(), StoreError> {
    match (request.billing, request.throughput) {
        (BillingMode::PayPerRequest, Some(_)) => Err(invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        )),
        (BillingMode::Provisioned, None) => Err(invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        )),
        (_, Some(throughput)) => provisioned(throughput),
        (_, None) => Ok(()),
    }
}

/// Checks that both capacities are at least one.
pub fn provisioned(throughput: Throughput) -> Result<(), StoreError> {
    for (units, member) in
        [(throughput.read_units, "readCapacityUnits"), (throughput.write_units, "writeCapacityUnits")]
    {
        if units == 0 {
            return Err(StoreError::validation(format!(
                "1 validation error detected: Value '0' at 'provisionedThroughput.{member}' failed to satisfy \
                 constraint: Member must have value greater than or equal to 1"
            )));
        }
    }
    Ok(())
}

fn attributes(attributes: &[AttributeDefinition]) -> Result<(), StoreError> {
    let mut names = BTreeSet::new();
    for attribute in attributes {
        if attribute.name.is_empty() || attribute.name.len() > KEY_NAME_BYTES_MAX {
            return Err(StoreError::validation(format!(
                "1 validation error detected: Value '{}' at 'attributeDefinitions' failed to satisfy constraint: Member \
                 must have length between 1 and {KEY_NAME_BYTES_MAX}",
                attribute.name
            )));
        }
        if !names.insert(attribute.name.as_str()) {
            return Err(invalid(format!(
                "Duplicate AttributeName in AttributeDefinitions: {}",
                attribute.name
            )));
        }
    }
    Ok(())
}

/// Checks one key: partition attributes first, then sort attributes, each at most `most` times, all defined.
pub fn keys(keys: &[KeyElement], attributes: &[AttributeDefinition], most: usize) -> Result<(), StoreError> {
    let roles: Vec<KeyRole> = keys.iter().map(|key| key.role).collect();
    let hashes = roles.iter().take_while(|role| **role == KeyRole::Hash).count();
    let ranges = roles[hashes..].iter().take_while(|role| **role == KeyRole::Range).count();
    if hashes == 0 {
        return Err(StoreError::validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type"));
    }
    if hashes > most || ranges > most || hashes + ranges != roles.len() {
        return Err(StoreError::validation(if most == 1 && roles.len() == 2 {
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type".to_owned()
        } else {
            format!(
                "1 validation error detected: Value at 'keySchema' failed to satisfy constraint: Member must have \
                 length less than or equal to {}",
                2 * most
            )
        }));
    }
    let names: BTreeSet<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    if names.len() != keys.len() {
        return Err(StoreError::validation(
            "Invalid KeySchema: The attribute names of the elements must be different from each other",
        ));
    }
    match names.iter().find(|name| attributes.iter().all(|attribute| attribute.name != **name)) {
        None => Ok(()),
        Some(_) => Err(invalid(format!(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]",
            join(keys.iter().map(|key| key.name.as_str())),
            join(attributes.iter().map(|attribute| attribute.name.as_str()))
        ))),
    }
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn local_indexes(request: &CreateTable) -> Result<(), StoreError> {
    if request.local_indexes.len() > LOCAL_INDEXES_MAX {
        return Err(invalid(format!(
            "Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES_MAX}"
        )));
    }
    if !request.local_indexes.is_empty() && request.keys.len() < 2 {
        return Err(invalid("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"));
    }
    let mut names = BTreeSet::new();
    for index in &request.local_indexes {
        name(&index.name, "localSecondaryIndexes.member.indexName")?;
        if !names.insert(&index.name) {
            return Err(invalid(format!("Duplicate index name: {}", index.name)));
        }
        keys(&index.keys, &request.attributes, 1)?;
        if index.keys.len() != 2 {
            return Err(invalid(format!("Index KeySchema does not have a range key for index: {}", index.name)));
        }
        if index.keys[0].name != request.keys[0].name {
            return Err(invalid(format!(
                "Index KeySchema does not have the same leading hash key as table KeySchema for index: {}. index hash \
                 key: {}, table hash key: {}",
                index.name, index.keys[0].name, request.keys[0].name
            )));
        }
        projection(&index.projection)?;
    }
    Ok(())
}

fn global_indexes(request: &CreateTable) -> Result<(), StoreError> {
    if request.global_indexes.len() > GLOBAL_INDEXES_MAX {
        return Err(invalid(format!(
            "GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES_MAX}"
        )));
    }
    let mut names: BTreeSet<&str> = request.local_indexes.iter().map(|index| index.name.as_str()).collect();
    for index in &request.global_indexes {
        if !names.insert(&index.name) {
            return Err(invalid(format!("Duplicate index name: {}", index.name)));
        }
        global_index(index, &request.attributes, request.billing)?;
    }
    Ok(())
}

/// Checks one global index of a table that is paid for this way.
pub fn global_index(
    index: &GlobalIndex,
    attributes: &[AttributeDefinition],
    billing: BillingMode,
) -> Result<(), StoreError> {
    name(&index.name, "globalSecondaryIndexes.member.indexName")?;
    keys(&index.keys, attributes, INDEX_KEY_ATTRIBUTES_MAX)?;
    projection(&index.projection)?;
    match (billing, index.throughput) {
        (BillingMode::PayPerRequest, Some(_)) => Err(invalid(format!(
            "ProvisionedThroughput should not be specified for index: {} when BillingMode is PAY_PER_REQUEST",
            index.name
        ))),
        (BillingMode::Provisioned, None) => Err(invalid(format!(
            "ProvisionedThroughput is not specified for index: {}",
            index.name
        ))),
        (_, Some(throughput)) => provisioned(throughput),
        (_, None) => Ok(()),
    }
}

fn projection(projection: &Projection) -> Result<(), StoreError> {
    let Projection::Include(names) = projection else { return Ok(()) };
    if names.is_empty() {
        return Err(invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified"));
    }
    if names.iter().any(|name| name.is_empty() || name.len() > KEY_NAME_BYTES_MAX) {
        return Err(invalid("NonKeyAttributes must be names of 1 to 255 bytes"));
    }
    if names.iter().collect::<BTreeSet<_>>().len() != names.len() {
        return Err(invalid("Duplicate attribute in NonKeyAttributes"));
    }
    Ok(())
}

/// Every attribute that is defined must be used by a key.
fn used(request: &CreateTable) -> Result<(), StoreError> {
    let local = request.local_indexes.iter().flat_map(|index| &index.keys);
    let global = request.global_indexes.iter().flat_map(|index| &index.keys);
    let names: BTreeSet<&str> =
        request.keys.iter().chain(local).chain(global).map(|key| key.name.as_str()).collect();
    if request.attributes.iter().all(|attribute| names.contains(attribute.name.as_str())) {
        return Ok(());
    }
    if request.local_indexes.is_empty() && request.global_indexes.is_empty() {
        return Err(invalid("Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"));
    }
    Err(invalid(format!(
        "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
        join(request.attributes.iter().map(|attribute| attribute.name.as_str())),
        join(names.into_iter())
    )))
}

fn projected(request: &CreateTable) -> Result<(), StoreError> {
    let local = request.local_indexes.iter().map(|index| &index.projection);
    let global = request.global_indexes.iter().map(|index| &index.projection);
    let count: usize = local
        .chain(global)
        .map(|projection| match projection {
            Projection::Include(names) => names.len(),
            Projection::All | Projection::KeysOnly => 0,
        })
        .sum();
    if count > PROJECTED_ATTRIBUTES_MAX {
        return Err(invalid(format!(
            "Number of non-key attributes projected by the indexes exceeds the limit of {PROJECTED_ATTRIBUTES_MAX}"
        )));
    }
    Ok(())
}

/// Checks tags that are to be set.
pub fn tags(tags: &[Tag]) -> Result<(), StoreError> {
    if tags.len() > TAGS_MAX {
        return Err(StoreError::validation(format!("Too many tags: a table has at most {TAGS_MAX}")));
    }
    for tag in tags {
        if tag.key.is_empty() || tag.key.chars().count() > 128 || tag.value.chars().count() > 256 {
            return Err(StoreError::validation(format!(
                "Invalid tag '{}': a key has 1 to 128 characters, a value at most 256",
                tag.key
            )));
        }
    }
    if tags.iter().map(|tag| &tag.key).collect::<BTreeSet<_>>().len() != tags.len() {
        return Err(StoreError::validation("Duplicate tag keys are not allowed"));
    }
    Ok(())
}
