//! The query of an address.

/// The path with these parameters; those without a value are left out.
pub(super) fn with_query(path: &str, parameters: &[(&str, Option<&str>)]) -> String {
    let mut text = path.to_owned();
    let mut mark = '?';
    for (name, value) in parameters {
        if let Some(value) = value {
            text.push(mark);
            text.push_str(name);
            text.push('=');
            encode(value, &mut text);
            mark = '&';
        }
    }
    text
}

fn encode(value: &str, text: &mut String) {
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                text.push(byte.into())
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_so_that_they_are_read_again() {
        assert_eq!(with_query("/api/pages", &[]), "/api/pages");
        assert_eq!(
            with_query("/api/pages", &[("tag", None), ("prefix", Some("/é?a=b&c")), ("limit", Some("5"))]),
            "/api/pages?prefix=/%C3%A9%3Fa%3Db%26c&limit=5"
        );
    }
}
