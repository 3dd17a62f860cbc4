//! Checks the journals of a folder before fjall replays them, because fjall drops everything from the first entry it
//! cannot read, wherever that entry lies. An unreadable end is what a crash leaves and is cut off here; an unreadable
//! entry with readable ones behind it is damage, and the folder is not opened.
//!
//! What this relies on in fjall 3.1, all of it pinned by tests:
//! - `N.jnl` in the folder; N grows by one with each rotation, the oldest is removed first, the highest is active.
//!   A journal was synced completely before the next one was created.
//! - A journal is a sequence of batches, then zeros (64 MiB are preallocated) or the end of the file.
//! - A batch is `1, count: u32, seqno: u64`, then `count` entries, then `3, checksum: u64, "FJL", 3`. Little endian.
//! - An entry is `2, value type: u8, compression: u8, keyspace: u64, key length: u16, value length: u32, stored value
//!   length: u32, key, stored value`, or `4, keyspace: u64`.
//! - The checksum is XXH3 (64 bits) of the entries. The batch's own count and seqno are not covered: a wrong count
//!   fails to parse, and a wrong seqno is found by its order, because seqnos only grow.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use xxhash_rust::xxh3::Xxh3;

use super::emptied;
use super::error::KvError;
use super::journals::{journals, number_of};
use super::options::JournalDamage;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
const TRAILER: [u8; 4] = [b'F', b'J', b'L', 3];

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// Bytes that are read at once where a batch is only likely.
const LIKELY_CHUNK_BYTES: usize = 8 * 1024;
/// A batch's start and its first entry's head: enough to tell a likely batch from noise. No batch is shorter.
const LIKELY_BYTES: usize = 34;

/// Where the journals of a folder end.
#[derive(Debug)]
pub(super) struct End {
    /// The journal that is written to.
    active: PathBuf,
    /// The number of the last batch. `None` if there is none and none need be: older journals are gone, because all
    /// that was in them is in data files.
    seqno: Option<u64>,
}

impl End {
    /// Compares the end with the highest number in data files. A batch is in the journal before any of it is in a data
    /// file, so a higher one means that batches are missing here, and the spaces that were not written out lack
    /// their part of them.
    ///
    /// # Errors
    /// `Corrupt`, naming the journal.
    pub(super) fn check(&self, in_data_files: Option<u64>) -> Result<(), KvError> {
        match (self.seqno, in_data_files) {
            (Some(end), Some(stored)) if stored > end => {
                let detail = format!("it ends with entry {end}, but data files have entry {stored}");
                Err(KvError::corrupt(&self.active, detail))
            }
            _ => Ok(()),
        }
    }
}

/// Checks every journal in `folder`, oldest first, and cuts off the unreadable end that a crash may have left.
/// The caller holds the folder's lock.
///
/// # Errors
/// `Corrupt`, naming the file and the offset; `Io`.
pub(super) fn check(folder: &Path, damage: JournalDamage) -> Result<End, KvError> {
    let journals = journals(folder)?;
    let Some(active) = journals.last().cloned() else {
        return Err(KvError::corrupt(folder, "its journal is missing"));
    };
    let mut last_seqno = None;
    let mut torn: Vec<(&Path, u64)> = Vec::new();
    for (number, path) in journals.iter().enumerate() {
        let is_active = number + 1 == journals.len();
        let scan = scan(path, last_seqno).map_err(|source| KvError::io("read", path, source))?;
        if let (Some((path, at)), true) = (torn.last(), scan.has_batches) {
            return Err(damaged(path, *at, "unreadable, and a later journal has entries"));
        }
        match scan.rest {
            Rest::Zeros => {}
            Rest::Unreadable { is_complete: false } => torn.push((path, scan.readable)),
            // A batch that was written to its last byte but is wrong in the middle: the active journal's pages may
            // not all have reached the disk, but a rotated journal was synced.
            Rest::Unreadable { is_complete: true } if is_active => torn.push((path, scan.readable)),
            Rest::Unreadable { is_complete: true } => {
                return Err(damaged(path, scan.readable, "unreadable, in a journal that was completed"));
            }
            Rest::Damaged { .. } if is_active && damage == JournalDamage::KeepPrefix => {
                torn.push((path, scan.readable));
            }
            Rest::Damaged { next } => {
                let detail = format!("unreadable, and entries are readable again from offset {next}");
                return Err(damaged(path, scan.readable, &detail));
            }
        }
        last_seqno = scan.last_seqno;
    }
    for (path, readable) in torn {
        // fjall would cut most of these off too, but refuses a folder for good where the entry has its full length.
        truncate(path, readable).map_err(|source| KvError::io("truncate", path, source))?;
    }
    let seqno = match last_seqno {
        None => seqno_before(folder, number_of(&journals[0]))?,
        last => last,
    };
    Ok(End { active, seqno })
}

