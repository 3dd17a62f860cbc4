//! The one item that everybody stores: six attributes, 250 bytes by DynamoDB's rules, twenty to a partition.

/// Items of one partition.
pub(crate) const PARTITION_ITEMS: u64 = 20;

/// What names an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

/// An item before a contender puts it into its own types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) key: Key,
    pub(crate) owner: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) hits: i64,
}

impl Key {
    /// The key of the item with this number among all items of the table.
    pub(crate) fn numbered(number: u64) -> Self {
        Self { pk: partition(number / PARTITION_ITEMS), sk: format!("S#{:06}", number % PARTITION_ITEMS) }
    }

    /// A key outside the numbered ones: the `step`-th item of a writer in a round.
    pub(crate) fn of_writer(kind: char, round: u32, writer: u64, step: u64) -> Self {
        Self { pk: format!("{kind}#{round:04}#{writer:05}"), sk: format!("S#{step:06}") }
    }
}

/// The partition with this number.
pub(crate) fn partition(number: u64) -> String {
    format!("P#{number:010}")
}

impl Record {
    /// The item with this key, and with content that differs from key to key.
    pub(crate) fn new(key: Key) -> Self {
        Self {
            owner: owner(&key),
            title: format!("{:<40}", format!("page {} of {}", key.sk, key.pk)),
            body: format!("{:.<139}", format!("<p>{} {}</p>", key.pk, key.sk)),
            hits: 0,
            key,
        }
    }

    /// The item with this number.
    pub(crate) fn numbered(number: u64) -> Self {
        Self::new(Key::numbered(number))
    }
}

/// What the attribute `owner` holds in the item with this key.
pub(crate) fn owner(key: &Key) -> String {
    format!("{:-<24}", format!("owner-{}", key.pk))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(record: &Record) -> usize {
        let names = ["pk", "sk", "owner", "title", "body", "hits"].concat().len();
        let Record { key, owner, title, body, .. } = record;
        // A number takes one byte and half a byte for each digit pair; zero takes one.
        names + key.pk.len() + key.sk.len() + owner.len() + title.len() + body.len() + 1
    }

    #[test]
    fn an_item_has_about_250_bytes() {
        for record in
            [Record::numbered(0), Record::numbered(999_999), Record::new(Key::of_writer('T', 3, 63, 9999))]
        {
            let size = size(&record);
            assert!((240..=260).contains(&size), "{size} bytes in {record:?}");
        }
    }

    #[test]
    fn twenty_items_share_a_partition() {
        assert_eq!(Key::numbered(0).pk, Key::numbered(19).pk);
        assert_ne!(Key::numbered(19).pk, Key::numbered(20).pk);
    }
}
