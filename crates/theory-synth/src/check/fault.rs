//! One thing that is wrong with a table of a template, and what to do about it.

use std::fmt;

use tabletheory::model::IndexScope;
use tabletheory::table::Difference;
use tabletheory_core::schema::StreamView;

/// What is wrong with a table of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The table is not what the models of the runtime need.
    Difference(Difference),
    /// A property cannot be read, because it is none or is known only after the deployment.
    Unreadable {
        /// The property.
        property: String,
        /// What is there.
        found: String,
    },
    /// There is no stream, and the archive reads one.
    NoStream,
    /// The stream does not say what an item was.
    StreamWithoutOldImage {
        /// What it carries.
        view: StreamView,
    },
    /// Items never expire, and the archive takes what expired.
    NothingExpires,
    /// The function is told another attribute than the one by which items expire.
    OtherTtl {
        /// What the table has.
        found: String,
        /// What the function is told.
        told: String,
    },
}

impl Fault {
    /// What to do about it.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        const REPLACED: &str = "CloudFormation makes a new table for it: copy the items with `theory copy`";
        match self {
            Self::Difference(difference) => match difference {
                Difference::Keys { .. } => {
                    "write KeySchema so; if the table is there already, CloudFormation makes a new one"
                }
                Difference::AttributeType { .. } => {
                    "write AttributeDefinitions so; if the table is there already, CloudFormation makes a new one"
                }
                Difference::MissingIndex { scope: IndexScope::Global, .. } => {
                    "add it to GlobalSecondaryIndexes, one in each update of a stack that is there"
                }
                Difference::MissingIndex { scope: IndexScope::Local, .. } | Difference::IndexScope { .. } => {
                    REPLACED
                }
                Difference::IndexKeys { .. } | Difference::Projection { .. } => {
                    "write the index so; if it is there already, add it under another name and drop the old one"
                }
                Difference::TimeToLiveOff { .. } => {
                    "add TimeToLiveSpecification with this AttributeName and Enabled: true"
                }
                Difference::TimeToLiveOther { .. } => {
                    "write this AttributeName in TimeToLiveSpecification; a table that is there must switch the old one off first"
                }
                other => other.advice(),
            },
            Self::Unreadable { .. } => "write the value itself, so that it can be compared",
            Self::NoStream => "add StreamSpecification with StreamViewType: NEW_AND_OLD_IMAGES",
            Self::StreamWithoutOldImage { .. } => {
                "write StreamViewType: NEW_AND_OLD_IMAGES; the stream begins anew"
            }
            Self::NothingExpires => "add TimeToLiveSpecification with Enabled: true",
            Self::OtherTtl { .. } => {
                "write the same attribute in TimeToLiveSpecification and TTL_ATTRIBUTE_NAME"
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Difference(difference) => difference.fmt(f),
            Self::Unreadable { property, found } => write!(f, "{property} is {found}"),
            Self::NoStream => f.write_str("it has no stream, and the archive reads one"),
            Self::StreamWithoutOldImage { view } => {
                write!(f, "its stream carries {}, which does not say what an item was", view.name())
            }
            Self::NothingExpires => f.write_str("its items never expire, so nothing would be archived"),
            Self::OtherTtl { found, told } => {
                write!(f, "its items expire by `{found}`, and the function is told `{told}`")
            }
        }
    }
}
