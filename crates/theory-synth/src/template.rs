//! A template: what is asked for when it is deployed, what it makes, and what it tells.

use crate::error::Error;
use crate::name;
use crate::node::{Map, Node};
use crate::read::BYTES_MAX;
use crate::resource::Resource;
use crate::write;

/// Resources of a template, at most.
const RESOURCES_MAX: usize = 500;
/// Parameters of a template, and again outputs, at most.
const PARAMETERS_MAX: usize = 200;
/// A template that is larger must lie in S3 when it is deployed.
pub const DIRECT_BYTES_MAX: usize = 51_200;

/// A template of CloudFormation. What is added first stands first.
///
/// ```
/// use theory_synth::{Map, Resource, Template};
///
/// let mut template = Template::new("One topic.");
/// template.resource("Topic", Resource::new("AWS::SNS::Topic", Map::new()))?;
/// assert!(template.resource("Topic", Resource::new("AWS::SNS::Topic", Map::new())).is_err());
/// assert!(template.resource("My-Topic", Resource::new("AWS::SNS::Topic", Map::new())).is_err());
/// assert!(template.to_yaml()?.contains("Type: AWS::SNS::Topic"));
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    description: String,
    parameters: Map,
    conditions: Map,
    resources: Vec<(String, Resource)>,
    outputs: Map,
    is_exported: bool,
}

impl Template {
    /// An empty template.
    #[must_use]
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            parameters: Map::new(),
            conditions: Map::new(),
            resources: Vec::new(),
            outputs: Map::new(),
            is_exported: false,
        }
    }

    /// Lets other stacks import the outputs, as `<stack>-<output>`.
    #[must_use]
    pub fn exported(mut self) -> Self {
        self.is_exported = true;
        self
    }

    /// Asks for something when the template is deployed. The same question may be asked twice.
    ///
    /// # Errors
    /// If its name is none, or stands for something else.
    pub fn parameter(&mut self, id: &str, parameter: Map) -> Result<(), Error> {
        name::logical_id(id)?;
        let parameter = Node::from(parameter);
        match self.parameters.get(id) {
            Some(known) if *known == parameter => return Ok(()),
            Some(_) => return Err(twice(id, "a parameter", "another parameter")),
            None => {}
        }
        if let Some((_, resource)) = self.resources.iter().find(|(known, _)| known == id) {
            return Err(twice(id, resource.kind(), "a parameter"));
        }
        self.parameters.set(id, parameter);
        Ok(())
    }

    /// Names a condition. The same one may be named twice.
    ///
    /// # Errors
    /// If its name is none, or stands for something else.
    pub fn condition(&mut self, id: &str, condition: Node) -> Result<(), Error> {
        name::logical_id(id)?;
        if self.conditions.get(id).is_some_and(|known| *known != condition) {
            return Err(twice(id, "a condition", "another condition"));
        }
        self.conditions.set(id, condition);
        Ok(())
    }

    /// Makes a resource.
    ///
    /// # Errors
    /// If its name is none, or stands for something else.
    pub fn resource(&mut self, id: &str, resource: Resource) -> Result<(), Error> {
        name::logical_id(id)?;
        if self.parameters.get(id).is_some() {
            return Err(twice(id, "a parameter", resource.kind()));
        }
        if let Some((_, known)) = self.resources.iter().find(|(known, _)| known == id) {
            return Err(twice(id, known.kind(), resource.kind()));
        }
        self.resources.push((id.to_owned(), resource));
        Ok(())
    }

    /// Tells something after it was deployed.
    ///
    /// # Errors
    /// If its name is none, or stands for something else.
    pub fn output(&mut self, id: &str, description: &str, value: Node) -> Result<(), Error> {
        name::logical_id(id)?;
        if self.outputs.get(id).is_some() {
            return Err(twice(id, "an output", "another output"));
        }
        let output = Map::new().with("Description", description).with("Value", value);
        let export = Map::new().with("Name", crate::intrinsic::sub(&format!("${{AWS::StackName}}-{id}")));
        self.outputs.set(id, output.maybe("Export", self.is_exported.then_some(export)));
        Ok(())
    }

    /// The logical ids of the resources of a kind, in order.
    pub fn of_kind<'t>(&'t self, kind: &'t str) -> impl Iterator<Item = &'t str> {
        self.resources.iter().filter(move |(_, resource)| resource.kind() == kind).map(|(id, _)| id.as_str())
    }

    /// The template as a tree.
    ///
    /// # Errors
    /// If CloudFormation would refuse it for its size.
    pub fn to_node(&self) -> Result<Node, Error> {
        let counts = [
            ("resources", self.resources.len(), RESOURCES_MAX),
            ("parameters", self.parameters.len(), PARAMETERS_MAX),
            ("outputs", self.outputs.len(), PARAMETERS_MAX),
        ];
        for (what, count, count_max) in counts {
            if count > count_max {
                return Err(Error::TooMuch { what, count, count_max });
            }
        }
        let some = |map: &Map| (!map.is_empty()).then(|| map.clone());
        let resources =
            self.resources.iter().fold(Map::new(), |all, (id, resource)| all.with(id, resource.to_node()));
        let root = Map::new()
            .with("AWSTemplateFormatVersion", "2010-09-09")
            .with("Description", &self.description)
            .maybe("Parameters", some(&self.parameters))
            .maybe("Conditions", some(&self.conditions))
            .with("Resources", resources)
            .maybe("Outputs", some(&self.outputs));
        Ok(root.into())
    }

    /// The template as YAML.
    ///
    /// # Errors
    /// If CloudFormation would refuse it for its size.
    pub fn to_yaml(&self) -> Result<String, Error> {
        bounded(write::yaml(&self.to_node()?))
    }

    /// The template as JSON.
    ///
    /// # Errors
    /// If CloudFormation would refuse it for its size.
    pub fn to_json(&self) -> Result<String, Error> {
        bounded(write::json(&self.to_node()?))
    }
}

fn bounded(text: String) -> Result<String, Error> {
    let count = text.len();
    if count > BYTES_MAX {
        return Err(Error::TooMuch { what: "bytes", count, count_max: BYTES_MAX });
    }
    Ok(text)
}

fn twice(id: &str, first: &str, second: &str) -> Error {
    Error::Twice { id: id.to_owned(), first: first.to_owned(), second: second.to_owned() }
}
