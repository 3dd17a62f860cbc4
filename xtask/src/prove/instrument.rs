//! An instrument: tests that exist anyway, and what they are told so that they try something new.

/// Tests of one program whose names begin alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instrument {
    /// The crate.
    pub(super) package: &'static str,
    /// The program with the tests.
    pub(super) program: Program,
    /// How their names begin.
    pub(super) prefix: &'static str,
    /// What makes a run differ from the one before.
    pub(super) chance: Chance,
}

/// Which tests of a crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    /// Those beside the code.
    Lib,
    /// Those in `tests/it`.
    It,
}

/// Where the chance of a run comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Chance {
    /// There is none: everything is tried at once, and once is enough.
    None,
    /// The test throws its own dice, and tells what it threw if it fails.
    Own,
    /// These variables, made from a seed.
    Variables(fn(u64) -> Vec<(&'static str, u64)>),
}

impl Instrument {
    /// What the tests are told in the run with this seed.
    pub(super) fn variables(&self, seed: u64) -> Vec<(&'static str, u64)> {
        match self.chance {
            Chance::None | Chance::Own => Vec::new(),
            Chance::Variables(make) => make(seed),
        }
    }

    /// The command that repeats one test with these variables.
    pub(super) fn repeat(&self, test: &str, variables: &[(&'static str, u64)]) -> String {
        let mut text: String = variables.iter().map(|(name, number)| format!("{name}={number} ")).collect();
        let program = match self.program {
            Program::Lib => "--lib",
            Program::It => "--test it",
        };
        text.push_str(&format!("cargo test -p {} {program} -- --exact {test} --nocapture", self.package));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_repeated_with_its_variables() {
        let instrument = Instrument {
            package: "tabletheory-engine",
            program: Program::It,
            prefix: "model::",
            chance: Chance::Variables(|seed| vec![("THEORY_SEED", seed)]),
        };
        let repeat = instrument.repeat("model::a", &instrument.variables(7));
        let expected =
            "THEORY_SEED=7 cargo test -p tabletheory-engine --test it -- --exact model::a --nocapture";
        assert_eq!(repeat, expected);
    }
}
