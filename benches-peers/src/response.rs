//! The least of HTTP/1.1 that answers need: the status, and a body of a given length or in chunks.

use std::borrow::Cow;

use anyhow::{Context, Result, bail};

/// A whole answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) body: Cow<'a, [u8]>,
}

/// How the body is delimited.
enum Framing {
    Length(usize),
    Chunked,
}

/// The answer at the beginning of these bytes, or `None` while some of it is missing.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Response<'_>>> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let (head, rest) = (&bytes[..end], &bytes[end + 4..]);
    let mut lines = head.split(|byte| *byte == b'\n');
    let status = status(lines.next().unwrap_or_default())?;
    let body = match framing(lines)? {
        Framing::Length(length) => rest.get(..length).map(Cow::Borrowed),
        Framing::Chunked => unchunk(rest)?.map(Cow::Owned),
    };
    Ok(body.map(|body| Response { status, body }))
}

fn status(line: &[u8]) -> Result<u16> {
    let line = str::from_utf8(line).context("a status line is text")?;
    let code = line.split(' ').nth(1).with_context(|| format!("no status in `{line}`"))?;
    code.trim().parse().with_context(|| format!("no status in `{line}`"))
}

fn framing<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Result<Framing> {
    for line in lines {
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            return Ok(Framing::Length(str::from_utf8(value)?.parse().context("a length is a number")?));
        }
        if name.eq_ignore_ascii_case(b"transfer-encoding") && value.eq_ignore_ascii_case(b"chunked") {
            return Ok(Framing::Chunked);
        }
    }
    bail!("an answer says neither how long it is nor that it comes in chunks")
}

/// The chunks put together, or `None` while the last one is missing. Trailers are not expected.
fn unchunk(mut rest: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    loop {
        let Some(end) = memchr::memmem::find(rest, b"\r\n") else { return Ok(None) };
        let size = str::from_utf8(&rest[..end])?.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).with_context(|| format!("`{size}` is no chunk size"))?;
        let Some(chunk) = rest.get(end + 2..end + 2 + size + 2) else { return Ok(None) };
        if size == 0 {
            return Ok(Some(body));
        }
        body.extend_from_slice(&chunk[..size]);
        rest = &rest[end + 2 + size + 2..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, status: u16, body: &str) {
        let whole = parse(text.as_bytes()).expect("it is right").expect("it is whole");
        assert_eq!((whole.status, &*whole.body), (status, body.as_bytes()));
        for end in 0..text.len() {
            assert_eq!(parse(&text.as_bytes()[..end]).expect("it is right so far"), None, "{end} of {text}");
        }
    }

    #[test]
    fn bodies_of_a_given_length_are_read_when_they_are_whole() {
        check("HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\n\r\nhello", 200, "hello");
        check("HTTP/1.1 400 Bad Request\r\ncontent-length:0\r\n\r\n", 400, "");
    }

    #[test]
    fn bodies_in_chunks_are_put_together() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        check(&format!("{head}5\r\nhello\r\nA;x=y\r\n, chunks!!\r\n0\r\n\r\n"), 200, "hello, chunks!!");
    }

    #[test]
    fn an_answer_without_an_end_is_refused() {
        assert!(parse(b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n").is_err());
        assert!(parse(b"nonsense\r\n\r\n").is_err());
    }
}
