//! `X-Amz-Target`: which operation a request is. The tables and the streams are two services to a client, so each
//! operation answers to the name of its own.

use http::HeaderMap;
use tabletheory_core::StoreError;

/// The header's name.
pub(crate) const HEADER: &str = "x-amz-target";

const TABLES: &str = "DynamoDB_20120810";
const STREAMS: &str = "DynamoDBStreams_20120810";
const STREAM_OPERATIONS: [&str; 4] = ["ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"];

/// The name of the operation that the headers ask for.
pub(crate) fn operation(headers: &HeaderMap) -> Result<&str, StoreError> {
    let mut given = headers.get_all(HEADER).iter();
    let unknown = |message: String| Err(StoreError::UnknownOperation(message));
    let Some(target) = given.next() else {
        return unknown("the request has no X-Amz-Target header, so it names no operation".to_owned());
    };
    if given.next().is_some() {
        return unknown("the request has more than one X-Amz-Target header".to_owned());
    }
    let Ok(target) = target.to_str() else {
        return unknown("the X-Amz-Target header is not text".to_owned());
    };
    match target.split_once('.') {
        Some((TABLES, name)) if !STREAM_OPERATIONS.contains(&name) => Ok(name),
        Some((STREAMS, name)) if STREAM_OPERATIONS.contains(&name) => Ok(name),
        _ => unknown(format!("there is no operation {target} here")),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn check(targets: &[&[u8]], expected: Result<&str, &str>) {
        let mut headers = HeaderMap::new();
        for target in targets {
            headers.append(HEADER, HeaderValue::from_bytes(target).expect("a header value"));
        }
        let found = operation(&headers).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{targets:?}");
    }

    #[test]
    fn each_service_answers_to_its_own_name() {
        check(&[b"DynamoDB_20120810.PutItem"], Ok("PutItem"));
        check(&[b"DynamoDBStreams_20120810.GetRecords"], Ok("GetRecords"));
        check(&[b"DynamoDB_20120810.Nonsense"], Ok("Nonsense"));
        check(
            &[b"DynamoDB_20120810.GetRecords"],
            Err("there is no operation DynamoDB_20120810.GetRecords here"),
        );
        check(
            &[b"DynamoDBStreams_20120810.PutItem"],
            Err("there is no operation DynamoDBStreams_20120810.PutItem here"),
        );
        check(&[b"DynamoDB_20111205.PutItem"], Err("there is no operation DynamoDB_20111205.PutItem here"));
        check(&[b""], Err("there is no operation  here"));
    }

    #[test]
    fn one_target_must_be_there() {
        check(&[], Err("the request has no X-Amz-Target header, so it names no operation"));
        check(
            &[b"DynamoDB_20120810.PutItem", b"DynamoDB_20120810.GetItem"],
            Err("the request has more than one X-Amz-Target header"),
        );
        check(&[b"DynamoDB_20120810.\xff"], Err("the X-Amz-Target header is not text"));
    }
}
