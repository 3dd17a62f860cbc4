//! One connection to the application, for one request at a time, and those that are idle.

use std::time::Duration;

use http::header::HeaderMap;
use http::{HeaderName, Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep, timeout};

use super::counted::Count;
use super::error::{OriginError, Step};
use super::upload::{Progress, Upload};

/// How long an idle connection is trusted, if its other end says nothing: common servers close theirs after five seconds, and
/// a request that meets the closing is lost.
const IDLE_MAX: Duration = Duration::from_secs(4);
/// The longest that is believed of a server that says more.
const HINT_MAX: Duration = Duration::from_secs(60);
/// How long a connection may take to be ready after its last answer ended: nothing of that waits for the other side.
const SETTLE_MAX: Duration = Duration::from_millis(20);

/// One connection.
#[derive(Debug)]
pub(super) struct Line {
    sender: SendRequest<Upload>,
    read: Count,
}

/// A request that got no answer.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) error: OriginError,
    /// The request, if nothing of it was sent.
    pub(super) unsent: Option<Request<Upload>>,
    /// Whether something of an answer had come.
    pub(super) is_answered: bool,
}

impl Line {
    pub(super) fn new(sender: SendRequest<Upload>, read: Count) -> Self {
        Self { sender, read }
    }

    /// Sends a request; gives the head of its answer. When that fails, or is given up, the connection must not be used again.
    pub(super) async fn ask(
        &mut self,
        request: Request<Upload>,
        wait: Duration,
    ) -> Result<Response<Incoming>, Lost> {
        let progress = request.body().progress();
        let read = self.read.get();
        let late = async { while !is_late(&progress, wait).await {} };
        let answer = tokio::select! {
            biased;
            answer = self.sender.try_send_request(request) => answer,
            () = late => {
                let error = OriginError::TimedOut { step: Step::Head, waited: wait };
                return Err(Lost { error, unsent: None, is_answered: self.read.get() > read });
            }
        };
        answer.map_err(|mut refused| Lost {
            unsent: refused.take_message(),
            error: progress
                .failure()
                .map_or_else(|| OriginError::broken(refused.into_error()), OriginError::Asker),
            is_answered: self.read.get() > read,
        })
    }
}

/// Whether the application did nothing for so long: it took no piece of the request, although there was one.
async fn is_late(progress: &Progress, wait: Duration) -> bool {
    let pieces = progress.pieces();
    sleep(wait).await;
    progress.pieces() == pieces && !progress.is_awaited()
}

/// Connections that wait for a request.
#[derive(Debug, Default)]
pub(super) struct Idle(Mutex<Vec<(Line, Instant)>>);

impl Idle {
    /// A connection that is ready, the one that was used last.
    pub(super) async fn take(&self) -> Option<Line> {
        loop {
            let (mut line, until) = self.0.lock().pop()?;
            if until > Instant::now()
                && !line.sender.is_closed()
                && matches!(timeout(SETTLE_MAX, line.sender.ready()).await, Ok(Ok(())))
            {
                return Some(line);
            }
        }
    }

    /// Keeps a connection whose answer ended as it should.
    pub(super) fn put(&self, line: Line, trusted_for: Duration) {
        let now = Instant::now();
        let mut idle = self.0.lock();
        idle.retain(|(line, until)| *until > now && !line.sender.is_closed());
        if !line.sender.is_closed() {
            idle.push((line, now + trusted_for));
        }
    }
}

/// How long an idle connection can be trusted after this answer: somewhat less than the application says (`Keep-Alive: timeout=5`).
pub(super) fn trusted_for(headers: &HeaderMap) -> Duration {
    const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
    let hint = headers.get(KEEP_ALIVE).and_then(|value| value.to_str().ok()).and_then(|value| {
        let mut words = value.split(',').map(str::trim);
        words.find_map(|word| word.strip_prefix("timeout=")?.parse().ok())
    });
    let Some(seconds) = hint else { return IDLE_MAX };
    let hint = Duration::from_secs(seconds).min(HINT_MAX);
    hint.saturating_sub(Duration::from_secs(1)).max(hint / 2)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_connection_is_trusted_for_less_than_the_application_says() {
        let check = |line: Option<&'static str>, expected_ms: u64| {
            let mut headers = HeaderMap::new();
            if let Some(line) = line {
                headers.insert("keep-alive", HeaderValue::from_static(line));
            }
            assert_eq!(trusted_for(&headers), Duration::from_millis(expected_ms), "{line:?}");
        };
        check(None, 4000);
        check(Some("timeout=5"), 4000);
        check(Some("max=100, timeout=3"), 2000);
        check(Some("timeout=1"), 500);
        check(Some("timeout=0"), 0);
        check(Some("timeout=86400"), 59_000);
        check(Some("timeout=soon"), 4000);
    }
}
