//! How a table is made, and how long it is waited for: plain data.

use std::time::Duration;

use tabletheory_core::schema::{BillingMode, StreamView, Tag, Throughput};

/// How a table is made, beside what its models say.
///
/// ```
/// use tabletheory::table::{Billing, TableOptions};
///
/// let options = TableOptions { deletion_protection: true, ..TableOptions::default() };
/// assert_eq!(options.billing, Billing::OnDemand);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableOptions {
    /// How it is paid for.
    pub billing: Billing,
    /// Its stream, if it shall have one.
    pub stream: Option<StreamView>,
    /// Whether it cannot be deleted before that is switched off.
    pub deletion_protection: bool,
    /// `STANDARD` or `STANDARD_INFREQUENT_ACCESS`; the service chooses the first.
    pub table_class: Option<String>,
    /// Its tags.
    pub tags: Vec<Tag>,
}

/// How a table is paid for.
///
/// ```
/// use tabletheory::table::Billing;
/// use tabletheory_core::schema::Throughput;
///
/// let units = Throughput { read_units: 5, write_units: 5 };
/// assert_ne!(Billing::Provisioned(units), Billing::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Billing {
    /// By request.
    #[default]
    OnDemand,
    /// By provisioned throughput, of the table and of each of its global indexes.
    Provisioned(Throughput),
}

impl Billing {
    pub(super) fn mode(self) -> BillingMode {
        match self {
            Self::OnDemand => BillingMode::PayPerRequest,
            Self::Provisioned(_) => BillingMode::Provisioned,
        }
    }

    pub(super) fn throughput(self) -> Option<Throughput> {
        match self {
            Self::OnDemand => None,
            Self::Provisioned(throughput) => Some(throughput),
        }
    }
}

/// How long a table is waited for.
///
/// ```
/// use std::time::Duration;
/// use tabletheory::table::Patience;
///
/// let patience = Patience { table: Duration::from_secs(30), ..Patience::default() };
/// assert!(patience.index > patience.table);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until it is made, changed or gone.
    pub table: Duration,
    /// Until a new index is filled, which takes as long as the table is large.
    pub index: Duration,
}

impl Default for Patience {
    /// Five minutes, and a day for an index.
    fn default() -> Self {
        Self { table: Duration::from_secs(5 * 60), index: Duration::from_secs(24 * 60 * 60) }
    }
}
