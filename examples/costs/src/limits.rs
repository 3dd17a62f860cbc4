//! Rate limits: decisions one by one, from batches, and denials.

use std::time::Duration;

use anyhow::ensure;
use limited::{Limit, Limiter, LimiterSettings, Policy};
use tabletheory::testing::TestStore;

use crate::counted::Counted;

const REQUESTS: u32 = 1000;

/// So many requests of one caller, and how many of them were denied.
async fn ask(limiter: &Limiter, policy: &Policy, requests: u32) -> anyhow::Result<u32> {
    let mut denied = 0;
    for _ in 0..requests {
        denied += u32::from(!limiter.check(policy, "user:ada", 1).await?.is_allowed());
    }
    Ok(denied)
}

pub(crate) async fn count() -> anyhow::Result<Vec<Counted>> {
    let (db, meter) = TestStore::new().db().metered();
    let limiter = Limiter::new(db);
    limiter.create_table().await?;
    let several = [Limit::per_second(1).burst(REQUESTS.into()), Limit::per_hour(1_000_000).sliding_window()];

    let _ = meter.take();
    ensure!(ask(&limiter, &Policy::new("each", several)?, REQUESTS).await? == 0, "nobody is denied");
    let each = Counted::of("requests let pass, by two limits at once", meter.take(), REQUESTS, 0);

    let leased = Policy::new("leased", [Limit::per_second(1).burst(100_000)])?.leased(50)?;
    ensure!(ask(&limiter, &leased, REQUESTS).await? == 0, "nobody is denied");
    let batches =
        Counted::of("requests let pass from batches of 50 (`leased(50)`)", meter.take(), REQUESTS, 0);

    let strict = LimiterSettings { deny_cache: Duration::ZERO, ..LimiterSettings::default() };
    let (strict, empty) =
        (limiter.with_settings(strict)?, Policy::new("empty", [Limit::per_hour(1).fixed_window()])?);
    ask(&strict, &empty, 1).await?;
    let _ = meter.take();
    ensure!(ask(&strict, &empty, REQUESTS).await? == REQUESTS, "everybody is denied");
    let denied = Counted::of("requests denied by the table", meter.take(), REQUESTS, REQUESTS);

    ask(&limiter, &empty, 1).await?;
    let _ = meter.take();
    ensure!(ask(&limiter, &empty, REQUESTS).await? == REQUESTS, "everybody is denied");
    let remembered = Counted::of("requests denied from memory, as is the default", meter.take(), REQUESTS, 0);
    Ok(vec![each, batches, denied, remembered])
}
