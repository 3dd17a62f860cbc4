//! The rows of the one page, as they lie in the table, and what the model reads in them.

use std::collections::BTreeMap;

use tabletheory::Model as _;
use tabletheory_core::{Item, Value};

use super::recipe::{Attempt, Moment};
use crate::record::{Epoch, Lock, Meta, RequestStatus, Version};

/// The items of the page by sort key.
pub(super) type Rows = BTreeMap<String, Item>;

/// The model's second 0 in the rows. Real rows hold real dates.
const BEGINNING: i64 = 1_700_000_000;

/// For how many seconds a page is fresh.
pub(super) const REVALIDATE: i64 = 1;

/// What is in the rows, decoded once for each content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct View {
    pub(super) meta: Option<MetaView>,
    pub(super) lock: Option<LockView>,
    pub(super) epoch: Option<u8>,
    pub(super) request: Option<RequestView>,
    /// The attempts whose bodies META, VER and REQ name, as bits.
    pub(super) named: u16,
    /// The attempts whose versions are kept, as bits.
    pub(super) versions: u16,
}

/// META.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MetaView {
    /// Whose body it names.
    pub(super) body: Attempt,
    pub(super) publisher: Option<Attempt>,
    pub(super) generated_at: Moment,
    /// Whether no purge has made it stale.
    pub(super) unpurged: bool,
    pub(super) generation: Option<u64>,
    pub(super) version: Option<u8>,
}

/// LOCK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LockView {
    pub(super) holder: Option<Attempt>,
    pub(super) expires: Moment,
    pub(super) ttl: Moment,
    pub(super) fail_count: u8,
}

/// REQ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestView {
    pub(super) hash: Option<u8>,
    pub(super) completed: bool,
    pub(super) started: bool,
    pub(super) result: Option<Attempt>,
    pub(super) ttl: Moment,
}

impl View {
    /// What is in these rows.
    pub(super) fn of(rows: &Rows) -> Self {
        let mut view = Self::default();
        for (sort_key, item) in rows {
            match sort_key.split('#').next() {
                Some("META") => view.meta = Some(meta_view(item)),
                Some("LOCK") => view.lock = Some(lock_view(item)),
                Some("EPOCH") => {
                    let epoch = Epoch::from_item(item.clone()).expect("the rules write whole rows").epoch;
                    view.epoch = Some(u8::try_from(epoch).expect("few purges"));
                }
                Some("REQ") => view.request = Some(request_view(item)),
                Some("VER") => {
                    let version = Version::from_item(item.clone()).expect("the rules write whole rows");
                    view.versions |= 1 << attempt_of_body(&version.s3_key);
                }
                _ => panic!("a request wrote {sort_key}"),
            }
        }
        let bodies = [view.meta.map(|meta| meta.body), view.request.and_then(|request| request.result)];
        view.named = bodies.into_iter().flatten().fold(view.versions, |named, body| named | 1 << body);
        view
    }
}

/// The text of an attempt's token.
pub(super) fn token(attempt: Attempt) -> String {
    format!("t{attempt}")
}

/// The key of an attempt's body.
pub(super) fn body_key(attempt: Attempt) -> String {
    format!("b{attempt}")
}

/// A moment of the model in seconds since 1970.
pub(super) fn seconds(moment: Moment) -> i64 {
    BEGINNING + i64::from(moment)
}

fn moment(seconds: i64) -> Moment {
    u8::try_from(seconds - BEGINNING).expect("rows hold moments of the model")
}

/// The attempt of a token. Of a lease that was given back there is none.
fn attempt_of_token(token: &str) -> Option<Attempt> {
    token.strip_prefix('t').and_then(|number| number.parse().ok())
}

fn attempt_of_body(s3_key: &str) -> Attempt {
    s3_key.strip_prefix('b').and_then(|number| number.parse().ok()).expect("bodies are named by attempts")
}

fn meta_view(item: &Item) -> MetaView {
    let meta = Meta::from_item(item.clone()).expect("the rules write whole rows");
    let small = |number: Option<u64>| number.map(|number| u8::try_from(number).expect("few publishes"));
    MetaView {
        body: attempt_of_body(&meta.s3_key),
        publisher: meta.publisher_token.as_deref().and_then(attempt_of_token),
        generated_at: moment(meta.generated_at),
        unpurged: meta.revalidate_seconds > 0,
        generation: meta.generation,
        version: small(meta.version),
    }
}

fn lock_view(item: &Item) -> LockView {
    let lock = Lock::from_item(item.clone()).expect("the rules write whole rows");
    LockView {
        holder: attempt_of_token(&lock.lease_token),
        expires: moment(lock.lease_expires_at),
        ttl: moment(lock.ttl.expect("leases are forgotten some time")),
        fail_count: u8::try_from(lock.fail_count).expect("few failures"),
    }
}

/// Read attribute by attribute, because a row that lacks its hash is what a law is about.
fn request_view(item: &Item) -> RequestView {
    let text = |name| item.get(name).and_then(Value::as_s);
    let status = |wanted: RequestStatus| {
        let wanted = match wanted {
            RequestStatus::Started => "STARTED",
            RequestStatus::Completed => "COMPLETED",
            RequestStatus::Failed => "FAILED",
        };
        text("status") == Some(wanted)
    };
    let ttl = item.get("ttl").and_then(Value::as_n).and_then(|ttl| ttl.to_string().parse().ok());
    RequestView {
        hash: text("request_hash").and_then(|hash| hash.strip_prefix('h')).and_then(|hash| hash.parse().ok()),
        completed: status(RequestStatus::Completed),
        started: status(RequestStatus::Started),
        result: text("result_s3_key").map(attempt_of_body),
        ttl: ttl.map_or(u8::MAX, moment),
    }
}
