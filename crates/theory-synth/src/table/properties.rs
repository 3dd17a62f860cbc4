//! The properties of a table, as CloudFormation spells them.

use tabletheory::table::Layout;
use tabletheory_core::schema::{AttributeDefinition, KeyElement, KeyRole, Projection, StreamView};

use super::billing::Billing;
use super::settings::TableSettings;
use crate::node::{Map, Node};
use crate::resource::tags;

pub(super) fn of(id: &str, layout: &Layout, settings: &TableSettings, stream: Option<StreamView>) -> Map {
    let request = layout.create_table();
    let billing = &settings.billing;
    let local =
        request.local_indexes.iter().map(|index| index_of(&index.name, &index.keys, &index.projection));
    let global = request.global_indexes.iter().map(|index| {
        let properties = index_of(&index.name, &index.keys, &index.projection);
        throughput(properties, billing)
    });
    let (local, global): (Vec<Map>, Vec<Map>) = (local.collect(), global.collect());
    let some = |maps: Vec<Map>| (!maps.is_empty()).then_some(maps);
    let ttl = |name: &str| Map::new().with("AttributeName", name).with("Enabled", true);
    let view = |view: StreamView| Map::new().with("StreamViewType", view.name());
    let properties = Map::new()
        .maybe("TableName", settings.name.as_ref())
        .with("AttributeDefinitions", request.attributes.iter().map(definition).collect::<Vec<_>>())
        .with("KeySchema", key_schema(&request.keys))
        .maybe("LocalSecondaryIndexes", some(local))
        .maybe("GlobalSecondaryIndexes", some(global))
        .maybe("TimeToLiveSpecification", layout.time_to_live().map(ttl))
        .maybe("StreamSpecification", stream.map(view))
        .with(
            "BillingMode",
            if matches!(billing, Billing::OnDemand { .. }) { "PAY_PER_REQUEST" } else { "PROVISIONED" },
        );
    throughput(properties, billing)
        .with("SSESpecification", settings.encryption.specification(id))
        .with(
            "PointInTimeRecoverySpecification",
            Map::new().with("PointInTimeRecoveryEnabled", settings.is_recoverable),
        )
        .with("DeletionProtectionEnabled", settings.is_protected)
        .maybe("TableClass", settings.is_infrequent.then_some("STANDARD_INFREQUENT_ACCESS"))
        .maybe("Tags", tags(&settings.tags))
}

fn definition(attribute: &AttributeDefinition) -> Map {
    Map::new().with("AttributeName", &attribute.name).with("AttributeType", attribute.kind.name())
}

fn key_schema(keys: &[KeyElement]) -> Node {
    let role = |role| match role {
        KeyRole::Hash => "HASH",
        KeyRole::Range => "RANGE",
    };
    let element =
        |key: &KeyElement| Map::new().with("AttributeName", &key.name).with("KeyType", role(key.role));
    keys.iter().map(element).collect::<Vec<_>>().into()
}

fn index_of(name: &str, keys: &[KeyElement], projection: &Projection) -> Map {
    let projection = match projection {
        Projection::All => Map::new().with("ProjectionType", "ALL"),
        Projection::KeysOnly => Map::new().with("ProjectionType", "KEYS_ONLY"),
        Projection::Include(names) => {
            Map::new().with("ProjectionType", "INCLUDE").with("NonKeyAttributes", names.clone())
        }
    };
    Map::new().with("IndexName", name).with("KeySchema", key_schema(keys)).with("Projection", projection)
}

/// What a table or a global index may use per second.
fn throughput(properties: Map, billing: &Billing) -> Map {
    match billing {
        Billing::OnDemand { read_max: None, write_max: None } => properties,
        Billing::OnDemand { read_max, write_max } => {
            let units = Map::new().maybe("MaxReadRequestUnits", *read_max);
            properties.with("OnDemandThroughput", units.maybe("MaxWriteRequestUnits", *write_max))
        }
        Billing::Provisioned { read, write, .. } => {
            let units = Map::new().with("ReadCapacityUnits", read.min).with("WriteCapacityUnits", write.min);
            properties.with("ProvisionedThroughput", units)
        }
    }
}
