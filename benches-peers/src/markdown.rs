//! The pieces of which all tables are made.

use std::fmt::Write;

/// Whether a target was reached; nothing where there is none.
pub(crate) fn mark(is_reached: Option<bool>) -> &'static str {
    match is_reached {
        Some(true) => "✓",
        Some(false) => "✗ missed",
        None => "",
    }
}

/// One line of a table.
pub(crate) fn line(text: &mut String, cells: &[&str]) {
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// A whole number with commas.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
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
    fn digits_are_grouped() {
        for (number, text) in [(0.0, "0"), (999.0, "999"), (1000.0, "1,000"), (1_234_567.4, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
