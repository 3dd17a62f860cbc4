//! The price list: us-east-1, on demand, in US dollars for a million. Prices change; these are of 2025.

/// Read units of DynamoDB, on demand.
pub(crate) const READ_UNITS: f64 = 0.125;
/// Write units of DynamoDB, on demand.
pub(crate) const WRITE_UNITS: f64 = 0.625;
/// `GetObject` of S3.
pub(crate) const S3_GETS: f64 = 0.40;
/// `PutObject` of S3.
pub(crate) const S3_PUTS: f64 = 5.00;
