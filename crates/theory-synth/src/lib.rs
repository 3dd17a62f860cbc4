//! Infrastructure from the same definitions that the runtime works with: models become tables, functions get the environment
//! and the permissions that their code needs, and alarms watch the figures that it tells.
//!
//! | module | what it is for |
//! |---|---|
//! | [`environment`], [`metric`] | the words that templates and functions share |

pub mod environment;
pub mod metric;
