//! What a migration will do: its steps in order, and what it refuses.

use std::fmt;

use tabletheory_core::schema::{GlobalIndex, StreamView};

use super::difference::{Difference, Standing};
use super::drift::Drift;
use super::layout::Layout;
use super::words::{key_text, projection_text};
use crate::model::IndexScope;

/// What a migration will do.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::Table;
/// use tabletheory::testing::TestStore;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let plan = Table::<User>::new(Arc::new(TestStore::new())).plan().await?;
/// assert!(plan.refused().is_empty());
/// assert_eq!(plan.to_string(), "make the table `app` with the key (id)");
/// # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    steps: Vec<Step>,
    refused: Vec<Difference>,
}

/// One step of a migration.
///
/// ```
/// use tabletheory::table::Step;
///
/// let step = Step::EnableTimeToLive { attribute: "ends".into() };
/// assert_eq!(step.to_string(), "let items expire by `ends`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Makes the table, with everything else that is needed.
    CreateTable {
        /// Its name.
        table: String,
        /// Its key in words.
        key: String,
    },
    /// Adds an index and waits until it is filled.
    AddIndex(GlobalIndex),
    /// Lets items expire.
    EnableTimeToLive {
        /// The attribute by which they do.
        attribute: String,
    },
    /// Starts a stream.
    EnableStream {
        /// What it carries.
        view: StreamView,
    },
}

impl Plan {
    /// The steps, in order.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// assert_eq!(Table::<User>::new(Arc::new(TestStore::new())).plan().await?.steps().len(), 1);
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The differences that no step can end. A migration with any of them does nothing.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// assert!(Table::<User>::new(Arc::new(TestStore::new())).plan().await?.refused().is_empty());
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn refused(&self) -> &[Difference] {
        &self.refused
    }

    /// Whether there is nothing to do and nothing that is refused.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// let table = Table::<User>::new(Arc::new(TestStore::new()));
    /// table.ensure().await?;
    /// assert!(table.plan().await?.is_empty());
    /// # Ok::<(), TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.refused.is_empty()
    }

    pub(super) fn new(layout: &Layout, drift: &Drift) -> Self {
        let steps = drift.of(Standing::Fixable).filter_map(|difference| step(layout, difference));
        Self { steps: steps.collect(), refused: drift.of(Standing::Refused).cloned().collect() }
    }
}

fn step(layout: &Layout, difference: &Difference) -> Option<Step> {
    let request = &layout.request;
    match difference {
        Difference::NoTable => {
            Some(Step::CreateTable { table: request.table.clone(), key: key_text(&request.keys) })
        }
        Difference::MissingIndex { index, scope: IndexScope::Global } => {
            let wanted = request.global_indexes.iter().find(|known| known.name == *index)?;
            Some(Step::AddIndex(wanted.clone()))
        }
        Difference::TimeToLiveOff { expected } => {
            Some(Step::EnableTimeToLive { attribute: expected.clone() })
        }
        Difference::StreamOff { expected } => Some(Step::EnableStream { view: *expected }),
        _ => None,
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateTable { table, key } => write!(f, "make the table `{table}` with the key {key}"),
            Self::AddIndex(index) => {
                let (key, carries) = (key_text(&index.keys), projection_text(&index.projection));
                write!(f, "add the global index `{}` with the key {key}, which carries {carries}", index.name)
            }
            Self::EnableTimeToLive { attribute } => write!(f, "let items expire by `{attribute}`"),
            Self::EnableStream { view } => write!(f, "start a stream of {}", view.name()),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing to do");
        }
        let steps = self.steps.iter().map(ToString::to_string);
        let refused = self.refused.iter().map(|refused| format!("refused: {refused} ({})", refused.advice()));
        f.write_str(&steps.chain(refused).collect::<Vec<_>>().join("; "))
    }
}
