//! Bodies: what the rest of the cache puts, gets and sweeps.

use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use object_store::ObjectStore;
use object_store::memory::InMemory;
use object_store::path::Path;
use tabletheory_core::{Clock, Timestamp};

use super::blocking::blocking;
use super::content::Body;
use super::digest::Stored;
use super::error::BodyError;
use super::folder::Folder;
use super::found::Found;
use super::hot::Hot;
use super::key::BodyKey;
use super::medium::Medium;
use super::objects::Objects;
use super::pointer::{PREFIX_BYTES_MAX, Pointer};
#[cfg(feature = "s3")]
use super::s3::S3Settings;
use super::settings::BodySettings;
use super::sweep::{self, BodySweep};
use super::usage::{BodyUsage, Counters};
use crate::flight::Flights;

/// Longer bodies are hashed away from the runtime's threads.
const HASHED_IN_PLACE_MAX: usize = 256 << 10;

/// Where bodies lie, with those asked for most in memory. A clone is the same bodies.
///
/// ```
/// use bytes::Bytes;
/// use facetheory::body::{Bodies, BodyKey};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let key = BodyKey::new("CACHE#1", "token");
/// let stored = Bodies::folder(folder.path())?.put(&key, Bytes::from("<h1>News</h1>")).await?;
///
/// // Another process, or the same one after a power failure.
/// let bodies = Bodies::folder(folder.path())?;
/// let body = bodies.get(key.as_str(), Some(&stored)).await?.expect("it was put");
/// assert_eq!(body.bytes(), "<h1>News</h1>");
/// assert!(bodies.cached(key.as_str(), Some(&stored)).is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Bodies(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    medium: Medium,
    prefix: Path,
    body_bytes_max: u64,
    hot: Arc<Hot>,
    /// Reads under way. Those who expect other bytes do not share one.
    flights: Flights<(Pointer, Option<Stored>), Result<Option<Body>, BodyError>>,
    counters: Counters,
}

impl Bodies {
    /// Bodies that live as long as the process.
    #[must_use]
    pub fn memory() -> Self {
        Self::over(Arc::new(InMemory::new()))
    }

    /// Bodies that live as long as the process, dated by `clock` for the sweep: for tests that move time by hand.
    #[must_use]
    pub fn memory_at(clock: Arc<dyn Clock>) -> Self {
        Self::new(Medium::Objects(Objects::dated(Arc::new(InMemory::new()), clock)))
    }

    /// Bodies in a folder, which is made if it is not there. Links inside it are not followed.
    ///
    /// # Errors
    /// If it cannot be made or opened.
    pub fn folder(path: impl AsRef<FilePath>) -> Result<Self, BodyError> {
        Ok(Self::new(Medium::Folder(Folder::open(path.as_ref())?)))
    }

    /// Bodies in an object store of the caller's. As durable as that store is.
    #[must_use]
    pub fn over(store: Arc<dyn ObjectStore>) -> Self {
        Self::new(Medium::Objects(Objects::new(store)))
    }

    /// Bodies in S3, or in a service that speaks its protocol.
    ///
    /// # Errors
    /// If the settings make no client. Nothing is sent yet.
    #[cfg(feature = "s3")]
    pub fn s3(settings: &S3Settings) -> Result<Self, BodyError> {
        Ok(Self::over(settings.connect()?))
    }

    /// The same place with other settings, and nothing in memory yet.
    ///
    /// # Errors
    /// If the prefix is not a plain relative path of at most 127 bytes.
    pub fn with_settings(self, settings: BodySettings) -> Result<Self, BodyError> {
        let must_be = "a relative path of at most 127 bytes, without `..`";
        let wrong = || BodyError::Setting { setting: "prefix", must_be };
        let prefix = match settings.prefix.as_str() {
            "" => Path::default(),
            prefix if prefix.len() > PREFIX_BYTES_MAX => return Err(wrong()),
            prefix => Pointer::parse(prefix).ok_or_else(wrong)?.below(&Path::default()),
        };
        Ok(Self::with_prefix(self.0.medium.clone(), prefix, &settings))
    }

    /// Puts a body. When this returns the body is durable, so that a pointer to it may be published. Putting the same
    /// bytes again is harmless.
    ///
    /// # Errors
    /// If the body is too large, or its place is missing, forbidden, full or out of reach. A read finds nothing then, or
    /// the whole body.
    pub async fn put(&self, key: &BodyKey, bytes: Bytes) -> Result<Stored, BodyError> {
        let inner = &self.0;
        let (len, max) = (bytes.len() as u64, inner.body_bytes_max);
        if len > max {
            return Err(BodyError::TooLarge { len, max });
        }
        let pointer = Pointer::parse(key.as_str()).expect("a key is a plain relative path");
        let stored = measured(&bytes).await;
        inner.medium.put(&pointer.below(&inner.prefix), bytes.clone()).await?;
        inner.counters.puts.add(1);
        inner.counters.put_bytes.add(len);
        // A read that began before may have missed what was put.
        inner.flights.leave(|(other, _)| other.as_str() == key.as_str());
        inner.hot.keep(key.as_str(), bytes, stored);
        Ok(stored)
    }

