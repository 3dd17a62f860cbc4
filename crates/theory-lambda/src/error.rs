//! Why a function does not start.

/// Any error, as initialisations return it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a function does not start, or ends.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The initialisation failed. Lambda was told, and starts another process.
    #[error("the function could not be initialised: {reason}")]
    Init {
        /// Why, with its causes.
        reason: String,
    },
    /// The runtime API cannot be spoken with.
    #[error("Lambda's runtime API does not answer: {reason}")]
    Runtime {
        /// Why.
        reason: String,
    },
    /// Nobody started this program as Lambda does.
    #[error(
        "{variable} is not what Lambda sets it to: AWS Lambda runs this program, and in tests `testing::Runtime` does"
    )]
    NotLambda {
        /// A variable that Lambda sets.
        variable: &'static str,
    },
    /// A variable of the environment is missing, or not what it should be.
    #[error("{variable} has to be {expected}; set it in the environment of the function")]
    Environment {
        /// The variable.
        variable: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
    /// DynamoDB cannot be used as it is configured.
    #[error("DynamoDB cannot be used as the environment configures it")]
    DynamoDb(#[from] tabletheory::aws::ConfigError),
    /// The bucket of bodies cannot be used as it is configured.
    #[error("bodies cannot be kept in s3://{bucket}")]
    Bodies {
        /// The bucket.
        bucket: String,
        /// Why.
        source: facetheory::body::BodyError,
    },
    /// A route of a site is none.
    #[error("the route `{pattern}` of the site `{site}` cannot be used")]
    Pattern {
        /// The site.
        site: String,
        /// The pattern.
        pattern: String,
        /// Why.
        source: matchit::InsertError,
    },
}

/// An error and what it was caused by, in one line.
pub(crate) fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(below) = cause {
        text.push_str(": ");
        text.push_str(&below.to_string());
        cause = below.source();
    }
    text
}
