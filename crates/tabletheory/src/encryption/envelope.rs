//! The envelope: `M{ v:N"1", edk:B, nonce:B, ct:B }` and nothing else. Sealing makes one, opening refuses whatever is not
//! exactly what was sealed for the attribute.

use tabletheory_core::keys::{DataKey, KeyContext, KeyError, KeyProvider, Nonce};
use tabletheory_core::{Item, Number, Value};
use zeroize::Zeroizing;

use super::error::EncryptionError;
use super::{cipher, payload};

const VERSION: i64 = 1;
const MEMBERS: usize = 4;

/// An encrypted attribute as the table keeps it, version 1.
///
/// ```
/// use tabletheory::encryption::{Envelope, KeyContext, testing::DeterministicKeys};
/// use tabletheory_core::Value;
///
/// # futures_executor::block_on(async {
/// let keys = DeterministicKeys::new("seed");
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// let Value::M(stored) = Envelope::seal(&Value::s("influenza"), context, &keys).await? else { unreachable!() };
/// assert_eq!(stored.names().collect::<Vec<_>>(), ["ct", "edk", "nonce", "v"]);
/// assert_eq!(stored.get("v"), Some(&Value::n(1)));
/// # Ok::<(), tabletheory::encryption::EncryptionError>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Envelope {
    encrypted_key: Vec<u8>,
    nonce: Nonce,
    ciphertext: Vec<u8>,
}

impl Envelope {
    /// Encrypts a value of the attribute with a data key of its own. The answer is what to store in its place.
    ///
    /// # Errors
    ///
    /// [`EncryptionError::NestedTooDeep`] and [`EncryptionError::Key`].
    ///
    /// ```
    /// use tabletheory::encryption::{Envelope, KeyContext, LocalKeys, SecretKey};
    /// use tabletheory_core::Value;
    ///
    /// # futures_executor::block_on(async {
    /// let keys = LocalKeys::new(1, SecretKey::generate());
    /// let context = KeyContext { model: "Patient", attribute: "age" };
    /// let once = Envelope::seal(&Value::n(42), context, &keys).await?;
    /// let again = Envelope::seal(&Value::n(42), context, &keys).await?;
    /// assert_ne!(once, again, "equal values cannot be told by their envelopes");
    /// # Ok::<(), tabletheory::encryption::EncryptionError>(())
    /// # }).unwrap();
    /// ```
    pub async fn seal(
        value: &Value,
        context: KeyContext<'_>,
        keys: &dyn KeyProvider,
    ) -> Result<Value, EncryptionError> {
        let attribute = context.attribute;
        let payload = payload::encode(value).map(Zeroizing::new);
        let mut payload =
            payload.ok_or_else(|| EncryptionError::NestedTooDeep { attribute: attribute.to_owned() })?;
        let key = keys.generate(context).await.map_err(|source| no_key(context, source))?;
        let DataKey { plaintext, encrypted: encrypted_key } = key;
        let nonce = keys.nonce(context);
        cipher::encrypt(&plaintext, &nonce, &associated(attribute), &mut payload);
        let ciphertext = std::mem::take(&mut *payload);
        Ok(Self { encrypted_key, nonce, ciphertext }.into_stored())
    }

    /// Decrypts what is stored in the attribute.
    ///
    /// # Errors
    ///
    /// As the variants of [`EncryptionError`] about envelopes and keys say. A value that is stored in the clear is refused
    /// too: whoever can write to the table could pass off a value of their own otherwise.
    ///
    /// ```
    /// use tabletheory::encryption::{EncryptionError, Envelope, KeyContext, LocalKeys, SecretKey};
    /// use tabletheory_core::Value;
    ///
    /// # futures_executor::block_on(async {
    /// let (ours, theirs) = (LocalKeys::new(1, SecretKey::generate()), LocalKeys::new(1, SecretKey::generate()));
    /// let context = KeyContext { model: "Patient", attribute: "age" };
    /// let stored = Envelope::seal(&Value::n(42), context, &ours).await?;
    /// assert_eq!(Envelope::open(&stored, context, &ours).await?, Value::n(42));
    /// let refused = Envelope::open(&stored, context, &theirs).await.unwrap_err();
    /// assert!(matches!(refused, EncryptionError::Key { .. }));
    /// # Ok::<(), tabletheory::encryption::EncryptionError>(())
    /// # }).unwrap();
    /// ```
    pub async fn open(
        stored: &Value,
        context: KeyContext<'_>,
        keys: &dyn KeyProvider,
    ) -> Result<Value, EncryptionError> {
        let attribute = context.attribute;
        let envelope = Self::from_stored(stored, attribute)?;
        let key = keys.decrypt(&envelope.encrypted_key, context).await;
        let key = key.map_err(|source| no_key(context, source))?;
        let mut payload = Zeroizing::new(envelope.ciphertext);
        cipher::decrypt(&key, &envelope.nonce, &associated(attribute), &mut payload)
            .map_err(|_| EncryptionError::NotAuthentic { attribute: attribute.to_owned() })?;
        payload::decode(&payload)
            .ok_or_else(|| EncryptionError::NotAValue { attribute: attribute.to_owned() })
    }

    fn into_stored(self) -> Value {
        Value::M(Item::from([
            ("ct", Value::B(self.ciphertext)),
            ("edk", Value::B(self.encrypted_key)),
            ("nonce", Value::B(self.nonce.to_vec())),
            ("v", Value::n(VERSION)),
        ]))
    }

    fn from_stored(stored: &Value, attribute: &str) -> Result<Self, EncryptionError> {
        let refused = |reason| EncryptionError::NotAnEnvelope { attribute: attribute.to_owned(), reason };
        let Value::M(members) = stored else { return Err(refused("it is not a map")) };
        // The version comes first: only version 1 is known to have these members.
        match members.get("v") {
            Some(Value::N(version)) if *version == Number::from(VERSION) => {}
            Some(Value::N(_)) => {
                return Err(EncryptionError::UnknownVersion { attribute: attribute.to_owned() });
            }
            _ => return Err(refused("`v` is not a number")),
        }
        let encrypted_key = binary(members, "edk").ok_or_else(|| refused("`edk` is not binary"))?;
        let nonce = binary(members, "nonce").ok_or_else(|| refused("`nonce` is not binary"))?;
        let ciphertext = binary(members, "ct").ok_or_else(|| refused("`ct` is not binary"))?;
        let nonce = *nonce.as_array().ok_or_else(|| refused("`nonce` has not 12 bytes"))?;
        if encrypted_key.is_empty() {
            return Err(refused("`edk` is empty"));
        }
        if ciphertext.len() <= cipher::TAG_BYTES {
            return Err(refused("`ct` is too short"));
        }
        // A further member is not authenticated, and whoever wrote it meant something that would be lost here.
        if members.len() != MEMBERS {
            return Err(refused("it has members that version 1 does not have"));
        }
        Ok(Self { encrypted_key: encrypted_key.to_vec(), nonce, ciphertext: ciphertext.to_vec() })
    }
}

fn binary<'a>(members: &'a Item, name: &str) -> Option<&'a [u8]> {
    match members.get(name)? {
        Value::B(bytes) => Some(bytes),
        _ => None,
    }
}

/// What the ciphertext is bound to beside its key: the version and the attribute's name.
fn associated(attribute: &str) -> Vec<u8> {
    format!("theorydb:encrypted:v1|attr={attribute}").into_bytes()
}

fn no_key(context: KeyContext<'_>, source: KeyError) -> EncryptionError {
    let KeyContext { model, attribute } = context;
    EncryptionError::Key { model: model.to_owned(), attribute: attribute.to_owned(), source }
}
