//! The rows of the map: a crate uses only crates on rows above its own. Within the second row `tabletheory` may choose
//! among the stores beside it, and tests may stand a crate on its neighbours.

use super::finding::Finding;
use crate::workspace::{Crate, Dependency};

const ROWS: [(&str, u8); 15] = [
    ("tabletheory-core", 1),
    ("tabletheory-derive", 1),
    ("tabletheory-engine", 2),
    ("tabletheory-aws", 2),
    ("tabletheory-wire", 2),
    ("tabletheory", 2),
    ("facetheory", 3),
    ("limited", 3),
    ("idempotent", 3),
    ("theory-archive", 3),
    ("theory-copy", 3),
    ("theory-gateway", 4),
    ("theory-synth", 4),
    ("theory-lambda", 5),
    ("theory", 5),
];

/// Pairs of one row, the first of which may use the second.
const NEIGHBOURS: [(&str, &str); 2] =
    [("tabletheory", "tabletheory-engine"), ("tabletheory", "tabletheory-aws")];

/// Checks every member.
pub(super) fn check(crates: &[Crate], complaints: &mut Vec<Finding>) {
    for member in crates.iter().filter(|member| member.folder.starts_with("crates")) {
        let manifest = member.folder.join("Cargo.toml");
        let Some(own) = row(&member.name) else {
            complaints.push(Finding::of(&manifest, format!("`{}` has no row in the map", member.name)));
            continue;
        };
        if !member.folder.ends_with(&member.name) {
            complaints
                .push(Finding::of(&manifest, format!("`{}` lies in a folder of another name", member.name)));
        }
        for dependency in &member.dependencies {
            if let Some(used) = row(&dependency.name)
                && !may_use(&member.name, own, dependency, used)
            {
                let text = format!("`{}` (row {own}) uses `{}` (row {used})", member.name, dependency.name);
                complaints.push(Finding::of(&manifest, text));
            }
        }
    }
}

fn may_use(user: &str, own: u8, dependency: &Dependency, used: u8) -> bool {
    used < own || (dependency.dev && used == own) || NEIGHBOURS.contains(&(user, dependency.name.as_str()))
}

fn row(name: &str) -> Option<u8> {
    ROWS.iter().find(|(known, _)| *known == name).map(|(_, row)| *row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(user: &str, used: &str, dev: bool) -> usize {
        let dependencies = vec![Dependency { name: used.to_owned(), dev }];
        let member = Crate {
            name: user.to_owned(),
            folder: format!("crates/{user}").into(),
            dependencies,
            version: "0.1.0".to_owned(),
            is_published: true,
        };
        let mut complaints = Vec::new();
        check(&[member], &mut complaints);
        complaints.len()
    }

    #[test]
    fn a_crate_uses_rows_above() {
        assert_eq!(complaints("tabletheory-engine", "tabletheory-core", false), 0);
        assert_eq!(complaints("theory", "tabletheory-engine", false), 0);
        assert_eq!(complaints("tabletheory-core", "anyhow", false), 0);
    }

    #[test]
    fn a_crate_does_not_use_its_own_row_or_those_below() {
        assert_eq!(complaints("tabletheory-core", "tabletheory-engine", false), 1);
        assert_eq!(complaints("tabletheory-wire", "tabletheory-engine", false), 1);
        assert_eq!(complaints("facetheory", "limited", false), 1);
        assert_eq!(complaints("limited", "theory-gateway", true), 1);
    }

    #[test]
    fn tabletheory_chooses_among_the_stores_and_tests_stand_on_neighbours() {
        assert_eq!(complaints("tabletheory", "tabletheory-engine", false), 0);
        assert_eq!(complaints("tabletheory-engine", "tabletheory", false), 1);
        assert_eq!(complaints("tabletheory-wire", "tabletheory-engine", true), 0);
    }

    #[test]
    fn a_crate_without_a_row_is_refused() {
        assert_eq!(complaints("newcomer", "anyhow", false), 1);
    }
}
