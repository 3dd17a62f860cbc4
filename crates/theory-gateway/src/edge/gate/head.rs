//! What a head says about what follows it, line by line. Only framing is judged here; hyper judges the rest.

/// What a head said so far.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Whether the request line was there.
    has_request_line: bool,
    is_http11: bool,
    length: Option<u64>,
    is_chunked: bool,
    asks_for_switch: bool,
}

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// One of the head.
    Inner,
    /// Its end.
    End,
    /// None that a head may have.
    Bad,
}

/// What follows a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Follows {
    pub(super) body: Body,
    pub(super) asks_for_switch: bool,
}

/// A body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// So many bytes; 0 if there is none.
    Length(u64),
    Chunked,
}

impl Head {
    /// Reads a line, which has lost its CR LF.
    pub(super) fn read(&mut self, line: &[u8]) -> Line {
        if !self.has_request_line {
            return self.read_request_line(line);
        }
        let Some(first) = line.first() else {
            return Line::End;
        };
        let is_good = match first | 0x20 {
            b'c' => value(line, b"content-length").is_none_or(|value| self.read_length(value)),
            b't' => value(line, b"transfer-encoding").is_none_or(|value| self.read_encoding(value)),
            b'u' => {
                self.asks_for_switch |= value(line, b"upgrade").is_some();
                true
            }
            // A line that continues the one before, which some take for a line of its own. (`\t | 0x20` is `)`.)
            _ => !matches!(first, b' ' | b'\t'),
        };
        if is_good { Line::Inner } else { Line::Bad }
    }

    /// What follows, once the end was read.
    pub(super) fn follows(&self) -> Follows {
        let body = if self.is_chunked { Body::Chunked } else { Body::Length(self.length.unwrap_or(0)) };
        Follows { body, asks_for_switch: self.asks_for_switch && self.is_http11 }
    }

    fn read_request_line(&mut self, line: &[u8]) -> Line {
        // Some clients send an empty line after a body, and servers are asked to bear it (RFC 9112, 2.2).
        if line.is_empty() {
            return Line::Inner;
        }
        self.has_request_line = true;
        self.is_http11 = line.ends_with(b" HTTP/1.1");
        if self.is_http11 || line.ends_with(b" HTTP/1.0") { Line::Inner } else { Line::Bad }
    }

    fn read_length(&mut self, value: Option<&[u8]>) -> bool {
        let length = value.and_then(number);
        if length.is_none() || self.length.is_some() || self.is_chunked {
            return false;
        }
        self.length = length;
        true
    }

    fn read_encoding(&mut self, value: Option<&[u8]>) -> bool {
        let is_chunked = value.is_some_and(|value| value.eq_ignore_ascii_case(b"chunked"));
        if !is_chunked || !self.is_http11 || self.length.is_some() || self.is_chunked {
            return false;
        }
        self.is_chunked = true;
        true
    }
}

/// Whether a trailer is one that a request may end with: none that frames, routes or continues another.
pub(super) fn is_trailer(line: &[u8]) -> bool {
    !matches!(line.first(), Some(b' ' | b'\t'))
        && value(line, b"content-length").is_none()
        && value(line, b"transfer-encoding").is_none()
        && value(line, b"host").is_none()
}

/// The value, if the line's name is `name` (lower case): `None` inside if the name is written with `_` for `-`, which is
/// another name here and the same one for applications that make variables of names.
fn value<'l>(line: &'l [u8], name: &[u8]) -> Option<Option<&'l [u8]>> {
    let (written, rest) = line.split_at_checked(name.len())?;
    let value = rest.strip_prefix(b":")?;
    if written.eq_ignore_ascii_case(name) {
        return Some(Some(trimmed(value)));
    }
    let is_alias = written.iter().zip(name).all(|(written, name)| match written {
        b'_' => *name == b'-',
        written => written.eq_ignore_ascii_case(name),
    });
    is_alias.then_some(None)
}

fn trimmed(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// Digits and nothing else. 18 of them are more than any body has.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0'))
    })
}
