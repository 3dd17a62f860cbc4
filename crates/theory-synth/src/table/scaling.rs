//! Provisioned units that follow the traffic: a target and a policy for reads and for writes, of the table and of each global index.

use super::billing::Capacity;
use crate::error::Error;
use crate::intrinsic::{join, reference};
use crate::node::{Map, Node};
use crate::resource::Resource;
use crate::template::Template;

pub(super) fn add_to(
    template: &mut Template,
    table: &str,
    indexes: &[&str],
    [read, write]: [Capacity; 2],
    target_percent: u32,
) -> Result<(), Error> {
    let places = std::iter::once(None).chain(indexes.iter().copied().map(Some));
    for (at, index) in places.enumerate() {
        for (what, capacity) in [("Read", read), ("Write", write)] {
            // Names of indexes may have signs that logical ids have not, so indexes are counted.
            let id = match index {
                None => format!("{table}{what}Scaling"),
                Some(_) => format!("{table}Index{at}{what}Scaling"),
            };
            template.resource(&id, target(table, index, what, capacity))?;
            template.resource(&format!("{id}Policy"), policy(&id, what, target_percent))?;
        }
    }
    Ok(())
}

fn target(table: &str, index: Option<&str>, what: &str, capacity: Capacity) -> Resource {
    let kind = if index.is_some() { "index" } else { "table" };
    let place = index.map(|index| Node::from(format!("/index/{index}")));
    let parts: Vec<Node> = [Node::from("table/"), reference(table)].into_iter().chain(place).collect();
    let properties = Map::new()
        .with("ServiceNamespace", "dynamodb")
        .with("ResourceId", join(parts))
        .with("ScalableDimension", format!("dynamodb:{kind}:{what}CapacityUnits"))
        .with("MinCapacity", capacity.min)
        .with("MaxCapacity", capacity.max);
    Resource::new("AWS::ApplicationAutoScaling::ScalableTarget", properties)
}

fn policy(target: &str, what: &str, target_percent: u32) -> Resource {
    let metric = Map::new().with("PredefinedMetricType", format!("DynamoDB{what}CapacityUtilization"));
    let tracking = Map::new()
        .with("TargetValue", target_percent)
        .with("PredefinedMetricSpecification", metric)
        // Up at once, down with care.
        .with("ScaleOutCooldown", 0)
        .with("ScaleInCooldown", 60);
    let properties = Map::new()
        .with("PolicyName", format!("{target}Policy"))
        .with("PolicyType", "TargetTrackingScaling")
        .with("ScalingTargetId", reference(target))
        .with("TargetTrackingScalingPolicyConfiguration", tracking);
    Resource::new("AWS::ApplicationAutoScaling::ScalingPolicy", properties)
}
