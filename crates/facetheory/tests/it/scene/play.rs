//! The commands of scenes.

use facetheory::meta::{Group, Intent, Purge, Rollback};
use facetheory::{KeyScheme, Mode, Tenant};
use tabletheory::testing::Trouble;
use tabletheory_core::{Seconds, StoreError};
use tokio::time::Instant;

use super::answer;
use super::objects::Mishap;
use super::rows;
use super::words::{Command, Given, Word, duration, milliseconds};
use super::world::World;

type Played = Result<(), String>;

impl World {
    /// Plays one command, and compares what it came to.
    pub(super) async fn play(&mut self, command: &Command) -> Played {
        let given = Given::of(&command.words);
        let expected = command.expected.as_deref();
        match given.at(0) {
            "exact" => {}
            "policy" => self.set_policy(&given),
            "settings" => self.set_settings(&given),
            "origin" => self.origin.tell(&given),
            "get" => {
                let others = self.answers().await;
                assert!(others.is_empty(), "say what those got who came before: `answers => …`");
                self.visit(&given);
                return self.check_answers(expected).await;
            }
            "start" => self.visit(&Given { plain: given.plain[1..].to_vec(), ..given }),
            "answers" => return self.check_answers(expected).await,
            "leave" => self.leave(given.times),
            "later" => self.drops_later = given.has("drop"),
            "settle" => {
                self.settle().await;
                return self.check_counts(expected).await;
            }
            "count" => return self.check_counts(expected).await,
            "reset" => {
                self.fleet.tally.reset();
                self.reset = Instant::now();
            }
            "advance" => self.advance(duration(given.at(1))).await,
            "clock" => self.worker(given.at(1)).clock.be_off_by(milliseconds(given.at(2))),
            "freeze" => self.worker(given.at(1)).process.freeze(true),
            "thaw" => self.worker(given.at(1)).process.freeze(false),
            "cut" => self.worker(given.at(1)).link.cut(true),
            "mend" => self.worker(given.at(1)).link.cut(false),
            "kill" => {
                let fleet = self.fleet.clone();
                self.worker(given.at(1)).kill(&fleet);
            }
            "purge" => return self.purge(&given, expected).await,
            "versions" => return self.versions(&given, expected).await,
            "rollback" => return self.rollback(&given, expected).await,
            "sweep" => return self.sweep(&given, expected).await,
            "trouble" => self.trouble(&given),
            "body" => self.change_body(&given).await,
            "object" => {
                let bytes = given.text.clone().map(String::into_bytes);
                self.fleet.objects.write(given.at(1), bytes).await;
            }
            "row" => return self.row(&given, expected).await,
            other => panic!("there is no command {other}"),
        }
        assert!(expected.is_none(), "this command comes to nothing that could be compared");
        Ok(())
    }

    async fn check_answers(&mut self, expected: Option<&[Word]>) -> Played {
        let answers = self.answers().await;
        expected.map_or(Ok(()), |expected| answer::check(&answers, expected))
    }

    /// Counters since the last reset; the seconds since then; and the objects that lie there now.
    async fn check_counts(&mut self, expected: Option<&[Word]>) -> Played {
        let tally = &self.fleet.tally;
        tally.set("objects", self.fleet.objects.count().await as u64);
        tally.set("seconds", self.reset.elapsed().as_secs());
        expected.map_or(Ok(()), |expected| tally.check(expected))
    }

    fn set_policy(&mut self, given: &Given) {
        let policy = &mut self.policy;
        for (name, value, _) in &given.pairs {
            let seconds = || Seconds(milliseconds(value) / 1000);
            match name.as_str() {
                "revalidate" => policy.revalidate = seconds(),
                "stale_max" => policy.stale_max = seconds(),
                "stale_if_error" => policy.stale_if_error = seconds(),
                "negative" => policy.negative = seconds(),
                "retention" => policy.retention = seconds(),
                "lease" => policy.lease = seconds(),
                "wait" => policy.wait = duration(value),
                "render_max" => policy.render_max = duration(value),
                "backoff" => policy.backoff = duration(value),
                "backoff_max" => policy.backoff_max = duration(value),
                "versions" => policy.versions = value == "true",
                "mode" if value == "blocking" => policy.mode = Mode::Blocking,
                "mode" if value == "background" => policy.mode = Mode::Background,
                other => panic!("a policy has no {other}"),
            }
        }
        policy.check().expect("a policy that can be kept");
    }

