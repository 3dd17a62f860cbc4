//! All of it, run: the initialisation once, and then one invocation after the other until Lambda ends the process.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use lambda_runtime::{LambdaEvent, service_fn};
use lambda_runtime_api_client::body::Body;
use lambda_runtime_api_client::{Client, build_request};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::error::{BoxError, Error, told};
use crate::function::Function;
use crate::process::Process;

/// Lambda is told of a failed initialisation for so long.
const TOLD_WITHIN: Duration = Duration::from_secs(1);

/// Runs a function: initialises it once, and answers invocations, one after the other, until Lambda ends the process.
///
/// # Errors
/// If the initialisation fails or panics, which Lambda is told, or if the runtime API does not answer.
pub async fn run<I, F, E>(init: I) -> Result<(), Error>
where
    I: FnOnce(Process) -> F,
    F: Future<Output = Result<Function, E>>,
    E: Into<BoxError>,
{
    let process =
        Process::from_env().inspect_err(|error| tracing::error!(%error, "the function cannot start"))?;
    let initialised = AssertUnwindSafe(init(process.clone())).catch_unwind().await;
    let reason = match initialised {
        Ok(Ok(function)) => return serve(process, function).await,
        Ok(Err(error)) => told(&*error.into()),
        Err(_) => "it panicked".to_owned(),
    };
    tracing::error!(reason, "the function could not be initialised");
    if timeout(TOLD_WITHIN, report(&reason)).await.is_err() {
        tracing::error!("Lambda could not be told so");
    }
    Err(Error::Init { reason })
}

async fn serve(process: Process, function: Function) -> Result<(), Error> {
    let service = service_fn(move |event: LambdaEvent<Box<RawValue>>| {
        let (process, function) = (process.clone(), function.clone());
        async move { function.invoked(&process, event).await }
    });
    lambda_runtime::run(service).await.map_err(|error| Error::Runtime { reason: told(&*error) })
}

/// Tells Lambda why there is no function, so that its log and whoever invoked it say it. That this cannot be told is no further error.
async fn report(reason: &str) {
    let problem = json!({ "errorType": "Function.InitError", "errorMessage": reason, "stackTrace": [] });
    let request = build_request()
        .method("POST")
        .uri("/2018-06-01/runtime/init/error")
        .header("lambda-runtime-function-error-type", "Function.InitError")
        .body(Body::from(problem.to_string()));
    let (Ok(client), Ok(request)) = (Client::builder().build(), request) else { return };
    if let Err(error) = client.call(request).await {
        tracing::error!(
            error = told(&*error),
            "Lambda was not told that the function could not be initialised"
        );
    }
}
