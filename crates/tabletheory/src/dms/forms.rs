//! What can be done with a document: read, written, checked, made from models.

use super::document::{Document, ModelDefinition};
use super::error::DmsError;
use super::path::Path;
use super::{json, of, read, write, yaml};
use crate::model::Model;

impl Document {
    /// Reads YAML.
    ///
    /// ```
    /// use tabletheory::dms::{Document, Fault};
    ///
    /// let refused = Document::from_yaml("a: &anchor 1\nb: *anchor").unwrap_err();
    /// assert_eq!(refused.faults[0].fault, Fault::NotJson { what: "an anchor" });
    /// assert_eq!((refused.faults[0].line, refused.faults[0].column), (Some(1), Some(4)));
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_yaml(text: &str) -> Result<Self, DmsError> {
        read::document(&yaml::read(text)?)
    }

    /// Reads JSON.
    ///
    /// ```
    /// use tabletheory::dms::Document;
    ///
    /// assert!(Document::from_json("{\"dms_version\": \"0.2\", \"dms_version\": \"0.1\"}").is_err());
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_json(text: &str) -> Result<Self, DmsError> {
        read::document(&json::read(text)?)
    }

    /// The document as YAML that every program reads the same.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::dms::Document;
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// assert!(Document::of::<User>()?.to_yaml().starts_with("dms_version: \"0.2\"\nmodels:\n  - name: \"User\"\n"));
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    #[must_use]
    pub fn to_yaml(&self) -> String {
        yaml::write(&write::document(self))
    }

    /// The document as JSON.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::dms::Document;
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// let document = Document::of::<User>()?;
    /// assert_eq!(Document::from_json(&document.to_json())?, document);
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(&write::document(self))
    }

    /// Checks a document that was made by hand, as reading would.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::dms::Document;
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// let mut document = Document::of::<User>()?;
    /// document.models[0].attributes[0].optional = true;
    /// let refused = document.check().unwrap_err();
    /// assert_eq!(refused.to_string(), "models[0].attributes[0]: cannot be both required and optional");
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(&self) -> Result<(), DmsError> {
        read::document(&write::document(self)).map(drop)
    }

    /// The document of a Rust model, in version 0.2.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory::dms::Document;
    /// use tabletheory_core::ValueType;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
    /// struct User {
    ///     id: String,
    ///     #[model(ttl)]
    ///     ends: Option<u64>,
    /// }
    ///
    /// let document = Document::of::<User>()?;
    /// let ends = document.models[0].attributes.last().unwrap();
    /// assert_eq!((ends.kind, ends.optional), (ValueType::N, true));
    /// assert_eq!(ends.roles, ["ttl"]);
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    ///
    /// # Errors
    /// If the model has something that documents have no word for: an attribute of changing type (or JSON of a type that is no
    /// [`Attribute`](crate::Attribute) itself), a key of several attributes, or a name that not every language can write.
    pub fn of<M: Model>() -> Result<Self, DmsError> {
        let document = of::document(of::model::<M>(&Path::default().member("models").at(0))?);
        document.check()?;
        Ok(document)
    }

    /// The same document with one more Rust model.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::dms::Document;
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # #[derive(Model)]
    /// # #[model(table = "orders")]
    /// # struct Order {
    /// #     #[model(pk)]
    /// #     number: u64,
    /// # }
    /// let both = Document::of::<User>()?.and::<Order>()?;
    /// assert_eq!(both.models.len(), 2);
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Document::of`], and if there is a model of the same name.
    pub fn and<M: Model>(mut self) -> Result<Self, DmsError> {
        let path = Path::default().member("models").at(self.models.len());
        self.models.push(of::model::<M>(&path)?);
        self.check()?;
        Ok(self)
    }

    /// The model of this name.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory::dms::Document;
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// let document = Document::of::<User>()?;
    /// assert_eq!(document.model("User").map(|model| model.table.as_str()), Some("users"));
    /// assert!(document.model("Order").is_none());
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    #[must_use]
    pub fn model(&self, name: &str) -> Option<&ModelDefinition> {
        self.models.iter().find(|model| model.name == name)
    }
}
