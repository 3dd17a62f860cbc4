//! Reading a request's body: whole, bounded, and all bodies together bounded too.

use std::fmt;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bodies up to this size are not worth counting.
const SMALL_BYTES: usize = 64 * 1024;
const UNIT_BYTES: usize = 1024;
/// How much of a body that is too large is read and thrown away. A client that is still sending does not look for the
/// answer, and would find its connection broken instead.
const DISCARD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Why a body was not read to its end.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BodyFault {
    /// It is larger than allowed.
    #[error("the request's body is larger than {max_bytes} bytes")]
    TooLarge {
        /// What is allowed.
        max_bytes: usize,
    },
    /// It did not arrive in time.
    #[error("the request's body took too long to arrive")]
    TooSlow,
    /// The connection broke, or the framing did.
    #[error("the request's body ended early or is not framed as announced")]
    Broken,
}

/// The room for bodies.
pub(super) struct Bodies {
    max_bytes: usize,
    units: Semaphore,
}

impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bodies").field("max_bytes", &self.max_bytes).finish_non_exhaustive()
    }
}

/// A body, and its share of the room until it is dropped.
#[derive(Debug)]
pub(super) struct ReadBody<'r> {
    bytes: Bytes,
    _room: Option<SemaphorePermit<'r>>,
}

impl std::ops::Deref for ReadBody<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Bodies {
    pub(super) fn new(max_bytes: usize, together_bytes: usize) -> Self {
        // Room for less than one body would never let it in.
        let units = together_bytes.max(max_bytes).div_ceil(UNIT_BYTES).min(Semaphore::MAX_PERMITS);
        Self { max_bytes, units: Semaphore::new(units) }
    }

    /// The whole body.
    pub(super) async fn read(&self, mut body: Incoming) -> Result<ReadBody<'_>, BodyFault> {
        let announced = body.size_hint().exact().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        // A body in chunks may become as large as any.
        let announced = announced.unwrap_or(self.max_bytes);
        if announced > self.max_bytes {
            return Err(self.too_large(body).await);
        }
        let room = if announced > SMALL_BYTES { Some(self.room(announced).await) } else { None };
        let Some(first) = self.frame(&mut body).await? else {
            return Ok(ReadBody { bytes: Bytes::new(), _room: room });
        };
        if first.len() > self.max_bytes {
            return Err(self.too_large(body).await);
        }
        // Nearly every body arrives in one piece and need not be copied.
        if body.is_end_stream() {
            return Ok(ReadBody { bytes: first, _room: room });
        }
        let mut whole = Vec::with_capacity(announced.min(SMALL_BYTES).max(first.len()));
        whole.extend_from_slice(&first);
        while let Some(piece) = self.frame(&mut body).await? {
            if whole.len() + piece.len() > self.max_bytes {
                return Err(self.too_large(body).await);
            }
            whole.extend_from_slice(&piece);
        }
        Ok(ReadBody { bytes: whole.into(), _room: room })
    }

    async fn frame(&self, body: &mut Incoming) -> Result<Option<Bytes>, BodyFault> {
        loop {
            match body.frame().await {
                None => return Ok(None),
                Some(Err(_)) => return Err(BodyFault::Broken),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    async fn too_large(&self, mut body: Incoming) -> BodyFault {
        let mut discarded = 0;
        while discarded < DISCARD_BYTES_MAX
            && let Ok(Some(piece)) = self.frame(&mut body).await
        {
            discarded += piece.len();
        }
        BodyFault::TooLarge { max_bytes: self.max_bytes }
    }

    async fn room(&self, bytes: usize) -> SemaphorePermit<'_> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        self.units.acquire_many(units).await.expect("the semaphore is never closed")
    }
}
