//! What it means to send a request again when the answer to it was lost. The service cannot tell a repetition from a
//! second request, so only some writes may be repeated without asking the caller.

use tabletheory_core::expr::Condition;
use tabletheory_core::store::op::{ReturnValues, Statement, WriteReturns};
use tabletheory_core::{Request, partiql};

/// The effect of sending a request once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It changes nothing.
    Read,
    /// Twice is the same as once: whole items, whole tags, or a token by which the service recognises it.
    Repeatable,
    /// The second time may change something else, or be refused because of the first.
    Once,
}

impl Effect {
    /// The effect of repeating `request`.
    pub(crate) fn of(request: &Request) -> Self {
        match request {
            Request::DescribeTable(_)
            | Request::ListTables(_)
            | Request::DescribeTimeToLive(_)
            | Request::ListTagsOfResource(_)
            | Request::GetItem(_)
            | Request::Query(_)
            | Request::Scan(_)
            | Request::BatchGetItem(_)
            | Request::TransactGetItems(_)
            | Request::ListStreams(_)
            | Request::DescribeStream(_)
            | Request::GetShardIterator(_)
            | Request::GetRecords(_) => Self::Read,
            Request::TagResource(_)
            | Request::UntagResource(_)
            | Request::BatchWriteItem(_)
            // Without a token of the caller's the SDK makes one, which all attempts share.
            | Request::TransactWriteItems(_)
            | Request::ExecuteTransaction(_) => Self::Repeatable,
            Request::PutItem(put) => Self::of_write(put.condition.as_ref(), &put.returns),
            Request::DeleteItem(delete) => Self::of_write(delete.condition.as_ref(), &delete.returns),
            // A table made twice exists already, one deleted twice is not found; an update may count or append.
            Request::CreateTable(_)
            | Request::UpdateTable(_)
            | Request::DeleteTable(_)
            | Request::UpdateTimeToLive(_)
            | Request::UpdateItem(_) => Self::Once,
            Request::ExecuteStatement(execute) => Self::of_statement(&execute.statement),
            Request::BatchExecuteStatement(batch) => {
                let mut statements = batch.statements.iter();
                let reads = statements.all(|each| Self::reads(&each.statement));
                if reads { Self::Read } else { Self::Once }
            }
        }
    }

    /// A condition may hold only the first time, and the old item is told only the first time.
    fn of_write(condition: Option<&Condition>, returns: &WriteReturns) -> Self {
        let plain = condition.is_none() && returns.values == ReturnValues::None;
        if plain { Self::Repeatable } else { Self::Once }
    }

    /// What is no statement for us is one for the service to judge, once.
    fn of_statement(statement: &Statement) -> Self {
        if Self::reads(statement) { Self::Read } else { Self::Once }
    }

    /// Whether a statement is known to change nothing: only a `SELECT` is.
    pub(crate) fn reads(statement: &Statement) -> bool {
        partiql::parse(&statement.text, &statement.parameters).is_ok_and(|command| command.is_read())
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::store::op::*;

    use super::*;

    #[track_caller]
    fn check(request: impl Into<Request>, expected: Effect) {
        assert_eq!(Effect::of(&request.into()), expected);
    }

    fn statement(text: &str) -> Statement {
        Statement { text: text.to_owned(), ..Statement::default() }
    }

    fn batch(texts: &[&str]) -> BatchExecuteStatement {
        let statements = texts
            .iter()
            .map(|text| BatchStatement { statement: statement(text), ..BatchStatement::default() });
        BatchExecuteStatement { statements: statements.collect(), ..BatchExecuteStatement::default() }
    }

    #[test]
    fn reads_may_be_repeated() {
        check(GetItem::default(), Effect::Read);
        check(Query::default(), Effect::Read);
        check(GetRecords::default(), Effect::Read);
        let select =
            ExecuteStatement { statement: statement("select * from \"t\""), ..ExecuteStatement::default() };
        check(select, Effect::Read);
        check(batch(&["SELECT * FROM t", "SELECT * FROM u"]), Effect::Read);
    }

    #[test]
    fn whole_items_and_tokens_may_be_repeated() {
        check(PutItem::default(), Effect::Repeatable);
        check(DeleteItem::default(), Effect::Repeatable);
        check(BatchWriteItem::default(), Effect::Repeatable);
        check(TransactWriteItems::default(), Effect::Repeatable);
        check(ExecuteTransaction::default(), Effect::Repeatable);
    }

    #[test]
    fn a_write_that_looks_at_what_is_there_is_sent_once() {
        let condition = Some(Condition::AttributeNotExists("pk".into()));
        let returns = WriteReturns { values: ReturnValues::AllOld, ..WriteReturns::default() };
        check(PutItem { condition: condition.clone(), ..PutItem::default() }, Effect::Once);
        check(PutItem { returns, ..PutItem::default() }, Effect::Once);
        check(DeleteItem { condition, ..DeleteItem::default() }, Effect::Once);
        check(DeleteItem { returns, ..DeleteItem::default() }, Effect::Once);
        check(UpdateItem::default(), Effect::Once);
    }

    #[test]
    fn a_statement_that_writes_or_cannot_be_read_is_sent_once() {
        let delete = statement("DELETE FROM t WHERE pk = 'a'");
        check(ExecuteStatement { statement: delete, ..ExecuteStatement::default() }, Effect::Once);
        check(
            ExecuteStatement { statement: statement("SELECTED"), ..ExecuteStatement::default() },
            Effect::Once,
        );
        check(batch(&["SELECT * FROM t", "DELETE FROM t WHERE pk = 'a'"]), Effect::Once);
    }

    #[test]
    fn a_change_of_a_table_is_sent_once() {
        check(CreateTable::default(), Effect::Once);
        check(UpdateTable::default(), Effect::Once);
        check(DeleteTable::default(), Effect::Once);
        check(UpdateTimeToLive::default(), Effect::Once);
    }
}
