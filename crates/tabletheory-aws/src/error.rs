//! The SDK's errors as the store's. What the service answered keeps its code and message; what the network did becomes
//! [`StoreError::Unavailable`] if nothing was sent and [`StoreError::Internal`] if nobody knows.

use std::error::Error;

use aws_credential_types::provider::error::CredentialsError;
use aws_sdk_dynamodb::types;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use tabletheory_core::StoreError;
use tabletheory_core::error::{CancellationCode, CancellationReason};

use crate::attempt::{Attempts, never_connected, sources};
use crate::value;

/// An error of the tables' client.
pub(crate) fn of_tables<E>(error: SdkError<E, HttpResponse>, attempts: &Attempts) -> StoreError
where
    E: Into<aws_sdk_dynamodb::Error> + ProvideErrorMetadata + Error + Send + Sync + 'static,
{
    let SdkError::ServiceError(context) = error else {
        return attempts.settle(of_network(&error, attempts), None);
    };
    let status = context.raw().status().as_u16();
    let code = context.err().code().map(str::to_owned);
    let told = of_code(code.as_deref(), context.err().message(), status);
    let told = match context.into_err().into() {
        aws_sdk_dynamodb::Error::ConditionalCheckFailedException(error) => condition_failed(error.item),
        aws_sdk_dynamodb::Error::TransactionCanceledException(error) => {
            canceled(error.cancellation_reasons.unwrap_or_default())
        }
        _ => told,
    };
    attempts.settle(told, code.as_deref())
}

/// An error of a client whose requests change nothing, so no earlier attempt has to be thought of.
pub(crate) fn of_reads<E>(error: SdkError<E, HttpResponse>, attempts: &Attempts) -> StoreError
where
    E: ProvideErrorMetadata + Error + Send + Sync + 'static,
{
    let SdkError::ServiceError(context) = error else { return of_network(&error, attempts) };
    of_code(context.err().code(), context.err().message(), context.raw().status().as_u16())
}

fn condition_failed(item: Option<value::Attributes>) -> StoreError {
    match value::read_optional(item) {
        Ok(item) => StoreError::ConditionalCheckFailed { item: item.map(Box::new) },
        Err(error) => error,
    }
}

fn canceled(reasons: Vec<types::CancellationReason>) -> StoreError {
    match reasons.into_iter().map(reason).collect() {
        Ok(reasons) => StoreError::TransactionCanceled { reasons },
        Err(error) => error,
    }
}

fn reason(reason: types::CancellationReason) -> Result<CancellationReason, StoreError> {
    let item = value::read_optional(reason.item)?.map(Box::new);
    let code = reason.code.as_deref().unwrap_or("None");
    Ok(match CancellationCode::from_name(code) {
        Some(code) => CancellationReason { code, message: reason.message, item },
        // It stood in the way for a reason we have no name for; the text keeps the service's name.
        None => CancellationReason {
            code: CancellationCode::ValidationError,
            message: Some(named(code, reason.message.as_deref())),
            item,
        },
    })
}

/// Why one statement of a batch failed; its codes are shorter than those of whole requests.
pub(crate) fn of_statement(error: types::BatchStatementError) -> StoreError {
    let code = error.code.as_ref().map_or("", types::BatchStatementErrorCodeEnum::as_str);
    let whole = match code {
        "ConditionalCheckFailed" => return condition_failed(error.item),
        "ThrottlingError" => "ThrottlingException",
        "ValidationError" => "ValidationException",
        "InternalServerError" | "RequestLimitExceeded" => code,
        _ => return of_code(Some(&format!("{code}Exception")), error.message.as_deref(), 400),
    };
    of_code(Some(whole), error.message.as_deref(), 400)
}

