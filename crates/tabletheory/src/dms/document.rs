//! What a document says, as plain data.

use std::collections::BTreeMap;

use tabletheory_core::ValueType;
use tabletheory_core::schema::{KeyType, Projection};

use crate::model::IndexScope;

/// A document: models in no particular language.
///
/// ```
/// use tabletheory::dms::{Document, Naming, DmsVersion};
///
/// let document = Document::from_yaml(r#"
/// dms_version: "0.2"
/// namespace: "acme.shop"
/// models:
///   - name: "User"
///     table: { name: "users" }
///     naming: { convention: "camelCase" }
///     keys:
///       partition: { attribute: "PK", type: "S" }
///     attributes:
///       - { attribute: "PK", type: "S", required: true, roles: ["pk"] }
///       - { attribute: "nickName", type: "S", optional: true, omit_empty: true }
/// "#)?;
/// assert_eq!(document.version, DmsVersion::V0_2);
/// let user = document.model("User").unwrap();
/// assert_eq!(user.naming, Some(Naming::CamelCase));
/// assert_eq!(user.attributes[1].attribute, "nickName");
/// assert_eq!(Document::from_json(&document.to_json())?, document);
/// # Ok::<(), tabletheory::dms::DmsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The version of the form.
    pub version: DmsVersion,
    /// A name that groups documents.
    pub namespace: Option<String>,
    /// The models.
    pub models: Vec<ModelDefinition>,
}

/// The version of a document's form. In both, an attribute with JSON may have any type that JSON has; the first was
/// written down for texts only, and documents of it were not.
///
/// ```
/// assert_eq!(tabletheory::dms::DmsVersion::V0_1.name(), "0.1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DmsVersion {
    /// 0.1
    V0_1,
    /// 0.2: an empty value that an update selects is removed.
    V0_2,
}

impl DmsVersion {
    pub(super) const ALL: [Self; 2] = [Self::V0_1, Self::V0_2];

    /// How documents write it.
    ///
    /// ```
    /// assert_eq!(tabletheory::dms::DmsVersion::V0_2.name(), "0.2");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V0_1 => "0.1",
            Self::V0_2 => "0.2",
        }
    }
}

/// A model of a document.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::dms::Document;
///
/// #[derive(Model)]
/// #[model(table = "users", index(name = "by_city", pk = city))]
/// struct User {
///     #[model(pk)]
///     id: String,
///     city: String,
/// }
///
/// let document = Document::of::<User>()?;
/// assert_eq!(document.models[0].partition.attribute, "id");
/// assert_eq!(document.models[0].indexes[0].name, "by_city");
/// # Ok::<(), tabletheory::dms::DmsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ModelDefinition {
    /// Its name.
    pub name: String,
    /// The table of its items.
    pub table: String,
    /// How its attributes are named, if the document says so.
    pub naming: Option<Naming>,
    /// The partition key.
    pub partition: KeyDefinition,
    /// The sort key.
    pub sort: Option<KeyDefinition>,
    /// What may be written.
    pub write_policy: WritePolicy,
    /// All attributes.
    pub attributes: Vec<AttributeDefinition>,
    /// The indexes.
    pub indexes: Vec<IndexDefinition>,
}

/// How attributes are named.
///
/// ```
/// assert_eq!(tabletheory::dms::Naming::SnakeCase.name(), "snake_case");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// `camelCase`, and `PK` and `SK`.
    CamelCase,
    /// `snake_case`.
    SnakeCase,
    /// As `camelCase`; keys are `PK` and `SK` if nothing else is said.
    Dynamorm,
}

impl Naming {
    pub(super) const ALL: [Self; 3] = [Self::CamelCase, Self::SnakeCase, Self::Dynamorm];

    /// How documents write it.
    ///
    /// ```
    /// assert_eq!(tabletheory::dms::Naming::CamelCase.name(), "camelCase");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CamelCase => "camelCase",
            Self::SnakeCase => "snake_case",
            Self::Dynamorm => "dynamorm",
        }
    }
}

