//! What `prove` is asked for.

use anyhow::{Context, Result, bail, ensure};

use super::part::PARTS;

const MINUTES: u64 = 12;
/// A day.
const MINUTES_MAX: u64 = 24 * 60;
/// Parts make larger numbers of it.
const SEED_MAX: u64 = 1_000_000_000_000;

/// The arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    /// How long all parts may take together, building not counted.
    pub(super) minutes: u64,
    /// The parts that are wanted; all, if none is named.
    pub(super) only: Vec<String>,
    /// What all chance comes from.
    pub(super) seed: u64,
    /// Whether the page is written.
    pub(super) write: bool,
    /// Whether the report is for programs.
    pub(super) json: bool,
}

impl Options {
    pub(super) fn read(words: &[String]) -> Result<Self> {
        let mut options =
            Self { minutes: MINUTES, only: Vec::new(), seed: fresh_seed(), write: false, json: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--minutes" => options.minutes = number(word, words.next())?,
                "--seed" => options.seed = number(word, words.next())?,
                "--only" => options.only.push(part(words.next())?),
                "--write" => options.write = true,
                "--json" => options.json = true,
                other => bail!("`prove` does not know `{other}`\n\n{}", teach()),
            }
        }
        ensure!(
            (1..=MINUTES_MAX).contains(&options.minutes),
            "--minutes {} is not between 1 and {MINUTES_MAX}",
            options.minutes
        );
        ensure!(options.seed <= SEED_MAX, "--seed {} is above {SEED_MAX}", options.seed);
        Ok(options)
    }

    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == name)
    }
}

fn number(option: &str, word: Option<&String>) -> Result<u64> {
    let word = word.with_context(|| format!("{option} needs a number behind it"))?;
    word.parse().with_context(|| format!("`{word}` behind {option} is not a whole number"))
}

fn part(word: Option<&String>) -> Result<String> {
    let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
    let word = word.with_context(|| format!("--only needs a part behind it: {}", names.join(", ")))?;
    ensure!(names.contains(&word.as_str()), "there is no part `{word}`; there are {}", names.join(", "));
    Ok(word.clone())
}

/// A seed that the next run will not have: runs explore, unless one is repeated.
#[expect(clippy::disallowed_methods, reason = "the clock is the one thing that differs from run to run")]
fn fresh_seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_secs() % 1_000_000_000
}

/// What `--help` prints.
pub(super) fn teach() -> String {
    let mut text = format!(
        "cargo xtask prove [options]\n\n  \
         --minutes N   how long all parts take together, without building (default {MINUTES})\n  \
         --only PART   only this part; may be given several times\n  \
         --seed N      the seed of an earlier run\n  \
         --write       write docs/proof.md; parts that were left out are named there\n  \
         --json        report as JSON\n\nParts:\n"
    );
    for part in PARTS {
        text.push_str(&format!("  {:<12}{}\n", part.name, part.title));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Options> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::read(&words)
    }

    #[test]
    fn all_parts_are_wanted_unless_some_are_named() {
        let options = read("--minutes 3 --seed 7 --write --json").unwrap();
        assert_eq!((options.minutes, options.seed, options.write, options.json), (3, 7, true, true));
        assert!(PARTS.iter().all(|part| options.wants(part.name)));
        let options = read("--only models --only fuzz").unwrap();
        assert!(options.wants("models") && options.wants("fuzz") && !options.wants("crashes"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |words: &str, named: &str| {
            let error = read(words).unwrap_err().to_string();
            assert!(error.contains(named), "{words}: {error}");
        };
        check("--minutes", "--minutes");
        check("--minutes soon", "`soon`");
        check("--minutes 0", "between 1 and");
        check("--seed 18446744073709551615", "--seed 18446744073709551615 is above");
        check("--only nonsense", "`nonsense`; there are models");
        check("--only", "models");
        check("--quick", "`--quick`");
    }
}
