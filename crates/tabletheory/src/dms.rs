//! Documents about models that every TableTheory toolkit reads: DMS, versions 0.1 and 0.2, as YAML or JSON.
//!
//! A document says of each model what its table, keys, attributes and indexes are. [`Document::of`] makes one from a Rust model;
//! [`equivalent`] tells whether two say the same, so that a test can hold the models of several languages together.
//!
//! Reading is strict, and tells everything that is wrong with its place. A document may come from anywhere: it has a mebibyte
//! at most, is not nested deeper than 32 levels, and has no anchors, aliases or tags. Texts without quotes that one program
//! reads as a text and another as a number or a truth (`no`, `1_000`, `2024-01-01`) are refused.
//!
//! ```
//! use tabletheory::Model;
//! use tabletheory::dms::{Document, equivalent};
//!
//! #[derive(Model)]
//! #[model(table = "users", rename_all = "camelCase")]
//! struct User {
//!     #[model(pk)]
//!     user_id: String,
//!     #[model(omit_empty)]
//!     nick_name: Option<String>,
//! }
//!
//! let document = Document::of::<User>()?;
//! let yaml = document.to_yaml();
//! assert!(yaml.contains("nickName"));
//! assert!(equivalent(&Document::from_yaml(&yaml)?, &document).is_empty());
//! # Ok::<(), tabletheory::dms::DmsError>(())
//! ```

mod attribute;
mod document;
mod equivalent;
mod error;
mod forms;
mod index;
mod json;
mod names;
mod node;
mod of;
mod path;
mod read;
mod reader;
mod roles;
mod table;
mod write;
mod yaml;

pub use document::{
    AttributeDefinition, DmsVersion, Document, IndexDefinition, KeyDefinition, ModelDefinition, Naming,
    WriteMode, WritePolicy,
};
pub use equivalent::{Difference, equivalent};
pub use error::{DmsError, Fault, Located};
pub use path::Path;

/// Any YAML with the strictness of these documents, as JSON: for files that stand beside them, such as scenarios.
///
/// ```
/// let scenario = tabletheory::dms::yaml_as_json("steps: [{wait: 3}]")?;
/// assert_eq!(scenario["steps"][0]["wait"], 3);
/// assert!(tabletheory::dms::yaml_as_json("a: &anchor b").is_err());
/// # Ok::<(), tabletheory::dms::DmsError>(())
/// ```
///
/// # Errors
/// If it is not YAML, or not as strict.
pub fn yaml_as_json(text: &str) -> Result<serde_json::Value, DmsError> {
    let node = yaml::read(text)?;
    Ok(serde_json::to_value(&node).expect("a tree of texts, numbers, lists and objects is JSON"))
}
