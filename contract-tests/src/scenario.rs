//! A scenario as it is written: steps, each with what it does and what is expected of it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value as Json;

/// Attributes by their names, with values as plain as YAML has them. The model's document says what types they have.
pub type Plain = BTreeMap<String, Json>;

/// A scenario.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it shows.
    pub name: String,
    /// The model of its steps.
    pub model: String,
    /// Whether a key provider is there.
    #[serde(default)]
    pub keys: Keys,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

/// The keys that encrypted attributes are sealed with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keys {
    /// There are none.
    #[default]
    None,
    /// Those of the golden vectors: the same bytes each time.
    Deterministic,
}

/// One step.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What is done.
    #[serde(rename = "do")]
    pub deed: Deed,
    /// What must come of it.
    pub expect: Expect,
}

/// What a step does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Deed {
    /// Writes an item that must not be there.
    Create(Plain),
    /// Writes an item.
    Put(Plain),
    /// Writes an item under its version.
    Save(Plain),
    /// Writes the named attributes of an item under its version.
    Update {
        /// The item.
        item: Plain,
        /// Which of its attributes.
        fields: Vec<String>,
    },
    /// Changes attributes of whatever is there.
    Change(Change),
    /// Reads an item.
    Get(Plain),
    /// Reads an item as the store has it.
    Raw(Plain),
    /// Writes an item past the toolkit, in DynamoDB's own JSON.
    Plant(Json),
    /// Deletes by key.
    Delete(Plain),
    /// Deletes an item under its version.
    DeleteItem(Plain),
    /// Asks for items by their keys.
    Query(Question),
    /// Counts what a query would find.
    Count(Question),
    /// Reads all items.
    Scan(Scan),
    /// Reads many items.
    BatchGet(Vec<Plain>),
    /// Puts and deletes many items.
    BatchWrite {
        /// To put.
        #[serde(default)]
        put: Vec<Plain>,
        /// To delete.
        #[serde(default)]
        delete: Vec<Plain>,
    },
    /// Puts as many items as `count`, which differ in the attribute `vary`.
    Fill {
        /// What they have in common.
        item: Plain,
        /// The attribute that differs: its text and a number.
        vary: String,
        /// How many.
        count: usize,
    },
    /// All or nothing.
    Transact(Vec<Operation>),
    /// Reads many items at one moment.
    TransactGet(Vec<Plain>),
    /// The document that describes the model is the one in the folder.
    Describe,
    /// Lets so many milliseconds pass, a second at most.
    Wait(u64),
}

/// What changes about an item.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// Which item.
    pub key: Plain,
    /// New values.
    pub set: Plain,
    /// Values for attributes that are not there.
    pub set_if_not_exists: Plain,
    /// Numbers to add.
    pub add: Plain,
    /// Attributes to remove.
    pub remove: Vec<String>,
    /// Members to append to lists.
    pub append: Plain,
    /// The version it must have.
    pub version: Option<u64>,
    /// Attributes that must have these values.
    pub when: Plain,
    /// Whether an item that does not exist is made.
    pub or_create: bool,
}

/// One operation of a transaction.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// As the deed of this name.
    Create(Plain),
    /// As the deed of this name.
    Put(Plain),
    /// As the deed of this name.
    Save(Plain),
    /// As the deed of this name.
    Change(Change),
    /// As the deed of this name.
    Delete(Plain),
    /// The item must have these values.
    Check {
        /// Which item.
        key: Plain,
        /// The values.
        when: Plain,
    },
}

/// A query.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The index, if it is not the table.
    pub index: Option<String>,
    /// The partition.
    pub partition: String,
    /// What is asked of the sort key.
    pub sort: Option<Sort>,
    /// Attributes that must have these values.
    #[serde(default)]
    pub filter: Plain,
    /// How it is read.
    #[serde(flatten)]
    pub paging: Paging,
}

/// A scan.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scan {
    /// At most so many items on a page. Without it, everything is read.
    pub page: Option<u32>,
    /// Where the page begins: a cursor, or `$name` for one that was kept.
    pub cursor: Option<String>,
}

/// How pages are read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Paging {
    /// The other way round.
    pub descending: bool,
    /// At most so many items on a page. Without it, everything is read.
    pub page: Option<u32>,
    /// Where the page begins: a cursor, or `$name` for one that was kept.
    pub cursor: Option<String>,
    /// Sees every write.
    pub consistent: bool,
}

/// What is asked of a sort key.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are DynamoDB's own")]
pub enum Sort {
    Eq(String),
    Lt(String),
    Le(String),
    Gt(String),
    Ge(String),
    Between(String, String),
    BeginsWith(String),
}

/// What must come of a step. Everything that is said must hold; nothing said is asked.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// The kinds of error it must be, such as `condition_failed`; none means success.
    pub error: Vec<String>,
    /// Attributes that the item has.
    pub item: Plain,
    /// The item has no others.
    pub exactly: bool,
    /// There is no item.
    pub nothing: bool,
    /// The stored types of attributes.
    pub types: BTreeMap<String, String>,
    /// DynamoDB's own JSON of attributes.
    pub stored: BTreeMap<String, Json>,
    /// Attributes that are not there.
    pub absent: Vec<String>,
    /// How many items or how high the count.
    pub count: Option<u64>,
    /// The items in order, each with some of its attributes.
    pub items: Option<Vec<Plain>>,
    /// The cursor, to the byte; empty for none.
    pub cursor: Option<String>,
    /// Keeps the cursor under this name.
    pub keep_cursor: Option<String>,
    /// Attributes whose values are kept under these names, to be compared later.
    pub keep: BTreeMap<String, String>,
    /// Attributes that have the value kept under this name.
    pub same_as: BTreeMap<String, String>,
    /// Attributes that have another value than the one kept under this name.
    pub other_than: BTreeMap<String, String>,
}

/// Every scenario in a folder and the folders in it, in the order of their paths.
pub fn read(folder: &Path) -> Result<Vec<(String, Scenario)>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    anyhow::ensure!(!files.is_empty(), "there is no scenario (`*.yml`) in {}", folder.display());
    let mut scenarios = Vec::new();
    for file in files {
        let shown = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {shown}"))?;
        let tree = tabletheory::dms::yaml_as_json(&text).with_context(|| format!("{shown} is not YAML"))?;
        let scenario = serde_json::from_value(tree).with_context(|| format!("{shown} is no scenario"))?;
        scenarios.push((shown, scenario));
    }
    Ok(scenarios)
}

/// The YAML files in a folder and the folders in it.
pub fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}
