//! A collector of OpenTelemetry.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};

/// A collector of OpenTelemetry, and what it is told about this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtlpSettings {
    /// Where figures are sent, whole: `http://127.0.0.1:4318/v1/metrics`.
    pub metrics: Uri,
    /// How often.
    pub every: Duration,
    /// What it wants to be shown, such as a key. Values that are marked as sensitive are never shown to others.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// What the gateway is called: `service.name`.
    pub service: String,
    /// What else is said about this process. What it knows itself gives way to this, but for `service.name`.
    pub attributes: Vec<(String, String)>,
}
