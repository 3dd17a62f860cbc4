//! Every target on its corpus, and on some hundred inputs that are made from it. A failure prints the input and where it was kept.

use std::path::{Path, PathBuf};

use theory_fuzz::mutation::Mutator;
use theory_fuzz::{TARGETS, Target};

/// Changed inputs of a target, unless it is a slow one.
const INPUTS: u64 = 400;
/// Each of these opens a folder.
const INPUTS_OF_FOLDERS: u64 = 60;
const SEED: u64 = 20_270_115;

fn corpus(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

fn inputs(target: &Target) -> Vec<Vec<u8>> {
    let folder = corpus(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is listed").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("it is read")).collect()
}

/// Runs one input; if it breaks the law, says which it was.
fn keep(target: &Target, input: &[u8]) {
    let run = std::panic::AssertUnwindSafe(|| (target.run)(input));
    if let Err(panic) = std::panic::catch_unwind(run) {
        eprintln!("{}: «{}» is broken by {:?}", target.name, target.law, String::from_utf8_lossy(input));
        eprintln!("as bytes: {input:?}");
        std::panic::resume_unwind(panic);
    }
}

fn holds(name: &str) {
    let target = theory_fuzz::target(name).expect("the target is there");
    let known = inputs(target);
    assert!(known.len() >= 3, "{name} has too few inputs in {}", corpus(target).display());
    known.iter().for_each(|input| keep(target, input));
    let mutator = Mutator::new(SEED);
    let count = if name == "folder" { INPUTS_OF_FOLDERS } else { INPUTS };
    for _ in 0..count {
        keep(target, &mutator.next(&known));
    }
}

macro_rules! targets {
    ($($name:ident),*) => {
        $(
            #[test]
            fn $name() {
                holds(stringify!($name));
            }
        )*

        #[test]
        fn every_target_has_a_test_and_every_corpus_a_target() {
            let tested = [$(stringify!($name)),*];
            let mut named: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(tested.as_slice(), named);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
            let kept = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
            let mut kept: Vec<String> = kept.map(|name| name.into_string().unwrap()).collect();
            kept.sort();
            named.sort_unstable();
            assert_eq!(kept, named);
        }
    };
}

targets!(
    number,
    json,
    expression,
    partiql,
    key,
    row,
    folder,
    request,
    endpoint,
    sigv4,
    cursor,
    path,
    cache_control,
    vary,
    settings,
    template
);

#[test]
fn an_unknown_target_is_refused_with_the_list() {
    let error = theory_fuzz::target("nonsense").unwrap_err().to_string();
    assert!(error.contains("`nonsense`") && error.contains("cache_control"), "{error}");
}
