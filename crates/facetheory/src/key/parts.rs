//! The parts of a key in one run of bytes, as they are hashed: to make a key is one allocation, to compare two of them is to
//! compare their bytes. Each part is its kind, and name and value with their lengths before them, so that two fields never pass
//! for two others.

/// What kind of thing. The number is hashed, so it stays with its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Kind {
    Raw = 0,
    Host = 1,
    Path = 2,
    Query = 3,
    Header = 4,
    Cookie = 5,
    Variant = 6,
}

const LENGTH_BYTES: usize = size_of::<u64>();

/// Room for the host and a parameter beside the first part.
const MORE_BYTES: usize = 96;

/// The parts of a key: sorted by kind and name; several values of one name keep their order.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Parts(Vec<u8>);

/// One thing the content depends on.
struct Part<'p> {
    kind: u8,
    name: &'p [u8],
    value: &'p [u8],
}

impl Parts {
    /// One part, which has no name.
    pub(super) fn one(kind: Kind, value: &[u8]) -> Self {
        let mut parts = Self(Vec::with_capacity(bytes_of(b"", value) + MORE_BYTES));
        parts.add(kind, b"", value);
        parts
    }

    pub(super) fn add(&mut self, kind: Kind, name: &[u8], value: &[u8]) {
        let is_before = |part: &Part<'_>| (part.kind, part.name) <= (kind as u8, name);
        let place: usize = self.all().take_while(is_before).map(|part| bytes_of(part.name, part.value)).sum();
        let (end, added) = (self.0.len(), bytes_of(name, value));
        self.0.resize(end + added, 0);
        self.0.copy_within(place..end, place + added);
        let room = &mut self.0[place..place + added];
        room[0] = kind as u8;
        write_field(write_field(&mut room[1..], name), value);
    }

    /// Names and values of this kind, in their order.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.all().filter(move |part| part.kind == kind as u8).map(|part| (part.name, part.value))
    }

    /// As they are hashed.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether there is no other part than this.
    pub(super) fn is_only(&self, kind: Kind) -> bool {
        let mut all = self.all();
        all.next().is_some_and(|part| part.kind == kind as u8) && all.next().is_none()
    }

    fn all(&self) -> impl Iterator<Item = Part<'_>> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || {
            let (kind, after) = rest.split_first()?;
            let (name, after) = read_field(after)?;
            let (value, after) = read_field(after)?;
            rest = after;
            Some(Part { kind: *kind, name, value })
        })
    }
}

fn bytes_of(name: &[u8], value: &[u8]) -> usize {
    1 + LENGTH_BYTES + name.len() + LENGTH_BYTES + value.len()
}

/// Writes a field at the beginning of `room`, and gives what is left of it.
fn write_field<'r>(room: &'r mut [u8], bytes: &[u8]) -> &'r mut [u8] {
    let (length, room) = room.split_at_mut(LENGTH_BYTES);
    length.copy_from_slice(&(bytes.len() as u64).to_be_bytes());
    let (field, room) = room.split_at_mut(bytes.len());
    field.copy_from_slice(bytes);
    room
}

/// A field and what follows it.
fn read_field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    rest.split_at_checked(usize::try_from(u64::from_be_bytes(*length)).ok()?)
}
