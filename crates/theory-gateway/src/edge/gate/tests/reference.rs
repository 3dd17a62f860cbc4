//! Requests in a stream of bytes, read as plainly as possible: the whole stream at once, line by line, with all lines of a head
//! at hand.

use super::super::framing::Stop;

/// What a stream holds.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The bodies of the requests that are whole.
    pub(super) bodies: Vec<Vec<u8>>,
    /// The first thing that does not pass.
    pub(super) stop: Option<Stop>,
}

/// Nothing more can be said, for more bytes are needed.
struct More;
type Step<T> = Result<T, Result<Stop, More>>;

pub(super) fn read(bytes: &[u8]) -> Read {
    let mut read = Read::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        match request(&mut rest) {
            Ok((body, asks_for_switch)) => {
                read.bodies.push(body);
                if asks_for_switch && read.stop.is_none() {
                    // Bodies behind it are still of interest: the tests refuse the other protocol.
                    read.stop = Some(Stop::Switch);
                }
            }
            Err(Ok(stop)) => {
                read.stop = read.stop.or(Some(stop));
                break;
            }
            Err(Err(More)) => break,
        }
    }
    read
}

fn request(rest: &mut &[u8]) -> Step<(Vec<u8>, bool)> {
    let mut lines: Vec<String> = Vec::new();
    loop {
        let line = line(rest, Stop::Head)?;
        if lines.is_empty() && line.is_empty() {
            continue;
        }
        if line.is_empty() {
            break;
        }
        lines.push(line);
        check(&lines).ok_or(Ok(Stop::Head))?;
    }
    let asks_for_switch = lines[0].ends_with(" HTTP/1.1") && !named(&lines, "upgrade").is_empty();
    let body = if !named(&lines, "transfer-encoding").is_empty() {
        chunks(rest)?
    } else {
        let length = named(&lines, "content-length")
            .first()
            .map_or(0, |length| length.parse().expect("it was checked"));
        take(rest, length)?
    };
    Ok((body, asks_for_switch))
}

/// The values of the lines with a name, without the blanks around them.
fn named(lines: &[String], name: &str) -> Vec<String> {
    let lines = lines[1..].iter().filter_map(|line| line.split_once(':'));
    lines
        .filter(|(written, _)| written.to_ascii_lowercase() == name)
        .map(|(_, value)| value.trim_matches([' ', '\t']).to_ascii_lowercase())
        .collect()
}

/// Whether these lines can begin a head.
fn check(lines: &[String]) -> Option<()> {
    let is_http11 = lines[0].ends_with(" HTTP/1.1");
    let mut is_good = is_http11 || lines[0].ends_with(" HTTP/1.0");
    for line in &lines[1..] {
        let name = line.split(':').next()?.to_ascii_lowercase();
        let is_alias = name.contains('_') && line.contains(':');
        is_good &= !(is_alias && matches!(&*name.replace('_', "-"), "content-length" | "transfer-encoding"));
        is_good &= !line.starts_with([' ', '\t']);
    }
    let lengths = named(lines, "content-length");
    let encodings = named(lines, "transfer-encoding");
    is_good &= lengths.len() + encodings.len() <= 1;
    is_good &= encodings.iter().all(|encoding| is_http11 && encoding == "chunked");
    is_good &= lengths
        .iter()
        .all(|length| (1..=18).contains(&length.len()) && length.bytes().all(|byte| byte.is_ascii_digit()));
    is_good.then_some(())
}

fn chunks(rest: &mut &[u8]) -> Step<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        // Too long a line is refused before its end is there.
        if rest.iter().take_while(|byte| **byte != b'\n').count() > 127 {
            return Err(Ok(Stop::Body));
        }
        let line = line(rest, Stop::Body)?;
        let (digits, extension) = line.split_at(line.find(';').unwrap_or(line.len()));
        let is_printable = extension.chars().all(|char| matches!(char, '\t' | ' '..='~'));
        let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_printable || !is_hexadecimal || !(1..=15).contains(&digits.len()) {
            return Err(Ok(Stop::Body));
        }
        let size = usize::from_str_radix(digits, 16).expect("fifteen digits fit");
        if size == 0 {
            break;
        }
        body.extend(take(rest, size)?);
        match (rest.first(), rest.get(1)) {
            (Some(b'\r'), Some(b'\n')) => *rest = &rest[2..],
            (None, _) | (Some(b'\r'), None) => return Err(Err(More)),
            _ => return Err(Ok(Stop::Body)),
        }
    }
    loop {
        let trailer = line(rest, Stop::Body)?;
        if trailer.is_empty() {
            return Ok(body);
        }
        let name = trailer.split_once(':').map_or(String::new(), |(name, _)| name.to_ascii_lowercase());
        let is_framing = ["content-length", "transfer-encoding", "host"].contains(&&*name.replace('_', "-"));
        if trailer.contains('\r') || trailer.starts_with([' ', '\t']) || is_framing {
            return Err(Ok(Stop::Body));
        }
    }
}

fn take(rest: &mut &[u8], count: usize) -> Step<Vec<u8>> {
    let (taken, after) = rest.split_at_checked(count).ok_or(Err(More))?;
    *rest = after;
    Ok(taken.to_vec())
}

/// The next line, which must end in CR LF. Bytes beyond ASCII become letters beyond ASCII.
fn line(rest: &mut &[u8], otherwise: Stop) -> Step<String> {
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or(Err(More))?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    let line = line.strip_suffix(b"\r").ok_or(Ok(otherwise))?;
    Ok(line.iter().map(|byte| char::from(*byte)).collect())
}
