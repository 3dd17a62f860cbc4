//! The guide for axum quotes this example, and what it quotes is still there.

use std::fs;
use std::path::Path;

#[test]
fn every_quotation_of_the_guide_stands_in_the_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(folder.join("../../docs/guides/axum.md")).expect("the guide");
    let files = fs::read_dir(folder.join("src")).expect("the sources");
    let source: String =
        files.map(|file| fs::read_to_string(file.expect("a file").path()).expect("a source")).collect();
    let quotations: Vec<&str> =
        guide.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(quotations.len() > 5, "the guide quotes the example");
    for quotation in quotations {
        assert!(source.contains(quotation), "the guide quotes what is not in the example:\n{quotation}");
    }
}
