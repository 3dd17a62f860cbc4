//! The templates that are looked at: every stack as it is, and with everything that can be chosen.

use tabletheory::Model;
use tabletheory::dms::Document;
use theory_synth::stack::{
    Access, CacheTable, IdempotentFunction, IsrSite, RateLimitedFunction, RegenerationQueue, StreamSource,
    Tables, TtlArchive,
};
use theory_synth::{Billing, Capacity, Encryption, FunctionSettings, Kind, TableSettings, Template};

/// A key of KMS.
pub(crate) const KEY: &str = "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";

/// A model with everything that a table can have.
#[derive(Model)]
#[model(
    table = "shop.orders-v2",
    pk = "SHOP#{shop}",
    sk = "ORDER#{number:013}",
    index(name = "by_customer", pk = customer, sk = placed_at),
    index(name = "by_state", pk = state, project = "include(total)"),
    local_index(name = "by-total", sk = total)
)]
pub(crate) struct Order {
    shop: String,
    number: u64,
    customer: String,
    placed_at: i64,
    state: Option<String>,
    total: u64,
    #[model(ttl)]
    forget_at: Option<i64>,
}

/// Another one of the same table.
#[derive(Model)]
#[model(table = "shop.orders-v2", pk = "SHOP#{shop}", sk = "INVOICE#{number:013}", index(name = "by_month", pk = month))]
pub(crate) struct Invoice {
    shop: String,
    number: u64,
    month: String,
}

/// The models of the shop as documents.
pub(crate) fn shop() -> Tables {
    let orders = Document::of::<Order>().unwrap();
    let invoices = Document::of::<Invoice>().unwrap();
    Tables::default().with_document(&orders).unwrap().with_document(&invoices).unwrap()
}

fn scaled() -> Billing {
    let (read, write) = (Capacity { min: 5, max: 500 }, Capacity { min: 5, max: 100 });
    Billing::Provisioned { read, write, target_percent: 70 }
}

fn tags() -> Vec<(String, String)> {
    vec![("team".to_owned(), "web and shop".to_owned())]
}

fn busy_table(name: &str) -> TableSettings {
    TableSettings {
        name: Some(name.to_owned()),
        billing: scaled(),
        encryption: Encryption::NewKey,
        is_infrequent: true,
        tags: tags(),
        ..TableSettings::default()
    }
}

fn busy_function(name: &str) -> FunctionSettings {
    FunctionSettings {
        name: Some(name.to_owned()),
        memory_mb: 2048,
        timeout_seconds: 60,
        concurrency_max: Some(50),
        log_days: 90,
        is_traced: true,
        environment: vec![("MODE".to_owned(), "yes: 'really'".to_owned())],
        tags: tags(),
    }
}

/// Every template, by its name.
pub(crate) fn all() -> Vec<(&'static str, Template)> {
    vec![
        ("cache-table", CacheTable::default().template().unwrap()),
        ("cache-table-full", full_cache().template().unwrap()),
        ("cache-table-bare", bare_cache().template().unwrap()),
        ("rate-limited-function", RateLimitedFunction::default().template().unwrap()),
        ("rate-limited-function-full", full_limits().template().unwrap()),
        ("idempotent-function", IdempotentFunction::default().template().unwrap()),
        ("idempotent-function-full", full_requests().template().unwrap()),
        ("isr-site", IsrSite::default().template().unwrap()),
        ("isr-site-full", full_site().template().unwrap()),
        ("isr-site-swept", swept_site().template().unwrap()),
        ("ttl-archive", archive_with_table().template().unwrap()),
        ("ttl-archive-existing", archive_of_existing().template().unwrap()),
        ("tables", shop().template().unwrap()),
    ]
}

fn full_cache() -> CacheTable {
    CacheTable { table: busy_table("pages"), has_alarms: true, is_exported: true }
}

/// Everything that can be done without is left out.
fn bare_cache() -> CacheTable {
    let table = TableSettings {
        billing: Billing::OnDemand { read_max: Some(1000), write_max: Some(500) },
        encryption: Encryption::AwsManaged,
        is_recoverable: false,
        is_protected: false,
        is_kept: false,
        ..TableSettings::default()
    };
    CacheTable { table, has_alarms: false, is_exported: false }
}

fn full_limits() -> RateLimitedFunction {
    RateLimitedFunction {
        function: busy_function("api"),
        table: busy_table("limits"),
        is_indexed: true,
        has_overrides: true,
        is_exported: true,
        ..RateLimitedFunction::default()
    }
}

fn full_requests() -> IdempotentFunction {
    IdempotentFunction {
        function: busy_function("payments"),
        table: busy_table("requests"),
        is_indexed: true,
        is_exported: true,
        ..IdempotentFunction::default()
    }
}

fn full_site() -> IsrSite {
    IsrSite {
        function: busy_function("site"),
        table: busy_table("pages"),
        bucket_name: Some("pages.example-site".to_owned()),
        prefix: "site/pages".to_owned(),
        access: Access::Public,
        queue: Some(RegenerationQueue::default()),
        is_isolated: true,
        is_exported: true,
        ..IsrSite::default()
    }
}

/// Nothing else removes bodies, and the site limits its callers and does requests once.
fn swept_site() -> IsrSite {
    let sweeper = FunctionSettings { timeout_seconds: 900, ..FunctionSettings::default() };
    IsrSite {
        also: vec![Kind::Limits, Kind::Requests],
        sweeper: Some(sweeper),
        table: TableSettings { encryption: Encryption::NewKey, ..TableSettings::default() },
        ..IsrSite::default()
    }
}

fn archive_with_table() -> TtlArchive {
    let settings = TableSettings { encryption: Encryption::Key(KEY.to_owned()), ..TableSettings::default() };
    let layout = Box::new(Kind::Requests.layout().unwrap());
    TtlArchive::new(StreamSource::Table { layout, settings })
}

fn archive_of_existing() -> TtlArchive {
    TtlArchive {
        bucket_name: Some("archive-of-evidence".to_owned()),
        prefix: "evidence".to_owned(),
        glacier_days: Some(30),
        expire_days: Some(730),
        function: FunctionSettings { tags: tags(), ..FunctionSettings::default() },
        ..TtlArchive::new(StreamSource::Existing {
            ttl_attribute: "expires_at".to_owned(),
            key: Some(KEY.to_owned()),
        })
    }
}
