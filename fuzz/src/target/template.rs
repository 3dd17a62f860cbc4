//! Templates of CloudFormation, as JSON or YAML.

use theory_synth::check::{Claims, check};
use theory_synth::{Node, json, read, yaml};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let node = match read(text) {
        Ok(node) => node,
        Err(error) => return assert!(!error.to_string().is_empty(), "a refusal says why"),
    };
    // Only a map is a template; the writers know nothing else.
    if node.map().is_none() {
        return;
    }
    let written = json(&node);
    match read(&written) {
        Ok(again) => assert!(is_same(&again, &node), "written as JSON: {written}"),
        // YAML keeps a number as it is written, however large.
        Err(error) => assert!(error.to_string().contains("number out of range"), "{error} in {written}"),
    }
    let written = yaml(&node);
    assert_eq!(read(&written).ok().as_ref(), Some(&node), "written as YAML: {written}");
    if let Ok(report) = check(&node, &Claims::default()) {
        assert!(!report.to_string().is_empty(), "a report says something");
    }
}

/// Whether two trees say the same. Numbers do if they are the same number: JSON has its own way to write them.
fn is_same(left: &Node, right: &Node) -> bool {
    match (left, right) {
        (Node::Number(left), Node::Number(right)) => left.parse::<f64>() == right.parse::<f64>(),
        (Node::List(left), Node::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Node::Map(left), Node::Map(right)) => {
            left.names().eq(right.names())
                && left.iter().zip(right.iter()).all(|((_, left), (_, right))| is_same(left, right))
        }
        (left, right) => left == right,
    }
}
