//! What somebody says the tables of a template are for.

use tabletheory::table::Layout;

use super::found::Found;
use super::need::{Need, Use};
use super::report::CheckError;
use crate::kind::Kind;

/// What the tables of a template are said to be for, beside what functions say in their environment.
///
/// ```
/// use theory_synth::Kind;
/// use theory_synth::check::{Claims, Need};
///
/// let claims = Claims::default().table("PagesTable", Need::Kind(Kind::Cache));
/// assert_ne!(claims, Claims::default());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Claims {
    tables: Vec<(String, Need)>,
    only: Option<Kind>,
    layouts: Vec<Layout>,
}

impl Claims {
    /// The table with this logical id or this name is for this.
    #[must_use]
    pub fn table(mut self, table: impl Into<String>, need: Need) -> Self {
        self.tables.push((table.into(), need));
        self
    }

    /// The one table of the template is for this.
    #[must_use]
    pub fn only(mut self, kind: Kind) -> Self {
        self.only = Some(kind);
        self
    }

    /// The tables with these names are those of models.
    #[must_use]
    pub fn layouts(mut self, layouts: &[Layout]) -> Self {
        self.layouts.extend_from_slice(layouts);
        self
    }

    /// The same as uses of tables that are there.
    pub(super) fn uses(&self, tables: &[Found]) -> Result<Vec<Use>, CheckError> {
        let ids = || tables.iter().map(|table| table.id.clone()).collect::<Vec<_>>();
        let named = |wanted: &str| {
            let found =
                tables.iter().find(|table| table.id == wanted || table.name.as_deref() == Some(wanted));
            found.map(|table| table.id.clone())
        };
        let mut uses = Vec::new();
        for (wanted, need) in &self.tables {
            let missing = || CheckError::NoSuchTable { table: wanted.clone(), tables: ids() };
            let table = named(wanted).ok_or_else(missing)?;
            let because = format!("it was said to hold {}", held(need));
            uses.push(Use { table, need: need.clone(), because });
        }
        if let Some(kind) = self.only {
            let [table] = tables else { return Err(CheckError::WhichTable { kind, tables: ids() }) };
            let because = format!("it was said to hold {}", kind.holds());
            uses.push(Use { table: table.id.clone(), need: Need::Kind(kind), because });
        }
        for layout in &self.layouts {
            let name = &layout.create_table().table;
            let missing = || CheckError::NoSuchTable { table: name.clone(), tables: ids() };
            let table = named(name).ok_or_else(missing)?;
            let because = format!("it is the table {name} of the models");
            uses.push(Use { table, need: Need::Layout(Box::new(layout.clone())), because });
        }
        Ok(uses)
    }
}

fn held(need: &Need) -> &'static str {
    match need {
        Need::Kind(kind) => kind.holds(),
        Need::Layout(_) => "the items of models",
        Need::Archive { .. } => "what the archive takes",
    }
}
