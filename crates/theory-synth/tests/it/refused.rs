//! What AWS would refuse is refused before there is a template, in words that name the thing and the value.

use tabletheory::Model;
use tabletheory::dms::Document;
use tabletheory::table::Layout;
use theory_synth::stack::{
    CacheTable, IdempotentFunction, IsrSite, RateLimitedFunction, RegenerationQueue, StreamSource, Tables,
    TtlArchive,
};
use theory_synth::{
    Billing, Capacity, Encryption, Error, FunctionSettings, Kind, Map, Resource, TableSettings, Template,
};

use crate::scenes::Order;

#[track_caller]
fn check(asked: Result<Template, Error>, words: &[&str]) {
    let error = asked.expect_err("AWS refuses it").to_string();
    for word in words {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

fn table(settings: TableSettings) -> Result<Template, Error> {
    CacheTable { table: settings, ..CacheTable::default() }.template()
}

fn function(settings: FunctionSettings) -> Result<Template, Error> {
    RateLimitedFunction { function: settings, ..RateLimitedFunction::default() }.template()
}

#[test]
fn names_and_numbers_that_aws_refuses() {
    let named = |name: &str| TableSettings { name: Some(name.to_owned()), ..TableSettings::default() };
    check(table(named("my table")), &["the name of a table", "\"my table\"", "3 to 255"]);
    check(table(named("ab")), &["\"ab\""]);
    check(table(named(&"x".repeat(256))), &["3 to 255"]);
    let billing = |billing| TableSettings { billing, ..TableSettings::default() };
    let scaled = |min, max, target_percent| {
        let capacity = Capacity { min, max };
        billing(Billing::Provisioned { read: capacity, write: capacity, target_percent })
    };
    check(table(scaled(0, 5, 70)), &["units", "0"]);
    check(table(scaled(10, 5, 70)), &["the most units", "5"]);
    check(table(scaled(5, 50, 99)), &["target", "99", "20 to 90"]);
    check(table(billing(Billing::OnDemand { read_max: Some(0), write_max: None })), &["units", "0"]);
    let key = Encryption::Key("alias/mine".to_owned());
    check(
        table(TableSettings { encryption: key, ..TableSettings::default() }),
        &["KMS", "alias/mine", "arn:aws:kms"],
    );
    let tags = vec![("aws:x".to_owned(), "1".to_owned())];
    check(table(TableSettings { tags, ..TableSettings::default() }), &["tag", "aws:x"]);
    let twice = || ["Team", "team"].map(|key| (key.to_owned(), "1".to_owned())).to_vec();
    check(table(TableSettings { tags: twice(), ..TableSettings::default() }), &["\"team\"", "there once"]);
    check(function(FunctionSettings { tags: twice(), ..FunctionSettings::default() }), &["there once"]);
    let tags = vec![("tenantid".to_owned(), "1".to_owned())];
    let own = FunctionSettings { tags, ..FunctionSettings::default() };
    let isolated = IsrSite { function: own, is_isolated: true, ..IsrSite::default() };
    check(isolated.template(), &["\"tenantid\"", "there once"]);

    let base = FunctionSettings::default;
    check(function(FunctionSettings { memory_mb: 64, ..base() }), &["memory", "64", "128 to 10240"]);
    check(function(FunctionSettings { timeout_seconds: 901, ..base() }), &["timeout", "901", "1 to 900"]);
    check(function(FunctionSettings { log_days: 31, ..base() }), &["retention", "31", "30"]);
    check(
        function(FunctionSettings { name: Some("a.b".to_owned()), ..base() }),
        &["the name of a function", "a.b"],
    );
    let environment = vec![("AWS_REGION".to_owned(), "x".to_owned())];
    check(function(FunctionSettings { environment, ..base() }), &["AWS_REGION", "the service's"]);

    let site = |bucket: &str, prefix: &str| IsrSite {
        bucket_name: Some(bucket.to_owned()),
        prefix: prefix.to_owned(),
        ..IsrSite::default()
    };
    check(site("My_Bucket", "isr").template(), &["bucket", "My_Bucket"]);
    check(site("bucket", "isr/*").template(), &["prefix", "isr/*"]);
    let queue = Some(RegenerationQueue { batch_size: 11, ..RegenerationQueue::default() });
    check(IsrSite { queue, ..IsrSite::default() }.template(), &["batch", "11", "1 to 10"]);
    let keyed = |key: Option<&str>| {
        let key = key.map(str::to_owned);
        TtlArchive::new(StreamSource::Existing { ttl_attribute: "ttl".to_owned(), key })
    };
    check(keyed(Some("alias/mine")).template(), &["key", "alias/mine"]);
    let existing = || keyed(None);
    check(TtlArchive { parallel: 11, ..existing() }.template(), &["shard", "11"]);
    let backwards = TtlArchive { glacier_days: Some(90), expire_days: Some(30), ..existing() };
    check(backwards.template(), &["deleted", "30", "greater than"]);
}

#[test]
fn tenants_are_not_said_to_be_apart_where_they_are_not() {
    let limits = RateLimitedFunction { is_isolated: true, ..RateLimitedFunction::default() };
    check(limits.template(), &["rate limits", "name of the limit", "function of their own"]);
    let requests = IdempotentFunction { is_isolated: true, ..IdempotentFunction::default() };
    check(requests.template(), &["idempotent requests", "hashes"]);
}

#[test]
fn an_archive_of_what_never_expires() {
    #[derive(Model)]
    #[model(table = "users")]
    struct User {
        #[model(pk)]
        id: String,
    }
    let layout = Box::new(Layout::of::<User>());
    let source = StreamSource::Table { layout, settings: TableSettings::default() };
    check(TtlArchive::new(source).template(), &["users", "never expire", "ttl"]);
}

#[test]
fn models_that_contradict_each_other_are_named() {
    #[derive(Model)]
    #[model(table = "shop.orders-v2", pk = "A#{id}", sk = "B", index(name = "by_state", pk = customer))]
    struct Other {
        id: String,
        customer: u64,
    }
    let tables = Tables::default().with_document(&Document::of::<Order>().unwrap()).unwrap();
    let error = tables
        .with_document(&Document::of::<Other>().unwrap())
        .expect_err("`customer` has two types")
        .to_string();
    assert!(error.contains("Order") && error.contains("Other") && error.contains("customer"), "{error}");
    check(Tables::default().template(), &["no model"]);
}

#[test]
fn tables_whose_names_become_one_logical_id_are_both_named() {
    #[derive(Model)]
    #[model(table = "my-users")]
    struct Dash {
        #[model(pk)]
        id: String,
    }
    let tables = Tables::default()
        .with_layout(Layout::of::<Dash>())
        .with_layout(Layout::of::<Dash>().named("my.users"));
    check(tables.template(), &["MyUsersTable", "my-users", "my.users"]);
}

#[test]
fn a_template_that_cloudformation_refuses_for_its_size() {
    let mut template = Template::new("Many.");
    for at in 0..=500 {
        template.resource(&format!("Topic{at}"), Resource::new("AWS::SNS::Topic", Map::new())).unwrap();
    }
    check(template.to_yaml().map(|_| Template::new("")), &["501 resources", "500"]);
    let mut long = Template::new("Long.");
    let topic = Map::new().with("DisplayName", "x".repeat(1_000_001));
    long.resource("Topic", Resource::new("AWS::SNS::Topic", topic)).unwrap();
    check(long.to_json().map(|_| Template::new("")), &["bytes", "1000000"]);
}

#[test]
fn the_models_of_the_product_fit_together() {
    for kind in Kind::ALL {
        assert!(kind.layout().is_ok() && kind.indexed_layout().is_ok(), "{}", kind.name());
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let site = |also: Vec<Kind>, sweeper, is_isolated| {
        IsrSite { also, sweeper, is_isolated, ..IsrSite::default() }.template()
    };
    check(site(Vec::new(), Some(FunctionSettings::default()), true), &["sweep", "tenants", "all tenants"]);
    check(site(vec![Kind::Limits], None, true), &["rate limits", "tenants"]);
    check(site(vec![Kind::Cache], None, false), &["a further table", "\"cache\"", "limits or requests"]);
    let limits = RateLimitedFunction { also: vec![Kind::Limits], ..RateLimitedFunction::default() };
    check(limits.template(), &["a further table", "\"limits\""]);
    check(site(vec![Kind::Limits, Kind::Limits], None, false), &["RateLimitTable"]);
}
