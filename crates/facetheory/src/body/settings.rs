//! How bodies are kept: plain data with defaults that fit a site of ordinary pages.

/// How bodies are kept.
///
/// ```
/// use facetheory::body::{Bodies, BodySettings};
///
/// let settings = BodySettings { prefix: "isr".to_owned(), ..BodySettings::default() };
/// assert_eq!(settings.hot_bytes, 64 << 20);
/// assert!(Bodies::memory().with_settings(settings).is_ok());
/// let outside = BodySettings { prefix: "../outside".to_owned(), ..BodySettings::default() };
/// assert!(Bodies::memory().with_settings(outside).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodySettings {
    /// Goes before every pointer, such as `isr`: a relative path of at most 127 bytes. Empty by default.
    pub prefix: String,
    /// Bytes that bodies and their compressed variants may take in memory; 64 MiB by default, 0 keeps none. A body larger
    /// than a sixteenth of it is never kept.
    pub hot_bytes: usize,
    /// The longest body that is put or read; 64 MiB by default. A longer one is
    /// [`TooLarge`](super::BodyError::TooLarge).
    pub body_bytes_max: u64,
    /// How variants are compressed.
    pub compression: Compression,
}

/// How variants are compressed. Values out of range mean the nearest in range.
///
/// ```
/// use facetheory::body::Compression;
///
/// assert_eq!(Compression::default().bytes_min, 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compression {
    /// 0 (fast) to 9 (small); 6 by default.
    pub gzip_level: u32,
    /// 0 (fast) to 11 (small, and a hundred times slower); 5 by default.
    pub brotli_quality: u32,
    /// Shorter bodies are left as they are; 1,024 by default: they fit in one packet anyway.
    pub bytes_min: usize,
}

impl Default for BodySettings {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            hot_bytes: 64 << 20,
            body_bytes_max: 64 << 20,
            compression: Compression::default(),
        }
    }
}

impl Default for Compression {
    fn default() -> Self {
        Self { gzip_level: 6, brotli_quality: 5, bytes_min: 1024 }
    }
}
