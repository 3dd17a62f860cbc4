//! What can be wrong with a request, whatever the words for it: the words of the jar of 2020, the service's own, and when
//! each of the two looks for it.
//!
//! A request with two faults is refused for the one that is looked for first. So two stores may name different faults,
//! but only such that each of them comes first by its own order.

/// A kind of fault.
#[derive(Debug)]
pub(super) struct Fault {
    pub name: &'static str,
    /// How refusals for it read; `*` stands for anything.
    words: &'static [&'static str],
    /// When DynamoDB Local looks for it, from the first time to the last.
    local: (u8, u8),
    /// When we do, as the service does.
    ours: (u8, u8),
}

impl Fault {
    /// Whether a refusal with this message can be for it.
    pub(super) fn is_told_by(&self, message: &str) -> bool {
        self.words.iter().any(|words| is_like(words, message))
    }

    /// Whether Local may name `local` of a request of which we name `ours`.
    pub(super) fn explains(local: &Self, ours: &Self) -> bool {
        local.local.0 <= ours.local.1 && ours.ours.0 <= local.ours.1
    }

    /// Whether we find it without looking at items.
    pub(super) fn is_of_request(&self) -> bool {
        self.ours.0 < CONDITION
    }
}

/// When conditions are evaluated.
pub(super) const CONDITION: u8 = 70;

/// Whether the text is like the pattern, in which `*` stands for anything.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// A fault that each store looks for at one time.
pub(super) const fn fault(name: &'static str, local: u8, ours: u8, words: &'static [&'static str]) -> Fault {
    Fault { name, words, local: (local, local), ours: (ours, ours) }
}

/// A fault that a store looks for at several times.
pub(super) const fn long(
    name: &'static str,
    local: (u8, u8),
    ours: (u8, u8),
    words: &'static [&'static str],
) -> Fault {
    Fault { name, words, local, ours }
}
