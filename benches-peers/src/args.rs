//! The command line and the plan it makes: how many rounds, how long, how many items.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

pub(crate) const HELP: &str = "\
Ours beside its peers, in process and over HTTP, in one run: same items, same operations, one table on stdout.

  --quick        a few minutes: short rounds, small tables
  --json         a JSON document instead of the table
  --only WORD    only the parts whose name contains WORD (also `http`, `limits`, `pages`, `growth`, `reopen`); may be
                 repeated
  --skip WORD    without the servers of pages whose name contains WORD (`next`); may be repeated
  --rounds N     rounds of each contender (5; quick: 3)
  --seconds S    length of a round (2; quick: 0.4)
  --dir FOLDER   where data goes (target); not a RAM disk, where a sync costs nothing
  --theory FILE  the program `theory`, ours over HTTP; without it only the peers are measured there
  --dynamodb-local FOLDER
                 AWS's DynamoDB Local (or THEORY_DYNAMODB_LOCAL); without it the rows do without it
  --next FOLDER  the application of Next.js, built; without it the rows of pages do without it
  --help         this text

Progress goes to stderr. The exit code is 0 also when a target is missed: the table says so.
";

/// What to do and how thoroughly.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) rounds: u32,
    pub(crate) round_time: Duration,
    /// Items in the tables of the comparisons.
    pub(crate) items: u64,
    /// Sizes of the growth table.
    pub(crate) growth: Vec<u64>,
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
    pub(crate) is_quick: bool,
    only: Vec<String>,
    skip: Vec<String>,
}

impl Plan {
    fn full() -> Self {
        Self {
            rounds: 5,
            round_time: Duration::from_secs(2),
            items: 100_000,
            growth: vec![10_000, 100_000, 1_000_000],
            reopen_items: 1_000_000,
            dir: PathBuf::from("target"),
            theory: None,
            dynamodb_local: std::env::var_os("THEORY_DYNAMODB_LOCAL").map(PathBuf::from),
            next: None,
            json: false,
            is_quick: false,
            only: Vec::new(),
            skip: Vec::new(),
        }
    }

    fn quick() -> Self {
        Self {
            rounds: 3,
            round_time: Duration::from_millis(400),
            items: 20_000,
            growth: vec![10_000, 100_000],
            reopen_items: 100_000,
            is_quick: true,
            ..Self::full()
        }
    }

    /// Reads the command line; `None` if help was asked for.
    pub(crate) fn parse(words: &[String]) -> Result<Option<Self>> {
        let mut plan = if words.iter().any(|word| word == "--quick") { Self::quick() } else { Self::full() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} wants a value"));
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => {}
                "--json" => plan.json = true,
                "--only" => plan.only.push(value()?.to_lowercase()),
                "--skip" => plan.skip.push(value()?.to_lowercase()),
                "--rounds" => plan.rounds = value()?.parse().context("--rounds wants a number")?,
                "--seconds" => {
                    let seconds: f64 = value()?.parse().context("--seconds wants a number")?;
                    plan.round_time =
                        Duration::try_from_secs_f64(seconds).context("--seconds wants a length of time")?;
                }
                "--dir" => plan.dir = PathBuf::from(value()?),
                "--theory" => plan.theory = Some(PathBuf::from(value()?)),
                "--dynamodb-local" => plan.dynamodb_local = Some(PathBuf::from(value()?)),
                "--next" => plan.next = Some(PathBuf::from(value()?)),
                other => bail!("there is no option `{other}`\n\n{HELP}"),
            }
        }
        if plan.rounds == 0 || plan.round_time.is_zero() {
            bail!("a run needs at least one round of some length");
        }
        Ok(Some(plan))
    }

    /// Whether this part of the run was asked for.
    pub(crate) fn wants(&self, part: &str) -> bool {
        let part = part.to_lowercase();
        self.only.is_empty() || self.only.iter().any(|word| part.contains(word))
    }

    /// Whether this server was to be left out.
    pub(crate) fn skips(&self, server: &str) -> bool {
        let server = server.to_lowercase();
        self.skip.iter().any(|word| server.contains(word))
    }
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
        for line in ["--nonsense", "--rounds", "--rounds x", "--seconds -1", "--rounds 0"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("--help").expect("it is right").is_none());
    }

    #[test]
    fn parts_are_chosen_by_words() {
        let plan = parse("--only get --only GROWTH").expect("it is right").expect("no help");
        assert!(plan.wants("GetItem, hot key") && plan.wants("growth") && !plan.wants("PutItem"));
        let plan = parse("--skip next").expect("it is right").expect("no help");
        assert!(plan.skips("Next.js") && !plan.skips("nginx"));
    }
}
