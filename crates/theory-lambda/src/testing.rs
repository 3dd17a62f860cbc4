//! A Lambda on this machine, for tests: it starts the program of a function, gives it events by the runtime API, freezes it between
//! them as Lambda does, and can kill it in the middle. With a DynamoDB beside it, a whole function is tested as it will run.
//!
//! ```no_run
//! use std::time::Duration;
//! use theory_lambda::testing::{Call, DynamoDb, Runtime};
//!
//! # async fn test() -> std::io::Result<()> {
//! let tables = DynamoDb::start().await?;
//! let lambda = Runtime::start().await?;
//! let function = lambda.launch("target/debug/my-function", tables.environment())?;
//! let answer = lambda.invoke(Call::get("/").event(), Duration::from_secs(3)).await.http();
//! assert_eq!(answer.status, 200);
//! assert!(function.lines().is_empty(), "nothing was counted");
//! # Ok(()) }
//! ```

mod api;
mod call;
mod dynamodb;
mod launched;
mod outcome;
mod runtime;

pub use call::Call;
pub use dynamodb::DynamoDb;
pub use launched::Launched;
pub use outcome::{HttpAnswer, Outcome};
pub use runtime::Runtime;
