//! The two tables of the test: small, so that operations meet each other's items, and with every kind of index.

use serde_json::{Value as Json, json};

/// A table: keys, the few values they take, and indexes.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableShape {
    pub name: &'static str,
    pub partition: Key,
    pub sort: Key,
    pub indexes: &'static [IndexShape],
}

/// A key attribute: its name, its type, and the values it takes in this test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    pub name: &'static str,
    pub kind: &'static str,
    pub values: &'static [&'static str],
}

/// An index. Its key attributes are among [`INDEXED`] and the table's keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexShape {
    pub name: &'static str,
    pub global: bool,
    pub partition: &'static str,
    pub sort: Option<&'static str>,
    pub projection: Projection,
}

/// What an index carries.
#[derive(Debug, Clone, Copy)]
pub(super) enum Projection {
    All,
    KeysOnly,
    Include(&'static [&'static str]),
}

/// Attributes that are keys of indexes, and their types.
pub(super) const INDEXED: [Key; 2] = [
    Key { name: "g", kind: "S", values: &["x", "y"] },
    Key { name: "n", kind: "N", values: &["-2", "0", "7", "7.5"] },
];

/// The other attributes: two plain ones, two whose names are reserved words, one with a dot in its name.
pub(super) const PLAIN: [&str; 5] = ["a", "b", "status", "size", "c.d"];

/// The tables.
pub(super) const TABLES: [TableShape; 2] = [
    TableShape {
        name: "orders",
        partition: Key { name: "pk", kind: "S", values: &["p", "q"] },
        sort: Key { name: "sk", kind: "S", values: &["a", "ab", "b", "é"] },
        indexes: &[
            IndexShape {
                name: "group-n",
                global: true,
                partition: "g",
                sort: Some("n"),
                projection: Projection::All,
            },
            IndexShape {
                name: "group",
                global: true,
                partition: "g",
                sort: None,
                projection: Projection::Include(&["a", "size"]),
            },
            IndexShape {
                name: "local-n",
                global: false,
                partition: "pk",
                sort: Some("n"),
                projection: Projection::KeysOnly,
            },
        ],
    },
    TableShape {
        name: "gauges",
        partition: Key { name: "h", kind: "B", values: &["AA==", "/wE="] },
        sort: Key { name: "r", kind: "N", values: &["-1", "0", "1.5", "10"] },
        indexes: &[
            IndexShape {
                name: "by-n",
                global: true,
                partition: "n",
                sort: Some("h"),
                projection: Projection::KeysOnly,
            },
            IndexShape {
                name: "local-g",
                global: false,
                partition: "h",
                sort: Some("g"),
                projection: Projection::All,
            },
        ],
    },
];

impl TableShape {
    /// The table called `name`.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }

    /// The index called `name`.
    pub(super) fn index(&self, name: &str) -> Option<&'static IndexShape> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// A key attribute of the table or of one of its indexes.
    pub(super) fn key(&self, name: &str) -> Key {
        let keys = [self.partition, self.sort].into_iter().chain(INDEXED);
        keys.into_iter().find(|key| key.name == name).expect("the test knows its keys")
    }

    /// The body of `CreateTable`.
    pub(super) fn create(&self) -> Json {
        let definitions = [self.partition, self.sort].into_iter().chain(INDEXED);
        let definitions: Vec<Json> =
            definitions.map(|key| json!({"AttributeName": key.name, "AttributeType": key.kind})).collect();
        let indexes = |global: bool| -> Vec<Json> {
            self.indexes.iter().filter(|index| index.global == global).map(IndexShape::describe).collect()
        };
        let mut body = json!({
            "TableName": self.name,
            "AttributeDefinitions": definitions,
            "KeySchema": key_schema(self.partition.name, Some(self.sort.name)),
            "LocalSecondaryIndexes": indexes(false),
            "GlobalSecondaryIndexes": indexes(true),
            "BillingMode": "PAY_PER_REQUEST",
        });
        // The service refuses attributes that no key uses.
        let used = |name: &str| {
            let in_index = |index: &IndexShape| index.partition == name || index.sort == Some(name);
            [self.partition.name, self.sort.name].contains(&name) || self.indexes.iter().any(in_index)
        };
        if let Some(definitions) = body["AttributeDefinitions"].as_array_mut() {
            definitions.retain(|definition| definition["AttributeName"].as_str().is_some_and(used));
        }
        body
    }
}

impl IndexShape {
    fn describe(&self) -> Json {
        let projection = match self.projection {
            Projection::All => json!({"ProjectionType": "ALL"}),
            Projection::KeysOnly => json!({"ProjectionType": "KEYS_ONLY"}),
            Projection::Include(names) => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names}),
        };
        json!({
            "IndexName": self.name,
            "KeySchema": key_schema(self.partition, self.sort),
            "Projection": projection,
        })
    }
}

fn key_schema(partition: &str, sort: Option<&str>) -> Json {
    let mut schema = vec![json!({"AttributeName": partition, "KeyType": "HASH"})];
    schema.extend(sort.map(|sort| json!({"AttributeName": sort, "KeyType": "RANGE"})));
    Json::Array(schema)
}
