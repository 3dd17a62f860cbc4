//! Documents in YAML and JSON: whatever they say is read back, and whatever else is refused.

use proptest::prelude::*;
use tabletheory::dms::{
    AttributeDefinition, DmsVersion, Document, IndexDefinition, KeyDefinition, ModelDefinition, Naming,
    WriteMode, WritePolicy, equivalent,
};
use tabletheory::model::IndexScope;
use tabletheory_core::ValueType;
use tabletheory_core::schema::{KeyType, Projection};

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-zA-Z0-9]{2,8}"
}

fn tag() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
        "(yes|no|null|true|1_0|0x1|- a|a: b|# a|\\[|~| |\n)".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

prop_compose! {
    fn attribute(name: String)(
        flags in any::<[bool; 4]>(),
        tags in prop::collection::btree_map(any::<String>(), tag(), 0..3),
        format in prop::option::of(any::<String>().prop_filter("these say more", |format| {
            !["rfc3339nano", "unix_seconds", "int"].contains(&format.as_str())
        })),
    ) -> AttributeDefinition {
        AttributeDefinition {
            required: flags[0],
            optional: !flags[0] && flags[1],
            omit_empty: flags[2],
            json: flags[3],
            tags,
            format,
            ..AttributeDefinition::new(name.clone(), ValueType::S)
        }
    }
}

fn document() -> impl Strategy<Value = Document> {
    let namespace = prop::option::of(any::<String>());
    (name(), name(), namespace, prop::collection::btree_set(name(), 1..5)).prop_flat_map(
        |(model, table, namespace, names)| {
            let attributes: Vec<_> = names.into_iter().map(attribute).collect();
            attributes.prop_map(move |attributes| {
                let key = KeyDefinition { attribute: attributes[0].attribute.clone(), kind: KeyType::S };
                let protected_attributes = vec![key.attribute.clone()];
                let index = IndexDefinition {
                    name: "index".into(),
                    scope: IndexScope::Global,
                    partition: key.clone(),
                    sort: None,
                    projection: Projection::Include(protected_attributes.clone()),
                };
                let model = ModelDefinition {
                    name: model.clone(),
                    table: table.clone(),
                    naming: Some(Naming::CamelCase),
                    partition: key,
                    sort: None,
                    write_policy: WritePolicy { mode: WriteMode::WriteOnce, protected_attributes },
                    attributes,
                    indexes: vec![index],
                };
                Document { version: DmsVersion::V0_2, namespace: namespace.clone(), models: vec![model] }
            })
        },
    )
}

proptest! {
    #[test]
    fn whatever_a_document_says_survives_both_forms(document in document()) {
        prop_assert_eq!(Document::from_json(&document.to_json()), Ok(document.clone()));
        let yaml = document.to_yaml();
        prop_assert_eq!(Document::from_yaml(&yaml), Ok(document.clone()), "{}", yaml);
        prop_assert_eq!(equivalent(&document, &document), []);
    }

    #[test]
    fn no_text_is_too_strange_to_be_refused(text in any::<String>(), yaml in "[-?:,\\[\\]{}#&*!|>'\"%@` \n\ta-c0-2~<=.]{0,80}") {
        for text in [text, yaml] {
            prop_assert!(Document::from_yaml(&text).is_err());
            prop_assert!(Document::from_json(&text).is_err());
        }
    }
}
