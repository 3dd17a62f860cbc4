//! A table of a template.

use tabletheory::Model;
use tabletheory::table::Layout;
use tabletheory_core::limits::{GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX};
use tabletheory_core::schema::StreamView;

use super::billing::Billing;
use super::settings::TableSettings;
use super::{properties, scaling};
use crate::error::Error;
use crate::intrinsic::{attribute, reference};
use crate::name;
use crate::node::Node;
use crate::resource::Resource;
use crate::template::Template;

/// A table of a template.
///
/// ```
/// use tabletheory::Model;
/// use theory_synth::{TableResource, Template};
///
/// #[derive(Model)]
/// #[model(table = "users", index(name = "by_city", pk = city))]
/// struct User {
///     #[model(pk)]
///     id: String,
///     city: String,
///     #[model(ttl)]
///     ends: u64,
/// }
///
/// let mut template = Template::new("Users.");
/// TableResource::of::<User>("Users").add_to(&mut template)?;
/// let yaml = template.to_yaml()?;
/// assert!(yaml.contains("IndexName: by_city") && yaml.contains("AttributeName: ends"));
/// assert!(!yaml.contains("StreamSpecification"), "nobody reads it");
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TableResource {
    id: String,
    layout: Layout,
    settings: TableSettings,
    stream: Option<StreamView>,
}

impl TableResource {
    /// The table of a model, under this logical id.
    #[must_use]
    pub fn of<M: Model>(id: impl Into<String>) -> Self {
        Self::new(id, Layout::of::<M>())
    }

    /// The table of models that share it, under this logical id.
    #[must_use]
    pub fn new(id: impl Into<String>, layout: Layout) -> Self {
        Self { id: id.into(), layout, settings: TableSettings::default(), stream: None }
    }

    /// With other settings.
    #[must_use]
    pub fn with_settings(mut self, settings: TableSettings) -> Self {
        self.settings = settings;
        self
    }

    /// With a stream, for somebody who reads it. Without a reader a table has none.
    #[must_use]
    pub fn streamed(mut self, view: StreamView) -> Self {
        self.stream = Some(view);
        self
    }

    /// Its logical id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What its models need.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its settings.
    #[must_use]
    pub fn settings(&self) -> &TableSettings {
        &self.settings
    }

    /// Its name, in the template.
    #[must_use]
    pub fn name(&self) -> Node {
        reference(&self.id)
    }

    /// Its resource name, in the template.
    #[must_use]
    pub fn arn(&self) -> Node {
        attribute(&self.id, "Arn")
    }

    /// The names of its global indexes.
    pub fn global_indexes(&self) -> impl Iterator<Item = &str> {
        self.layout.create_table().global_indexes.iter().map(|index| index.name.as_str())
    }

    /// Puts it into a template: the table, its key if it has one of its own, what scales it, and outputs.
    ///
    /// # Errors
    /// If AWS would refuse a name or a number, or the logical id is taken.
    pub fn add_to(&self, template: &mut Template) -> Result<(), Error> {
        self.check()?;
        let TableSettings { encryption, is_kept, .. } = &self.settings;
        encryption.add_to(template, &self.id, *is_kept)?;
        let table = Resource::new(
            "AWS::DynamoDB::Table",
            properties::of(&self.id, &self.layout, &self.settings, self.stream),
        );
        template.resource(&self.id, if *is_kept { table.kept() } else { table })?;
        if let Billing::Provisioned { read, write, target_percent } = &self.settings.billing {
            let indexes: Vec<&str> = self.global_indexes().collect();
            scaling::add_to(template, &self.id, &indexes, [*read, *write], *target_percent)?;
        }
        let id = &self.id;
        template.output(&format!("{id}Name"), "The name of the table.", self.name())?;
        template.output(&format!("{id}Arn"), "The resource name of the table.", self.arn())?;
        if self.stream.is_some() {
            let stream = attribute(id, "StreamArn");
            template.output(&format!("{id}StreamArn"), "The resource name of the table's stream.", stream)?;
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        let request = self.layout.create_table();
        // The name that the model gives counts too: it is what the runtime would ask for.
        name::table(self.settings.name.as_ref().unwrap_or(&request.table))?;
        let indexes = request.global_indexes.iter().map(|index| &index.name);
        for index in indexes.chain(request.local_indexes.iter().map(|index| &index.name)) {
            name::index(index)?;
        }
        for attribute in &request.attributes {
            name::key_attribute(&attribute.name)?;
        }
        let counts = [
            ("global indexes of a table", request.global_indexes.len(), GLOBAL_INDEXES_MAX),
            ("local indexes of a table", request.local_indexes.len(), LOCAL_INDEXES_MAX),
        ];
        for (what, count, count_max) in counts {
            if count > count_max {
                return Err(Error::TooMuch { what, count, count_max });
            }
        }
        name::tags(&self.settings.tags, [])?;
        self.settings.billing.check()?;
        self.settings.encryption.check()
    }
}
