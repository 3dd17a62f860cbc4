//! Typed fields: the conditions and updates they make, and what those do to an item in a table.

use std::collections::BTreeSet;

use futures_executor::block_on;
use tabletheory::Model;
use tabletheory::field::{Change, Filter};
use tabletheory::model::ModelError;
use tabletheory::testing::TestStore;
use tabletheory_core::expr::{RenderScope, Update};
use tabletheory_core::store::op::{PutItem, ReturnValues, UpdateItem, WriteReturns};
use tabletheory_core::{StoreError, StoreExt};

use crate::models::{Page, State};

/// Applies the changes if the filter holds of [`Page::sample`]; `None` if it does not.
fn update(filter: Option<Filter<Page>>, changes: Vec<Change<Page>>) -> Option<Page> {
    block_on(async {
        let store = TestStore::new();
        let page = Page::sample();
        store.create_table(Page::SCHEMA.create_table("app")).await.unwrap();
        let item = page.to_item().unwrap();
        store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await.unwrap();
        let actions = changes.into_iter().map(|change| change.into_action().unwrap()).collect();
        let request = UpdateItem {
            table: "app".into(),
            key: page.key_of().into_item().unwrap(),
            update: Some(Update { actions }),
            condition: filter.map(|filter| filter.into_condition().unwrap()),
            returns: WriteReturns { values: ReturnValues::AllNew, ..WriteReturns::default() },
        };
        match store.update_item(request).await {
            Ok(output) => Some(Page::from_item(output.attributes.unwrap()).unwrap()),
            Err(StoreError::ConditionalCheckFailed { .. }) => None,
            Err(other) => panic!("{other}"),
        }
    })
}

fn holds(filter: Filter<Page>) -> bool {
    update(Some(filter), vec![Page::WEIGHT.set(2.0)]).is_some()
}

#[test]
fn comparisons_hold_or_not() {
    assert!(holds(Page::HITS.eq(7)));
    assert!(!holds(Page::HITS.ne(7)));
    assert!(holds(Page::HITS.lt(8) & Page::HITS.le(7) & Page::HITS.gt(6) & Page::HITS.ge(7)));
    assert!(holds(Page::HITS.between(7, 9)) && !holds(Page::HITS.between(8, 9)));
    assert!(holds(Page::STATE.one_of([State::Fresh, State::GoingStale])));
    assert!(!holds(Page::STATE.one_of([State::Fresh])));
    assert!(holds(Page::S3_KEY.eq("pages/1.html")) && holds(Page::S3_KEY.eq(&Page::sample().s3_key)));
    assert!(holds(Page::S3_KEY.begins_with("pages/")) && !holds(Page::S3_KEY.begins_with("x")));
    assert!(holds(Page::S3_KEY.contains("1.h")) && holds(Page::LABELS.contains("a")));
    assert!(!holds(Page::LABELS.contains("c")));
    assert!(holds(Page::ETAG.eq("abc")) && holds(Page::ETAG.begins_with("a")) && holds(Page::ETAG.exists()));
    assert!(holds(Page::TAG.not_exists()) && !holds(Page::TAG.exists()));
    assert!(holds(Page::S3_KEY.size().eq(12)) && holds(Page::LABELS.size().between(1, 2)));
    assert!(holds(Page::REV.eq(3)) && holds(Page::TENANT.eq("acme")));
}

#[test]
fn none_equals_an_attribute_that_is_missing() {
    assert!(holds(Page::TAG.eq(None)) && !holds(Page::TAG.ne(None)));
    assert!(!holds(Page::ETAG.eq(None)) && holds(Page::ETAG.ne(None)));
}

#[test]
fn filters_are_joined() {
    let (yes, no) = (|| Page::HITS.eq(7), || Page::HITS.eq(8));
    assert!(holds(yes() | no()) && !holds(yes() & no()) && holds(!no()) && !holds(!yes()));
    assert!(holds(yes().or(no()).and(yes())));
}

#[test]
fn a_filter_is_printed_as_the_service_reads_it() {
    let condition = (Page::HITS.gt(1) & !Page::TAG.exists()).into_condition().unwrap();
    let mut scope = RenderScope::default();
    let text = scope.condition(&condition);
    assert_eq!(text, "#n0 > :v0 AND NOT attribute_exists(#n1)");
}

#[test]
fn changes_change_the_item() {
    let changes = vec![
        Page::S3_KEY.set("pages/2.html"),
        Page::ETAG.set(None),
        Page::HITS.add(3),
        Page::NOTES.append(["one", "two"]),
        Page::LABELS.delete_from_set(BTreeSet::from(["a".to_owned()])),
        Page::WEIGHT.set_if_not_exists(9.0),
        Page::EXPIRES.set_if_not_exists(60),
        Page::STATE.set(State::Fresh),
    ];
    let page = update(None, changes).unwrap();
    assert_eq!((page.s3_key.as_str(), page.etag, page.hits), ("pages/2.html", None, 10));
    assert_eq!(page.notes, ["one", "two"]);
    assert_eq!(page.labels.into_iter().collect::<Vec<_>>(), ["b"]);
    assert_eq!((page.weight, page.expires, page.state), (1.5, Some(60), State::Fresh));
}

#[test]
fn lists_and_sets_grow_and_attributes_go() {
    let more = BTreeSet::from(["c".to_owned()]);
    let page =
        update(None, vec![Page::LABELS.add(more), Page::NOTES.prepend(["first"]), Page::ETAG.remove()])
            .unwrap();
    assert_eq!((page.labels.len(), page.notes, page.etag), (3, vec!["first".to_owned()], None));
    let page = update(None, vec![Page::LABELS.set(BTreeSet::new())]).unwrap();
    assert!(page.labels.is_empty());
}

#[test]
fn what_dynamodb_cannot_hold_is_told_before_it_is_sent() {
    let nan = Page::WEIGHT.set(f64::NAN).into_action().unwrap_err();
    assert_eq!(nan.to_string().split(": DynamoDB").next(), Some("cannot store a Page: weight"));
    let none = ModelError::Nothing { model: "Page", attribute: "labels", method: "add" };
    assert_eq!(Page::LABELS.add(BTreeSet::new()).into_action().unwrap_err(), none);
    let nothing: [u64; 0] = [];
    let none = ModelError::Nothing { model: "Page", attribute: "hits", method: "one_of" };
    assert_eq!(Page::HITS.one_of(nothing).into_condition().unwrap_err(), none);
    assert!((Page::HITS.eq(1) & Page::WEIGHT.lt(f64::INFINITY)).into_condition().is_err());
}

#[test]
fn what_is_shown_of_a_filter_and_of_a_key_are_names() {
    let many =
        (0..12).map(|number| Page::S3_KEY.ne(format!("canary {number}"))).reduce(|one, other| one & other);
    let shown = format!("{:?}", many.unwrap());
    assert_eq!(shown, format!("Filter({})", ["s3_key <> ?"; 12].join(" AND ")));
    assert_eq!(format!("{:?}", Page::key("canary", "canary")), r#"Key(["pk", "sk"])"#);
    assert!(!format!("{:?}", Page::key("canary#", "canary")).contains("canary"));
}
