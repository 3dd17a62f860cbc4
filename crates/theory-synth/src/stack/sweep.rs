//! The sweep of a site: a function that wakes by a schedule and removes bodies that no row names. It alone reads the whole table, so it
//! has a role of its own.

use crate::bucket::BucketResource;
use crate::error::Error;
use crate::function::FunctionResource;
use crate::iam::Statement;
use crate::intrinsic::attribute;
use crate::kind::Kind;
use crate::node::Map;
use crate::resource::Resource;
use crate::table::TableResource;
use crate::template::Template;

/// How often bodies are swept.
const EVERY: &str = "rate(1 day)";

/// Lets a function sweep what lies in the table and the bucket, and wakes it.
pub(super) fn scheduled(
    template: &mut Template,
    sweeper: FunctionResource,
    table: &TableResource,
    bucket: &BucketResource,
) -> Result<FunctionResource, Error> {
    let list = Statement::new("ListBodies").actions(&["s3:ListBucket"]).on(bucket.arn());
    let mut sweeper = sweeper
        .allowed(Kind::sweep_grant(table.id()))
        .allowed(list)
        .allowed(bucket.grant("RemoveBodies", &["s3:DeleteObject"]));
    if let Some(key) = table.settings().encryption.grant(table.id()) {
        sweeper = sweeper.allowed(key);
    }
    sweeper.add_to(template)?;
    let target = Map::new().with("Arn", sweeper.arn()).with("Id", "sweep");
    let rule = Map::new()
        .with("Description", "When bodies that nothing names are removed.")
        .with("ScheduleExpression", EVERY)
        .with("State", "ENABLED")
        .with("Targets", [target]);
    let id = format!("{}Schedule", sweeper.id());
    template.resource(&id, Resource::new("AWS::Events::Rule", rule))?;
    let invoke = Map::new()
        .with("FunctionName", sweeper.arn())
        .with("Action", "lambda:InvokeFunction")
        .with("Principal", "events.amazonaws.com")
        .with("SourceArn", attribute(&id, "Arn"));
    template.resource(&format!("{id}MayInvoke"), Resource::new("AWS::Lambda::Permission", invoke))?;
    template.output(&format!("{id}Arn"), "What wakes the sweep.", attribute(&id, "Arn"))?;
    Ok(sweeper)
}
