//! The container of fjall's table and version files: sections, then a table of contents, then a trailer that locates
//! it and carries its checksum. fjall makes room for as many sections as the contents announce before it compares
//! the checksum, so a damaged count ends the process; it is compared here first.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use xxhash_rust::xxh3::xxh3_128;

use super::error::KvError;

/// `"SFA!", 1, 0, checksum of the contents: u128, their offset: u64, their length: u64`. Little endian.
const TRAILER_BYTES: u64 = 38;
const TRAILER_START: &[u8] = b"SFA!\x01\x00";
/// Far more than the handful of sections that a file has.
const CONTENTS_BYTES_MAX: u64 = 64 * 1024;

/// Compares the contents of the file in `path` with their checksum.
///
/// # Errors
/// `Corrupt` or `Io`.
pub(super) fn check(path: &Path) -> Result<(), KvError> {
    contents(path).map(|_| ())
}

/// The tables that a version file lists.
///
/// # Errors
/// `Corrupt` or `Io`.
pub(super) fn table_ids(path: &Path) -> Result<Vec<u64>, KvError> {
    let contents = contents(path)?;
    let section =
        section(&contents, b"tables").ok_or_else(|| KvError::corrupt(path, "it has no list of tables"))?;
    let section = read_at(path, section).map_err(|error| failed(path, error))?;
    ids(&section).ok_or_else(|| KvError::corrupt(path, "its list of tables is cut short"))
}

/// `levels: u8`, for each `runs: u8`, for each `tables: u32`, for each `id: u64, 0, checksum: u128, seqno: u64`.
fn ids(mut section: &[u8]) -> Option<Vec<u64>> {
    let mut ids = Vec::new();
    let [levels] = take(&mut section)?;
    for _ in 0..levels {
        let [runs] = take(&mut section)?;
        for _ in 0..runs {
            let tables = u32::from_le_bytes(take(&mut section)?);
            for _ in 0..tables {
                ids.push(u64::from_le_bytes(take(&mut section)?));
                let _checksum_and_seqno: [u8; 25] = take(&mut section)?;
            }
        }
    }
    Some(ids)
}

/// Offset and length of a section. The contents are `"TOC!", count: u32`, and for each section
/// `offset: u64, length: u64, name length: u16, name`.
fn section(contents: &[u8], wanted: &[u8]) -> Option<(u64, u64)> {
    let mut rest = contents.strip_prefix(b"TOC!")?;
    let count = u32::from_le_bytes(take(&mut rest)?);
    for _ in 0..count {
        let offset = u64::from_le_bytes(take(&mut rest)?);
        let length = u64::from_le_bytes(take(&mut rest)?);
        let (name, behind) =
            rest.get(2..)?.split_at_checked(u16::from_le_bytes(*rest.first_chunk()?).into())?;
        if name == wanted {
            return Some((offset, length));
        }
        rest = behind;
    }
    None
}

fn contents(path: &Path) -> Result<Vec<u8>, KvError> {
    let bytes = std::fs::metadata(path).map_err(|error| failed(path, error))?.len();
    let Some(trailer_offset) = bytes.checked_sub(TRAILER_BYTES) else {
        return Err(KvError::corrupt(path, "it is cut short"));
    };
    let trailer = read_at(path, (trailer_offset, TRAILER_BYTES)).map_err(|error| failed(path, error))?;
    let located = trailer.strip_prefix(TRAILER_START).and_then(|mut rest| {
        let checksum = u128::from_le_bytes(take(&mut rest)?);
        let offset = u64::from_le_bytes(take(&mut rest)?);
        let length = u64::from_le_bytes(take(&mut rest)?);
        let is_sane = length <= CONTENTS_BYTES_MAX && offset.checked_add(length) == Some(trailer_offset);
        is_sane.then_some((checksum, (offset, length)))
    });
    let Some((checksum, place)) = located else {
        return Err(KvError::corrupt(path, "it is cut short, or its trailer is wrong"));
    };
    let contents = read_at(path, place).map_err(|error| failed(path, error))?;
    if xxh3_128(&contents) == checksum {
        Ok(contents)
    } else {
        Err(KvError::corrupt(path, "its contents contradict their checksum"))
    }
}

fn read_at(path: &Path, (offset, length): (u64, u64)) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

fn failed(path: &Path, source: io::Error) -> KvError {
    match source.kind() {
        io::ErrorKind::NotFound => KvError::corrupt(path, "it is missing"),
        _ => KvError::io("read", path, source),
    }
}
