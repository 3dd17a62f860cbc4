//! Sizes as people write them: `64KB`, `16MB`, `2GB`. A KB has 1024 bytes.

use serde_json::Value;

use super::form::{Form, Wrong};
use super::raw::Raw;

const FORM: &str = "write a number and its unit, such as `64KB`, `16MB` or `2GB`";
/// Nothing is larger: a TB.
const BYTES_MAX: u64 = 1 << 40;
const UNITS: [(&str, u64); 4] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10), ("B", 1)];

/// How much something is, in bytes: from `MIN` to a TB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size<const MIN: u64>(pub(super) u64);

impl<const MIN: u64> Size<MIN> {
    /// In bytes of memory.
    pub(super) fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<const MIN: u64> Form for Size<MIN> {
    fn read(raw: &Raw<'_>) -> Result<Self, Wrong> {
        // A bare number counts bytes: there is nothing else it could count.
        let bytes = match raw.integer() {
            Some(integer) => u64::try_from(integer).map_err(|_| FORM)?,
            None => bytes(raw.text().ok_or(FORM)?).ok_or(FORM)?,
        };
        match (MIN..=BYTES_MAX).contains(&bytes) {
            true => Ok(Self(bytes)),
            false => Err(format!("write a size from `{}` to `1024GB`", written(MIN)).into()),
        }
    }

    fn shown(&self) -> Value {
        Value::String(written(self.0))
    }
}

fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, unit) = text.split_at(split);
    // `KiB` says what is meant here more exactly.
    let unit = unit.trim_start().to_ascii_uppercase().replace("IB", "B");
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

fn written(bytes: u64) -> String {
    let (name, unit) =
        UNITS.iter().find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit)).unwrap_or(&("B", 1));
    format!("{}{name}", bytes / unit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let size = Size::<0>::read(&Raw::Outside(text.to_owned())).ok();
        assert_eq!(size.map(|size| size.0), expected, "{text:?}");
    }

    #[test]
    fn sizes_have_units() {
        check("64KB", Some(65_536));
        check("64 kb", Some(65_536));
        check("64KiB", Some(65_536));
        check("16MB", Some(16 << 20));
        check("2GB", Some(2 << 30));
        check("240B", Some(240));
        check("240", Some(240));
        check("0", Some(0));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "KB", "-1", "-1KB", "1.5MB", "1XB", "ä", "2000GB", "99999999999999999999KB"] {
            check(text, None);
        }
        assert!(Size::<16>::read(&Raw::Outside("15".to_owned())).is_err());
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_as_the_same(size in 0..=BYTES_MAX) {
            prop_assert_eq!(Size::<0>::read(&Raw::Outside(written(size))).expect("it was written by us").0, size);
        }
    }
}
