//! How lease rows are named: plain data, with the other toolkits' names as defaults.

use serde::{Deserialize, Serialize};
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::CreateTable;

/// The names in a lease row, and how long a dead row is kept.
///
/// ```
/// use tabletheory::lease::LeaseSettings;
///
/// let settings = LeaseSettings { pk: "PK".into(), sk: "SK".into(), ..LeaseSettings::default() };
/// assert_eq!(settings.lock_sk, "LOCK");
/// assert_eq!(settings.ttl_buffer_seconds, 3600);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeaseSettings {
    /// The attribute of the partition key, a string.
    pub pk: String,
    /// The attribute of the sort key, a string.
    pub sk: String,
    /// The sort key of every lease row.
    pub lock_sk: String,
    /// The attribute that says who holds the lease.
    pub token: String,
    /// The attribute that says until when, in seconds.
    pub expires_at: String,
    /// The attribute that tells the service when it may delete the row, in seconds.
    pub ttl: String,
    /// The attribute that grows with each grant. The other toolkits do not know it.
    pub fence: String,
    /// How long after the lease ended the service may delete the row; 0 writes no such time.
    pub ttl_buffer_seconds: u32,
}

impl Default for LeaseSettings {
    fn default() -> Self {
        Self {
            pk: "pk".into(),
            sk: "sk".into(),
            lock_sk: "LOCK".into(),
            token: "lease_token".into(),
            expires_at: "lease_expires_at".into(),
            ttl: "ttl".into(),
            fence: "fence".into(),
            ttl_buffer_seconds: 3600,
        }
    }
}

impl LeaseSettings {
    /// The request that makes a table with the keys these settings name.
    ///
    /// ```
    /// use tabletheory::lease::LeaseSettings;
    /// use tabletheory_core::schema::KeyElement;
    ///
    /// let request = LeaseSettings::default().create_table("cache");
    /// assert_eq!(request.keys, [KeyElement::hash("pk"), KeyElement::range("sk")]);
    /// ```
    #[must_use]
    pub fn create_table(&self, table: impl Into<String>) -> CreateTable {
        let string = |name: &str| AttributeDefinition { name: name.into(), kind: KeyType::S };
        CreateTable {
            table: table.into(),
            attributes: vec![string(&self.pk), string(&self.sk)],
            keys: vec![KeyElement::hash(&self.pk), KeyElement::range(&self.sk)],
            billing: BillingMode::PayPerRequest,
            ..CreateTable::default()
        }
    }
}
