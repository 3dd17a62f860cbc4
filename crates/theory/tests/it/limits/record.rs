//! What four workers admitted, and whether it is within the limits. An admission was made at some moment between two that its worker
//! noted, so what lies wholly inside of a time is what is held against what that time allows.

use std::collections::BTreeMap;

use limited::{Limit, Policy, Rule};
use tabletheory_core::{Item, Value};

/// An admission: the moments before and after it.
type Admission = (i64, i64);

#[derive(Debug)]
pub(super) struct Records {
    policies: Vec<Policy>,
    admitted: BTreeMap<String, Vec<Admission>>,
    /// Of policies with a row for each window: what their rows count.
    rows: BTreeMap<String, Vec<u64>>,
    failed_closed: u64,
}

impl Records {
    pub(super) fn new(said: &[String], rows: &[Item], policies: Vec<Policy>) -> Self {
        let (admitted, rows_of) = (BTreeMap::new(), BTreeMap::new());
        let mut records = Self { policies, admitted, rows: rows_of, failed_closed: 0 };
        for line in said.iter().flat_map(|said| said.lines()) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<i64>().expect("a number");
            if words[0] == "counts" {
                eprintln!("allowed, denied, calls, failed, leased: {}", words[1..].join(" "));
                records.failed_closed += u64::try_from(number(4)).expect("a count");
            } else {
                records.admitted.entry(words[0].to_owned()).or_default().push((number(1), number(2)));
            }
        }
        for row in rows {
            let text = |name: &str| row.get(name).and_then(Value::as_s).expect("a key").to_owned();
            let count = row.get("Count").and_then(Value::as_n).and_then(|count| count.to_u64());
            let policy = text("Identifier").split('#').next().expect("a name").to_owned();
            records.rows.entry(policy).or_default().extend(count);
        }
        records
    }

    /// Holds every limit against what was admitted; clocks may differ by so much.
    pub(super) fn hold_limits(&self, skew_ms: i64) {
        for policy in &self.policies {
            let name = policy.name();
            let admitted = self.admitted.get(name).map_or(&[][..], Vec::as_slice);
            let (most, span_ms) = (admitted.len() as u64, span_ms(admitted));
            eprintln!("{name}: {most} admitted in {span_ms} ms");
            assert!(most > 0, "{name}: nothing was admitted, so nothing is shown");
            let lease_ms = if name == "leased-bucket" { 250 } else { 0 };
            for limit in policy.limits() {
                hold(name, limit, skew_ms + lease_ms, skew_ms, admitted);
            }
            if let [limit] = policy.limits()
                && limit.rule() == Rule::FixedWindow
            {
                let counts = &self.rows[name];
                assert!(counts.iter().all(|count| *count <= limit.amount()), "{name}: {counts:?}");
                assert!(most <= counts.iter().sum(), "{name}: {most} admitted and {counts:?} counted");
            }
        }
    }

    /// Nobody was refused for want of an answer: who meets others at a row is counted all the same.
    pub(super) fn were_all_decided_by_the_store(&self) {
        assert_eq!(self.failed_closed, 0, "requests that met others were refused");
    }
}

fn span_ms(admitted: &[Admission]) -> i64 {
    let first = admitted.iter().map(|(before, _)| *before).min().unwrap_or(0);
    admitted.iter().map(|(_, after)| *after).max().unwrap_or(0) - first
}

fn hold(name: &str, limit: &Limit, extra_ms: i64, skew_ms: i64, admitted: &[Admission]) {
    let (amount, period_ms) = (limit.amount(), i64::try_from(limit.period().as_millis()).expect("short"));
    match limit.rule() {
        Rule::Bucket { burst } => {
            each_time(admitted, |count, span_ms| {
                let allowed = amount * u64::try_from(span_ms + extra_ms).expect("a span") / 1_000 + burst;
                assert!(count <= allowed, "{name}: {count} in {span_ms} ms, {allowed} are allowed");
            });
        }
        // With clocks that differ a window is another time for each.
        _ if skew_ms > 0 => {}
        Rule::FixedWindow | Rule::Quota => {
            let mut windows = BTreeMap::<i64, u64>::new();
            let inside = |(before, after): &&Admission| before / period_ms == after / period_ms;
            for (before, _) in admitted.iter().filter(inside) {
                *windows.entry(before / period_ms).or_default() += 1;
            }
            assert!(windows.values().all(|count| *count <= amount), "{name}: {windows:?}");
        }
        Rule::SlidingLog => each_time(admitted, |count, span_ms| {
            assert!(span_ms >= period_ms || count <= amount, "{name}: {count} in {span_ms} ms");
        }),
        Rule::SlidingWindow => each_time(admitted, |count, span_ms| {
            assert!(span_ms >= period_ms || count <= 2 * amount, "{name}: {count} in {span_ms} ms");
        }),
    }
}

/// Tells how many admissions lie wholly inside of each time that begins and ends with one.
fn each_time(admitted: &[Admission], mut check: impl FnMut(u64, i64)) {
    let mut by_end = admitted.to_vec();
    by_end.sort_unstable_by_key(|(_, after)| *after);
    let mut begins: Vec<i64> = admitted.iter().map(|(before, _)| *before).collect();
    begins.sort_unstable();
    begins.dedup();
    for begin in begins {
        let mut count = 0;
        for (before, after) in &by_end {
            if *before >= begin {
                count += 1;
                check(count, after - begin);
            }
        }
    }
}
