//! The laws of the cache, held against the table's own stream: every change of every row that any worker made, whatever
//! language it is written in and whatever its clock says.

use std::collections::{BTreeMap, BTreeSet};

use facetheory::body::{Bodies, BodyKey, BodySettings, Stored};
use facetheory::record::Meta;
use tabletheory::Model as _;
use tabletheory::stream::Reader;
use tabletheory_core::store::op::StreamRecord;
use tabletheory_core::{Item, Value};

/// What is known about the pages from what was recorded so far.
#[derive(Debug)]
pub(crate) struct Laws {
    bodies: Bodies,
    pages: BTreeMap<String, Past>,
}

/// What happened to one page.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// Every publish: the lease token it was made under, and the content.
    pub(crate) publishes: Vec<(String, String)>,
    /// How often a lease was taken from somebody who had not given it back.
    pub(crate) takeovers: usize,
    /// How often the page was purged.
    pub(crate) purges: usize,
    tokens: BTreeSet<String>,
    generation: u64,
    /// Whose the lease is.
    lease: Option<String>,
    /// Who has published and must give the lease back with it: the rows of one transaction are recorded one by one.
    publisher: Option<String>,
    /// The least version of the content that each purge allows, and the one that counts now.
    floors: Vec<u64>,
    floor: u64,
}

impl Laws {
    /// Nothing has happened yet. Bodies are read from the disk each time, as another process does.
    pub(crate) fn new(bodies: &Bodies) -> Self {
        let cold = BodySettings { hot_bytes: 0, ..BodySettings::default() };
        let bodies = bodies.clone().with_settings(cold).expect("settings without a prefix");
        Self { bodies, pages: BTreeMap::new() }
    }

    /// A purge is about to happen, after which nothing older than this version of the content may be published.
    pub(crate) fn will_purge(&mut self, pk: &str, version: u64) {
        self.page(pk).floors.push(version);
    }

    /// What happened to a page.
    pub(crate) fn past(&self, pk: &str) -> &Past {
        &self.pages[pk]
    }

    /// Whether a publish was recorded under this lease.
    pub(crate) fn has_published(&self, pk: &str, token: &str) -> bool {
        self.pages.get(pk).is_some_and(|past| past.tokens.contains(token))
    }

    /// Reads what is recorded, and checks it.
    pub(crate) async fn follow(&mut self, stream: &mut Reader) {
        while let Some(batch) = stream.try_next().await.expect("the stream can be read") {
            assert!(!batch.gap, "nothing is left out");
            for record in &batch.records {
                self.record(record).await;
            }
        }
    }

    async fn record(&mut self, record: &StreamRecord) {
        let (pk, sk) = (text(&record.keys, "pk").expect("a key"), text(&record.keys, "sk").expect("a key"));
        let (old, new) = (record.old_image.as_ref(), record.new_image.as_ref());
        match sk.as_str() {
            "LOCK" => self.page(&pk).lock(old, new),
            "EPOCH" => self.page(&pk).purge(new),
            "META" => {
                let new = new.unwrap_or_else(|| panic!("nobody forgets the metadata of {pk}"));
                let content = self.content(new).await;
                self.page(&pk).meta(&pk, old, new, content);
            }
            _ => {}
        }
    }

    /// The body that metadata name. It must be there, and be what they say.
    pub(crate) async fn content(&self, meta: &Item) -> String {
        let meta = Meta::from_item(meta.clone()).expect("metadata can be read");
        let digest = meta.body_sha256.as_deref().map(|sha256| sha256.parse().expect("a digest"));
        let stored = digest.zip(meta.body_len).map(|(sha256, len)| Stored { sha256, len });
        let body = self.bodies.get(&meta.s3_key, stored.as_ref()).await.expect("bodies can be read");
        let body = body.unwrap_or_else(|| panic!("{} names a missing body, {}", meta.pk, meta.s3_key));
        String::from_utf8(body.bytes().to_vec()).expect("a text")
    }

    fn page(&mut self, pk: &str) -> &mut Past {
        self.pages.entry(pk.to_owned()).or_default()
    }
}

impl Past {
    fn lock(&mut self, old: Option<&Item>, new: Option<&Item>) {
        let token = |item: Option<&Item>| item.and_then(|item| text(item, "lease_token"));
        let (old, new) = (token(old), token(new));
        if let Some(publisher) = self.publisher.take() {
            assert_eq!((old.as_ref(), &new), (Some(&publisher), &None), "who publishes gives the lease back");
        }
        if old != new && old.is_some() && new.is_some() {
            self.takeovers += 1;
        }
        self.lease = new;
    }

    fn purge(&mut self, epoch: Option<&Item>) {
        assert!(epoch.is_some(), "an epoch is never forgotten");
        self.floor = self.floors.get(self.purges).copied().unwrap_or(self.floor);
        self.purges += 1;
    }

    fn meta(&mut self, pk: &str, old: Option<&Item>, new: &Item, content: String) {
        let generation = number(new, "generation");
        if let Some(generation) = generation {
            assert!(generation >= self.generation, "{pk}: generation {generation} after {}", self.generation);
        }
        let s3_key = text(new, "s3_key").expect("a pointer");
        if old.and_then(|old| text(old, "s3_key")).as_ref() == Some(&s3_key) {
            let purged =
                number(new, "stale_since_ms").is_some() && number(new, "revalidate_seconds") == Some(0);
            assert!(purged, "{pk}: what is no publish can only be a purge");
            return;
        }
        // Pointers are named after the token, so they tell under which lease they were published.
        let names = |token: &String| {
            s3_key == BodyKey::new(pk, token).as_str() || s3_key == format!("isr/{token}.html")
        };
        let holder = self.lease.clone().filter(names);
        let token = holder.unwrap_or_else(|| panic!("{pk}: {s3_key} was published by who had no lease"));
        self.publisher = Some(token.clone());
        assert!(self.tokens.insert(token.clone()), "{pk}: two publishes under one lease");
        if let Some(generation) = generation {
            assert!(generation > self.generation, "{pk}: generation {generation} was there already");
            self.generation = generation;
        }
        let version = version(&content);
        assert!(
            version >= self.floor,
            "{pk}: version {version} was published after a purge of {}",
            self.floor
        );
        self.publishes.push((token, content));
    }
}

/// The version of a content: the number behind its first word.
pub(crate) fn version(content: &str) -> u64 {
    content.split(' ').nth(1).and_then(|number| number.parse().ok()).expect("a content has a version")
}

fn text(item: &Item, name: &str) -> Option<String> {
    item.get(name).and_then(Value::as_s).map(str::to_owned)
}

fn number(item: &Item, name: &str) -> Option<u64> {
    item.get(name).and_then(Value::as_n).and_then(|number| number.to_u64())
}
