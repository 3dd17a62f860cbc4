//! A rate, as it is said: so many in each second.

/// Reads a rate: `500/s` or `500`.
pub(super) fn read(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix("/s").unwrap_or(text);
    match number.parse() {
        Ok(0) | Err(_) => Err("it is a number for each second, such as 500/s".to_owned()),
        Ok(rate) => Ok(rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_for_each_second() {
        assert_eq!((read("500/s"), read("7")), (Ok(500), Ok(7)));
        for wrong in ["", "/s", "0", "0/s", "-1/s", "5/m", "1.5/s", "99999999999/s", "five"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
