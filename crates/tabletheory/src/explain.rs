//! What a request will do and what it costs at least, before it is sent. Names are shown, values never are.

use std::fmt;

use tabletheory_core::expr::{Condition, ProjectionExpression, RenderScope, Update};
use tabletheory_core::limits::WRITE_UNIT_BYTES;
use tabletheory_core::partiql::{self, Command};
use tabletheory_core::store::op::{
    BatchExecuteStatement, BatchGetItem, BatchWrite, BatchWriteItem, ExecuteStatement, ExecuteTransaction,
    Query, Scan, Statement, TransactAction, TransactWrite,
};
use tabletheory_core::{Item, Request, size};

/// A request, explained: what it does, where, under which conditions, and what it costs.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
///     logins: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// let plan = db.update(User::key("1")).change(User::LOGINS.add(1)).explain().await?;
/// assert_eq!(
///     plan.to_string(),
///     "UpdateItem in `users` by the key (id)\n\
///      change: ADD logins :v0\n\
///      condition: attribute_exists(id)\n\
///      cost: at least 1 write unit; one for each 1 KB of the item before or after, whichever is larger, and of what \
///      indexes carry of it"
/// );
/// assert_eq!(plan.write_units, 1.0);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The operation, such as `PutItem`.
    pub operation: &'static str,
    /// Where, in words.
    pub place: String,
    /// The expressions, each with its purpose. Values are placeholders.
    pub expressions: Vec<(&'static str, String)>,
    /// The read units that it takes at least.
    pub read_units: f64,
    /// The write units that it takes at least.
    pub write_units: f64,
    /// What the cost depends on.
    pub rule: &'static str,
}

const READ_RULE: &str = "half a unit for each 4 KB, a whole one if consistent";
const PAGE_RULE: &str = "half a unit for each 4 KB that is read, also of items that the filter leaves out; twice that if consistent";
const PUT_RULE: &str = "one for each 1 KB of the item, or of the one it replaces if that is larger, and of what indexes \
                        carry of it";
const CHANGE_RULE: &str = "one for each 1 KB of the item before or after, whichever is larger, and of what indexes carry \
                           of it";
const TRANSACT_READ_RULE: &str = "two units for each 4 KB of each item";
const TRANSACT_WRITE_RULE: &str = "two units for each 1 KB of each item, and of what indexes carry of it";
const NO_RULE: &str = "nothing";

impl Plan {
    /// Explains a request.
    ///
    /// ```
    /// use tabletheory::explain::Plan;
    /// use tabletheory_core::store::op::GetItem;
    /// use tabletheory_core::Item;
    ///
    /// let get = GetItem { table: "users".into(), key: Item::from([("id", "1")]), ..GetItem::default() };
    /// let plan = Plan::of(get);
    /// assert_eq!((plan.operation, plan.read_units), ("GetItem", 0.5));
    /// ```
    #[must_use]
    pub fn of(request: impl Into<Request>) -> Self {
        let request = request.into();
        let plan = Self {
            operation: request.name(),
            place: String::new(),
            expressions: Vec::new(),
            read_units: 0.0,
            write_units: 0.0,
            rule: NO_RULE,
        };
        match request {
            Request::GetItem(get) => plan
                .at(by_key(&get.table, &get.key), READ_RULE)
                .reading(1, get.consistent)
                .projected(get.projection.as_ref()),
            Request::PutItem(put) => plan
                .at(within(&put.table, None), PUT_RULE)
                .writing(units(&put.item))
                .conditioned(put.condition.as_ref()),
            Request::UpdateItem(update) => plan
                .at(by_key(&update.table, &update.key), CHANGE_RULE)
                .writing(1.0)
                .changed(update.update.as_ref())
                .conditioned(update.condition.as_ref()),
            Request::DeleteItem(delete) => plan
                .at(by_key(&delete.table, &delete.key), CHANGE_RULE)
                .writing(1.0)
                .conditioned(delete.condition.as_ref()),
            Request::Query(query) => plan.query(&query),
            Request::Scan(scan) => plan
                .at(whole(&scan), PAGE_RULE)
                .reading(1, scan.consistent)
                .filtered(scan.filter.as_ref())
                .projected(scan.projection.as_ref()),
            Request::BatchGetItem(batch) => plan.batch_get(&batch),
            Request::BatchWriteItem(batch) => plan.batch_write(&batch),
            Request::TransactGetItems(gets) => plan.transact_get(gets.gets.len()),
            Request::TransactWriteItems(writes) => plan.transact_write(&writes.writes),
            Request::ExecuteStatement(execute) => plan.statement(&execute),
            Request::BatchExecuteStatement(batch) => plan.batch_of_statements(&batch),
            Request::ExecuteTransaction(transaction) => plan.transaction_of_statements(&transaction),
            Request::CreateTable(_)
            | Request::DescribeTable(_)
            | Request::ListTables(_)
            | Request::UpdateTable(_)
            | Request::DeleteTable(_)
            | Request::UpdateTimeToLive(_)
            | Request::DescribeTimeToLive(_)
            | Request::TagResource(_)
            | Request::UntagResource(_)
            | Request::ListTagsOfResource(_)
            | Request::ListStreams(_)
            | Request::DescribeStream(_)
            | Request::GetShardIterator(_)
            | Request::GetRecords(_) => plan,
        }
    }