/// An attribute as part of a key.
///
/// ```
/// use tabletheory::dms::KeyDefinition;
/// use tabletheory_core::schema::KeyType;
///
/// let key = KeyDefinition { attribute: "PK".into(), kind: KeyType::S };
/// assert_eq!(key.kind.name(), "S");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDefinition {
    /// The attribute.
    pub attribute: String,
    /// Its type.
    pub kind: KeyType,
}

/// What may be written.
///
/// ```
/// use tabletheory::dms::{WriteMode, WritePolicy};
///
/// assert_eq!(WritePolicy::default().mode, WriteMode::Mutable);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WritePolicy {
    /// Whether items may change.
    pub mode: WriteMode,
    /// Attributes that ordinary updates may not change.
    pub protected_attributes: Vec<String>,
}

/// Whether items may change.
///
/// ```
/// assert_eq!(tabletheory::dms::WriteMode::WriteOnce.name(), "write_once");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteMode {
    /// They may.
    #[default]
    Mutable,
    /// They are made, and then stay as they are.
    WriteOnce,
}

impl WriteMode {
    pub(super) const ALL: [Self; 2] = [Self::Mutable, Self::WriteOnce];

    /// How documents write it.
    ///
    /// ```
    /// assert_eq!(tabletheory::dms::WriteMode::Mutable.name(), "mutable");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mutable => "mutable",
            Self::WriteOnce => "write_once",
        }
    }
}

/// An attribute of a model.
///
/// ```
/// use tabletheory::dms::AttributeDefinition;
/// use tabletheory_core::ValueType;
///
/// let tags = AttributeDefinition { optional: true, ..AttributeDefinition::new("tags", ValueType::Ss) };
/// assert_eq!(tags.kind.name(), "SS");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeDefinition {
    /// Its name.
    pub attribute: String,
    /// Its type. That of an encrypted attribute is the type of what is encrypted.
    pub kind: ValueType,
    /// Whether every item has it.
    pub required: bool,
    /// Whether items may lack it.
    pub optional: bool,
    /// Whether an empty value is not stored.
    pub omit_empty: bool,
    /// Whether it holds JSON.
    pub json: bool,
    /// Whether it holds bytes.
    pub binary: bool,
    /// Whether the table keeps it encrypted, in the envelope of version 1.
    pub encrypted: bool,
    /// What its values are like: `rfc3339nano`, `unix_seconds`, `int`.
    pub format: Option<String>,
    /// What it is for: `pk`, `sk`, `created_at`, `updated_at`, `version`, `ttl`, `index_pk:<index>`, `index_sk:<index>`.
    pub roles: Vec<String>,
    /// What others noted about it.
    pub tags: BTreeMap<String, serde_json::Value>,
}

impl AttributeDefinition {
    /// An attribute of which nothing else is said.
    ///
    /// ```
    /// use tabletheory::dms::AttributeDefinition;
    /// use tabletheory_core::ValueType;
    ///
    /// assert!(AttributeDefinition::new("age", ValueType::N).roles.is_empty());
    /// ```
    #[must_use]
    pub fn new(attribute: impl Into<String>, kind: ValueType) -> Self {
        Self {
            attribute: attribute.into(),
            kind,
            required: false,
            optional: false,
            omit_empty: false,
            json: false,
            binary: false,
            encrypted: false,
            format: None,
            roles: Vec::new(),
            tags: BTreeMap::new(),
        }
    }
}

/// An index of a model.
///
/// ```
/// use tabletheory::dms::{IndexDefinition, KeyDefinition};
/// use tabletheory::model::IndexScope;
/// use tabletheory_core::schema::{KeyType, Projection};
///
/// let index = IndexDefinition {
///     name: "by_city".into(),
///     scope: IndexScope::Global,
///     partition: KeyDefinition { attribute: "city".into(), kind: KeyType::S },
///     sort: None,
///     projection: Projection::All,
/// };
/// assert!(index.sort.is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDefinition {
    /// Its name.
    pub name: String,
    /// How far it reaches.
    pub scope: IndexScope,
    /// Its partition key.
    pub partition: KeyDefinition,
    /// Its sort key.
    pub sort: Option<KeyDefinition>,
    /// What it carries.
    pub projection: Projection,
}
