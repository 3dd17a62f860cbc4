//! How a table is paid for.

use crate::error::Error;
use crate::name::between;

/// How a table is paid for.
///
/// ```
/// use theory_synth::{Billing, Capacity};
///
/// let scaled = Billing::Provisioned { read: Capacity { min: 5, max: 500 }, write: Capacity { min: 5, max: 100 }, target_percent: 70 };
/// assert_ne!(scaled, Billing::default());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Billing {
    /// By request. A bound on units per second keeps a mistake from becoming expensive.
    OnDemand {
        /// The most read units per second, of the table and of each global index.
        read_max: Option<u64>,
        /// The most write units per second, of the table and of each global index.
        write_max: Option<u64>,
    },
    /// By provisioned units, which follow the traffic between two bounds, for the table and for each global index.
    Provisioned {
        /// Read units per second.
        read: Capacity,
        /// Write units per second.
        write: Capacity,
        /// How much of what is provisioned shall be used, in percent.
        target_percent: u32,
    },
}

/// Bounds of units per second.
///
/// ```
/// let capacity = theory_synth::Capacity { min: 5, max: 40 };
/// assert!(capacity.min < capacity.max);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// At least.
    pub min: u64,
    /// At most.
    pub max: u64,
}

impl Default for Billing {
    fn default() -> Self {
        Self::OnDemand { read_max: None, write_max: None }
    }
}

/// More units than any account has by default.
const UNITS_MAX: u64 = 40_000;

impl Billing {
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::OnDemand { read_max, write_max } => {
                for units in [read_max, write_max].into_iter().flatten() {
                    between("the most units per second", *units, 1..=u64::from(u32::MAX), "at least 1")?;
                }
            }
            Self::Provisioned { read, write, target_percent } => {
                for Capacity { min, max } in [read, write] {
                    between("the least units per second", *min, 1..=UNITS_MAX, "1 to 40000")?;
                    let rule = "as many as the least at least, and 40000 at most";
                    between("the most units per second", *max, *min..=UNITS_MAX, rule)?;
                }
                let target = u64::from(*target_percent);
                between("the target of scaling in percent", target, 20..=90, "20 to 90")?;
            }
        }
        Ok(())
    }
}
