//! The table of the rate limits: made with and without indexes, and refused when it is another.

use std::error::Error as _;

use futures_executor::block_on;
use limited::{Error, IndexedRateLimitRecord, RateLimitRecord};
use tabletheory::Db;
use tabletheory::testing::TestStore;
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::{CreateTable, DescribeTable, DescribeTimeToLive, UpdateTimeToLive};
use tabletheory_core::{StoreExt, Timestamp};

const TABLE: &str = "rate-limits";

/// A table with these keys, whose rows expire by this attribute.
async fn made(db: &Db, keys: [&str; 2], ttl: Option<&str>) {
    let string = |name: &str| AttributeDefinition { name: name.into(), kind: KeyType::S };
    let create = CreateTable {
        table: TABLE.into(),
        attributes: keys.map(string).into(),
        keys: vec![KeyElement::hash(keys[0]), KeyElement::range(keys[1])],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    db.store().create_table(create).await.unwrap();
    if let Some(attribute) = ttl {
        let enable = UpdateTimeToLive { table: TABLE.into(), attribute: attribute.into(), enabled: true };
        db.store().update_time_to_live(enable).await.unwrap();
    }
}

/// What is wrong, in words.
fn complaint(verified: Result<(), Error>) -> String {
    let error = verified.expect_err("it cannot be used");
    assert!(matches!(error, Error::Table(_)), "{error}");
    error.source().expect("it says why").to_string()
}

#[test]
fn a_table_is_made_once_with_its_keys_and_its_time_to_live_and_without_indexes() {
    block_on(async {
        let db = TestStore::new().db();
        RateLimitRecord::ensure_table(&db).await.unwrap();
        RateLimitRecord::ensure_table(&db).await.unwrap();
        let table = db.store().describe_table(DescribeTable { table: TABLE.into() }).await.unwrap().table;
        assert_eq!(table.keys, [KeyElement::hash("Identifier"), KeyElement::range("WindowTime")]);
        assert!(table.global_indexes.is_empty());
        let ttl = db.store().describe_time_to_live(DescribeTimeToLive { table: TABLE.into() }).await.unwrap();
        assert_eq!(ttl.attribute.as_deref(), Some("ExpiresAt"));
        RateLimitRecord::verify_table(&db).await.unwrap();
    });
}

#[test]
fn a_table_with_indexes_serves_both_and_one_without_does_not() {
    block_on(async {
        let db = TestStore::new().db().with_table::<RateLimitRecord>("limits-of-acme");
        IndexedRateLimitRecord::ensure_table(&db).await.unwrap();
        IndexedRateLimitRecord::verify_table(&db).await.unwrap();
        RateLimitRecord::verify_table(&db).await.unwrap();
        let table = DescribeTable { table: "limits-of-acme".into() };
        let made = db.store().describe_table(table).await.unwrap().table;
        let mut indexes: Vec<&str> = made.global_indexes.iter().map(|index| index.name.as_str()).collect();
        indexes.sort_unstable();
        assert_eq!(indexes, ["gsi-bucket", "gsi-ip", "gsi-tenant", "gsi-user"]);

        let db = TestStore::new().db();
        RateLimitRecord::ensure_table(&db).await.unwrap();
        let said = complaint(IndexedRateLimitRecord::verify_table(&db).await);
        assert!(said.contains("`gsi-ip` is missing"), "{said}");
    });
}

#[test]
fn a_row_is_found_by_its_tenant_in_a_table_with_indexes() {
    block_on(async {
        let db = TestStore::new().db();
        IndexedRateLimitRecord::ensure_table(&db).await.unwrap();
        for (identifier, tenant) in [("user:7", Some("acme")), ("user:8", None)] {
            let row = RateLimitRecord {
                identifier: identifier.into(),
                window_time: "2024-01-01T00:00:00Z".into(),
                tenant_id: tenant.map(str::to_owned),
                count: 3,
                ..RateLimitRecord::default()
            };
            db.create(&row).await.unwrap();
        }
        let found = db.query(IndexedRateLimitRecord::gsi_tenant("acme")).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].identifier.as_str(), found[0].count), ("user:7", 3));
        assert!(found[0].created_at.is_some_and(|at| at.as_second() == 1_704_067_200));
    });
}

/// G18: the construct made a table with the keys `pk` and `sk` and the limiter asked for `PK` and `SK`. Each call was refused, the
/// limiter failed open, and nothing was limited. Nobody noticed.
#[test]
fn a_table_with_other_keys_is_refused_at_the_start() {
    block_on(async {
        let db = TestStore::new().db();
        made(&db, ["pk", "sk"], Some("ExpiresAt")).await;
        let said = complaint(RateLimitRecord::verify_table(&db).await);
        assert!(said.contains("its key is (pk, sk), not (Identifier, WindowTime)"), "{said}");
        assert!(said.contains(TABLE), "{said}");
        complaint(RateLimitRecord::ensure_table(&db).await);
    });
}

/// G28: rows expired by `expires_at` in the construct and by `ttl` in the limiter, so they never did.
#[test]
fn a_table_whose_rows_expire_by_another_attribute_or_never_is_refused_at_the_start() {
    block_on(async {
        let db = TestStore::new().db();
        made(&db, ["Identifier", "WindowTime"], Some("expires_at")).await;
        let said = complaint(RateLimitRecord::verify_table(&db).await);
        assert!(said.contains("items expire by `expires_at`, not by `ExpiresAt`"), "{said}");

        let db = TestStore::new().db();
        made(&db, ["Identifier", "WindowTime"], None).await;
        let said = complaint(RateLimitRecord::verify_table(&db).await);
        assert!(said.contains("items do not expire by `ExpiresAt`"), "{said}");
        RateLimitRecord::ensure_table(&db).await.unwrap();
        RateLimitRecord::verify_table(&db).await.unwrap();
    });
}

#[test]
fn a_table_that_is_missing_is_refused_at_the_start() {
    block_on(async {
        let said = complaint(RateLimitRecord::verify_table(&TestStore::new().db()).await);
        assert!(said.contains("there is no table"), "{said}");
    });
}

/// The time to live is in seconds, and is a number: that is what the service expects.
#[test]
fn a_row_is_forgotten_when_its_time_is_over() {
    block_on(async {
        let store = TestStore::new();
        let db = store.db();
        RateLimitRecord::ensure_table(&db).await.unwrap();
        let windows = limited::Windows::new(db.clone());
        let window = Timestamp::from_seconds(1_704_067_200);
        windows.increment("user:7", window).await.unwrap();
        store.advance(tabletheory_core::Seconds(7_200));
        assert_eq!(windows.get("user:7", window).await.unwrap(), 1);
        store.advance(tabletheory_core::Seconds(2));
        assert_eq!(windows.get("user:7", window).await.unwrap(), 0);
    });
}
