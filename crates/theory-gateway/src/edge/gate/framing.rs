//! Where requests begin and end in a stream of bytes. However the stream is cut into reads, the verdict is the same: heads, chunk
//! sizes and trailers are judged by whole lines.

use super::head::{Body, Follows, Head, Line, is_trailer};

/// The longest line of a chunk's size, with its extensions, which nobody needs.
const SIZE_LINE_BYTES_MAX: usize = 128;

/// Why bytes do not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The head is not fine.
    Head,
    /// The body is not fine.
    Body,
    /// The request asks for another protocol, and what follows may belong to that one.
    Switch,
}

/// How far a stream is.
#[derive(Debug)]
pub(super) struct Framing {
    part: Part,
    head: Head,
    /// Bytes of the head or of the trailers so far.
    section_bytes: usize,
    section_bytes_max: usize,
    asks_for_switch: bool,
    /// What came of a line in earlier reads.
    begun: Vec<u8>,
}

/// What the next bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    /// More than a head may have: hyper refuses it.
    Endless,
    Length(u64),
    Size,
    Data(u64),
    DataCr,
    DataLf,
    Trailers,
}

impl Framing {
    pub(super) fn new(section_bytes_max: usize) -> Self {
        Self {
            part: Part::Head,
            head: Head::default(),
            section_bytes: 0,
            section_bytes_max,
            asks_for_switch: false,
            begun: Vec::new(),
        }
    }

    /// Whether the stream is between two requests.
    pub(super) fn is_between(&self) -> bool {
        self.part == Part::Head && self.section_bytes == 0
    }

    /// Judges the next bytes. If not all of them pass: how many do, and why not the others.
    pub(super) fn judge(&mut self, bytes: &[u8]) -> Option<(usize, Stop)> {
        let mut at = 0;
        while at < bytes.len() {
            let from = at;
            let rest = &bytes[at..];
            let outcome = match &mut self.part {
                Part::Endless => return None,
                Part::Length(left) | Part::Data(left) => {
                    let count = usize::try_from(*left).map_or(rest.len(), |left| left.min(rest.len()));
                    *left -= count as u64;
                    at += count;
                    self.pass_data()
                }
                Part::DataCr => {
                    at += 1;
                    self.pass_byte(rest[0], b'\r', Part::DataLf)
                }
                Part::DataLf => {
                    at += 1;
                    self.pass_byte(rest[0], b'\n', Part::Size)
                }
                Part::Head | Part::Size | Part::Trailers => {
                    let line_end = memchr::memchr(b'\n', rest);
                    at += line_end.map_or(rest.len(), |end| end + 1);
                    self.pass_line(&bytes[from..at], line_end.is_some())
                }
            };
            match outcome {
                Ok(()) => {}
                Err(Stop::Switch) => return Some((at, Stop::Switch)),
                Err(stop) => return Some((from, stop)),
            }
        }
        None
    }

    /// Goes on if all of a body or a chunk was there.
    fn pass_data(&mut self) -> Result<(), Stop> {
        match self.part {
            Part::Length(0) => self.end(),
            Part::Data(0) => {
                self.part = Part::DataCr;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn pass_byte(&mut self, byte: u8, expected: u8, next: Part) -> Result<(), Stop> {
        self.part = next;
        if byte == expected { Ok(()) } else { Err(Stop::Body) }
    }

    /// A line, or a part of one.
    fn pass_line(&mut self, piece: &[u8], is_ended: bool) -> Result<(), Stop> {
        self.section_bytes += piece.len();
        match self.part {
            Part::Head if self.section_bytes > self.section_bytes_max => {
                self.part = Part::Endless;
                return Ok(());
            }
            Part::Trailers if self.section_bytes > self.section_bytes_max => return Err(Stop::Body),
            Part::Size if self.begun.len() + piece.len() > SIZE_LINE_BYTES_MAX => return Err(Stop::Body),
            _ => {}
        }
        if !is_ended {
            self.begun.extend_from_slice(piece);
            return Ok(());
        }
        if self.begun.is_empty() {
            return self.pass_whole_line(piece);
        }
        let mut line = std::mem::take(&mut self.begun);
        line.extend_from_slice(piece);
        let outcome = self.pass_whole_line(&line);
        line.clear();
        self.begun = line;
        outcome
    }

    fn pass_whole_line(&mut self, line: &[u8]) -> Result<(), Stop> {
        let Some(line) = line.strip_suffix(b"\r\n") else {
            return Err(if self.part == Part::Head { Stop::Head } else { Stop::Body });
        };
        match self.part {
            Part::Head => match self.head.read(line) {
                Line::Inner => Ok(()),
                Line::Bad => Err(Stop::Head),
                Line::End => self.begin_body(),
            },
            Part::Size => {
                self.part = match chunk_size(line).ok_or(Stop::Body)? {
                    0 => Part::Trailers,
                    size => Part::Data(size),
                };
                self.section_bytes = 0;
                Ok(())
            }
            _ if line.is_empty() => self.end(),
            _ if is_trailer(line) && memchr::memchr(b'\r', line).is_none() => Ok(()),
            _ => Err(Stop::Body),
        }
    }

    fn begin_body(&mut self) -> Result<(), Stop> {
        let Follows { body, asks_for_switch } = self.head.follows();
        self.asks_for_switch = asks_for_switch;
        match body {
            Body::Length(0) => return self.end(),
            Body::Length(length) => self.part = Part::Length(length),
            Body::Chunked => self.part = Part::Size,
        }
        Ok(())
    }

    /// A request is over.
    fn end(&mut self) -> Result<(), Stop> {
        self.part = Part::Head;
        self.head = Head::default();
        self.section_bytes = 0;
        if self.asks_for_switch { Err(Stop::Switch) } else { Ok(()) }
    }
}

/// The size of a chunk: digits, and perhaps an extension that is printable.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let end = memchr::memchr(b';', line).unwrap_or(line.len());
    let (digits, extension) = line.split_at(end);
    // Fifteen digits are more than any body has, and cannot overflow.
    if digits.is_empty()
        || digits.len() > 15
        || !extension.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
    {
        return None;
    }
    digits.iter().try_fold(0_u64, |size, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(size * 16 + u64::from(digit))
    })
}
