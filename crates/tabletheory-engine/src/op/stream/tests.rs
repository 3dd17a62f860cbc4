//! Places in a stream that nobody was given.

use tabletheory_core::StoreError;
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType, StreamView};
use tabletheory_core::store::op::{CreateTable, DescribeStream, GetShardIterator, IteratorStart};

use crate::Engine;

/// A number after which there is no other one was counted on all the same, and the caller's thread panicked.
#[test]
fn the_highest_number_there_is_is_no_sequence_number() {
    let engine = Engine::memory();
    let table = engine.run(CreateTable {
        table: "pages".to_owned(),
        attributes: vec![AttributeDefinition { name: "pk".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("pk")],
        billing: BillingMode::PayPerRequest,
        stream: Some(StreamView::NewImage),
        ..CreateTable::default()
    });
    let arn = table.unwrap().table.stream.unwrap().arn;
    let stream = engine.run(DescribeStream { arn: arn.clone(), ..DescribeStream::default() }).unwrap();
    let shard = stream.shards[0].id.clone();
    let iterator = |start| engine.run(GetShardIterator { arn: arn.clone(), shard: shard.clone(), start });
    let highest = || u64::MAX.to_string();
    for start in [IteratorStart::After(highest()), IteratorStart::At(highest())] {
        let refused = iterator(start).unwrap_err();
        let StoreError::Validation(message) = refused else { panic!("{refused:?}") };
        assert!(
            message.starts_with("Invalid SequenceNumber: 18446744073709551615 is not in shard"),
            "{message}"
        );
    }
    iterator(IteratorStart::After((u64::MAX - 1).to_string())).unwrap();
}
