//! One body in memory: its bytes, what they were verified to be, and its compressed variants, made when first asked for.

use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use parking_lot::Mutex;

use super::digest::{Digest, Stored};
use super::encoding::{self, Encoding};
use super::settings::Compression;

/// A body whose bytes are what [`sha256`](Body::sha256) says. A clone shares everything, also variants made later.
///
/// ```
/// use bytes::Bytes;
/// use facetheory::body::{Bodies, BodyKey, Encoding};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), facetheory::body::BodyError> {
/// let bodies = Bodies::memory();
/// let key = BodyKey::new("CACHE#1", "token");
/// let stored = bodies.put(&key, Bytes::from("<p>".repeat(1000))).await?;
/// let body = bodies.get(key.as_str(), Some(&stored)).await?.expect("it was put");
///
/// assert_eq!(body.len(), 3000);
/// assert!(body.encoded(Encoding::Gzip).expect("it gets smaller").len() < 100);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Body(Arc<Inner>);

struct Inner {
    bytes: Bytes,
    stored: Stored,
    etag: String,
    compression: Compression,
    gzip: OnceLock<Option<Bytes>>,
    brotli: OnceLock<Option<Bytes>>,
    keeper: Option<(Weak<dyn Keeper>, Arc<str>)>,
    /// Held while the keeper is told of a variant, so that of two new ones the heavier weight is told last.
    telling: Mutex<()>,
}

/// Keeps bodies in memory and must hear when one grows.
pub(super) trait Keeper: Send + Sync {
    /// The body that is kept for this pointer has one more variant.
    fn grown(&self, pointer: &Arc<str>, body: &Body);
}

impl Body {
    /// A body of these bytes, which the caller has measured.
    pub(super) fn new(
        bytes: Bytes,
        stored: Stored,
        compression: Compression,
        keeper: Option<(Weak<dyn Keeper>, Arc<str>)>,
    ) -> Self {
        let etag = format!("\"{:.32}\"", stored.sha256);
        let (gzip, brotli) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Inner {
            bytes,
            stored,
            etag,
            compression,
            gzip,
            brotli,
            keeper,
            telling: Mutex::new(()),
        }))
    }

    /// The bytes as they were rendered. Cloning them copies nothing.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.0.bytes
    }

    /// How many bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.bytes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.bytes.is_empty()
    }

    /// The SHA-256 of the bytes.
    #[must_use]
    pub fn sha256(&self) -> Digest {
        self.0.stored.sha256
    }

    /// The SHA-256 and the length of the bytes.
    #[must_use]
    pub fn stored(&self) -> &Stored {
        &self.0.stored
    }

    /// A strong entity tag, in quotes: equal for equal bytes and different for others. It is that of the bytes as they were
    /// rendered; see [`etag_of`](Self::etag_of) for variants.
    #[must_use]
    pub fn etag(&self) -> &str {
        &self.0.etag
    }

    /// The strong entity tag of a variant: RFC 9110 asks that encodings of one page differ in it.
    #[must_use]
    pub fn etag_of(&self, encoding: Encoding) -> String {
        match encoding {
            Encoding::Identity => self.0.etag.clone(),
            Encoding::Gzip | Encoding::Brotli => {
                format!("{}-{}\"", self.0.etag.trim_end_matches('"'), encoding.token())
            }
        }
    }

    /// The body in this encoding; `None` if it is too short to bother or would not get smaller. The first call compresses,
    /// which takes the thread milliseconds per megabyte; later ones copy nothing.
    #[must_use]
    pub fn encoded(&self, encoding: Encoding) -> Option<Bytes> {
        let Some(variant) = self.variant(encoding) else {
            return Some(self.0.bytes.clone());
        };
        if let Some(known) = variant.get() {
            return known.clone();
        }
        let made = variant.get_or_init(|| encoding::compress(&self.0.bytes, encoding, self.0.compression));
        if made.is_some()
            && let Some((keeper, pointer)) = &self.0.keeper
            && let Some(keeper) = keeper.upgrade()
        {
            let _telling = self.0.telling.lock();
            keeper.grown(pointer, self);
        }
        made.clone()
    }

    /// Whether [`encoded`](Self::encoded) would answer at once, without compressing.
    #[must_use]
    pub fn is_encoded(&self, encoding: Encoding) -> bool {
        self.variant(encoding).is_none_or(|variant| variant.get().is_some())
    }

    /// Bytes it holds in memory, with the variants made so far.
    pub(super) fn held_bytes(&self) -> usize {
        let variants =
            [&self.0.gzip, &self.0.brotli].into_iter().filter_map(|variant| variant.get()?.as_ref());
        self.len() + variants.map(Bytes::len).sum::<usize>()
    }

    /// Whether both are clones of one body.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn variant(&self, encoding: Encoding) -> Option<&OnceLock<Option<Bytes>>> {
        match encoding {
            Encoding::Identity => None,
            Encoding::Gzip => Some(&self.0.gzip),
            Encoding::Brotli => Some(&self.0.brotli),
        }
    }
}

/// Says what the body is and nothing of what it contains.
impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Body").field("stored", &self.0.stored).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(bytes: impl Into<Bytes>) -> Body {
        let bytes = bytes.into();
        Body::new(bytes.clone(), Stored::of(&bytes), Compression::default(), None)
    }

    #[test]
    fn small_and_incompressible_bodies_have_no_variant() {
        let noise: Vec<u8> =
            (0..200_u32).flat_map(|number| *Digest::of(&number.to_be_bytes()).as_bytes()).collect();
        for plain in [body("a".repeat(1023)), body(noise), body("")] {
            assert_eq!(plain.encoded(Encoding::Gzip), None);
            assert_eq!(plain.encoded(Encoding::Brotli), None);
            assert_eq!(plain.encoded(Encoding::Identity).as_ref(), Some(plain.bytes()));
            assert_eq!(plain.held_bytes(), plain.len());
        }
        assert!(body("a".repeat(1024)).encoded(Encoding::Gzip).is_some());
    }

    #[test]
    fn a_variant_is_made_once_and_shared_by_clones() {
        let first = body("<p>".repeat(1000));
        let second = first.clone();
        assert!(!second.is_encoded(Encoding::Brotli));
        let made = first.encoded(Encoding::Brotli).unwrap();
        assert!(second.is_encoded(Encoding::Brotli));
        assert_eq!(second.encoded(Encoding::Brotli).unwrap().as_ptr(), made.as_ptr(), "nothing was copied");
        assert_eq!(first.held_bytes(), first.len() + made.len());
    }

    #[test]
    fn entity_tags_are_strong_and_differ_by_content_and_encoding() {
        let one = body("one");
        assert!(one.etag().starts_with('"') && one.etag().ends_with('"') && one.etag().len() == 34);
        assert_eq!(one.etag(), body("one").etag());
        assert_ne!(one.etag(), body("two").etag());
        assert_eq!(one.etag_of(Encoding::Identity), one.etag());
        let gzip = one.etag_of(Encoding::Gzip);
        assert!(
            gzip.ends_with("-gzip\"")
                && gzip.matches('"').count() == 2
                && gzip != one.etag_of(Encoding::Brotli)
        );
    }

    #[test]
    fn debug_output_shows_no_content() {
        assert!(!format!("{:?}", body("canary")).contains("canary"));
    }
}
