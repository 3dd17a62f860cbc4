//! The same application as a function of AWS Lambda: routes, rate limits, idempotent requests and pages, with the remaining time of
//! each invocation respected.
