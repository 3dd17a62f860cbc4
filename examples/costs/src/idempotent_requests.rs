//! Idempotent requests: carried out, and repeated.

use anyhow::bail;
use idempotent::{Claim, Completion, Idempotency, IdempotencyKey, Intent, Response, Scope};
use tabletheory::Db;
use tabletheory::testing::TestStore;

use crate::counted::Counted;

/// Claims the request, and completes it if it is new. Says whether it was.
async fn request(db: &Db, intent: &Intent, answer: &Response) -> anyhow::Result<bool> {
    match Idempotency::new(db.clone()).claim(intent).await? {
        Claim::Granted(attempt) => match attempt.complete(answer).await? {
            Completion::Completed => Ok(true),
            other => bail!("completed as {other:?}"),
        },
        Claim::Replay(_) => Ok(false),
        other => bail!("claimed as {other:?}"),
    }
}

pub(crate) async fn count() -> anyhow::Result<Vec<Counted>> {
    let (db, meter) = TestStore::new().db().metered();
    Idempotency::new(db.clone()).create_table().await?;
    let mut rows = Vec::new();
    let cases = [
        (200, "requests carried out once, answers of 200 bytes", "the same, repeated"),
        (20_000, "requests carried out once, answers of 20 KB", "the same, repeated"),
    ];
    for (bytes, first, again) in cases {
        let key = IdempotencyKey::parse(format!("key-{bytes}"))?;
        let intent =
            Intent::of_bytes(Scope::route("POST", "/orders").tenant("acme").principal("ada"), key, b"{}");
        let answer = Response::new(201, "x".repeat(bytes))?;
        for (what, is_first) in [(first, true), (again, false)] {
            let _ = meter.take();
            if request(&db, &intent, &answer).await? != is_first {
                bail!("{what}: not as it should be");
            }
            // A repeated request is a claim that its condition refuses.
            rows.push(Counted::of(what, meter.take(), 1, u32::from(!is_first)));
        }
    }
    Ok(rows)
}
