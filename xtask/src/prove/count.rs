//! What was counted. A test says it in lines like `counted: simulation seeds=50 visits=1234`, which are added up here.

use std::collections::BTreeMap;
use std::fmt;

const MARK: &str = "counted: ";

/// Numbers by what was done and what was counted of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counts(BTreeMap<(String, String), u64>);

impl Counts {
    /// What the lines of an output say together. A line may begin with the test runner's words.
    pub(super) fn read(output: &str) -> Self {
        let mut counts = Self::default();
        for (_, said) in output.lines().filter_map(|line| line.split_once(MARK)) {
            let mut words = said.split_whitespace();
            let Some(what) = words.next() else { continue };
            for (name, number) in words.filter_map(|word| word.split_once('=')) {
                if let Ok(number) = number.parse() {
                    counts.add(what, name, number);
                }
            }
        }
        counts
    }

    pub(super) fn add(&mut self, what: &str, name: &str, number: u64) {
        *self.0.entry((what.to_owned(), name.to_owned())).or_default() += number;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|((what, name), number)| self.add(what, name, *number));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// By what was done: each thing that was counted, and how often.
    pub(super) fn by_work(&self) -> BTreeMap<&str, Vec<(&str, u64)>> {
        let mut rows: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
        for ((what, name), number) in &self.0 {
            rows.entry(what).or_default().push((name, *number));
        }
        rows
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing was counted");
        }
        for (at, (what, numbers)) in self.by_work().into_iter().enumerate() {
            write!(f, "{}{what}: {}", if at > 0 { "; " } else { "" }, list(&numbers))?;
        }
        Ok(())
    }
}

/// Numbers in one line: `50 seeds, 1,234 visits`.
pub(super) fn list(numbers: &[(&str, u64)]) -> String {
    let words: Vec<String> = numbers
        .iter()
        .map(|(name, number)| format!("{} {}", grouped(*number), name.replace('-', " ")))
        .collect();
    words.join(", ")
}

/// A number with a comma before each three digits.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_up_and_others_passed_over() {
        let output = "running 1 test\ntest a ... counted: sim seeds=50 lost-answers=3\ncounted: sim seeds=50\n\
                      counted: other x=1 y=many\ncounted:\nok\n";
        let counts = Counts::read(output);
        assert_eq!(counts.to_string(), "other: 1 x; sim: 3 lost answers, 100 seeds");
        let mut twice = counts.clone();
        twice.merge(&counts);
        assert_eq!(twice.by_work()["sim"], [("lost-answers", 6), ("seeds", 200)]);
        assert!(Counts::read("nothing").is_empty());
    }

    #[test]
    fn large_numbers_can_be_read() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(123), "123");
        assert_eq!(grouped(1234), "1,234");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }
}
