//! Checks of document paths: how deep they go, and whether two of one expression get in each other's way.

use super::super::ast::{Path, ProjectionExpression, Step};
use super::super::kind::ExpressionKind;
use super::super::parser::{LIST_INDEX_MAX, list_index_complaint};
use super::{Complaint, empty};
use crate::error::StoreError;
use crate::limits::NESTING_MAX;

/// Refuses a projection without paths, with a path too deep, or with two paths of which one contains the other.
///
/// # Errors
/// [`StoreError::Validation`] in the service's words.
pub fn projection(projection: &ProjectionExpression) -> Result<(), StoreError> {
    let kind = ExpressionKind::Projection;
    if projection.paths.is_empty() {
        return Err(empty(kind));
    }
    projection
        .paths
        .iter()
        .try_for_each(depth)
        .and_then(|()| apart(projection.paths.iter()))
        .map_err(|complaint| kind.invalid(complaint))
}

/// Refuses a path deeper than an item can be.
pub(super) fn depth(path: &Path) -> Result<(), Complaint> {
    let levels = path.steps.len() + 1;
    if levels > NESTING_MAX {
        return Err(format!("The document path has too many nesting levels; nesting levels: {levels}"));
    }
    for step in &path.steps {
        if let Step::Index(index) = step
            && *index > LIST_INDEX_MAX
        {
            return Err(list_index_complaint(index));
        }
    }
    Ok(())
}

/// Refuses two paths of which one leads into the other, or which take the same value for a list and for a map.
pub(super) fn apart<'p>(paths: impl ExactSizeIterator<Item = &'p Path>) -> Result<(), Complaint> {
    if paths.len() < 2 {
        return Ok(());
    }
    let mut sorted: Vec<(&Path, usize)> = paths.zip(0..).collect();
    // In this order a path is followed at once by what lies inside it, and of the paths through one value those into
    // a map stand before those into a list: whatever clashes has a clash between neighbours.
    sorted.sort_unstable();
    for pair in sorted.windows(2) {
        let [(one, at_one), (two, at_two)] = pair else { continue };
        let Some(clash) = clash(one, two) else { continue };
        let (first, second) = if at_one < at_two { (one, two) } else { (two, one) };
        return Err(format!(
            "Two document paths {clash} with each other; must remove or rewrite one of these paths; \
             path one: {}, path two: {}",
            spelled(first),
            spelled(second)
        ));
    }
    Ok(())
}

fn clash(one: &Path, two: &Path) -> Option<&'static str> {
    if one.root != two.root {
        return None;
    }
    match one.steps.iter().zip(&two.steps).find(|(one, two)| one != two) {
        None => Some("overlap"),
        Some((Step::Field(_), Step::Index(_)) | (Step::Index(_), Step::Field(_))) => Some("conflict"),
        Some(_) => None,
    }
}

/// The complaint about an attribute that is held against itself.
pub(super) fn itself(operator: &str, path: &Path) -> Complaint {
    format!(
        "The first operand must be distinct from the remaining operands for this operator or function; \
         operator: {operator}, first operand: {}",
        spelled(path)
    )
}

/// A path as the service's complaints show it: `[a, b, [0]]`.
fn spelled(path: &Path) -> String {
    let mut text = format!("[{}", path.root);
    for step in &path.steps {
        text.push_str(", ");
        match step {
            Step::Field(name) => text.push_str(name),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text.push(']');
    text
}
