//! The body of an answer: bytes that are there, or a stream on its way. Bytes that are there cost no allocation.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::combinators::BoxBody;

/// Why a stream broke off.
pub type Broken = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer.
pub struct Body(Kind);

enum Kind {
    Whole(Option<Bytes>),
    Stream(BoxBody<Bytes, Broken>),
}

impl Body {
    /// Nothing.
    #[must_use]
    pub const fn empty() -> Self {
        Self(Kind::Whole(None))
    }

    /// Bytes that are there.
    #[must_use]
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self(Kind::Whole((!bytes.is_empty()).then_some(bytes)))
    }

    /// Bytes on their way.
    pub fn stream<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + Sync + 'static,
        B::Error: Into<Broken>,
    {
        use http_body_util::BodyExt;
        Self(Kind::Stream(body.map_err(Into::into).boxed()))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match &mut self.get_mut().0 {
            Kind::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Stream(stream) => Pin::new(stream).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) => bytes.is_none(),
            Kind::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Kind::Stream(stream) => stream.size_hint(),
        }
    }
}

/// Says how long it is and nothing of what it contains.
impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("size", &http_body::Body::size_hint(self)).finish_non_exhaustive()
    }
}
