//! Bodies that were read, in whole or in part, beside those that pass unread.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};

/// The body of a request or a response on its way through [`Idempotent`](crate::Idempotent): what was read of it already, and then
/// the rest.
///
/// ```
/// use http_body::Body;
/// use http_body_util::Empty;
/// use idempotent::IdempotentBody;
///
/// let body = IdempotentBody::<Empty<bytes::Bytes>>::from(bytes::Bytes::from("hello"));
/// assert_eq!(body.size_hint().exact(), Some(5));
/// ```
pub struct IdempotentBody<B> {
    read: VecDeque<Frame<Bytes>>,
    rest: Option<Pin<Box<B>>>,
}

impl<B> IdempotentBody<B> {
    /// A body of which nothing was read.
    pub(crate) fn unread(body: B) -> Self {
        Self { read: VecDeque::new(), rest: Some(Box::pin(body)) }
    }
}

impl<B> From<Bytes> for IdempotentBody<B> {
    fn from(bytes: Bytes) -> Self {
        let read = if bytes.is_empty() { VecDeque::new() } else { VecDeque::from([Frame::data(bytes)]) };
        Self { read, rest: None }
    }
}

impl<B: Body<Data = Bytes>> Body for IdempotentBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        match (this.read.pop_front(), &mut this.rest) {
            (Some(frame), _) => Poll::Ready(Some(Ok(frame))),
            (None, Some(rest)) => rest.as_mut().poll_frame(context),
            (None, None) => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_empty() && self.rest.as_ref().is_none_or(|rest| rest.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let read: u64 = self.read.iter().filter_map(Frame::data_ref).map(|data| data.len() as u64).sum();
        let rest = self.rest.as_ref().map_or_else(|| SizeHint::with_exact(0), |rest| rest.size_hint());
        let mut hint = SizeHint::new();
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(read));
        }
        hint.set_lower(rest.lower().saturating_add(read));
        hint
    }
}

/// Without what is in it.
impl<B> fmt::Debug for IdempotentBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdempotentBody")
            .field("frames_read", &self.read.len())
            .field("has_rest", &self.rest.is_some())
            .finish()
    }
}

/// What reading a body came to.
pub(crate) enum Read<B: Body> {
    /// All of it, with its trailers.
    Whole(Bytes, IdempotentBody<B>),
    /// More than may be read: what was read, and the body with it and the rest.
    TooLong(Bytes, IdempotentBody<B>),
    /// It broke off.
    Broken,
}

/// Reads a body until its end, or until it has more than `bytes_max`.
pub(crate) async fn read<B: Body<Data = Bytes>>(body: B, bytes_max: u64) -> Read<B> {
    let mut body = Box::pin(body);
    let (mut frames, mut length) = (VecDeque::new(), 0);
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let Ok(frame) = frame else { return Read::Broken };
        length += frame.data_ref().map_or(0, |data| data.len() as u64);
        frames.push_back(frame);
        if length > bytes_max {
            return Read::TooLong(joined(&frames), IdempotentBody { read: frames, rest: Some(body) });
        }
    }
    Read::Whole(joined(&frames), IdempotentBody { read: frames, rest: None })
}

/// The data of all frames. Most bodies are one, and need no copy.
fn joined(frames: &VecDeque<Frame<Bytes>>) -> Bytes {
    let mut data = frames.iter().filter_map(Frame::data_ref);
    match (data.next(), data.next()) {
        (None, _) => Bytes::new(),
        (Some(only), None) => only.clone(),
        (Some(first), Some(second)) => {
            let mut all = BytesMut::from(&first[..]);
            all.extend_from_slice(second);
            data.for_each(|more| all.extend_from_slice(more));
            all.freeze()
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use http::HeaderMap;
    use http_body_util::{BodyExt, Full, StreamBody};

    use super::*;

    fn pieces(
        pieces: &[&'static str],
        trailers: Option<HeaderMap>,
    ) -> impl Body<Data = Bytes, Error = &'static str> + use<> {
        let mut frames: Vec<_> =
            pieces.iter().map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes())))).collect();
        frames.extend(trailers.map(|trailers| Ok(Frame::trailers(trailers))));
        StreamBody::new(futures_util::stream::iter(frames))
    }

    #[test]
    fn a_body_is_read_to_its_end_if_that_is_near_enough() {
        #[track_caller]
        fn check(given: &[&'static str], bytes_max: u64, whole: bool, expected: &str) {
            let (is_whole, bytes, body) = match block_on(read(pieces(given, None), bytes_max)) {
                Read::Whole(bytes, body) => (true, bytes, body),
                Read::TooLong(bytes, body) => (false, bytes, body),
                Read::Broken => panic!("it did not break"),
            };
            assert_eq!((is_whole, &bytes[..]), (whole, expected.as_bytes()), "{given:?}");
            let all = block_on(body.collect()).expect("it does not break").to_bytes();
            assert_eq!(all, given.concat(), "nothing is lost on the way");
        }
        check(&[], 0, true, "");
        check(&["abc"], 3, true, "abc");
        check(&["a", "", "bc", "d"], 4, true, "abcd");
        check(&["abcd"], 3, false, "abcd");
        check(&["ab", "cd", "ef"], 3, false, "abcd");
    }

    #[test]
    fn trailers_stay_behind_what_was_read() {
        let trailers = HeaderMap::from_iter([(http::header::ETAG, http::HeaderValue::from_static("x"))]);
        let Read::Whole(bytes, body) = block_on(read(pieces(&["a", "b"], Some(trailers.clone())), 9)) else {
            panic!("two bytes are few")
        };
        assert_eq!(bytes, "ab");
        assert_eq!(block_on(body.collect()).expect("whole").trailers(), Some(&trailers));
    }

    #[test]
    fn a_body_that_breaks_off_is_none() {
        let frames = [Ok(Frame::data(Bytes::from_static(b"a"))), Err("gone")];
        let body = StreamBody::new(futures_util::stream::iter(frames));
        assert!(matches!(block_on(read(body, 9)), Read::Broken));
    }

    #[test]
    fn a_body_knows_how_long_it_is() {
        let unread = IdempotentBody::unread(Full::new(Bytes::from("hello")));
        assert_eq!((unread.size_hint().exact(), unread.is_end_stream()), (Some(5), false));
        let empty = IdempotentBody::<Full<Bytes>>::from(Bytes::new());
        assert_eq!((empty.size_hint().exact(), empty.is_end_stream()), (Some(0), true));
        assert_eq!(format!("{unread:?}"), "IdempotentBody { frames_read: 0, has_rest: true }");
    }
}