    /// The body that `pointer` names; `None` if there is none, if the pointer is not a plain relative path, or if length or
    /// digest are not `expected`. Without an expectation whatever lies there is taken.
    ///
    /// # Errors
    /// If the place cannot be read, or the body is longer than settings allow.
    pub async fn get(&self, pointer: &str, expected: Option<&Stored>) -> Result<Option<Body>, BodyError> {
        if let Some(body) = self.cached(pointer, expected) {
            return Ok(Some(body));
        }
        let Some(pointer) = Pointer::parse(pointer) else {
            self.0.counters.missing.add(1);
            return Ok(None);
        };
        let expected = expected.copied();
        let wish = (pointer, expected);
        let read = || Arc::clone(&self.0).load(wish.0.clone(), expected);
        self.0.flights.join(&wish, read).flight.await
    }

    /// A body that lies nowhere.
    pub(crate) fn unkept(&self, bytes: Bytes) -> Body {
        let stored = Stored::of(&bytes);
        self.0.hot.unkept(bytes, stored)
    }

    /// The body that `pointer` names, if it is in memory and what is `expected`. Never waits.
    #[must_use]
    pub fn cached(&self, pointer: &str, expected: Option<&Stored>) -> Option<Body> {
        let body = self.0.hot.get(pointer, expected)?;
        self.0.counters.hot_hits.add(1);
        Some(body)
    }

    /// Deletes bodies that were written before `older_than`, by the clock of the store, and for which `live` says no; and
    /// leftovers of the same age of writes that were cut short. `live` is asked right before the deletion. What a
    /// [`BodyKey`] does not name is left alone. A deletion that fails is counted, and the sweep goes on.
    ///
    /// # Errors
    /// If bodies cannot be listed.
    pub async fn sweep(
        &self,
        older_than: Timestamp,
        live: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<BodySweep, BodyError> {
        let medium = &self.0.medium;
        let delete = async |pointer: String| {
            let location = Path::parse(&pointer).expect("what is ours to delete has the shape of a key");
            let parts = self.0.prefix.parts().chain(location.parts());
            medium.delete(&Path::from_iter(parts)).await?;
            self.0.hot.forget(&pointer);
            self.0.counters.deletes.add(1);
            Ok(())
        };
        let listed = medium.list(&self.0.prefix);
        sweep::sweep(listed, medium.lists_on(), older_than, live, |listed| delete(listed.pointer)).await
    }

    /// What these bodies were used for.
    #[must_use]
    pub fn usage(&self) -> BodyUsage {
        let hot = &self.0.hot;
        BodyUsage { hot_bytes: hot.bytes(), hot_bodies: hot.len() as u64, ..self.0.counters.usage() }
    }

    fn new(medium: Medium) -> Self {
        Self::with_prefix(medium, Path::default(), &BodySettings::default())
    }

    fn with_prefix(medium: Medium, prefix: Path, settings: &BodySettings) -> Self {
        Self(Arc::new(Inner {
            medium,
            prefix,
            body_bytes_max: settings.body_bytes_max,
            hot: Hot::new(settings.hot_bytes, settings.compression),
            flights: Flights::new(),
            counters: Counters::default(),
        }))
    }
}

impl Inner {
    async fn load(
        self: Arc<Self>,
        pointer: Pointer,
        expected: Option<Stored>,
    ) -> Result<Option<Body>, BodyError> {
        let (location, max) = (pointer.below(&self.prefix), self.body_bytes_max);
        self.counters.gets.add(1);
        let bytes = match self.medium.get(&location, expected.map(|expected| expected.len), max).await? {
            Found::Bytes(bytes) => bytes,
            Found::TooLarge(len) => return Err(BodyError::TooLarge { len, max }),
            Found::Nothing => {
                self.counters.missing.add(1);
                return Ok(None);
            }
            Found::OtherLength => {
                self.counters.altered.add(1);
                return Ok(None);
            }
        };
        self.counters.get_bytes.add(bytes.len() as u64);
        let stored = measured(&bytes).await;
        if expected.is_some_and(|expected| expected != stored) {
            self.counters.altered.add(1);
            return Ok(None);
        }
        Ok(Some(self.hot.keep(pointer.as_str(), bytes, stored)))
    }
}

async fn measured(bytes: &Bytes) -> Stored {
    if bytes.len() <= HASHED_IN_PLACE_MAX {
        return Stored::of(bytes);
    }
    let bytes = bytes.clone();
    blocking(move || Stored::of(&bytes)).await
}
