//! One request on its way: the clients it may use, and the account of its attempts.

use aws_sdk_dynamodb::config::Builder;

use crate::attempt::Attempts;

/// What an operation needs to be sent.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    pub(crate) tables: &'c aws_sdk_dynamodb::Client,
    pub(crate) streams: &'c aws_sdk_dynamodbstreams::Client,
    pub(crate) attempts: Attempts,
}

impl Call<'_> {
    /// What is special about this call: its attempts are counted, and a lost one may forbid the next.
    pub(crate) fn to_tables(&self) -> Builder {
        Builder::default().interceptor(self.attempts.clone()).retry_classifier(self.attempts.clone())
    }
}

/// Sends a request of the tables' client. A macro, since the SDK has no name for what all its requests can do.
macro_rules! send_to_tables {
    ($call:expr, $request:expr) => {
        $crate::call::send_to_tables!($call, $request, $call.to_tables())
    };
    ($call:expr, $request:expr, $special:expr) => {
        $request
            .customize()
            .config_override($special)
            .send()
            .await
            .map_err(|error| $crate::error::of_tables(error, &$call.attempts))
    };
}

/// Sends a request of the streams' client. They all read, so none is forbidden another attempt.
macro_rules! send_to_streams {
    ($call:expr, $request:expr) => {
        $request
            .customize()
            .interceptor($call.attempts.clone())
            .send()
            .await
            .map_err(|error| $crate::error::of_reads(error, &$call.attempts))
    };
}

pub(crate) use {send_to_streams, send_to_tables};
