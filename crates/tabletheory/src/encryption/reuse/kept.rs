//! The keys that are kept: to encrypt with, one for each attribute; and to decrypt with, by what they were decrypted from.
//! A provider may choose its keys by the attribute, so none of them serves another.

use tabletheory_core::Timestamp;
use tabletheory_core::keys::{DataKey, KeyContext, SecretKey};

use super::bounds::Reuse;
use super::shelf::Shelf;

/// Keys in memory. Each is wiped when it is dropped.
#[derive(Default)]
pub(super) struct Kept {
    encrypting: Shelf<Encrypting>,
    decrypting: Shelf<SecretKey>,
}

struct Encrypting {
    key: DataKey,
    uses: u32,
}

impl Kept {
    /// The data key to encrypt one more value of the attribute with, if there is one that may.
    pub(super) fn encrypting(
        &mut self,
        context: KeyContext<'_>,
        now: Timestamp,
        reuse: &Reuse,
    ) -> Option<DataKey> {
        let name = name(context, &[]);
        let kept = self.encrypting.find(&name, now, reuse)?;
        kept.uses += 1;
        let (key, spent) = (copy(&kept.key), kept.uses >= reuse.uses_max);
        if spent {
            self.encrypting.remove(&name);
        }
        Some(key)
    }

    /// Keeps a data key that is being used for the first time.
    pub(super) fn keep_encrypting(
        &mut self,
        context: KeyContext<'_>,
        key: &DataKey,
        asked: Timestamp,
        reuse: &Reuse,
    ) {
        if reuse.uses_max > 1 {
            let kept = Encrypting { key: copy(key), uses: 1 };
            self.encrypting.keep(name(context, &[]), kept, asked, reuse);
        }
    }

    /// The key that was decrypted before.
    pub(super) fn decrypting(
        &mut self,
        context: KeyContext<'_>,
        encrypted: &[u8],
        now: Timestamp,
        reuse: &Reuse,
    ) -> Option<SecretKey> {
        self.decrypting.find(&name(context, encrypted), now, reuse).cloned()
    }

    /// Keeps a key that was decrypted.
    pub(super) fn keep_decrypting(
        &mut self,
        context: KeyContext<'_>,
        encrypted: &[u8],
        key: &SecretKey,
        asked: Timestamp,
        reuse: &Reuse,
    ) {
        self.decrypting.keep(name(context, encrypted), key.clone(), asked, reuse);
    }

    /// How many keys are kept to encrypt and to decrypt with.
    #[cfg(test)]
    pub(super) fn len(&self) -> (usize, usize) {
        (self.encrypting.len(), self.decrypting.len())
    }
}

fn copy(key: &DataKey) -> DataKey {
    DataKey { plaintext: key.plaintext.clone(), encrypted: key.encrypted.clone() }
}

/// What a key is for, as one name. Lengths stand before the parts, so that no two attributes share one.
fn name(KeyContext { model, attribute }: KeyContext<'_>, encrypted: &[u8]) -> Vec<u8> {
    let length = |part: &str| part.len().to_le_bytes();
    [&length(model)[..], model.as_bytes(), &length(attribute), attribute.as_bytes(), encrypted].concat()
}
