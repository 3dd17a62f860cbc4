//! What is wrong with a document, all of it, each with its place.

use std::fmt;

use super::path::{Path, shown};

/// What is wrong with a document: everything that was found, in the order of the document.
///
/// ```
/// use tabletheory::dms::{Document, Fault};
///
/// let text = "dms_version: \"0.3\"\nmodels: []\n";
/// let refused = Document::from_yaml(text).unwrap_err();
/// assert_eq!(refused.faults.len(), 2);
/// assert_eq!(refused.faults[0].fault, Fault::UnknownVersion { found: "0.3".into() });
/// assert_eq!(refused.faults[0].line, Some(1));
/// assert_eq!(
///     refused.to_string(),
///     "line 1, column 14: dms_version: the version `0.3` is not known; 0.1 and 0.2 are\n\
///      line 2, column 9: models: has no entry",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmsError {
    /// Everything that is wrong; at least one.
    pub faults: Vec<Located>,
}

/// One thing that is wrong, and where.
///
/// ```
/// use tabletheory::dms::Document;
///
/// let refused = Document::from_json("{}").unwrap_err();
/// assert_eq!(refused.faults[0].to_string(), "dms_version: is missing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The place in the document.
    pub path: Path,
    /// The line in the text, from 1, if it is known. It is for YAML, and for JSON that cannot be read.
    pub line: Option<usize>,
    /// The column in the line, from 1.
    pub column: Option<usize>,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong at a place of a document.
///
/// ```
/// use tabletheory::dms::Fault;
///
/// assert_eq!(Fault::Missing.to_string(), "is missing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The text is no YAML or no JSON.
    #[error("cannot be read: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
    },
    /// The text is larger than any document has to be.
    #[error("has more than {bytes_max} bytes")]
    TooLarge {
        /// How large it may be.
        bytes_max: usize,
    },
    /// It is nested deeper than any document has to be.
    #[error("is nested deeper than {levels_max} levels")]
    TooDeep {
        /// How deep it may be.
        levels_max: usize,
    },
    /// YAML that JSON has no word for, such as an anchor.
    #[error("has {what}, which a document may not have")]
    NotJson {
        /// What it is.
        what: &'static str,
    },
    /// A text without quotes that different programs read as different things.
    #[error("`{}` is read differently by different programs: put it into quotes", shown(text))]
    Ambiguous {
        /// The text.
        text: String,
    },
    /// It is of another kind.
    #[error("is {found}, not {expected}")]
    Kind {
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// It has to be there and is not.
    #[error("is missing")]
    Missing,
    /// It has to have something in it and has not.
    #[error("has no entry")]
    Empty,
    /// There is no such member.
    #[error("is not known here")]
    Unknown,
    /// It is there already.
    #[error("`{}` is there twice", shown(name))]
    Duplicate {
        /// Its name.
        name: String,
    },
    /// The version is none of those that are known.
    #[error("the version `{}` is not known; 0.1 and 0.2 are", shown(found))]
    UnknownVersion {
        /// The version.
        found: String,
    },
    /// The word is none of those that can stand here.
    #[error("`{}` is none of {allowed}", shown(found))]
    NotOneOf {
        /// The word.
        found: String,
        /// The words that can stand here.
        allowed: &'static str,
    },
    /// The name is empty, too long, or has characters that names do not have.
    #[error("`{}` cannot be a name: {rule}", shown(name))]
    Name {
        /// The name.
        name: String,
        /// What names are like.
        rule: &'static str,
    },
    /// The name is not in the convention of its model.
    #[error("`{}` is not in {convention}", shown(name))]
    Convention {
        /// The name.
        name: String,
        /// The convention.
        convention: &'static str,
    },
    /// Two flags contradict each other.
    #[error("cannot be both {first} and {second}")]
    Contradiction {
        /// A flag.
        first: &'static str,
        /// Another.
        second: &'static str,
    },
    /// It has a type that what is said of it does not allow.
    #[error("{what} has the type {allowed}, not {found}")]
    Type {
        /// What is said of it.
        what: &'static str,
        /// The types that would do.
        allowed: &'static str,
        /// The type it has.
        found: &'static str,
    },
    /// It names an attribute that the model does not have.
    #[error("the attribute `{}` is not in attributes", shown(attribute))]
    NoAttribute {
        /// The attribute.
        attribute: String,
    },
    /// A key says another type than the attribute.
    #[error("the attribute `{}` is {attribute_type}, not {found}", shown(attribute))]
    KeyType {
        /// The attribute.
        attribute: String,
        /// Its type.
        attribute_type: &'static str,
        /// What the key says.
        found: &'static str,
    },
    /// A role stands at an attribute that does not have it.
    #[error("the role `{}` belongs to another attribute", shown(role))]
    Role {
        /// The role.
        role: String,
    },
    /// An encrypted attribute cannot be a key.
    #[error("the attribute `{}` is encrypted, and no key can be", shown(attribute))]
    EncryptedKey {
        /// The attribute.
        attribute: String,
    },
    /// A local index has the partition key of its table and a sort key.
    #[error("a local index has the partition key of its table, and a sort key of its own")]
    LocalIndex,
    /// A projection has fields, or none, and should not.
    #[error("fields belong to the projection INCLUDE, and to no other")]
    ProjectionFields,
    /// The model has something that documents have no word for.
    #[error("a document has no word for {what}")]
    NoWord {
        /// What it is.
        what: &'static str,
    },
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "line {line}, column {column}: ")?;
        }
        write!(f, "{}: {}", self.path, self.fault)
    }
}

impl fmt::Display for DmsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<String> = self.faults.iter().map(ToString::to_string).collect();
        f.write_str(&faults.join("\n"))
    }
}

impl std::error::Error for DmsError {}
