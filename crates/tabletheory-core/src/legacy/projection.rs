//! `AttributesToGet`: the attributes that a read returns, whole.

use std::collections::BTreeSet;

use super::{check_name, invalid};
use crate::error::StoreError;
use crate::expr::{Path, ProjectionExpression};

/// The projection that `AttributesToGet` asks for. Dots and brackets belong to the names.
///
/// # Errors
/// If there is no name, or an empty one, or one twice.
pub fn projection(names: &[String]) -> Result<ProjectionExpression, StoreError> {
    if names.is_empty() {
        return Err(StoreError::validation(
            "1 validation error detected: Value '[]' at 'attributesToGet' failed to satisfy constraint: Member must \
             have length greater than or equal to 1",
        ));
    }
    let mut seen = BTreeSet::new();
    for name in names {
        check_name(name)?;
        if !seen.insert(name) {
            return Err(invalid(format!("Duplicate value in attribute name: {name}")));
        }
    }
    Ok(ProjectionExpression { paths: names.iter().map(Path::attribute).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_whole_attributes() {
        let check = |names: &[&str], expected: Result<Vec<Path>, &str>| {
            let names: Vec<String> = names.iter().copied().map(String::from).collect();
            let expected = expected.map_err(StoreError::validation);
            assert_eq!(projection(&names).map(|projection| projection.paths), expected, "{names:?}");
        };
        check(&["b", "a.x"], Ok(vec![Path::attribute("b"), Path::attribute("a.x")]));
        let twice = "One or more parameter values were invalid: Duplicate value in attribute name: a";
        check(&["a", "b", "a"], Err(twice));
        check(&["a", ""], Err("Empty attribute name"));
        assert!(projection(&[]).is_err());
    }
}
