//! Every limit of the service, named once. Sizes are bytes, counts are counts.

/// An item, names and values together.
pub const ITEM_BYTES_MAX: usize = 400 * 1024;
/// A partition key value.
pub const PARTITION_KEY_BYTES_MAX: usize = 2048;
/// A sort key value.
pub const SORT_KEY_BYTES_MAX: usize = 1024;
/// Levels of lists and maps inside each other.
pub const NESTING_MAX: usize = 32;
/// Significant digits of a number.
pub const NUMBER_DIGITS_MAX: usize = 38;
/// The largest power of ten of a number's first digit: 9.99…E+125.
pub const NUMBER_EXPONENT_MAX: i16 = 125;
/// The smallest power of ten of a number's first digit: 1E-130.
pub const NUMBER_EXPONENT_MIN: i16 = -130;
/// One expression's text.
pub const EXPRESSION_BYTES_MAX: usize = 4096;
/// Operators and functions in one expression.
pub const EXPRESSION_OPERATORS_MAX: usize = 300;
/// Operands of `IN`.
pub const IN_OPERANDS_MAX: usize = 100;
/// A placeholder, its `#` or `:` included.
pub const PLACEHOLDER_BYTES_MAX: usize = 255;
/// All substitution values of a request together.
pub const EXPRESSION_VALUES_BYTES_MAX: usize = 2 * 1024 * 1024;
/// An attribute name.
pub const ATTRIBUTE_NAME_BYTES_MAX: usize = 64 * 1024 - 1;
/// The name of an attribute that is a key or that an index projects.
pub const KEY_NAME_BYTES_MAX: usize = 255;
/// The shortest table or index name.
pub const NAME_LENGTH_MIN: usize = 3;
/// The longest table or index name.
pub const NAME_LENGTH_MAX: usize = 255;
/// Global secondary indexes of a table.
pub const GLOBAL_INDEXES_MAX: usize = 20;
/// Local secondary indexes of a table.
pub const LOCAL_INDEXES_MAX: usize = 5;
/// Attributes that form the partition key, and again the sort key, of a global index.
pub const INDEX_KEY_ATTRIBUTES_MAX: usize = 4;
/// Attributes named by INCLUDE projections, over all indexes of a table.
pub const PROJECTED_ATTRIBUTES_MAX: usize = 100;
/// What one Query or Scan reads before it returns a page.
pub const PAGE_BYTES_MAX: usize = 1024 * 1024;
/// Keys of one BatchGetItem.
pub const BATCH_GET_KEYS_MAX: usize = 100;
/// What one BatchGetItem returns before it leaves keys unprocessed.
pub const BATCH_GET_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Requests of one BatchWriteItem.
pub const BATCH_WRITE_REQUESTS_MAX: usize = 25;
/// What one BatchWriteItem carries.
pub const BATCH_WRITE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Operations of one transaction.
pub const TRANSACT_ITEMS_MAX: usize = 100;
/// The items of one transaction together.
pub const TRANSACT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The longest ClientRequestToken.
pub const CLIENT_REQUEST_TOKEN_LENGTH_MAX: usize = 36;
/// How long a ClientRequestToken is remembered.
pub const CLIENT_REQUEST_TOKEN_SECONDS: i64 = 10 * 60;
/// Segments of a parallel scan.
pub const SCAN_SEGMENTS_MAX: u32 = 1_000_000;
/// Table names of one ListTables page.
pub const LIST_TABLES_MAX: u32 = 100;
/// Streams of one ListStreams page.
pub const LIST_STREAMS_MAX: u32 = 100;
/// Shards of one DescribeStream page.
pub const STREAM_SHARDS_MAX: u32 = 100;
/// How long a stream keeps its records.
pub const STREAM_RETENTION_SECONDS: i64 = 24 * 60 * 60;
/// Records of one GetRecords.
pub const STREAM_RECORDS_MAX: u32 = 1000;
/// What one GetRecords returns.
pub const STREAM_BYTES_MAX: usize = 1024 * 1024;
/// How long a shard iterator is good for.
pub const SHARD_ITERATOR_SECONDS: i64 = 15 * 60;
/// Tags of a resource.
pub const TAGS_MAX: usize = 50;
/// Statements of one BatchExecuteStatement.
pub const BATCH_STATEMENTS_MAX: usize = 25;
/// A PartiQL statement's text, in characters.
pub const STATEMENT_LENGTH_MAX: usize = 8192;
/// Queries that one SELECT may become.
pub const DECOMPOSED_READS_MAX: usize = 50;
/// How old an expiry may be for TTL to still delete the item: five years.
pub const TTL_AGE_SECONDS_MAX: i64 = 5 * 365 * 24 * 60 * 60;
/// The bytes of one read unit.
pub const READ_UNIT_BYTES: usize = 4 * 1024;
/// The bytes of one write unit.
pub const WRITE_UNIT_BYTES: usize = 1024;
