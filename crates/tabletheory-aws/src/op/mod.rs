//! The operations: typed request, SDK call, typed response. One file for each group, named as in the core.

mod batch;
mod item;
mod read;
mod statement;
mod stream;
mod table;
mod transact;

use tabletheory_core::{Request, Response, StoreError};

use crate::call::Call;

/// Performs an operation. The table of contents of this crate: the compiler refuses a missing line.
pub(crate) async fn perform(call: &Call<'_>, request: Request) -> Result<Response, StoreError> {
    macro_rules! answer {
        ($($name:ident => $perform:path,)*) => {
            match request {
                $(Request::$name(request) => {
                    // Each operation's future is large, and only one of them is ever needed.
                    Ok(Response::$name(Box::new(Box::pin($perform(call, *request)).await?)))
                })*
            }
        };
    }
    answer! {
        CreateTable => table::create,
        DescribeTable => table::describe,
        ListTables => table::list,
        UpdateTable => table::update,
        DeleteTable => table::delete,
        UpdateTimeToLive => table::update_time_to_live,
        DescribeTimeToLive => table::describe_time_to_live,
        TagResource => table::tag,
        UntagResource => table::untag,
        ListTagsOfResource => table::list_tags,
        GetItem => item::get,
        PutItem => item::put,
        UpdateItem => item::update,
        DeleteItem => item::delete,
        Query => read::query,
        Scan => read::scan,
        BatchGetItem => batch::get,
        BatchWriteItem => batch::write,
        TransactGetItems => transact::get,
        TransactWriteItems => transact::write,
        ListStreams => stream::list,
        DescribeStream => stream::describe,
        GetShardIterator => stream::iterator,
        GetRecords => stream::records,
        ExecuteStatement => statement::execute,
        BatchExecuteStatement => statement::batch,
        ExecuteTransaction => statement::transaction,
    }
}
