//! The cache's rows as the tests about several processes reach them: through the AWS SDK, at an endpoint without keys.

use facetheory::record::Meta;
use tabletheory::Db;
use tabletheory::Model as _;
use tabletheory::stream::Reader;
use tabletheory_aws::{Config, Credentials, DynamoDb};
use tabletheory_core::schema::StreamView;

/// The database at this endpoint.
pub(crate) async fn connect(endpoint: &str) -> Db {
    let config = Config {
        endpoint_url: Some(endpoint.to_owned()),
        region: Some("us-east-1".to_owned()),
        credentials: Some(Credentials::new("anybody", "anything")),
        ..Config::default()
    };
    Db::new(DynamoDb::connect(config).await.expect("the configuration is complete"))
}

/// Makes the cache's table with a stream, and gives the stream: every change of every row, in the order of each page.
pub(crate) async fn create_watched_table(db: &Db) -> Reader {
    let table = db.table::<Meta>().with_stream(StreamView::NewAndOldImages);
    table.create().await.expect("the table is made");
    Reader::of_table(db.store().clone(), Meta::table().as_ref()).await.expect("the table has a stream")
}
