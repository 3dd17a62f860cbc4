//! The table of rendered pages, alone: for a site whose function or server is somewhere else.

use crate::alarm;
use crate::error::Error;
use crate::kind::Kind;
use crate::table::{TableResource, TableSettings};
use crate::template::Template;

/// A template with the table of rendered pages.
///
/// ```
/// use theory_synth::stack::CacheTable;
///
/// let yaml = CacheTable::default().template()?.to_yaml()?;
/// assert!(yaml.contains("AttributeName: ttl"));
/// # Ok::<(), theory_synth::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheTable {
    /// The table.
    pub table: TableSettings,
    /// Whether there are alarms.
    pub has_alarms: bool,
    /// Whether other stacks may import the outputs.
    pub is_exported: bool,
}

impl Default for CacheTable {
    fn default() -> Self {
        Self { table: TableSettings::default(), has_alarms: true, is_exported: false }
    }
}

impl CacheTable {
    /// The template.
    ///
    /// # Errors
    /// If AWS would refuse something.
    pub fn template(&self) -> Result<Template, Error> {
        let mut template = Template::new("The table of rendered pages (theory synth cache-table).");
        if self.is_exported {
            template = template.exported();
        }
        let table = TableResource::new("CacheTable", Kind::Cache.layout()?).with_settings(self.table.clone());
        table.add_to(&mut template)?;
        if self.has_alarms {
            alarm::add_all(&mut template, alarm::table(&table, Kind::Cache.operations()))?;
            alarm::user_errors().add_to(&mut template)?;
        }
        Ok(template)
    }
}
