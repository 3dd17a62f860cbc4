//! The tables of models: of documents that every toolkit reads, or of Rust models.

use tabletheory::dms::Document;
use tabletheory::table::Layout;

use crate::alarm;
use crate::error::Error;
use crate::table::{TableResource, TableSettings};
use crate::template::Template;

/// A template with the tables of models. Models of one table are joined; those that contradict each other are an error that names both.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::dms::Document;
/// use theory_synth::stack::Tables;
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// let yaml = Tables::default().with_document(&Document::of::<User>()?)?.template()?.to_yaml()?;
/// assert!(yaml.contains("UsersTable:"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tables {
    layouts: Vec<Layout>,
    /// How the tables are made. A name would be that of all of them, so there is none.
    pub settings: TableSettings,
    /// Whether tables are named as their models name them, rather than by CloudFormation.
    pub is_named: bool,
    /// Whether there are alarms.
    pub has_alarms: bool,
    /// Whether other stacks may import the outputs.
    pub is_exported: bool,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            layouts: Vec::new(),
            settings: TableSettings::default(),
            is_named: true,
            has_alarms: true,
            is_exported: false,
        }
    }
}

impl Tables {
    /// With the tables of a document's models.
    ///
    /// # Errors
    /// If models of one table contradict each other.
    pub fn with_document(mut self, document: &Document) -> Result<Self, Error> {
        for model in &document.models {
            match self.layouts.iter_mut().find(|layout| layout.create_table().table == model.table) {
                Some(layout) => *layout = layout.clone().and_definition(model)?,
                None => self.layouts.push(Layout::of_definition(model)),
            }
        }
        Ok(self)
    }

    /// With a table of Rust models.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layouts.push(layout);
        self
    }

    /// The layouts, in the order in which their tables were met.
    #[must_use]
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// The template.
    ///
    /// # Errors
    /// If AWS would refuse something, or there is no model.
    pub fn template(&self) -> Result<Template, Error> {
        if self.layouts.is_empty() {
            return Err(Error::NoModels);
        }
        let mut template = Template::new("The tables of models (theory synth tables).");
        if self.is_exported {
            template = template.exported();
        }
        let mut taken: Vec<(String, &str)> = Vec::new();
        for layout in &self.layouts {
            let name = layout.create_table().table.as_str();
            let id = logical_id(name);
            if let Some((_, first)) = taken.iter().find(|(known, _)| *known == id) {
                let (first, second) = (format!("the table {first}"), format!("the table {name}"));
                return Err(Error::Twice { id, first, second });
            }
            let settings =
                TableSettings { name: self.is_named.then(|| name.to_owned()), ..self.settings.clone() };
            let table = TableResource::new(&id, layout.clone()).with_settings(settings);
            table.add_to(&mut template)?;
            if self.has_alarms {
                alarm::add_all(&mut template, alarm::table(&table, &[]))?;
            }
            taken.push((id, name));
        }
        if self.has_alarms {
            alarm::user_errors().add_to(&mut template)?;
        }
        Ok(template)
    }
}

/// The logical id of a table: the words of its name, each with a capital letter, and `Table`.
fn logical_id(name: &str) -> String {
    let words = name.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    words.map(capital).chain(["Table".to_owned()]).collect()
}
