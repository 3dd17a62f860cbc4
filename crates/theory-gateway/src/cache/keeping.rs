//! A body on its way to a client of which a copy is kept: when it has come to its end, complete and not too large, whoever wants it
//! gets all of it. A body that breaks off, or that nobody reads to its end, is forgotten.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;

use super::room::Taken;

/// A body of which a copy is kept.
pub(super) struct Keeping<B> {
    body: B,
    copy: Option<Copy>,
}

struct Copy {
    pieces: Vec<Bytes>,
    taken: Taken,
    bytes_max: usize,
    /// How long the body is said to be.
    length: Option<usize>,
    land: Box<dyn FnOnce(Landed) + Send + Sync>,
}

/// What came of a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Landed {
    /// All of it.
    Whole(Bytes),
    /// More than may be kept.
    TooLarge,
}

impl<B: Body<Data = Bytes>> Keeping<B> {
    /// `land` gets the copy of a body of at most `bytes_max`, before the client gets its end, if there is room for it. It gets nothing
    /// of a body that breaks off or is not read to its end, nor, if `length` is known, of one of another length.
    pub(super) fn new(
        body: B,
        taken: Taken,
        bytes_max: usize,
        length: Option<usize>,
        land: impl FnOnce(Landed) + Send + Sync + 'static,
    ) -> Self {
        let copy = Copy { pieces: Vec::new(), taken, bytes_max, length, land: Box::new(land) };
        let mut keeping = Self { body, copy: Some(copy) };
        keeping.end_if_at_end();
        keeping
    }

    /// Reads for the copy alone: to the end, and no further once the copy is given up.
    pub(super) async fn finish(mut self)
    where
        B: Unpin,
    {
        while self.copy.is_some()
            && let Some(Ok(_)) = self.frame().await
        {}
    }

    /// Nobody may ask for the end of a body that is known to be there.
    fn end_if_at_end(&mut self) {
        let is_complete = self.copy.as_ref().is_some_and(|copy| copy.length == Some(copy.taken.bytes()));
        if is_complete || self.body.is_end_stream() {
            self.end();
        }
    }

    fn end(&mut self) {
        if let Some(copy) = self.copy.take()
            && copy.length.is_none_or(|length| length == copy.taken.bytes())
        {
            (copy.land)(Landed::Whole(joined(&copy.pieces, copy.taken.bytes())));
        }
    }

    fn take(&mut self, piece: &Bytes) {
        let Some(copy) = &mut self.copy else { return };
        if copy.taken.bytes() + piece.len() <= copy.bytes_max && copy.taken.extend(piece.len()) {
            copy.pieces.push(piece.clone());
        } else if let Some(copy) = self.copy.take() {
            (copy.land)(Landed::TooLarge);
        }
    }
}

/// One piece of exactly its own size: a piece of a larger buffer would keep all of that alive, counted nowhere.
fn joined(pieces: &[Bytes], bytes: usize) -> Bytes {
    let mut whole = BytesMut::with_capacity(bytes);
    pieces.iter().for_each(|piece| whole.extend_from_slice(piece));
    whole.freeze()
}

impl<B: Body<Data = Bytes> + Unpin> Body for Keeping<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let keeping = self.get_mut();
        let polled = Pin::new(&mut keeping.body).poll_frame(context);
        match &polled {
            Poll::Pending => {}
            Poll::Ready(None) => keeping.end(),
            Poll::Ready(Some(Err(_))) => keeping.copy = None,
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(piece) = frame.data_ref() {
                    keeping.take(piece);
                }
                keeping.end_if_at_end();
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> fmt::Debug for Keeping<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeping").field("is_kept", &self.copy.is_some()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::{StreamExt, stream};
    use http_body_util::{Full, StreamBody};
    use parking_lot::Mutex;

    use super::super::room::Room;
    use super::*;

    type Kept = Arc<Mutex<Option<Landed>>>;

    fn whole(text: &'static str) -> Option<Landed> {
        Some(Landed::Whole(Bytes::from_static(text.as_bytes())))
    }

    /// What comes of these pieces, read to their end.
    async fn kept(
        pieces: &[&'static str],
        breaks: bool,
        bytes_max: usize,
        length: Option<usize>,
    ) -> Option<Landed> {
        let frames = pieces.iter().map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes()))));
        let end = breaks.then_some(Err("broken"));
        let body = StreamBody::new(stream::iter(frames.chain(end).collect::<Vec<_>>()));
        let (mut body, kept) = keeping(body, bytes_max, length);
        while let Some(Ok(_)) = body.frame().await {}
        kept.lock().take()
    }

    fn keeping<B: Body<Data = Bytes>>(
        body: B,
        bytes_max: usize,
        length: Option<usize>,
    ) -> (Keeping<B>, Kept) {
        let kept = Kept::default();
        let place = Arc::clone(&kept);
        let land = move |landed| *place.lock() = Some(landed);
        (Keeping::new(body, Room::of(100).none(), bytes_max, length, land), kept)
    }

    #[tokio::test]
    async fn a_whole_body_is_kept() {
        assert_eq!(kept(&["ab", "c"], false, 3, None).await, whole("abc"));
        assert_eq!(kept(&["ab", "c"], false, 3, Some(3)).await, whole("abc"));
        assert_eq!(kept(&[], false, 3, None).await, whole(""));
    }

    #[tokio::test]
    async fn a_part_is_not() {
        assert_eq!(kept(&["ab", "c"], true, 3, None).await, None);
        assert_eq!(kept(&["ab", "c"], false, 3, Some(4)).await, None);
    }

    #[tokio::test]
    async fn what_is_too_large_and_what_there_is_no_room_for_is_given_up() {
        assert_eq!(kept(&["ab", "c"], false, 2, None).await, Some(Landed::TooLarge));
        assert_eq!(kept(&["0123456789"; 11], false, 1000, None).await, Some(Landed::TooLarge));
    }

    #[tokio::test]
    async fn a_body_whose_end_is_known_need_not_be_asked_for_it() {
        let (mut body, kept) = keeping(Full::new(Bytes::from_static(b"abc")), 3, None);
        body.frame().await.unwrap().unwrap();
        assert_eq!(*kept.lock(), whole("abc"));
        let (_, kept) = keeping(Full::new(Bytes::new()), 3, None);
        assert_eq!(*kept.lock(), whole(""));
    }

    /// A refresh beside an answer read on when there was nothing to keep any more, and some bodies have no end.
    #[tokio::test]
    async fn who_reads_for_the_copy_alone_stops_when_it_is_given_up() {
        let endless = || {
            let pieces = stream::repeat(Bytes::from_static(b"ab"));
            StreamBody::new(pieces.map(|piece| Ok::<_, &str>(Frame::data(piece))))
        };
        let (body, kept) = keeping(endless(), 5, None);
        body.finish().await;
        assert_eq!(*kept.lock(), Some(Landed::TooLarge));
        let (body, kept) = keeping(endless(), 5, Some(4));
        body.finish().await;
        assert_eq!(*kept.lock(), whole("abab"));
    }

    #[test]
    fn a_body_that_nobody_reads_is_not_kept() {
        let (body, kept) = keeping(Full::new(Bytes::from_static(b"abc")), 3, None);
        drop(body);
        assert_eq!(*kept.lock(), None);
    }
}
