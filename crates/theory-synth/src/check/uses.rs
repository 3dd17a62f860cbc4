//! What functions of a template use its tables for, as their environment says.

use super::found::Found;
use super::need::{Need, Use};
use crate::environment;
use crate::kind::Kind;
use crate::node::{Map, Node};

const FUNCTIONS: [&str; 2] = ["AWS::Lambda::Function", "AWS::Serverless::Function"];
const MAPPING: &str = "AWS::Lambda::EventSourceMapping";

pub(super) fn of(template: &Node, tables: &[Found]) -> Vec<Use> {
    let empty = Map::new();
    let resources = template.get("Resources").and_then(Node::map).unwrap_or(&empty);
    let kind = |node: &Node| node.get("Type").and_then(Node::text).unwrap_or_default().to_owned();
    let mut uses = Vec::new();
    for (id, node) in resources.iter() {
        if FUNCTIONS.contains(&kind(node).as_str()) {
            uses.extend(of_function(id, node, tables));
        } else if kind(node) == MAPPING {
            uses.extend(of_mapping(id, node, resources, tables));
        }
    }
    uses
}

fn variables(function: &Node) -> Option<&Map> {
    function.find(&["Properties", "Environment", "Variables"])?.map()
}

fn of_function(id: &str, node: &Node, tables: &[Found]) -> Vec<Use> {
    let empty = Map::new();
    let known = variables(node).unwrap_or(&empty).iter().filter_map(|(variable, value)| {
        let kind = Kind::of_variable(variable)?;
        let table = table_of(value, tables)?;
        let because = format!("{variable} of {id} names it");
        Some(Use { table: table.id.clone(), need: Need::Kind(kind), because })
    });
    known.collect()
}

/// A stream that wakes a function which has the archive's environment.
fn of_mapping(id: &str, node: &Node, resources: &Map, tables: &[Found]) -> Option<Use> {
    let function = meant(node.find(&["Properties", "FunctionName"])?)?;
    let variables = variables(resources.get(function)?)?;
    variables.get(environment::ARCHIVE_BUCKET)?;
    let source = node.find(&["Properties", "EventSourceArn"])?;
    let table = tables.iter().find(|table| Some(table.id.as_str()) == meant(source))?;
    let ttl_attribute = variables.get(environment::TTL_ATTRIBUTE).and_then(Node::text).map(str::to_owned);
    let because = format!("{id} hands its stream to the archive {function}");
    Some(Use { table: table.id.clone(), need: Need::Archive { ttl_attribute }, because })
}

fn table_of<'t>(value: &Node, tables: &'t [Found]) -> Option<&'t Found> {
    match value.text() {
        Some(name) => tables.iter().find(|table| table.name.as_deref() == Some(name)),
        None => tables.iter().find(|table| Some(table.id.as_str()) == meant(value)),
    }
}

/// The resource that a reference means, in any of the forms in which templates write one.
fn meant(value: &Node) -> Option<&str> {
    let map = value.map().filter(|map| map.len() == 1)?;
    match map.iter().next()? {
        ("Ref", Node::Text(id)) => Some(id),
        ("Fn::GetAtt", Node::List(parts)) => parts.first()?.text(),
        ("Fn::GetAtt", Node::Text(path)) => path.split('.').next(),
        ("Fn::Sub", Node::Text(text)) => {
            let inside = text.strip_prefix("${")?.strip_suffix('}')?;
            inside.split('.').next()
        }
        _ => None,
    }
}