/// The number of the last batch before this journal, where that is known: it is the first one, or was emptied.
fn seqno_before(folder: &Path, journal: u64) -> Result<Option<u64>, KvError> {
    let emptied = emptied::read(folder)?.filter(|emptied| emptied.journal == journal);
    Ok(emptied.map(|emptied| emptied.seqno).or((journal == 0).then_some(0)))
}

/// Whether the journal in `path` holds nothing but zeros.
///
/// # Errors
/// `Io`.
pub(super) fn is_blank(path: &Path) -> Result<bool, KvError> {
    let scan = scan(path, None).map_err(|source| KvError::io("read", path, source))?;
    Ok(!scan.has_batches && matches!(scan.rest, Rest::Zeros))
}

/// What was found in one journal.
struct Scan {
    /// Where the last readable batch ends.
    readable: u64,
    has_batches: bool,
    /// The seqno of the last batch, in this journal or in one before.
    last_seqno: Option<u64>,
    rest: Rest,
}

/// What lies behind the readable batches.
enum Rest {
    /// Nothing, or preallocated zeros.
    Zeros,
    /// Bytes that are no batch, and no batch behind them. `is_complete` if they end as a batch does.
    Unreadable { is_complete: bool },
    /// Bytes that are no batch, and a good batch at `next`.
    Damaged { next: u64 },
}

fn scan(path: &Path, mut last_seqno: Option<u64>) -> io::Result<Scan> {
    let mut reader = Reader::open(path, 0, CHUNK_BYTES)?;
    let (mut readable, mut has_batches) = (0, false);
    let rest = loop {
        let Some(seqno) = reader.batch()? else { break rest(path, readable, last_seqno)? };
        if last_seqno.is_some_and(|last| seqno <= last) {
            // No crash leaves a whole batch that is out of order: one of the two has a wrong seqno.
            break Rest::Damaged { next: readable };
        }
        last_seqno = Some(seqno);
        readable = reader.position;
        has_batches = true;
    };
    Ok(Scan { readable, has_batches, last_seqno, rest })
}

/// Looks for a good batch anywhere from `from` on.
fn rest(path: &Path, from: u64, last_seqno: Option<u64>) -> io::Result<Rest> {
    let zeros = vec![0; CHUNK_BYTES];
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let (mut chunk, mut offset, mut ends_at) = (Vec::new(), from, None);
    loop {
        // Chunks overlap, so that a batch's first bytes are never split between two of them.
        let overlap = chunk.len().min(LIKELY_BYTES);
        chunk.drain(..chunk.len() - overlap);
        offset -= overlap as u64;
        let got = (&mut file).take((CHUNK_BYTES - overlap) as u64).read_to_end(&mut chunk)?;
        if got == 0 {
            break;
        }
        if chunk != zeros[..chunk.len()] {
            for candidate in likely_batches(&chunk) {
                let at = offset + candidate as u64;
                let seqno =
                    if at > from { Reader::open(path, at, LIKELY_CHUNK_BYTES)?.batch()? } else { None };
                if seqno.is_some_and(|seqno| last_seqno.is_none_or(|last| seqno > last)) {
                    return Ok(Rest::Damaged { next: at });
                }
            }
            ends_at =
                chunk.iter().rposition(|byte| *byte != 0).map(|last| offset + last as u64 + 1).or(ends_at);
        }
        offset += chunk.len() as u64;
    }
    let Some(ends_at) = ends_at else { return Ok(Rest::Zeros) };
    let mut trailer = [0; TRAILER.len()];
    if ends_at - from >= trailer.len() as u64 {
        file.seek(SeekFrom::Start(ends_at - trailer.len() as u64))?;
        file.read_exact(&mut trailer)?;
    }
    Ok(Rest::Unreadable { is_complete: trailer == TRAILER })
}

