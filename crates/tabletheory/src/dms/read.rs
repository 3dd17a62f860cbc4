//! Reading a whole document from its tree. Everything that is wrong is found in one walk.

use std::collections::HashSet;

use super::attribute::{self, Draft};
use super::document::{DmsVersion, Document, ModelDefinition, Naming, WriteMode, WritePolicy};
use super::error::{DmsError, Fault};
use super::index::{self, Attributes};
use super::node::Node;
use super::reader::{Faults, Found, Object};
use super::roles::{self, Keys};
use super::{index::indexes, names};

const MODEL_MEMBERS: [&str; 7] = ["name", "table", "naming", "keys", "write_policy", "attributes", "indexes"];

/// Reads a document.
pub(super) fn document(node: &Node) -> Result<Document, DmsError> {
    let mut faults = Faults::default();
    let document = read(&Found::top(node), &mut faults);
    faults.unless_any(document)
}

fn read(top: &Found<'_>, faults: &mut Faults) -> Option<Document> {
    let object = top.object(&["dms_version", "namespace", "models"], faults)?;
    let version = object.need("dms_version", faults).and_then(|found| {
        let text = found.text(faults)?;
        let version = DmsVersion::ALL.into_iter().find(|version| version.name() == text);
        if version.is_none() {
            faults.add(&found.spot, Fault::UnknownVersion { found: text.to_owned() });
        }
        version
    });
    let namespace = object.get("namespace").and_then(|found| Some(found.text(faults)?.to_owned()));
    let models = models(&object, faults)?;
    Some(Document { version: version?, namespace, models })
}

fn models(object: &Object<'_>, faults: &mut Faults) -> Option<Vec<ModelDefinition>> {
    let found = object.need("models", faults)?;
    let entries = found.list(faults)?;
    if entries.is_empty() {
        faults.add(&found.spot, Fault::Empty);
    }
    let mut names = HashSet::new();
    let mut models = Vec::new();
    for entry in entries {
        let model = model(&entry, faults);
        if let Some(model) = &model
            && !names.insert(model.name.clone())
        {
            faults.add(&entry.spot, Fault::Duplicate { name: model.name.clone() });
        }
        models.extend(model);
    }
    Some(models)
}

fn model(found: &Found<'_>, faults: &mut Faults) -> Option<ModelDefinition> {
    let object = found.object(&MODEL_MEMBERS, faults)?;
    let name = name(&object, "name", names::attribute, faults);
    let table = object.need("table", faults).and_then(|found| found.object(&["name"], faults));
    let table = table.and_then(|table| self::name(&table, "name", names::table, faults));
    let naming = object.get("naming").and_then(|found| found.object(&["convention"], faults));
    let naming = naming.and_then(|naming| naming.get("convention"));
    let naming = naming
        .and_then(|found| found.word(&Naming::ALL, Naming::name, "camelCase, snake_case, dynamorm", faults));
    let drafts = attributes(&object, naming, faults);
    let known: Attributes<'_> = drafts
        .iter()
        .filter_map(|draft| Some((draft.name.as_ref()?.0.as_str(), (draft.kind, draft.encrypted))))
        .collect();
    let keys = object.need("keys", faults).and_then(|found| found.object(&["partition", "sort"], faults));
    let partition = keys.as_ref().and_then(|keys| index::key(keys, "partition", &known, faults));
    let sort = keys.as_ref().and_then(|keys| index::optional_key(keys, "sort", &known, faults));
    let indexes = indexes(&object, partition.as_ref(), &known, faults);
    let write_policy = write_policy(&object, &known, faults);
    let keys = Keys { partition: partition.as_ref(), sort: sort.as_ref(), indexes: &indexes };
    roles::check(&drafts, &keys, faults);
    Some(ModelDefinition {
        name: name?,
        table: table?,
        naming,
        partition: partition?,
        sort,
        write_policy,
        attributes: drafts.into_iter().filter_map(|draft| draft.definition).collect(),
        indexes,
    })
}

/// A name that has to be there.
fn name(
    object: &Object<'_>,
    member: &str,
    check: impl Fn(&str) -> Option<Fault>,
    faults: &mut Faults,
) -> Option<String> {
    let found = object.need(member, faults)?;
    let name = found.text(faults)?;
    if let Some(fault) = check(name) {
        faults.add(&found.spot, fault);
    }
    Some(name.to_owned())
}

fn attributes(model: &Object<'_>, naming: Option<Naming>, faults: &mut Faults) -> Vec<Draft> {
    let Some(found) = model.need("attributes", faults) else { return Vec::new() };
    let entries = found.list(faults);
    if entries.as_ref().is_some_and(Vec::is_empty) {
        faults.add(&found.spot, Fault::Empty);
    }
    let mut names = HashSet::new();
    let mut drafts = Vec::new();
    for entry in entries.unwrap_or_default() {
        let draft = attribute::read(&entry, naming, faults);
        if let Some((name, spot)) = draft.as_ref().and_then(|draft| draft.name.as_ref())
            && !names.insert(name.clone())
        {
            faults.add(spot, Fault::Duplicate { name: name.clone() });
        }
        drafts.extend(draft);
    }
    drafts
}

fn write_policy(model: &Object<'_>, attributes: &Attributes<'_>, faults: &mut Faults) -> WritePolicy {
    let policy = model.get("write_policy");
    let Some(policy) = policy.and_then(|found| found.object(&["mode", "protected_attributes"], faults))
    else {
        return WritePolicy::default();
    };
    let mode = policy.get("mode");
    let mode =
        mode.and_then(|found| found.word(&WriteMode::ALL, WriteMode::name, "mutable, write_once", faults));
    let protected = policy.get("protected_attributes");
    let protected = protected.map_or_else(Vec::new, |found| found.texts(faults));
    for (attribute, spot) in &protected {
        if !attributes.contains_key(attribute) {
            faults.add(spot, Fault::NoAttribute { attribute: (*attribute).to_owned() });
        }
    }
    let protected_attributes = protected.into_iter().map(|(attribute, _)| attribute.to_owned()).collect();
    WritePolicy { mode: mode.unwrap_or_default(), protected_attributes }
}
