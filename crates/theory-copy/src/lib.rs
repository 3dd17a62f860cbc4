//! Tables moved from one store to another, item by item: resumable after a crash, verified at the end; and DynamoDB's exports to S3, read
//! and written.