    fn query(self, query: &Query) -> Self {
        self.at(within(&query.table, query.index.as_deref()), PAGE_RULE)
            .reading(1, query.consistent)
            .express("key", |scope| scope.key_condition(&query.key_condition))
            .filtered(query.filter.as_ref())
            .projected(query.projection.as_ref())
    }

    fn batch_get(self, batch: &BatchGetItem) -> Self {
        let tables = batch.tables.iter().map(|(table, keys)| (table.as_str(), keys.keys.len()));
        let consistent = batch.tables.values().all(|keys| keys.consistent);
        let keys = tables.clone().map(|(_, keys)| keys).sum();
        self.at(listed(tables), READ_RULE).reading(keys, consistent)
    }

    fn batch_write(self, batch: &BatchWriteItem) -> Self {
        let tables = batch.tables.iter().map(|(table, writes)| (table.as_str(), writes.len()));
        let cost = |write: &BatchWrite| match write {
            BatchWrite::Put(item) => units(item),
            BatchWrite::Delete(_) => 1.0,
        };
        let cost = batch.tables.values().flatten().map(cost).sum();
        self.at(listed(tables), PUT_RULE).writing(cost)
    }

    fn transact_get(self, count: usize) -> Self {
        self.at(format!("of {count} items"), TRANSACT_READ_RULE).reading(2 * count, true)
    }

    fn transact_write(mut self, writes: &[TransactWrite]) -> Self {
        let cost = writes.iter().map(|write| 2.0 * transact_units(write)).sum();
        self = self.at(format!("of {} items", writes.len()), TRANSACT_WRITE_RULE).writing(cost);
        for write in writes {
            let (purpose, place, update) = match &write.action {
                TransactAction::Put { .. } => ("put", within(&write.table, None), None),
                TransactAction::Update { key, update } => ("update", by_key(&write.table, key), Some(update)),
                TransactAction::Delete { key } => ("delete", by_key(&write.table, key), None),
                TransactAction::ConditionCheck { key } => ("check", by_key(&write.table, key), None),
            };
            self.expressions.push((purpose, place));
            self = self.changed(update).conditioned(write.condition.as_ref());
        }
        self
    }

    fn statement(self, execute: &ExecuteStatement) -> Self {
        match commands([&execute.statement]).as_slice() {
            [command @ Command::Select(select)] => self
                .at(stated(command), PAGE_RULE)
                .reading(1, execute.consistent)
                .filtered(select.condition.as_ref())
                .projected(select.projection.as_ref()),
            [command] => self.at(stated(command), CHANGE_RULE).writing(command_units(command)).told(command),
            _ => self.at("of a statement that cannot be read".to_owned(), NO_RULE),
        }
    }

    fn batch_of_statements(self, batch: &BatchExecuteStatement) -> Self {
        let commands = commands(batch.statements.iter().map(|batched| &batched.statement));
        let place = format!("of {} statements", batch.statements.len());
        let plan = if commands.iter().all(Command::is_read) {
            let consistent = batch.statements.iter().all(|batched| batched.consistent);
            self.at(place, READ_RULE).reading(commands.len(), consistent)
        } else {
            self.at(place, CHANGE_RULE).writing(commands.iter().map(command_units).sum())
        };
        plan.all_told(&commands)
    }

    fn transaction_of_statements(self, transaction: &ExecuteTransaction) -> Self {
        let commands = commands(&transaction.statements);
        let place = format!("of {} statements", transaction.statements.len());
        let plan = if commands.iter().all(Command::is_read) {
            self.at(place, TRANSACT_READ_RULE).reading(2 * commands.len(), true)
        } else {
            let cost = commands.iter().map(|command| 2.0 * command_units(command)).sum();
            self.at(place, TRANSACT_WRITE_RULE).writing(cost)
        };
        plan.all_told(&commands)
    }

    fn at(self, place: String, rule: &'static str) -> Self {
        Self { place, rule, ..self }
    }

    fn reading(mut self, items: usize, consistent: bool) -> Self {
        let items = u32::try_from(items).map_or(f64::INFINITY, f64::from);
        self.read_units = if consistent { items } else { items / 2.0 };
        self
    }

    fn writing(mut self, units: f64) -> Self {
        self.write_units = units;
        self
    }

    fn express(mut self, purpose: &'static str, print: impl FnOnce(&mut RenderScope) -> String) -> Self {
        self.expressions.push((purpose, readable(print)));
        self
    }

