//! The encrypted attributes of a model: sealed before an item or an update is written, opened before an item is read. A
//! model that has some cannot be used at all without keys.

use tabletheory_core::expr::{Action, SetOperand, SetValue};
use tabletheory_core::{Item, Value};

use super::envelope::Envelope;
use super::error::EncryptionError;
use super::{KeyContext, KeyProvider};

/// Seals and opens the encrypted attributes of one model. There is none without keys for a model that needs them: who asks
/// for one before each read and write, fails before anything was read or written.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::encryption::{EncryptionError, Sealer, testing::DeterministicKeys};
/// use tabletheory_core::Value;
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "app")]
/// struct Patient {
///     #[model(pk)]
///     id: String,
///     #[model(encrypted)]
///     diagnosis: String,
/// }
///
/// # futures_executor::block_on(async {
/// let keys = DeterministicKeys::new("seed");
/// let sealer = Sealer::new("Patient", Patient::SCHEMA.encrypted, Some(&keys))?;
/// let mut item = Patient { id: "7".into(), diagnosis: "influenza".into() }.to_item()?;
/// sealer.seal_item(&mut item).await?;
/// assert!(matches!(item.get("diagnosis"), Some(Value::M(_))));
/// sealer.open_item(&mut item).await?;
/// assert_eq!(Patient::from_item(item)?.diagnosis, "influenza");
///
/// let refused = Sealer::new("Patient", Patient::SCHEMA.encrypted, None).unwrap_err();
/// assert!(matches!(refused, EncryptionError::NotConfigured { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sealer<'k> {
    model: &'static str,
    sealed: Option<Sealed<'k>>,
}

/// What there is to seal, and with what.
#[derive(Debug, Clone, Copy)]
struct Sealed<'k> {
    attributes: &'static [&'static str],
    keys: &'k dyn KeyProvider,
}

