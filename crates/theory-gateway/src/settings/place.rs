//! Where rows and bodies are, and how much of them is in memory.

use std::path::PathBuf;

use facetheory::body::S3Settings;
use tabletheory_engine::Durability;

/// Where rows are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorePlace {
    /// In memory, forgotten at the end.
    Memory,
    /// In a folder of this machine.
    Embedded {
        /// The folder.
        folder: PathBuf,
        /// What an answered write survives.
        durability: Durability,
    },
    /// In DynamoDB, or behind an endpoint that speaks its protocol.
    DynamoDb {
        /// The endpoint; AWS's own, if nothing is said.
        endpoint: Option<String>,
        /// The region; what the environment says, if nothing is said.
        region: Option<String>,
    },
}

/// How many bytes this process may keep in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBounds {
    /// The rows of an embedded store: those read often, and those not yet in their files.
    pub rows: usize,
    /// What is known of pages, without their bodies.
    pub known: usize,
    /// Bodies of pages.
    pub pages: usize,
    /// Routes of the kind "http cache".
    pub http_cache: usize,
}

/// What tables are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    /// Pages.
    pub cache: String,
    /// Rate limits.
    pub limits: String,
    /// Idempotent requests.
    pub requests: String,
    /// Whether they are made when they are not there.
    pub create: bool,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            cache: "facetheory-cache".to_owned(),
            limits: "rate-limits".to_owned(),
            requests: "idempotency".to_owned(),
            create: true,
        }
    }
}

/// Where bodies are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyPlace {
    /// In memory, forgotten at the end.
    Memory,
    /// In a folder.
    Folder(PathBuf),
    /// In a bucket of S3, or of something that speaks its protocol.
    S3 {
        /// The bucket.
        bucket: String,
        /// What keys begin with.
        prefix: String,
        /// The endpoint; AWS's own, if nothing is said.
        endpoint: Option<String>,
        /// The region; `us-east-1`, if nothing is said.
        region: Option<String>,
    },
}

impl BodyPlace {
    /// How its bucket is reached; nothing, if it is none. A service other than AWS wants the bucket in the path.
    #[must_use]
    pub fn s3(&self) -> Option<S3Settings> {
        match self {
            Self::Memory | Self::Folder(_) => None,
            Self::S3 { bucket, endpoint, region, .. } => Some(S3Settings {
                endpoint: endpoint.clone(),
                path_style: endpoint.is_some(),
                ..S3Settings::new(bucket, region.as_deref().unwrap_or("us-east-1"))
            }),
        }
    }
}