    fn conditioned(self, condition: Option<&Condition>) -> Self {
        match condition {
            Some(condition) => self.express("condition", |scope| scope.condition(condition)),
            None => self,
        }
    }

    fn filtered(self, filter: Option<&Condition>) -> Self {
        match filter {
            Some(filter) => self.express("filter", |scope| scope.condition(filter)),
            None => self,
        }
    }

    fn projected(self, projection: Option<&ProjectionExpression>) -> Self {
        match projection {
            Some(projection) => self.express("projection", |scope| scope.projection(projection)),
            None => self,
        }
    }

    fn changed(self, update: Option<&Update>) -> Self {
        match update {
            Some(update) => self.express("change", |scope| scope.update(update)),
            None => self,
        }
    }

    /// What a statement changes, and what must be true; the key is a part of it.
    fn told(self, command: &Command) -> Self {
        match command {
            Command::Select(select) | Command::Exists(select) => {
                self.conditioned(select.condition.as_ref()).projected(select.projection.as_ref())
            }
            Command::Insert(_) => self,
            Command::Update(update) => {
                self.changed(Some(&update.update)).conditioned(update.condition.as_ref())
            }
            Command::Delete(delete) => self.conditioned(delete.condition.as_ref()),
        }
    }

    fn all_told(mut self, commands: &[Command]) -> Self {
        for command in commands {
            let purpose = match command {
                Command::Select(_) => "select",
                Command::Insert(_) => "insert",
                Command::Update(_) => "update",
                Command::Delete(_) => "delete",
                Command::Exists(_) => "check",
            };
            self.expressions.push((purpose, stated(command)));
            self = self.told(command);
        }
        self
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.operation, self.place)?;
        for (purpose, text) in &self.expressions {
            write!(f, "\n{purpose}: {text}")?;
        }
        let (amount, kind) =
            if self.write_units > 0.0 { (self.write_units, "write") } else { (self.read_units, "read") };
        let plural = if amount > 1.0 { "s" } else { "" };
        write!(f, "\ncost: at least {amount} {kind} unit{plural}; {}", self.rule)
    }
}

/// The expression with its names in their places.
fn readable(print: impl FnOnce(&mut RenderScope) -> String) -> String {
    let mut scope = RenderScope::new();
    let text = print(&mut scope);
    let (names, _) = scope.into_parts();
    let mut names: Vec<(String, String)> = names.into_iter().collect();
    // `#n10` begins with `#n1`.
    names.sort_by_key(|(placeholder, _)| std::cmp::Reverse(placeholder.len()));
    names.iter().fold(text, |text, (placeholder, name)| text.replace(placeholder.as_str(), name))
}

fn by_key(table: &str, key: &Item) -> String {
    let names: Vec<&str> = key.names().collect();
    format!("in `{table}` by the key ({})", names.join(", "))
}

fn within(table: &str, index: Option<&str>) -> String {
    match index {
        Some(index) => format!("in the index `{index}` of `{table}`"),
        None => format!("in `{table}`"),
    }
}

fn whole(scan: &Scan) -> String {
    let part = match scan.segment {
        Some(segment) => format!("segment {} of {}", segment.segment, segment.total),
        None => "all".to_owned(),
    };
    format!("of {part} {}", within(&scan.table, scan.index.as_deref()))
}

fn listed<'a>(tables: impl Iterator<Item = (&'a str, usize)>) -> String {
    let tables: Vec<String> = tables.map(|(table, items)| format!("{items} in `{table}`")).collect();
    format!("of {}", tables.join(", "))
}

/// The units that it takes to write an item.
fn units(item: &Item) -> f64 {
    let units = size::item_bytes(item).div_ceil(WRITE_UNIT_BYTES).max(1);
    u32::try_from(units).map_or(f64::INFINITY, f64::from)
}

/// What the statements ask for, but for those that cannot be read: they are refused.
fn commands<'s>(statements: impl IntoIterator<Item = &'s Statement>) -> Vec<Command> {
    let read = |statement: &Statement| partiql::parse(&statement.text, &statement.parameters).ok();
    statements.into_iter().filter_map(read).collect()
}

/// Where a statement looks.
fn stated(command: &Command) -> String {
    match command {
        Command::Select(select) | Command::Exists(select) => within(&select.table, select.index.as_deref()),
        Command::Insert(_) | Command::Update(_) | Command::Delete(_) => within(command.table(), None),
    }
}

fn command_units(command: &Command) -> f64 {
    match command {
        Command::Insert(insert) => units(&insert.item),
        Command::Select(_) | Command::Update(_) | Command::Delete(_) | Command::Exists(_) => 1.0,
    }
}

fn transact_units(write: &TransactWrite) -> f64 {
    match &write.action {
        TransactAction::Put { item } => units(item),
        _ => 1.0,
    }
}
