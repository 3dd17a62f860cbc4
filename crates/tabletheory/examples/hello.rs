//! A first program: one page is written and read in an engine in memory. It needs `tabletheory` and nothing else, so
//! `cargo xtask figures` counts what it compiles; a program of yours has an async runtime already.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tabletheory::{Db, Error, Model};

#[derive(Model, Debug, PartialEq)]
#[model(table = "app", pk = "TENANT#{tenant}#PAGE#{path}", sk = "META")]
struct Page {
    tenant: String,
    path: String,
    hits: u64,
}

async fn app() -> Result<String, Error> {
    let db = Db::memory();
    db.create_table::<Page>().await?;
    db.create(&Page { tenant: "acme".into(), path: "news".into(), hits: 0 }).await?;
    let page = db.update(Page::key("acme", "news")).change(Page::HITS.add(1)).await?;
    Ok(format!("hello, {}: {} hit", page.path, page.hits))
}

fn main() -> Result<(), Error> {
    println!("{}", wait(app())?);
    Ok(())
}

/// The smallest executor there is. An engine in memory answers at once.
fn wait<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => return done,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_program_says_hello() {
        assert_eq!(wait(app()).unwrap(), "hello, news: 1 hit");
    }
}
