//! What this machine allows: open files, and certificates that can be read.

use rustix::process::{Resource, getrlimit};
use theory_gateway::settings::Settings;

use super::finding::Finding;

/// What the engine, the origin's connections and logs need besides clients.
const OWN_FILES: u64 = 512;

pub(super) fn examine(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![files(getrlimit(Resource::Nofile).current, settings.edge.connections_max)];
    for certificate in settings.listen.iter().filter_map(|listen| listen.certificate.as_ref()) {
        for (file, expected) in [(&certificate.chain, "CERTIFICATE"), (&certificate.key, "PRIVATE KEY")] {
            findings.push(match std::fs::read_to_string(file) {
                Ok(text) if text.contains(expected) => Finding::ok(
                    "certificate",
                    format!("{} holds a {}", file.display(), expected.to_ascii_lowercase()),
                ),
                Ok(_) => Finding::fail(
                    "certificate",
                    format!("{} holds no PEM block with {expected}", file.display()),
                    "give the files of the chain and of its key in PEM",
                ),
                Err(error) => Finding::fail(
                    "certificate",
                    format!("{} cannot be read: {error}", file.display()),
                    "let the user that runs the gateway read it",
                ),
            });
        }
    }
    findings
}

/// Each connection of a client takes a file, and another one while its request is at the application.
fn files(limit: Option<u64>, connections: usize) -> Finding {
    let name = "open files";
    let needed = u64::try_from(connections).unwrap_or(u64::MAX).saturating_mul(2).saturating_add(OWN_FILES);
    match limit {
        None => Finding::ok(name, "there is no limit"),
        Some(limit) if limit >= needed => Finding::ok(name, format!("{limit} are allowed")),
        Some(limit) => Finding::warn(
            name,
            format!("{limit} are allowed, and {connections} connections at once may need {needed}"),
            format!(
                "raise the limit (`ulimit -n {needed}`, LimitNOFILE= in a unit of systemd), or lower `limits.connections_max`"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_to_suffice_for_the_connections() {
        assert_eq!(files(None, 10), Finding::ok("open files", "there is no limit"));
        assert_eq!(files(Some(532), 10), Finding::ok("open files", "532 are allowed"));
        let few = files(Some(531), 10).json();
        assert_eq!(few["verdict"], "warn");
        assert!(few["advice"].as_str().is_some_and(|advice| advice.contains("ulimit -n 532")), "{few}");
    }
}