/// What the service answered, by its name for it.
fn of_code(code: Option<&str>, message: Option<&str>, status: u16) -> StoreError {
    let Some(code) = code else {
        // As of a proxy in between.
        return of_status(status, format!("the answer has the status {status} and names no error"));
    };
    let text = message.unwrap_or(code).to_owned();
    match code {
        "ValidationException" => StoreError::Validation(text),
        "ResourceNotFoundException" => StoreError::ResourceNotFound(text),
        "ResourceInUseException" => StoreError::ResourceInUse(text),
        "ConditionalCheckFailedException" => StoreError::ConditionalCheckFailed { item: None },
        "TransactionCanceledException" => StoreError::TransactionCanceled { reasons: Vec::new() },
        "TransactionConflictException" => StoreError::TransactionConflict(text),
        "TransactionInProgressException" => StoreError::TransactionInProgress(text),
        "IdempotentParameterMismatchException" => StoreError::IdempotentParameterMismatch(text),
        "DuplicateItemException" => StoreError::DuplicateItem(text),
        "ProvisionedThroughputExceededException" => StoreError::ProvisionedThroughputExceeded(text),
        "RequestLimitExceeded" => StoreError::RequestLimitExceeded(text),
        "ThrottlingException" => StoreError::Throttling(text),
        "LimitExceededException" => StoreError::LimitExceeded(text),
        "ItemCollectionSizeLimitExceededException" => StoreError::ItemCollectionSizeLimitExceeded(text),
        "TrimmedDataAccessException" => StoreError::TrimmedDataAccess(text),
        "ExpiredIteratorException" => StoreError::ExpiredIterator(text),
        "AccessDeniedException" => StoreError::AccessDenied(text),
        "SerializationException" => StoreError::Serialization(text),
        "UnknownOperationException" => StoreError::UnknownOperation(text),
        "InternalServerError" => StoreError::Internal(text),
        other => of_other_code(other, named(other, message), status),
    }
}

/// Codes the store has no variant for keep their name in the text.
fn of_other_code(code: &str, text: String, status: u16) -> StoreError {
    match code {
        // What the SDK itself takes for throttling, and sends again.
        "Throttling"
        | "ThrottledException"
        | "RequestThrottled"
        | "RequestThrottledException"
        | "TooManyRequestsException"
        | "BandwidthLimitExceeded"
        | "SlowDown"
        | "PriorRequestNotComplete"
        | "EC2ThrottledException" => StoreError::Throttling(text),
        // The service did not get the whole request in time.
        "RequestTimeout" | "RequestTimeoutException" => StoreError::Unavailable(text),
        "ReplicatedWriteConflictException" => StoreError::TransactionConflict(text),
        "TableNotFoundException" | "IndexNotFoundException" => StoreError::ResourceNotFound(text),
        "TableInUseException" | "TableAlreadyExistsException" => StoreError::ResourceInUse(text),
        "UnrecognizedClientException"
        | "InvalidSignatureException"
        | "IncompleteSignatureException"
        | "MissingAuthenticationTokenException"
        | "MissingAuthenticationToken"
        | "ExpiredTokenException"
        | "InvalidClientTokenId" => StoreError::AccessDenied(text),
        _ => of_status(status, text),
    }
}

/// What the status says where no name does.
fn of_status(status: u16, text: String) -> StoreError {
    match status {
        401 | 403 => StoreError::AccessDenied(text),
        408 => StoreError::Unavailable(text),
        429 => StoreError::Throttling(text),
        400..500 => StoreError::Validation(text),
        _ => StoreError::Internal(text),
    }
}

fn named(code: &str, message: Option<&str>) -> String {
    message.map_or_else(|| code.to_owned(), |message| format!("{code}: {message}"))
}

/// There is no answer that can be read.
fn of_network<E>(error: &SdkError<E, HttpResponse>, attempts: &Attempts) -> StoreError
where
    E: Error + 'static,
{
    let text = chain(error);
    if let Some(error) = credentials(error) {
        return match error {
            CredentialsError::CredentialsNotLoaded(_) | CredentialsError::InvalidConfiguration(_) => {
                StoreError::AccessDenied(format!("there are no credentials to sign the request with: {text}"))
            }
            _ => StoreError::Unavailable(format!("the credentials could not be fetched: {text}")),
        };
    }
    match error {
        // A request that cannot be written down will not be the next time either.
        SdkError::ConstructionFailure(_) => StoreError::Validation(text),
        _ if attempts.may_have_happened() => StoreError::Internal(format!("the answer was lost: {text}")),
        SdkError::DispatchFailure(error)
            if error.as_connector_error().is_some_and(|e| never_connected(e)) =>
        {
            StoreError::Unavailable(format!("the service was not reached: {text}"))
        }
        SdkError::DispatchFailure(error) if error.is_other() => StoreError::Validation(text),
        _ => StoreError::Unavailable(format!("there is no answer, and nothing was done: {text}")),
    }
}

fn credentials<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e CredentialsError> {
    sources(error).find_map(|error| error.downcast_ref())
}

/// What each error of the chain says. Never what `Debug` shows: that may hold the request's or the answer's data.
fn chain(error: &(dyn Error + 'static)) -> String {
    let texts: Vec<String> = sources(error).map(ToString::to_string).collect();
    texts.join(": ")
}

#[cfg(test)]
mod tests;
