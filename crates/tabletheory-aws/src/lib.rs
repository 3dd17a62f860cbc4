//! A [`Store`](tabletheory_core::Store) over DynamoDB itself, through the AWS SDK.