/// Where in `chunk` a batch could begin. Each of them is then read as one, so this must be rarely wrong.
fn likely_batches(chunk: &[u8]) -> impl Iterator<Item = usize> {
    let windows = chunk.windows(LIKELY_BYTES).enumerate();
    windows.filter(|(_, window)| window[0] == START && is_likely_batch(window)).map(|(offset, _)| offset)
}

/// Whether these could be the first bytes of a batch: numbers that take all of their bytes are noise.
fn is_likely_batch(window: &[u8]) -> bool {
    match window {
        // START, count, seqno, ITEM, value type, compression, keyspace, and the lengths of key, value, stored value.
        [
            _,
            _,
            _,
            _,
            0,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            0,
            ITEM,
            0..=2,
            compression,
            _,
            _,
            _,
            _,
            0,
            0,
            0,
            0,
            _,
            _,
            lengths @ ..,
        ] => *compression == 1 || (*compression == 0 && lengths[..4] == lengths[4..]),
        [_, _, _, _, 0, _, _, _, _, _, _, _, 0, CLEAR, _, _, _, _, 0, 0, 0, 0, END, ..] => true,
        _ => false,
    }
}

/// Reads batches from one place of a journal, in bounded memory.
struct Reader {
    file: BufReader<File>,
    position: u64,
}

impl Reader {
    fn open(path: &Path, position: u64, chunk_bytes: usize) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(chunk_bytes, File::open(path)?);
        file.seek(SeekFrom::Start(position))?;
        Ok(Self { file, position })
    }

    /// The seqno of the batch that begins here; `None` if there is no good batch.
    fn batch(&mut self) -> io::Result<Option<u64>> {
        match self.whole_batch() {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            result => result,
        }
    }

    fn whole_batch(&mut self) -> io::Result<Option<u64>> {
        if self.take()? != [START] {
            return Ok(None);
        }
        let count = u32::from_le_bytes(self.take()?);
        let seqno = u64::from_le_bytes(self.take()?);
        let mut hasher = Xxh3::new();
        for _ in 0..count {
            if !self.entry(&mut hasher)? {
                return Ok(None);
            }
        }
        if self.take()? != [END] {
            return Ok(None);
        }
        let checksum = u64::from_le_bytes(self.take()?);
        Ok((self.take()? == TRAILER && checksum == hasher.digest()).then_some(seqno))
    }

    /// Reads one entry into the checksum; `false` if it is none.
    fn entry(&mut self, hasher: &mut Xxh3) -> io::Result<bool> {
        match self.hashed(hasher)? {
            [ITEM] => {
                let [value_type, compression] = self.hashed(hasher)?;
                let _keyspace: [u8; 8] = self.hashed(hasher)?;
                let key_bytes = u16::from_le_bytes(self.hashed(hasher)?);
                let value_bytes = u32::from_le_bytes(self.hashed(hasher)?);
                let stored_bytes = u32::from_le_bytes(self.hashed(hasher)?);
                let is_compressed = compression == 1;
                if value_type > 2 || compression > 1 || (value_bytes != stored_bytes && !is_compressed) {
                    return Ok(false);
                }
                self.hash(u64::from(key_bytes) + u64::from(stored_bytes), hasher)?;
                Ok(true)
            }
            [CLEAR] => {
                let _keyspace: [u8; 8] = self.hashed(hasher)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn hashed<const N: usize>(&mut self, hasher: &mut Xxh3) -> io::Result<[u8; N]> {
        let bytes = self.take()?;
        hasher.update(&bytes);
        Ok(bytes)
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.position += N as u64;
        Ok(bytes)
    }

    fn hash(&mut self, mut bytes: u64, hasher: &mut Xxh3) -> io::Result<()> {
        while bytes > 0 {
            let buffered = self.file.fill_buf()?;
            if buffered.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let part = buffered.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
            hasher.update(&buffered[..part]);
            self.file.consume(part);
            self.position += part as u64;
            bytes -= part as u64;
        }
        Ok(())
    }
}

/// Cuts off a journal, durably.
pub(super) fn truncate(path: &Path, bytes: u64) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    file.set_len(bytes)?;
    file.sync_all()
}

fn damaged(path: &Path, at: u64, detail: &str) -> KvError {
    KvError::corrupt(path, format!("the entry at offset {at} is {detail}"))
}

#[cfg(test)]
mod tests;
