//! The command line and the plan it makes: how many rounds, how long, how many items.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::part::{self, Part};

pub(crate) const HELP: &str = "\
Ours beside its peers, in process, over HTTP and as a cache of pages, in one run: one document on stdout.

  --quick        some five minutes: short rounds, small tables
  --write        puts the outcome into docs/bench: results.json, results.md and a plot for each part. Parts that were
                 not measured now keep what they had
  --plots-from FILE
                 measures nothing: draws results.md and the plots again from a results.json, beside that file
  --json         a JSON document instead of the tables
  --only WORD    only this part: `engine`, `http`, `limits`, `hits`, `clients`, `keys`, `fleet`, `reopen`, `growth`, or
                 `pages` for the four that serve pages. Any other word means rows whose name contains it; such a run is
                 not whole and cannot be written. May be repeated
  --skip WORD    without the servers of pages whose name contains WORD (`next`); may be repeated
  --rounds N     rounds of each contender (5; quick: 3)
  --seconds S    length of a round (1; quick: 0.4); cached pages are given twice that, and at least a second
  --items-max N  the largest table of `growth` (10000000; quick: 100000)
  --keys-max N   the most pages of `keys` (1000000; quick: 10000)
  --dir FOLDER   where data goes (target); not a RAM disk, where a sync costs nothing
  --theory FILE  the program `theory`, ours over HTTP; without it only the peers are measured there
  --dynamodb-local FOLDER
                 AWS's DynamoDB Local (or THEORY_DYNAMODB_LOCAL); without it the rows do without it
  --next FOLDER  the application of Next.js, built; without it the rows of pages do without it
  --help         this text

Progress goes to stderr. The exit code is 0 also when a target is missed: the table says so. A part
that cannot be measured is named at the end, and the others are kept.
";

/// What to do and how thoroughly.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) rounds: u32,
    pub(crate) round_time: Duration,
    /// Items in the tables of the comparisons.
    pub(crate) items: u64,
    /// The largest table of the growth.
    pub(crate) items_max: u64,
    /// The most pages of a gateway.
    pub(crate) keys_max: u64,
    /// Items in the folder that is reopened.
    pub(crate) reopen_items: u64,
    pub(crate) dir: PathBuf,
    /// The program `theory`.
    pub(crate) theory: Option<PathBuf>,
    /// The folder with `DynamoDBLocal.jar`.
    pub(crate) dynamodb_local: Option<PathBuf>,
    /// The folder with the application of Next.js, built.
    pub(crate) next: Option<PathBuf>,
    pub(crate) json: bool,
    /// Whether the outcome goes to the documentation.
    pub(crate) write: bool,
    /// A document to draw again, instead of measuring.
    pub(crate) plots_from: Option<PathBuf>,
    pub(crate) is_quick: bool,
    /// As it was asked for.
    pub(crate) command: String,
    only: Vec<String>,
    skip: Vec<String>,
}

impl Plan {
    fn full() -> Self {
        Self {
            rounds: 5,
            round_time: Duration::from_secs(1),
            items: 100_000,
            items_max: 10_000_000,
            keys_max: 1_000_000,
            reopen_items: 1_000_000,
            dir: PathBuf::from("target"),
            theory: None,
            dynamodb_local: std::env::var_os("THEORY_DYNAMODB_LOCAL").map(PathBuf::from),
            next: None,
            json: false,
            write: false,
            plots_from: None,
            is_quick: false,
            command: String::new(),
            only: Vec::new(),
            skip: Vec::new(),
        }
    }

    fn quick() -> Self {
        Self {
            rounds: 3,
            round_time: Duration::from_millis(400),
            items: 20_000,
            items_max: 100_000,
            keys_max: 10_000,
            reopen_items: 100_000,
            is_quick: true,
            ..Self::full()
        }
    }

