//! The application in this process: any `tower` service, asked for one answer at a time, which is read whole.

use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use parking_lot::Mutex;
use tower_service::Service;

use crate::error::{BoxError, told};

/// No answer of a function is longer, so no more of one is read.
pub(crate) const ANSWER_BYTES_MAX: usize = 6 << 20;

/// Why an application gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unanswered {
    #[error("the application failed: {0}")]
    Failed(String),
    #[error("the application panicked")]
    Panicked,
    #[error("the answer is longer than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
}

pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Response<Bytes>, Unanswered>> + Send>>;

/// An application that can be asked.
pub(crate) trait Application: Send + Sync {
    fn ask(&self, request: Request<Bytes>) -> Answering;
}

/// A service as an application.
struct InProcess<S>(Mutex<S>);

/// The service as an application.
pub(crate) fn of<S, B>(service: S) -> Arc<dyn Application>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    Arc::new(InProcess(Mutex::new(service)))
}

impl<S, B> Application for InProcess<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    fn ask(&self, request: Request<Bytes>) -> Answering {
        let mut service = self.0.lock().clone();
        let answering = async move {
            poll_fn(|context| service.poll_ready(context)).await.map_err(failed)?;
            let answer = service.call(request.map(Full::new)).await.map_err(failed)?;
            whole(answer).await
        };
        Box::pin(
            AssertUnwindSafe(answering)
                .catch_unwind()
                .map(|answer| answer.unwrap_or(Err(Unanswered::Panicked))),
        )
    }
}

fn failed(error: impl Into<BoxError>) -> Unanswered {
    Unanswered::Failed(told(&*error.into()))
}

async fn whole<B>(answer: Response<B>) -> Result<Response<Bytes>, Unanswered>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let (parts, body) = answer.into_parts();
    match Limited::new(body, ANSWER_BYTES_MAX).collect().await {
        Ok(body) => Ok(Response::from_parts(parts, body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Err(Unanswered::TooLong),
        Err(error) => Err(Unanswered::Failed(format!("its answer broke off: {}", told(&*error)))),
    }
}

/// Reads the body of a request, which Lambda has given whole; what comes from a layer may still break off.
pub(crate) async fn read<B>(request: Request<B>) -> Result<Request<Bytes>, BoxError>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let (parts, body) = request.into_parts();
    let bytes = body.collect().await.map_err(Into::into)?.to_bytes();
    Ok(Request::from_parts(parts, bytes))
}

#[cfg(test)]
mod tests {
    use tower::service_fn;

    use super::*;

    fn check(
        service: impl Fn() -> Result<Response<Full<Bytes>>, BoxError> + Clone + Send + Sync + 'static,
    ) -> Result<usize, Unanswered> {
        let service = service_fn(move |_: Request<Full<Bytes>>| std::future::ready(service()));
        let asked = of(service).ask(Request::new(Bytes::new())).now_or_never().expect("nothing waits");
        asked.map(|answer| answer.body().len())
    }

    fn bytes(length: usize) -> Result<Response<Full<Bytes>>, BoxError> {
        Ok(Response::new(Full::new(Bytes::from(vec![b'x'; length]))))
    }

    #[test]
    fn an_application_that_fails_panics_or_says_too_much_gives_no_answer() {
        assert_eq!(check(|| bytes(3)), Ok(3));
        assert_eq!(check(|| bytes(ANSWER_BYTES_MAX)), Ok(ANSWER_BYTES_MAX));
        assert_eq!(check(|| bytes(ANSWER_BYTES_MAX + 1)), Err(Unanswered::TooLong));
        assert_eq!(check(|| Err("no database".into())), Err(Unanswered::Failed("no database".into())));
        assert_eq!(check(|| panic!("as told")), Err(Unanswered::Panicked));
    }
}
