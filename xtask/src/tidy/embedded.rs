//! An embedded build compiles no AWS crate: neither the engine, nor the wire, nor what applications import reaches one by
//! default, however far down.

use std::path::Path;

use anyhow::Result;

use super::finding::Finding;
use crate::workspace::Workspace;

/// The crates that an embedded build is made of.
const EMBEDDED: [&str; 3] = ["tabletheory-engine", "tabletheory-wire", "tabletheory"];

/// Checks what cargo would compile for each of them.
pub(super) fn check(workspace: &Workspace, complaints: &mut Vec<Finding>) -> Result<()> {
    for name in EMBEDDED {
        refuse(name, &workspace.compiled_with(name)?, complaints);
    }
    Ok(())
}

/// Whether a crate is of the AWS SDK or of what it is generated with.
pub(crate) fn is_aws(name: &str) -> bool {
    name.starts_with("aws-") || name.starts_with("smithy")
}

fn refuse(name: &str, compiled: &[String], complaints: &mut Vec<Finding>) {
    let manifest = Path::new("crates").join(name).join("Cargo.toml");
    // The engine's and the wire's own store over AWS is refused with the SDK that it brings.
    for found in compiled.iter().filter(|found| is_aws(found)) {
        complaints.push(Finding::of(
            &manifest,
            format!("`{name}` is embedded, and reaches the AWS crate `{found}`"),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(compiled: &[&str]) -> usize {
        let compiled: Vec<String> = compiled.iter().map(|name| (*name).to_owned()).collect();
        let mut complaints = Vec::new();
        refuse("tabletheory-engine", &compiled, &mut complaints);
        complaints.len()
    }

    #[test]
    fn an_aws_crate_is_refused_wherever_it_comes_from() {
        assert_eq!(complaints(&["tabletheory-engine", "serde", "gaws-1"]), 0);
        assert_eq!(complaints(&["tabletheory-engine", "aws-smithy-types", "serde", "aws-lc-sys"]), 2);
    }

    #[test]
    fn cargo_tells_what_a_crate_is_compiled_with() {
        let compiled = Workspace::find().unwrap().compiled_with("tabletheory-aws").unwrap();
        assert!(compiled.iter().any(|name| name == "aws-sdk-dynamodb"), "{compiled:?}");
    }

    #[test]
    fn an_embedded_build_compiles_no_aws_crate() {
        let mut complaints = Vec::new();
        check(&Workspace::find().unwrap(), &mut complaints).unwrap();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}
