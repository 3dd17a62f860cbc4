//! What is written is read as it was, whatever texts are in it.

use proptest::prelude::*;
use theory_synth::{Map, Node, json, read, yaml};

/// Texts of all kinds, and those that programs like to take for something else.
fn text() -> impl Strategy<Value = String> {
    let tricky = [
        "",
        " ",
        "yes",
        "No",
        "null",
        "~",
        "true",
        "1",
        "1e3",
        "0x1",
        "1_000",
        "12:30:45",
        "2012-10-17",
        ".inf",
        "=",
        "<<",
        "-",
        "- a",
        "a: b",
        "a:",
        "#",
        " #a",
        "a #b",
        "'",
        "''",
        "\"",
        "\\",
        "!Ref a",
        "&a",
        "*a",
        "%",
        "@",
        "`",
        "{",
        "[",
        "|",
        ">",
        "?",
        "? a",
        "---",
        "...",
        "\n",
        "a\nb",
        "\t",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "ä",
        "\u{1f600}",
        "${AWS::Region}",
        "Ref",
        "Fn::GetAtt",
        "Fn::Sub",
        "a, b",
        "a ",
        "on",
        "y",
        "N",
    ];
    prop_oneof![
        proptest::sample::select(tricky.to_vec()).prop_map(str::to_owned),
        any::<String>(),
        "[ -~]{0,20}",
        "[a-zA-Z:. ]{0,12}",
    ]
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(Node::Null),
        any::<bool>().prop_map(Node::from),
        any::<i64>().prop_map(Node::from),
        text().prop_map(Node::from),
        text().prop_map(|id| Map::new().with("Ref", id).into()),
        (text(), text()).prop_map(|(id, name)| Map::new().with("Fn::GetAtt", [id, name]).into()),
        text().prop_map(|text| Map::new().with("Fn::Sub", text).into()),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Node::from),
            proptest::collection::vec((text(), inner), 0..5).prop_map(|members| members
                .into_iter()
                .fold(Map::new(), |map, (name, node)| map.with(name, node))
                .into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn yaml_and_json_are_read_as_they_were_written(node in node()) {
        let document = Node::from(Map::new().with("Resources", node));
        let written = yaml(&document);
        prop_assert_eq!(&read(&written).map_err(|error| TestCaseError::fail(format!("{error}\n{written}")))?, &document, "{}", written);
        prop_assert_eq!(&read(&json(&document)).unwrap(), &document);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
        let _ = read(&text);
    }
}

#[test]
fn hostile_templates_are_refused() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in [
        "",
        "# only a comment",
        "A: 1\nA: 2",
        "{\"A\": 1, \"A\": 2}",
        "A: &a 1\nB: *a",
        "A: !Unknown x",
        "A: !GetAtt x",
        "? [a]\n: b",
        "A: 1\n---\nB: 2",
        "{\"A\": [1, 2}",
        &deep,
        &format!("{{\"A\": {deep}}}"),
        &format!("A: {}", "x".repeat(1_000_001)),
        "\u{0}",
    ] {
        assert!(read(text).is_err(), "{:?}", &text[..text.len().min(60)]);
    }
}