    fn set_settings(&mut self, given: &Given) {
        assert!(self.workers.is_empty(), "settings come before the first visitor");
        for (name, value, _) in &given.pairs {
            match name.as_str() {
                "meta_cache" => self.fleet.settings.meta_cache = duration(value),
                "sweep_grace" => self.fleet.settings.sweep_grace = Seconds(milliseconds(value) / 1000),
                "versions_kept" => self.fleet.settings.versions_kept = value.parse().expect("a number"),
                "hot_bytes" => self.fleet.hot_bytes = value.parse().expect("a number"),
                "keys" => self.fleet.scheme = if value == "raw" { KeyScheme::Raw } else { KeyScheme::Hashed },
                other => panic!("there is no setting {other}"),
            }
        }
    }

    /// `purge /news`, `purge tag x`, `purge path /news`, `purge all`, each with `gone`, `tenant=…` and `as b`.
    async fn purge(&mut self, given: &Given, expected: Option<&[Word]>) -> Played {
        let how = if given.has("gone") { Purge::Gone } else { Purge::Stale };
        let tenant: Option<Tenant> = given.option("tenant").map(|tenant| tenant.parse().unwrap());
        let isr = self.worker(&given.worker).isr.clone();
        let purged = match given.at(1) {
            "tag" => isr.invalidate_group(tenant.as_ref(), Group::Tag(given.at(2)), how).await,
            "path" => isr.invalidate_group(tenant.as_ref(), Group::Path(given.at(2).as_bytes()), how).await,
            "all" => isr.invalidate_group(tenant.as_ref(), Group::All, how).await,
            path => isr.invalidate(&self.page(path, given), how).await,
        };
        outcome(if purged.is_ok() { "purged" } else { "error" }, expected)
    }

    async fn versions(&mut self, given: &Given, expected: Option<&[Word]>) -> Played {
        let (meta, page) = (self.worker(&given.worker).isr.meta().clone(), self.page(given.at(1), given));
        let versions = meta.versions(&meta.partition(&page).unwrap(), None).await.unwrap().versions;
        outcome(&versions.len().to_string(), expected)
    }

    /// `rollback /news back=1 hold=60s => shown`
    async fn rollback(&mut self, given: &Given, expected: Option<&[Word]>) -> Played {
        let (isr, page) = (self.worker(&given.worker).isr.clone(), self.page(given.at(1), given));
        let versions =
            isr.meta().versions(&isr.meta().partition(&page).unwrap(), None).await.unwrap().versions;
        let back: usize = given.option("back").map_or(1, |back| back.parse().expect("a number"));
        let id = versions.get(back).map_or("none", |version| version.id.as_str());
        let hold = Seconds(milliseconds(given.option("hold").unwrap_or("60s")) / 1000);
        let word = match isr.rollback(&page, id, hold).await {
            Ok(Rollback::Shown(_)) => "shown",
            Ok(Rollback::NoSuchVersion) => "no-such-version",
            Ok(Rollback::Lost) => "lost",
            Err(_) => "error",
        };
        outcome(word, expected)
    }

    async fn sweep(&mut self, given: &Given, expected: Option<&[Word]>) -> Played {
        let swept = self.worker(&given.worker).isr.clone().sweep().await;
        outcome(&swept.map_or_else(|_| "error".to_owned(), |swept| swept.deleted.to_string()), expected)
    }

