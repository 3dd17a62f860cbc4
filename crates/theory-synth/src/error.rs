//! What can be wrong with what was asked for. Everything is said before anything is written.

use tabletheory::table::Conflict;

/// Why there is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// AWS would refuse a name.
    #[error("{what} cannot be {value:?}: it must be {rule}")]
    Name {
        /// What the name is for.
        what: &'static str,
        /// The name.
        value: String,
        /// What AWS takes.
        rule: &'static str,
    },
    /// AWS would refuse a number.
    #[error("{what} cannot be {value}: it must be {rule}")]
    Number {
        /// What the number is for.
        what: &'static str,
        /// The number.
        value: u64,
        /// What AWS takes.
        rule: &'static str,
    },
    /// Two parts of a template have one name.
    #[error("two things would have the logical id {id}: {first} and {second}; give one of them another name")]
    Twice {
        /// The name.
        id: String,
        /// What has it.
        first: String,
        /// What would have it too.
        second: String,
    },
    /// Models that share a table contradict each other.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// CloudFormation would refuse the template for its size.
    #[error(
        "the template would have {count} {what}, and CloudFormation takes {count_max}: make several templates of it"
    )]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        count: usize,
        /// How much may be.
        count_max: usize,
    },
    /// There is nothing to make a template of.
    #[error("there is no model in what was given: name documents with models")]
    NoModels,
    /// Items of a table never expire, and the archive takes what expired.
    #[error(
        "items of the table {table} never expire, so there would be nothing to archive: give an attribute of its model the \
         role `ttl`, or say by which attribute they expire"
    )]
    NothingExpires {
        /// The table.
        table: String,
    },
    /// A policy that keeps tenants apart cannot be written, because the keys do not begin with the tenant.
    #[error(
        "tenants cannot be kept apart in the table of {what}: {why}. Give each tenant a table and a function of their own"
    )]
    NotIsolated {
        /// What the table is for.
        what: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// What was asked for does not go together.
    #[error("{first} and {second} do not go together: {why}")]
    Together {
        /// The one.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// Why not.
        why: &'static str,
    },
}
