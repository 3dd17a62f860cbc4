//! What libFuzzer says about a run.

use std::fmt;

use super::super::count::grouped;

/// The figures of one target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stats {
    /// Inputs that were run.
    pub(super) executions: u64,
    /// Edges of the code that some input took.
    pub(super) branches: u64,
    /// Inputs that each reached something that the others did not.
    pub(super) inputs: u64,
}

impl Stats {
    /// Reads libFuzzer's lines: `#1234 DONE cov: 567 ft: 890 corp: 12/3456b …`, and the number of units at the end. A target that
    /// failed may have only the former.
    pub(super) fn read(output: &str) -> Self {
        let mut stats = Self::default();
        for line in output.lines() {
            if let Some(units) = line.strip_prefix("stat::number_of_executed_units:") {
                stats.executions = units.trim().parse().unwrap_or(stats.executions);
            }
            let Some(rest) = line.strip_prefix('#') else { continue };
            let words: Vec<&str> = rest.split_whitespace().collect();
            let after = |name: &str| {
                let at = words.iter().position(|word| *word == name)?;
                words.get(at + 1)?.split('/').next()?.parse::<u64>().ok()
            };
            let units = words.first().and_then(|word| word.parse().ok()).unwrap_or(0);
            stats.executions = stats.executions.max(units);
            stats.branches = after("cov:").unwrap_or(stats.branches);
            stats.inputs = after("corp:").unwrap_or(stats.inputs);
        }
        stats
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executions, branches, inputs } = self;
        let [executions, branches, inputs] = [executions, branches, inputs].map(|number| grouped(*number));
        write!(f, "{executions} executions, {branches} branches reached, {inputs} inputs kept")
    }
}

/// The file with the input that ended a run.
pub(super) fn artifact(output: &str) -> Option<&str> {
    output.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "INFO: seed corpus: files: 7\n#8\tINITED cov: 100 ft: 120 corp: 7/90b exec/s: 0 rss: 40Mb\n\
        #5000\tNEW    cov: 150 ft: 300 corp: 30/1b lim: 4096 exec/s: 2500\n#9000\tDONE   cov: 151 ft: 301 corp: 31/2Kb lim: 4096\n\
        Done 9000 runs in 3 second(s)\nstat::number_of_executed_units: 9001\nstat::average_exec_per_sec: 3000\n";

    #[test]
    fn the_last_figures_count() {
        assert_eq!(Stats::read(OUTPUT), Stats { executions: 9001, branches: 151, inputs: 31 });
        assert_eq!(Stats::read("nothing"), Stats::default());
        let cut = OUTPUT.split("#9000").next().unwrap();
        assert_eq!(Stats::read(cut), Stats { executions: 5000, branches: 150, inputs: 30 });
    }

    #[test]
    fn the_input_that_broke_something_is_named() {
        let output = "==1== ERROR\nartifact_prefix='x/'; Test unit written to x/path-crash-1\nBase64: AA==\n";
        assert_eq!(artifact(output), Some("x/path-crash-1"));
        assert_eq!(artifact(OUTPUT), None);
    }
}
