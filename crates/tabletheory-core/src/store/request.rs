//! The list of operations, once. From it come the request and response enums, the operations' names, and in `ext` the
//! typed calls, so that a store that forgets an operation does not compile.

use super::op::*;

/// A request that knows its response.
pub trait Operation: Sized + Send + 'static {
    /// What the store answers.
    type Output: Send + 'static;
    /// The service's name for the operation.
    const NAME: &'static str;

    /// The request among all requests.
    fn into_request(self) -> Request;

    /// The output inside a response to this request.
    ///
    /// # Panics
    /// If the store answered another operation.
    fn from_response(response: Response) -> Self::Output;
}

macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident -> $output:ident, $method:ident;)*) => {
        /// Every operation a store performs.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each variant is documented at the type it holds")]
        pub enum Request { $($name(Box<$name>),)* }

        /// What a store answers, operation for operation.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each variant is documented at the type it holds")]
        pub enum Response { $($name(Box<$output>),)* }

        impl Request {
            /// The names of all operations.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// The service's name for the operation.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name),)* }
            }
        }

        $(
            impl Operation for $name {
                type Output = $output;
                const NAME: &'static str = stringify!($name);

                fn into_request(self) -> Request {
                    Request::$name(Box::new(self))
                }

                fn from_response(response: Response) -> $output {
                    match response {
                        Response::$name(output) => *output,
                        other => panic!(concat!("a store answered ", stringify!($name), " with {:?}"), other),
                    }
                }
            }

            impl From<$name> for Request {
                fn from(request: $name) -> Self {
                    request.into_request()
                }
            }
        )*
    };
}

/// Hands the list of operations to a macro: the request, its output, and the name of the typed call.
macro_rules! for_each_operation {
    ($use_list:ident) => {
        $use_list! {
            CreateTable -> CreateTableOutput, create_table;
            DescribeTable -> DescribeTableOutput, describe_table;
            ListTables -> ListTablesOutput, list_tables;
            UpdateTable -> UpdateTableOutput, update_table;
            DeleteTable -> DeleteTableOutput, delete_table;
            UpdateTimeToLive -> UpdateTimeToLiveOutput, update_time_to_live;
            DescribeTimeToLive -> DescribeTimeToLiveOutput, describe_time_to_live;
            TagResource -> TagResourceOutput, tag_resource;
            UntagResource -> UntagResourceOutput, untag_resource;
            ListTagsOfResource -> ListTagsOfResourceOutput, list_tags_of_resource;
            GetItem -> GetItemOutput, get_item;
            PutItem -> WriteOutput, put_item;
            UpdateItem -> WriteOutput, update_item;
            DeleteItem -> WriteOutput, delete_item;
            Query -> PageOutput, query;
            Scan -> PageOutput, scan;
            BatchGetItem -> BatchGetItemOutput, batch_get_item;
            BatchWriteItem -> BatchWriteItemOutput, batch_write_item;
            TransactGetItems -> TransactGetItemsOutput, transact_get_items;
            TransactWriteItems -> TransactWriteItemsOutput, transact_write_items;
            ListStreams -> ListStreamsOutput, list_streams;
            DescribeStream -> DescribeStreamOutput, describe_stream;
            GetShardIterator -> GetShardIteratorOutput, get_shard_iterator;
            GetRecords -> GetRecordsOutput, get_records;
            ExecuteStatement -> ExecuteStatementOutput, execute_statement;
            BatchExecuteStatement -> BatchExecuteStatementOutput, batch_execute_statement;
            ExecuteTransaction -> ExecuteTransactionOutput, execute_transaction;
        }
    };
}

pub(super) use for_each_operation;

for_each_operation!(requests);
