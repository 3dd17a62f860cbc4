//! AWS Signature Version 4, the verifying side: is this request from someone who knows a secret of ours, and is it whole?
//!
//! Stricter than the service where that costs no honest client anything: the date has to be in `X-Amz-Date` and within five
//! minutes, headers a signature depends on may not be repeated, the body is always hashed. A session token
//! (`X-Amz-Security-Token`) is a header like any other, since there are no sessions here: covered if listed, and not read.

mod authorization;
mod canonical;
mod credentials;
mod date;
mod key;
mod refusal;
mod signed;
mod verifier;

#[cfg(test)]
mod tests;

pub use credentials::Credentials;
pub use refusal::{Incomplete, Invalid, Missing, Refusal, WrongScope};
pub use verifier::Verifier;
