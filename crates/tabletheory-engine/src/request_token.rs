//! Client request tokens: a transaction that was done under a token is not done again for ten minutes, also not after a
//! restart. The token is stored in the transaction's own commit.

use sha2::{Digest, Sha256};
use tabletheory_core::expr::RenderScope;
use tabletheory_core::limits::CLIENT_REQUEST_TOKEN_SECONDS;
use tabletheory_core::store::op::{TransactAction, TransactWrite};
use tabletheory_core::{Item, Seconds, StoreError, Timestamp};

use crate::codec;
use crate::group::Group;

/// A token and the fingerprint of what is asked under it.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    token: Vec<u8>,
    fingerprint: [u8; 32],
}

impl Claim {
    pub(crate) fn new(token: &str, writes: &[TransactWrite]) -> Self {
        let mut hash = Sha256::new();
        for write in writes {
            fingerprint(write, &mut hash);
        }
        Self { token: token.as_bytes().to_vec(), fingerprint: hash.finalize().into() }
    }
}

/// Feeds everything that makes a write what it is, each part with its length.
fn fingerprint(write: &TransactWrite, hash: &mut Sha256) {
    let mut part = |bytes: &[u8]| {
        hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(bytes);
    };
    let mut scope = RenderScope::default();
    let (name, item, update): (&str, &Item, Option<String>) = match &write.action {
        TransactAction::Put { item } => ("Put", item, None),
        TransactAction::Update { key, update } => ("Update", key, Some(scope.update(update))),
        TransactAction::Delete { key } => ("Delete", key, None),
        TransactAction::ConditionCheck { key } => ("ConditionCheck", key, None),
    };
    let condition = write.condition.as_ref().map(|condition| scope.condition(condition));
    let (names, values) = scope.into_parts();
    part(write.table.as_bytes());
    part(name.as_bytes());
    part(&codec::encode(item));
    part(update.unwrap_or_default().as_bytes());
    part(condition.unwrap_or_default().as_bytes());
    for (placeholder, name) in names {
        part(placeholder.as_bytes());
        part(name.as_bytes());
    }
    part(&codec::encode(&values.into_iter().collect()));
}

/// What a stored token says: when it was used, and for what.
struct Used {
    at: Timestamp,
    fingerprint: Vec<u8>,
}

fn read(stored: &[u8]) -> Option<Used> {
    let (at, fingerprint) = stored.split_at_checked(8)?;
    let millis = i64::from_le_bytes(at.try_into().ok()?);
    Some(Used { at: Timestamp::from_millis(millis), fingerprint: fingerprint.to_vec() })
}

/// Whether a stored token has served its time. A clock that was set back makes no token older than it is.
pub(crate) fn is_spent(stored: &[u8], now: Timestamp) -> bool {
    read(stored).is_none_or(|used| used.at + Seconds(CLIENT_REQUEST_TOKEN_SECONDS) <= now)
}

/// Whether the same transaction was done under this token before.
///
/// # Errors
/// `IdempotentParameterMismatch` if it was another transaction.
pub(crate) fn is_replay(group: &Group<'_>, claim: &Claim) -> Result<bool, StoreError> {
    let stored = group.read_token(&claim.token)?;
    match stored.filter(|stored| !is_spent(stored, group.now.get())).and_then(|stored| read(&stored)) {
        None => Ok(false),
        Some(used) if used.fingerprint == claim.fingerprint => Ok(true),
        Some(_) => Err(StoreError::IdempotentParameterMismatch(
            "The provided ClientRequestToken was already used for another request".to_owned(),
        )),
    }
}

/// Remembers that the transaction was done under its token.
pub(crate) fn remember(group: &mut Group<'_>, claim: &Claim) {
    let mut stored = group.now.get().millis().to_le_bytes().to_vec();
    stored.extend_from_slice(&claim.fingerprint);
    group.note_token(claim.token.clone(), stored);
}