impl<'k> Sealer<'k> {
    /// The sealer of a model with these encrypted attributes, of which there may be none.
    ///
    /// # Errors
    ///
    /// [`EncryptionError::NotConfigured`] if there are some and no keys.
    ///
    /// ```
    /// use tabletheory::encryption::Sealer;
    ///
    /// assert!(Sealer::new("Page", &[], None).is_ok());
    /// let refused = Sealer::new("Patient", &["diagnosis"], None).unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "attribute `diagnosis` of `Patient` is encrypted, and no key provider is configured"
    /// );
    /// ```
    pub fn new(
        model: &'static str,
        attributes: &'static [&'static str],
        keys: Option<&'k dyn KeyProvider>,
    ) -> Result<Self, EncryptionError> {
        let sealed = match (attributes, keys) {
            ([], _) => None,
            (_, Some(keys)) => Some(Sealed { attributes, keys }),
            ([first, ..], None) => {
                let (model, attribute) = (model.to_owned(), (*first).to_owned());
                return Err(EncryptionError::NotConfigured { model, attribute });
            }
        };
        Ok(Self { model, sealed })
    }

    /// Seals the encrypted attributes that the item has; an attribute that was left out stays out. An item is sealed once: a
    /// second time would seal the envelopes.
    ///
    /// # Errors
    ///
    /// As [`Envelope::seal`]. The item is as it was then.
    ///
    /// ```
    /// # use tabletheory::encryption::{Sealer, testing::DeterministicKeys};
    /// # use tabletheory_core::{Item, Value};
    /// # futures_executor::block_on(async {
    /// let keys = DeterministicKeys::new("seed");
    /// let sealer = Sealer::new("Patient", &["diagnosis", "notes"], Some(&keys))?;
    /// let mut item = Item::from([("id", "7"), ("diagnosis", "influenza")]);
    /// sealer.seal_item(&mut item).await?;
    /// assert!(!format!("{item:?}").contains("influenza") && !item.contains("notes"));
    /// # Ok::<(), tabletheory::encryption::EncryptionError>(())
    /// # }).unwrap();
    /// ```
    pub async fn seal_item(&self, item: &mut Item) -> Result<(), EncryptionError> {
        let Some(Sealed { attributes, keys }) = self.sealed else { return Ok(()) };
        let mut envelopes = Vec::new();
        for name in attributes {
            if let Some(value) = item.get(name) {
                envelopes.push((*name, Envelope::seal(value, self.context(name), keys).await?));
            }
        }
        replace(item, envelopes);
        Ok(())
    }

    /// Opens the encrypted attributes that the item has.
    ///
    /// # Errors
    ///
    /// As [`Envelope::open`]; a value that is stored in the clear is refused too. The item is as it was then.
    ///
    /// ```
    /// # use tabletheory::encryption::{EncryptionError, Sealer, testing::DeterministicKeys};
    /// # use tabletheory_core::Item;
    /// # futures_executor::block_on(async {
    /// let keys = DeterministicKeys::new("seed");
    /// let sealer = Sealer::new("Patient", &["diagnosis"], Some(&keys))?;
    /// let mut planted = Item::from([("id", "7"), ("diagnosis", "healthy")]);
    /// let refused = sealer.open_item(&mut planted).await.unwrap_err();
    /// assert!(matches!(refused, EncryptionError::NotAnEnvelope { .. }));
    /// # Ok::<(), tabletheory::encryption::EncryptionError>(())
    /// # }).unwrap();
    /// ```
    pub async fn open_item(&self, item: &mut Item) -> Result<(), EncryptionError> {
        let Some(Sealed { attributes, keys }) = self.sealed else { return Ok(()) };
        let mut values = Vec::new();
        for name in attributes {
            if let Some(stored) = item.get(name) {
                values.push((*name, Envelope::open(stored, self.context(name), keys).await?));
            }
        }
        replace(item, values);
        Ok(())
    }

    /// Seals what an update sets encrypted attributes to. Like an item, an update is sealed once.
    ///
    /// # Errors
    ///
    /// As [`Envelope::seal`], and [`EncryptionError::NotReplaced`] if the update does anything else to such an attribute
    /// than to set it as a whole, if need be only where it is missing, or to remove it. The update is as it was then.
    ///
    /// ```
    /// # use tabletheory::encryption::{EncryptionError, Sealer, testing::DeterministicKeys};
    /// # use tabletheory_core::Value;
    /// # use tabletheory_core::expr::{Action, Path, SetOperand, SetValue};
    /// # futures_executor::block_on(async {
    /// let keys = DeterministicKeys::new("seed");
    /// let sealer = Sealer::new("Patient", &["diagnosis"], Some(&keys))?;
    /// let operand = SetOperand::Value(Value::s("influenza"));
    /// let mut update = [Action::Set(Path::attribute("diagnosis"), SetValue::Operand(operand))];
    /// sealer.seal_actions(&mut update).await?;
    /// assert!(!format!("{update:?}").contains("influenza"));
    ///
    /// let mut adding = [Action::Add(Path::attribute("diagnosis"), Value::n(1))];
    /// let refused = sealer.seal_actions(&mut adding).await.unwrap_err();
    /// assert!(matches!(refused, EncryptionError::NotReplaced { .. }));
    /// # Ok::<(), EncryptionError>(())
    /// # }).unwrap();
    /// ```
    pub async fn seal_actions(&self, actions: &mut [Action]) -> Result<(), EncryptionError> {
        let Some(Sealed { attributes, keys }) = self.sealed else { return Ok(()) };
        let mut envelopes = Vec::new();
        for (at, action) in actions.iter_mut().enumerate() {
            let Some(name) = attributes.iter().find(|name| **name == action.path().root) else { continue };
            match change(action) {
                Change::Set(value) => {
                    envelopes.push((at, Envelope::seal(value, self.context(name), keys).await?))
                }
                Change::Removed => {}
                Change::Other => {
                    let (model, attribute) = (self.model.to_owned(), (*name).to_owned());
                    return Err(EncryptionError::NotReplaced { model, attribute });
                }
            }
        }
        for (at, envelope) in envelopes {
            if let Change::Set(value) = change(&mut actions[at]) {
                *value = envelope;
            }
        }
        Ok(())
    }

    fn context(&self, attribute: &'static str) -> KeyContext<'static> {
        KeyContext { model: self.model, attribute }
    }
}

fn replace(item: &mut Item, values: Vec<(&'static str, Value)>) {
    for (name, value) in values {
        item.insert(name, value);
    }
}

/// What an action does to an encrypted attribute.
enum Change<'a> {
    /// It sets it, perhaps only where it is missing, to this value.
    Set(&'a mut Value),
    Removed,
    /// It reads what it cannot read, reaches inside, or copies another attribute, which is not sealed.
    Other,
}

fn change(action: &mut Action) -> Change<'_> {
    match action {
        Action::Set(path, SetValue::Operand(operand)) if path.is_attribute() => match operand {
            SetOperand::Value(value) => Change::Set(value),
            SetOperand::IfNotExists(tested, otherwise) if tested == path => match &mut **otherwise {
                SetOperand::Value(value) => Change::Set(value),
                _ => Change::Other,
            },
            _ => Change::Other,
        },
        Action::Remove(path) if path.is_attribute() => Change::Removed,
        _ => Change::Other,
    }
}