    /// `trouble UpdateItem lost-answer x 3`, `trouble body-get fail`, `trouble body-put slow=20s`
    fn trouble(&mut self, given: &Given) {
        for _ in 0..given.times {
            let mishap = given.option("slow").map_or(Mishap::Fails, |span| Mishap::TakesLong(duration(span)));
            match given.at(1) {
                "body-get" => self.fleet.objects.get_mishap(mishap),
                "body-put" => self.fleet.objects.put_mishap(mishap),
                operation => {
                    let trouble = match given.plain.get(2).map_or("slow", String::as_str) {
                        "throttled" => Trouble::Throttled,
                        "not-reached" => Trouble::NotReached,
                        "lost-request" => Trouble::LostRequest,
                        "lost-answer" => Trouble::LostAnswer,
                        "conflict" => Trouble::Conflict,
                        "refused" => Trouble::Refused(StoreError::AccessDenied("not you".to_owned())),
                        "slow" => Trouble::Slow(duration(given.option("slow").expect("slow=…"))),
                        other => panic!("there is no trouble {other}"),
                    };
                    self.fleet.store.trouble(operation, trouble);
                }
            }
        }
    }

    /// `body delete /news`, `body damage /news`, `body truncate /news`
    async fn change_body(&mut self, given: &Given) {
        let pk = self.partition(given.at(2), given);
        let row = rows::read(&self.fleet.store, &pk, "META").await.expect("a page");
        let pointer = row.get("s3_key").and_then(|pointer| pointer.as_s()).expect("a pointer").to_owned();
        let mut bytes = self.fleet.objects.read(&pointer).await.expect("a body");
        let changed = match given.at(1) {
            "delete" => None,
            "damage" => {
                bytes[0] ^= 1;
                Some(bytes)
            }
            "truncate" => Some(bytes[..bytes.len() / 2].to_vec()),
            other => panic!("a body cannot be {other}d"),
        };
        self.fleet.objects.write(&pointer, changed).await;
    }

    /// `row META /news set status=404`, `row META /news remove status`, `row LOCK /news delete`, `row REQ:r-1 /news => …`
    async fn row(&mut self, given: &Given, expected: Option<&[Word]>) -> Played {
        let now = self.now().seconds();
        let sk = match given.at(1).strip_prefix("REQ:") {
            Some(id) => format!("REQ#{}", Intent::from_request_id(id).key()),
            None => given.at(1).to_owned(),
        };
        let sk = sk.as_str();
        let pk = match given.at(2) {
            "site" => {
                given.option("tenant").map_or("CACHE".to_owned(), |tenant| format!("TENANT#{tenant}#CACHE"))
            }
            path => self.partition(path, given),
        };
        let store = &self.fleet.store;
        let mut row = rows::read(store, &pk, sk).await;
        match given.plain.get(3).map(String::as_str) {
            None => return rows::check(row.as_ref(), expected.unwrap_or_default(), now),
            Some("delete") => rows::delete(store, &pk, sk).await,
            Some("remove") => {
                let row = row.as_mut().expect("a row");
                given.plain[4..].iter().for_each(|name| drop(row.remove(name)));
                rows::write(store, row.clone()).await;
            }
            Some("set") => {
                let mut row = row.unwrap_or_else(|| rows::key(&pk, sk));
                for (name, text, quoted) in given.pairs.iter().filter(|(name, ..)| name != "tenant") {
                    row.insert(name.as_str(), rows::value(text, *quoted, now));
                }
                rows::write(store, row).await;
            }
            Some(other) => panic!("a row cannot be {other}"),
        }
        Ok(())
    }

    fn partition(&mut self, path: &str, given: &Given) -> String {
        let page = self.page(path, given);
        self.worker(&given.worker).isr.meta().partition(&page).unwrap().as_str().to_owned()
    }
}

fn outcome(word: &str, expected: Option<&[Word]>) -> Played {
    match expected {
        None => Ok(()),
        Some([Word::Plain(expected)]) if expected == word => Ok(()),
        Some(_) => Err(format!("it was {word}")),
    }
}
