//! What is chosen for a table, beside what its models say.

use super::billing::Billing;
use super::encryption::Encryption;

/// What is chosen for a table, beside what its models say.
///
/// ```
/// use theory_synth::TableSettings;
///
/// let settings = TableSettings::default();
/// assert!(settings.is_recoverable && settings.is_protected && settings.is_kept);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSettings {
    /// Its name. Without one CloudFormation makes it up, and a change that replaces the table is possible.
    pub name: Option<String>,
    /// How it is paid for.
    pub billing: Billing,
    /// Whether every second of the last 35 days can be brought back.
    pub is_recoverable: bool,
    /// How it is encrypted where it lies.
    pub encryption: Encryption,
    /// Whether deleting it is refused until that is switched off.
    pub is_protected: bool,
    /// Whether it stays when the stack goes.
    pub is_kept: bool,
    /// Whether it is read seldom: storage costs less, requests cost more.
    pub is_infrequent: bool,
    /// Its tags.
    pub tags: Vec<(String, String)>,
}

impl Default for TableSettings {
    fn default() -> Self {
        Self {
            name: None,
            billing: Billing::default(),
            is_recoverable: true,
            encryption: Encryption::default(),
            is_protected: true,
            is_kept: true,
            is_infrequent: false,
            tags: Vec::new(),
        }
    }
}
