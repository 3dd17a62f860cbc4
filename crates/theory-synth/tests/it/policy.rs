//! What policies allow, read back from whole templates: never everything, never a scan, never more than the code does.

use std::collections::BTreeSet;

use theory_synth::{Kind, Node};

use crate::scenes;

/// The statements of all roles of a template.
fn statements(template: &Node) -> Vec<&Node> {
    let resources = template.get("Resources").and_then(Node::map).unwrap();
    let roles =
        resources.iter().filter(|(_, node)| node.get("Type").and_then(Node::text) == Some("AWS::IAM::Role"));
    let policies =
        roles.flat_map(|(_, role)| role.find(&["Properties", "Policies"]).unwrap().list().unwrap());
    policies
        .flat_map(|policy| policy.find(&["PolicyDocument", "Statement"]).unwrap().list().unwrap())
        .collect()
}

fn actions(statement: &Node) -> Vec<&str> {
    statement.get("Action").unwrap().list().unwrap().iter().map(|action| action.text().unwrap()).collect()
}

#[test]
fn nothing_is_allowed_on_everything_and_nothing_scans() {
    for (name, template) in scenes::all() {
        let template = template.to_node().unwrap();
        for statement in statements(&template) {
            let sid = statement.get("Sid").and_then(Node::text).unwrap();
            for action in actions(statement) {
                let whole = action == "*" || action.ends_with(":*");
                // Transactions have no action of their own, and one that does not exist hides a permission that is missing.
                let none = ["dynamodb:TransactWriteItems", "dynamodb:BatchWriteItem"].contains(&action)
                    // The sweep was asked for, and has a function and a role of its own.
                    || (action == "dynamodb:Scan" && (name, sid) != ("isr-site-swept", "SweepPages"));
                assert!(!whole && !none, "{name}: {sid} allows {action}");
            }
            let everything = statement.get("Resource") == Some(&Node::from("*"));
            assert!(!everything || sid == "Trace", "{name}: {sid} is about everything");
        }
    }
}

#[test]
fn a_function_may_do_with_its_table_what_its_code_does() {
    let expected = |kind: Kind| kind.actions().iter().copied().collect::<BTreeSet<_>>();
    for (scene, kind) in [
        ("rate-limited-function", Kind::Limits),
        ("idempotent-function", Kind::Requests),
        ("isr-site", Kind::Cache),
    ] {
        let template =
            scenes::all().into_iter().find(|(name, _)| *name == scene).unwrap().1.to_node().unwrap();
        let all = statements(&template)
            .into_iter()
            .flat_map(actions)
            .filter(|action| action.starts_with("dynamodb:"));
        assert_eq!(all.collect::<BTreeSet<_>>(), expected(kind), "{scene}");
    }
}

/// `ForAllValues` is true of a request without leading keys, so that there are some is demanded beside it.
#[test]
fn a_function_of_one_tenant_reaches_no_row_of_another() {
    let template =
        scenes::all().into_iter().find(|(name, _)| *name == "isr-site-full").unwrap().1.to_node().unwrap();
    let on_table = |statement: &&Node| actions(statement).contains(&"dynamodb:PutItem");
    let found: Vec<&Node> = statements(&template).into_iter().filter(on_table).collect();
    assert_eq!(found.len(), 2, "the site and its regenerator");
    for statement in found {
        let keys = statement.find(&["Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"]).unwrap();
        for key in keys.list().unwrap() {
            assert!(key.text().unwrap().starts_with("TENANT#${aws:PrincipalTag/TenantID}#CACHE"), "{key:?}");
        }
        let present = statement.find(&["Condition", "Null", "dynamodb:LeadingKeys"]);
        assert_eq!(present.and_then(Node::text), Some("false"));
    }
}

/// The patterns of a tenant's policy take every key that the cache makes for the tenant, and none of a tenant whose name begins alike.
#[test]
fn the_keys_of_a_tenant_are_those_that_its_policy_names() {
    use facetheory::{KeyScheme, PageKey};
    let statement = Kind::Cache.tenant_grant("T").unwrap().to_node();
    let keys = statement
        .find(&["Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"])
        .unwrap()
        .list()
        .unwrap();
    let patterns = |tenant: &str| -> Vec<String> {
        keys.iter().map(|key| key.text().unwrap().replace("${aws:PrincipalTag/TenantID}", tenant)).collect()
    };
    let takes = |tenant: &str, key: &str| {
        patterns(tenant).iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(begin) => key.starts_with(begin),
            None => key == pattern,
        })
    };
    for tenant in ["acme", "acme-2"] {
        let key = PageKey::path("/news").tenant(tenant.parse().unwrap());
        let partition = KeyScheme::Hashed.partition(&key).unwrap();
        for row in [partition.as_str(), partition.site()] {
            assert!(takes(tenant, row), "{row}");
            assert!(!takes(if tenant == "acme" { "acme-2" } else { "acme" }, row), "{row}");
        }
    }
}
