//! The tables of the product itself, and what each of them is asked to do: the schema, the environment variable that names it, the
//! operations that are sent to it, and the permissions that these operations need. A test records what the crates really send.

use tabletheory::table::{Conflict, Layout};

use crate::environment;
use crate::error::Error;
use crate::iam::Statement;
use crate::intrinsic::reference;
use crate::node::{Map, Node};

/// A table of the product.
///
/// ```
/// use theory_synth::Kind;
///
/// assert_eq!(Kind::of_variable("RATE_LIMIT_TABLE_NAME"), Some(Kind::Limits));
/// assert_eq!(Kind::Cache.layout()?.time_to_live(), Some("ttl"));
/// assert!(!Kind::Cache.actions().contains(&"dynamodb:Scan"));
/// # Ok::<(), tabletheory::table::Conflict>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Rendered pages.
    Cache,
    /// Rate limits.
    Limits,
    /// Idempotent requests.
    Requests,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cache, Self::Limits, Self::Requests];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::Limits => "limits",
            Self::Requests => "requests",
        }
    }

    /// What it holds, in words.
    #[must_use]
    pub fn holds(self) -> &'static str {
        match self {
            Self::Cache => "rendered pages",
            Self::Limits => "rate limits",
            Self::Requests => "idempotent requests",
        }
    }

    /// The environment variables that name it to a function; the first one is set by templates.
    #[must_use]
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Cache => &[environment::CACHE_TABLE, environment::CACHE_TABLE_ALIAS],
            Self::Limits => &[environment::RATE_LIMIT_TABLE],
            Self::Requests => &[environment::IDEMPOTENCY_TABLE],
        }
    }

    /// The kind that an environment variable names.
    #[must_use]
    pub fn of_variable(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.variables().contains(&name))
    }

    /// What the runtime needs of it: all models whose rows lie in it.
    ///
    /// # Errors
    /// Never: the models of the product fit together, which a test holds.
    pub fn layout(self) -> Result<Layout, Conflict> {
        use facetheory::record::{Epoch, Journal, Lock, Meta, Request, Version};
        use idempotent::record::{BodyRow, IdempotencyRecord};
        // All under one name: which one the environment says is for the function to know.
        match self {
            Self::Cache => Layout::of::<Meta>()
                .named("facetheory-cache")
                .and::<Lock>()?
                .and::<Version>()?
                .and::<Request>()?
                .and::<Epoch>()?
                .and::<Journal>(),
            Self::Limits => Ok(Layout::of::<limited::RateLimitRecord>().named("rate-limits")),
            Self::Requests => Layout::of::<IdempotencyRecord>().named("idempotency").and::<BodyRow>(),
        }
    }

    /// The same with the indexes of the seed, which cost a write for each write.
    ///
    /// # Errors
    /// Never, as [`layout`](Self::layout).
    pub fn indexed_layout(self) -> Result<Layout, Conflict> {
        match self {
            Self::Cache => self.layout(),
            Self::Limits => self.layout()?.and::<limited::IndexedRateLimitRecord>(),
            Self::Requests => self.layout()?.and::<idempotent::record::IndexedRecord>(),
        }
    }

    /// The operations that a function sends to it, for the alarms that are told by operation.
    #[must_use]
    pub fn operations(self) -> &'static [&'static str] {
        match self {
            Self::Cache => {
                &["BatchGetItem", "DeleteItem", "PutItem", "Query", "TransactWriteItems", "UpdateItem"]
            }
            Self::Limits => &["UpdateItem"],
            Self::Requests => &["DeleteItem", "GetItem", "PutItem", "UpdateItem"],
        }
    }

    /// The permissions that these operations need. A transaction needs those of what it consists of, and none of its own.
    #[must_use]
    pub fn actions(self) -> &'static [&'static str] {
        match self {
            Self::Cache => &[
                "dynamodb:BatchGetItem",
                "dynamodb:ConditionCheckItem",
                "dynamodb:DeleteItem",
                "dynamodb:PutItem",
                "dynamodb:Query",
                "dynamodb:UpdateItem",
            ],
            Self::Limits => &["dynamodb:UpdateItem"],
            Self::Requests => {
                &["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
            }
        }
    }

    /// The logical id of its table in templates.
    pub(crate) fn table_id(self) -> &'static str {
        match self {
            Self::Cache => "CacheTable",
            Self::Limits => "RateLimitTable",
            Self::Requests => "IdempotencyTable",
        }
    }

    fn sid(self) -> &'static str {
        match self {
            Self::Cache => "KeepPages",
            Self::Limits => "CountRequests",
            Self::Requests => "RememberRequests",
        }
    }

    /// The permission to use the table.
    #[must_use]
    pub fn grant(self, table: &str) -> Statement {
        let arn = crate::intrinsic::attribute(table, "Arn");
        Statement::new(self.sid()).actions(self.actions()).on(arn)
    }

    /// The permission to sweep: what nothing names can only be known by reading everything. No function that answers requests has it.
    #[must_use]
    pub fn sweep_grant(table: &str) -> Statement {
        let arn = crate::intrinsic::attribute(table, "Arn");
        Statement::new("SweepPages")
            .actions(&[
                "dynamodb:BatchGetItem",
                "dynamodb:ConditionCheckItem",
                "dynamodb:DeleteItem",
                "dynamodb:Query",
                "dynamodb:Scan",
            ])
            .on(arn)
    }

    /// The permission to read what else a function may be set to read: the overrides of limits, which lie beside the counts.
    #[must_use]
    pub fn overrides_grant(table: &str) -> Statement {
        let arn = crate::intrinsic::attribute(table, "Arn");
        Statement::new("ReadOverrides").actions(&["dynamodb:BatchGetItem"]).on(arn)
    }

    /// The same for the rows of one tenant: the one that the role is tagged with as `TenantID`.
    ///
    /// # Errors
    /// If the keys of the table do not begin with the tenant.
    pub fn tenant_grant(self, table: &str) -> Result<Statement, Error> {
        let keys = match self {
            // What all pages of a tenant share lies beside them, in `TENANT#<tenant>#CACHE`.
            Self::Cache => {
                ["TENANT#${aws:PrincipalTag/TenantID}#CACHE", "TENANT#${aws:PrincipalTag/TenantID}#CACHE#*"]
            }
            Self::Limits => {
                let why =
                    "its keys begin with the name of the limit, and the tenant is an attribute behind it";
                return Err(Error::NotIsolated { what: self.holds(), why });
            }
            Self::Requests => {
                let why = "its keys are hashes of scope and key, which say nothing of the tenant";
                return Err(Error::NotIsolated { what: self.holds(), why });
            }
        };
        let leading = Map::new().with("dynamodb:LeadingKeys", keys);
        // `ForAllValues` holds when there is no value at all, so that there is one must be said.
        let present = Map::new().with("dynamodb:LeadingKeys", "false");
        Ok(self.grant(table).condition("ForAllValues:StringLike", leading).condition("Null", present))
    }

    /// The environment variables for a table of the template.
    pub(crate) fn environment(self, table: &str) -> impl Iterator<Item = (&'static str, Node)> {
        self.variables().iter().map(move |variable| (*variable, reference(table)))
    }
}
