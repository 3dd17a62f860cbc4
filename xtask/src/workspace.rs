//! Where the workspace is, which files it tracks, and which crates it has, as git and cargo tell it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The root folder of the checkout.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
}

/// A member of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crate {
    /// Its name.
    pub(crate) name: String,
    /// Its folder, from the root.
    pub(crate) folder: PathBuf,
    /// What its manifest asks for.
    pub(crate) dependencies: Vec<Dependency>,
    /// Its version.
    pub(crate) version: String,
    /// Whether it is meant for others.
    pub(crate) is_published: bool,
}

/// One line of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The package.
    pub(crate) name: String,
    /// Whether only tests, examples and benches use it.
    pub(crate) dev: bool,
}

impl Workspace {
    /// The workspace this program was started in.
    pub(crate) fn find() -> Result<Self> {
        // Cargo sets the variable for the run as well as for the build. The one of the run wins: with a shared target
        // folder the program may have been built in another checkout.
        let manifest =
            std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().context("xtask lies inside the workspace")?;
        ensure!(root.join("Cargo.toml").is_file(), "no Cargo.toml in {}", root.display());
        Ok(Self { root: root.to_owned() })
    }

    /// The root folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A cargo command in the root folder.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let mut command = Command::new(cargo);
        command.current_dir(&self.root).args(arguments);
        command
    }

    /// The files of the checkout, from the root: tracked ones, and new ones that are not ignored.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let mut git = Command::new("git");
        git.current_dir(&self.root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listing = output(&mut git).context("tidy asks git which files there are")?;
        let names = listing.split('\0').filter(|name| !name.is_empty());
        // A file that is deleted and not yet committed is still in git's list.
        Ok(names.map(PathBuf::from).filter(|path| self.root.join(path).is_file()).collect())
    }

    /// The members of the workspace.
    pub(crate) fn crates(&self) -> Result<Vec<Crate>> {
        list(&self.metadata()?, "packages").map(|package| self.member(package)).collect()
    }

    /// The names of all packages that are compiled for one of the members, itself included; tests not counted.
    pub(crate) fn compiled_with(&self, member: &str) -> Result<Vec<String>> {
        let mut cargo = self.cargo(&[
            "tree",
            "--package",
            member,
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ]);
        let listing = output(&mut cargo)?;
        Ok(listing.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
    }

    /// The names of the crates that are meant for others.
    pub(crate) fn published(&self) -> Result<Vec<String>> {
        let published = self.crates()?.into_iter().filter(|member| member.is_published);
        Ok(published.map(|member| member.name).collect())
    }

    /// The version of a member.
    pub(crate) fn version(&self, name: &str) -> Result<String> {
        let member = self.crates()?.into_iter().find(|member| member.name == name);
        Ok(member.with_context(|| format!("the workspace has no crate `{name}`"))?.version)
    }

    /// Where cargo puts what it makes.
    pub(crate) fn target(&self) -> Result<PathBuf> {
        let told = self.metadata()?;
        Ok(told["target_directory"].as_str().context("cargo metadata names the target folder")?.into())
    }

    fn metadata(&self) -> Result<Value> {
        let mut cargo = self.cargo(&["metadata", "--no-deps", "--format-version", "1", "--offline"]);
        serde_json::from_str(&output(&mut cargo)?).context("cargo metadata prints JSON")
    }

    fn member(&self, package: &Value) -> Result<Crate> {
        let manifest = Path::new(package["manifest_path"].as_str().context("a package has a manifest")?);
        let folder = manifest.parent().context("a manifest lies in a folder")?;
        let root = self.root.canonicalize()?;
        let folder = folder.canonicalize()?;
        let folder = folder.strip_prefix(&root).context("members lie below the root")?.to_owned();
        let dependencies = list(package, "dependencies")
            .map(|line| Dependency { name: text(line, "name"), dev: text(line, "kind") == "dev" })
            .collect();
        let version = text(package, "version");
        // `publish = false` is told as an empty list of registries.
        let is_published = package["publish"].is_null();
        Ok(Crate { name: text(package, "name"), folder, dependencies, version, is_published })
    }
}

/// Runs a command that should print something and succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let done = command.output().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr).trim());
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// What the compiler compiles for unless it is told otherwise.
pub(crate) fn host() -> Result<String> {
    named_host(&output(Command::new("rustc").arg("-vV"))?)
}

fn named_host(version: &str) -> Result<String> {
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc -vV does not say what it compiles for")?.trim().to_owned())
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().into_iter().flatten()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples have binaries too. When they were among the default members, `cargo run -- demo` asked which was meant.
    #[test]
    fn the_readmes_cargo_run_knows_its_binary() {
        let workspace = Workspace::find().unwrap();
        let metadata = workspace.metadata().unwrap();
        let chosen: Vec<&Value> = list(&metadata, "workspace_default_members").collect();
        let packages = list(&metadata, "packages").filter(|package| chosen.contains(&&package["id"]));
        let targets = packages.flat_map(|package| list(package, "targets"));
        let binaries: Vec<&Value> = targets
            .filter(|target| target["kind"] == serde_json::json!(["bin"]))
            .map(|target| &target["name"])
            .collect();
        assert_eq!(binaries, ["theory"]);
    }

    #[test]
    fn the_compiler_says_what_it_compiles_for() {
        assert_eq!(
            named_host("rustc 1.95.0\nhost: x86_64-unknown-linux-gnu\nrelease: 1\n").unwrap(),
            "x86_64-unknown-linux-gnu"
        );
        assert!(named_host("rustc 1.95.0\n").is_err());
    }
}
