//! `cargo xtask release`: what is handed to people. The packages of all crates, one static program with its manual,
//! completions, services and licences in an archive with a checksum, and, if asked for, a container image.

mod archive;
mod container;
mod elf;
mod layout;
mod notices;
mod packages;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::artifact::Artifacts;
use crate::stage::Stages;
use crate::workspace::{self, Workspace};
use layout::Layout;

const HELP: &str = "\
cargo xtask release [--out FOLDER] [--container] [--skip-packages]

Makes everything that is handed to people, in target/dist unless told otherwise:

  *.crate                         the package of every crate, built from what is in it
  theory-VERSION-TARGET.tar.gz    the static program, its manual, completions, services, a Containerfile, licences
  theory-VERSION-TARGET.tar.gz.sha256
  theory-VERSION-oci.tar          with --container: the image, made by buildah without a base image

  --skip-packages   does without the packages, which are all compiled once more
";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    out: PathBuf,
    container: bool,
    packages: bool,
}

/// Packages, program, archive, image.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let Some(wish) = Wish::read(arguments)? else {
        print!("{HELP}");
        return Ok(());
    };
    let out = workspace.root().join(&wish.out);
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut stages = Stages::new("release");
    if wish.packages {
        stages.run("packages", || packages::make(workspace, &out))?;
    }
    let target = workspace::host()?;
    let program = stages.run("program", || build(workspace, &target))?;
    let name = format!("theory-{}-{target}", workspace.version("theory")?);
    let folder = out.join(&name);
    stages.run("layout", || {
        let notices = notices::collect(workspace, &target)?;
        Layout { workspace, program: &program, notices: &notices }.write(&folder)
    })?;
    let archive = stages.run("archive", || archive::pack(workspace, &out, &name))?;
    eprintln!("{}", archive.display());
    if wish.container {
        let image = stages.run("container", || container::build(workspace, &folder, &out))?;
        eprintln!("{}", image.display());
    }
    stages.finish();
    Ok(())
}

impl Wish {
    /// Reads the command line; `None` if help was asked for.
    fn read(arguments: &[String]) -> Result<Option<Self>> {
        let mut wish = Self { out: PathBuf::from("target/dist"), container: false, packages: true };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--out" => wish.out = words.next().context("--out wants a folder")?.into(),
                "--container" => wish.container = true,
                "--skip-packages" => wish.packages = false,
                other => bail!("there is no option `{other}`\n\n{HELP}"),
            }
        }
        Ok(Some(wish))
    }
}

/// The program with everything in it, the C library too: it runs on any Linux, and in an empty folder.
fn build(workspace: &Workspace, target: &str) -> Result<PathBuf> {
    // With the target named, the flags concern the program alone: macros of the compiler cannot be static.
    let build = ["build", "--release", "--locked", "--package", "theory", "--target", target];
    let mut build = workspace.cargo(&build);
    build.env("RUSTFLAGS", "-C target-feature=+crt-static");
    build.env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    let program = Artifacts::of(&mut build)?.program("theory")?;
    elf::is_static(&program)?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Wish>> {
        Wish::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn everything_but_the_image_is_made_unless_told_otherwise() {
        let wish = read("").unwrap().unwrap();
        assert_eq!(wish, Wish { out: "target/dist".into(), container: false, packages: true });
        let wish = read("--container --skip-packages --out there").unwrap().unwrap();
        assert_eq!(wish, Wish { out: "there".into(), container: true, packages: false });
        assert!(read("--help").unwrap().is_none());
    }

    #[test]
    fn mistakes_are_named() {
        assert!(read("--out").unwrap_err().to_string().contains("--out"));
        assert!(read("--contaner").unwrap_err().to_string().contains("`--contaner`"));
    }
}
