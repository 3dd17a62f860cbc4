//! What wakes a function: a queue with work, or the stream of a table.

use crate::error::Error;
use crate::function::FunctionResource;
use crate::intrinsic::reference;
use crate::node::{Map, Node};
use crate::queue::QueueResource;
use crate::resource::Resource;
use crate::template::Template;

/// Lambda works through a queue with so many at once at least.
pub(crate) const CONCURRENCY_MIN: u32 = 2;

/// A queue that a function works through.
#[derive(Debug)]
pub(crate) struct QueueMapping<'m> {
    pub(crate) queue: &'m QueueResource,
    pub(crate) function: &'m FunctionResource,
    pub(crate) batch_size: u32,
}

/// A stream whose removals by time to live a function is told.
#[derive(Debug)]
pub(crate) struct StreamMapping<'m> {
    pub(crate) stream: Node,
    pub(crate) function: &'m FunctionResource,
    pub(crate) dead: &'m QueueResource,
    pub(crate) batch_size: u32,
    pub(crate) batching_seconds: u32,
    pub(crate) parallel: u32,
    /// None until records are too old.
    pub(crate) retries: Option<u32>,
    pub(crate) age_seconds_max: u32,
}

/// What a stream says of an item that DynamoDB itself removed, and of nothing else.
const EXPIRED: &str = r#"{"eventName":["REMOVE"],"userIdentity":{"type":["Service"],"principalId":["dynamodb.amazonaws.com"]}}"#;

pub(crate) fn of_queue(template: &mut Template, id: &str, mapping: &QueueMapping<'_>) -> Result<(), Error> {
    // Without it Lambda would take messages that the function may not be woken for, until they are dead letters.
    let bound = mapping.function.settings().concurrency_max;
    let bound = bound.map(|max| Map::new().with("MaximumConcurrency", max.clamp(CONCURRENCY_MIN, 1000)));
    let properties =
        common(mapping.queue.arn(), mapping.function, mapping.batch_size).maybe("ScalingConfig", bound);
    add(template, id, properties)
}

pub(crate) fn of_stream(template: &mut Template, id: &str, mapping: &StreamMapping<'_>) -> Result<(), Error> {
    let filter = Map::new().with("Filters", [Map::new().with("Pattern", EXPIRED)]);
    let failed = Map::new().with("OnFailure", Map::new().with("Destination", mapping.dead.arn()));
    let properties = common(mapping.stream.clone(), mapping.function, mapping.batch_size)
        // What expired before the function was there is archived too.
        .with("StartingPosition", "TRIM_HORIZON")
        .with("FilterCriteria", filter)
        .with("MaximumBatchingWindowInSeconds", mapping.batching_seconds)
        .with("ParallelizationFactor", mapping.parallel)
        .with("BisectBatchOnFunctionError", true)
        .with("MaximumRetryAttempts", mapping.retries.map_or(-1, i64::from))
        .with("MaximumRecordAgeInSeconds", mapping.age_seconds_max)
        .with("DestinationConfig", failed);
    add(template, id, properties)
}

fn common(source: Node, function: &FunctionResource, batch_size: u32) -> Map {
    Map::new()
        .with("FunctionName", function.name())
        .with("EventSourceArn", source)
        .with("BatchSize", batch_size)
        .with("FunctionResponseTypes", ["ReportBatchItemFailures"])
}

fn add(template: &mut Template, id: &str, properties: Map) -> Result<(), Error> {
    template.resource(id, Resource::new("AWS::Lambda::EventSourceMapping", properties))?;
    template.output(&format!("{id}Id"), "What wakes the function.", reference(id))
}