    /// Reads the command line; `None` if help was asked for.
    pub(crate) fn parse(words: &[String]) -> Result<Option<Self>> {
        let mut plan = if words.iter().any(|word| word == "--quick") { Self::quick() } else { Self::full() };
        plan.command = asked(words);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => {}
                "--json" => plan.json = true,
                "--write" => plan.write = true,
                option => {
                    ensure!(TAKING.contains(&option), "there is no option `{option}`\n\n{HELP}");
                    plan.set(option, words.next().with_context(|| format!("{option} wants a value"))?)?;
                }
            }
        }
        plan.check()?;
        Ok(Some(plan))
    }

    /// Takes the value of an option.
    fn set(&mut self, option: &str, value: &str) -> Result<()> {
        let number =
            || value.parse::<u64>().with_context(|| format!("{option} wants a number, not `{value}`"));
        match option {
            "--only" => self.only.push(value.to_lowercase()),
            "--skip" => self.skip.push(value.to_lowercase()),
            "--rounds" => self.rounds = u32::try_from(number()?).context("--rounds is too large")?,
            "--items-max" => self.items_max = number()?,
            "--keys-max" => self.keys_max = number()?,
            "--seconds" => {
                let seconds: f64 = value.parse().context("--seconds wants a number")?;
                self.round_time =
                    Duration::try_from_secs_f64(seconds).context("--seconds wants a length of time")?;
            }
            "--plots-from" => self.plots_from = Some(PathBuf::from(value)),
            "--dir" => self.dir = PathBuf::from(value),
            "--theory" => self.theory = Some(PathBuf::from(value)),
            "--dynamodb-local" => self.dynamodb_local = Some(PathBuf::from(value)),
            "--next" => self.next = Some(PathBuf::from(value)),
            other => bail!("nobody reads the option `{other}`"),
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        ensure!(
            self.rounds > 0 && !self.round_time.is_zero(),
            "a run needs at least one round of some length"
        );
        ensure!(self.items_max >= SCALE_MIN, "--items-max is at least {SCALE_MIN}");
        ensure!(self.keys_max >= SCALE_MIN / 10, "--keys-max is at least {}", SCALE_MIN / 10);
        if self.write
            && let Some(word) = self.only.iter().find(|word| !part::is_name(word))
        {
            bail!("`--only {word}` chooses rows, and --write wants whole parts: name a part, see --help");
        }
        Ok(())
    }

    /// Sizes that grow tenfold, from the smallest of the growth.
    pub(crate) fn item_counts(&self) -> Vec<u64> {
        tenfold(SCALE_MIN, self.items_max)
    }

    /// Numbers of pages that grow tenfold.
    pub(crate) fn key_counts(&self) -> Vec<u64> {
        tenfold(SCALE_MIN / 10, self.keys_max)
    }

    /// Whether anything of a part was asked for, which has rows of these names.
    pub(crate) fn wants_any(&self, part: Part, rows: &[&str]) -> bool {
        rows.iter().any(|row| self.wants(part, row))
    }

    /// Whether this row of a part was asked for. A word that is the name of a part means that part alone.
    pub(crate) fn wants(&self, part: Part, row: &str) -> bool {
        let row = row.to_lowercase();
        let chosen = |word: &String| {
            if part::is_name(word) { part.answers_to(word) } else { row.contains(word.as_str()) }
        };
        self.only.is_empty() || self.only.iter().any(chosen)
    }

    /// Whether this server was to be left out.
    pub(crate) fn skips(&self, server: &str) -> bool {
        let server = server.to_lowercase();
        self.skip.iter().any(|word| server.contains(word))
    }
}

/// The smallest table of the growth.
const SCALE_MIN: u64 = 10_000;

/// The options that take a value.
const TAKING: [&str; 11] = [
    "--only",
    "--skip",
    "--rounds",
    "--seconds",
    "--items-max",
    "--keys-max",
    "--plots-from",
    "--dir",
    "--theory",
    "--dynamodb-local",
    "--next",
];

/// What xtask adds: places on this machine, which are nobody else's business.
const PLACES: [&str; 3] = ["--theory", "--dynamodb-local", "--next"];

/// The command as somebody else would repeat it.
fn asked(words: &[String]) -> String {
    let mut command = String::from("cargo xtask bench");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if PLACES.contains(&word.as_str()) {
            words.next();
        } else {
            command.push(' ');
            command.push_str(word);
        }
    }
    command
}

fn tenfold(least: u64, most: u64) -> Vec<u64> {
    std::iter::successors(Some(least), |size| size.checked_mul(10)).take_while(|size| *size <= most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Plan>> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Plan::parse(&words)
    }

    #[test]
    fn quick_sets_the_defaults_and_others_override_them() {
        let plan = parse("--rounds 7 --quick --json").expect("it is right").expect("no help");
        assert!(plan.is_quick && plan.json && plan.rounds == 7 && plan.items == 20_000);
    }

    #[test]
    fn mistakes_are_named() {
        for line in [
            "--nonsense",
            "--rounds",
            "--rounds x",
            "--seconds -1",
            "--rounds 0",
            "--keys-max 3",
            "--write --only getitem",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("--help").expect("it is right").is_none());
    }

    #[test]
    fn parts_are_chosen_by_name_and_rows_by_words() {
        let plan = parse("--only get --only GROWTH").expect("it is right").expect("no help");
        assert!(plan.wants(Part::Engine, "GetItem, hot key") && plan.wants(Part::Growth, "anything"));
        assert!(!plan.wants(Part::Engine, "PutItem"));
        let plan = parse("--only keys").expect("it is right").expect("no help");
        assert!(plan.wants(Part::Keys, "") && !plan.wants(Part::Engine, "64 writers on 64 keys"));
        let plan = parse("--skip next").expect("it is right").expect("no help");
        assert!(plan.skips("Next.js") && !plan.skips("nginx"));
    }

    #[test]
    fn a_command_can_be_repeated_elsewhere() {
        let plan =
            parse("--theory /a/b --quick --next /c --only pages").expect("it is right").expect("no help");
        assert_eq!(plan.command, "cargo xtask bench --quick --only pages");
    }

    #[test]
    fn sizes_grow_tenfold() {
        let plan = parse("--items-max 1000000 --keys-max 50000").expect("it is right").expect("no help");
        assert_eq!(plan.item_counts(), [10_000, 100_000, 1_000_000]);
        assert_eq!(plan.key_counts(), [1_000, 10_000]);
    }
}
