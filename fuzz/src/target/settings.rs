//! `theory.toml`.

use theory_gateway::config::{Document, Flags, Source, read};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let document = Document::new("theory.toml", "", text);
    let told = |document: &Document| read(document, &Flags::default(), &|_| None);
    match told(&document) {
        Ok(effective) => {
            let explained = format!("{:?}", effective.explanation.values());
            for value in effective.explanation.values() {
                if let Source::File { line, .. } = &value.source {
                    assert!((1..=lines(text)).contains(line), "line {line} of {text:?}");
                }
            }
            let commented = Document::new("theory.toml", "", format!("{text}\n# a remark\n"));
            let again = told(&commented).expect("a remark at the end changes nothing");
            assert_eq!(
                format!("{:?}", again.explanation.values()),
                explained,
                "a remark at the end changes nothing"
            );
        }
        Err(error) => {
            assert!(!error.problems().is_empty(), "there is a reason why there are no settings");
            for problem in error.problems() {
                assert!(!problem.text.is_empty(), "a problem is told in words");
                assert!(!problem.to_string().contains('\u{1b}'), "a problem moves no cursor");
                if let Source::File { line, column, .. } = &problem.source {
                    assert!((1..=lines(text)).contains(line) && *column >= 1, "{problem} in {text:?}");
                }
            }
        }
    }
}

/// Lines, and the one behind the last line end, where something may be missing.
fn lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count() + 1
}
