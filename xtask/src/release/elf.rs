//! Whether a program brings everything: its file names no loader, so it needs no library of the machine it runs on.

use std::path::Path;

use anyhow::{Context, Result, ensure};

/// The kind of segment that names the loader of a dynamic program.
const INTERPRETER: u32 = 3;

/// Refuses a program that another machine could not start.
pub(super) fn is_static(program: &Path) -> Result<()> {
    let bytes = std::fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    let kinds = segments(&bytes).with_context(|| format!("{} is no 64-bit ELF file", program.display()))?;
    ensure!(
        !kinds.contains(&INTERPRETER),
        "{} wants a loader: it was not built as a static program",
        program.display()
    );
    Ok(())
}

/// The kinds of all segments of a 64-bit, little-endian file.
fn segments(bytes: &[u8]) -> Option<Vec<u32>> {
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let table = usize::try_from(u64::from_le_bytes(bytes.get(32..40)?.try_into().ok()?)).ok()?;
    let size = usize::from(u16::from_le_bytes(bytes.get(54..56)?.try_into().ok()?));
    let count = usize::from(u16::from_le_bytes(bytes.get(56..58)?.try_into().ok()?));
    (0..count)
        .map(|index| {
            let at = table.checked_add(index.checked_mul(size)?)?;
            Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_itself_is_dynamic_and_refused() {
        let error = is_static(&std::env::current_exe().unwrap()).unwrap_err();
        assert!(error.to_string().contains("wants a loader"), "{error:#}");
    }

    #[test]
    fn what_is_cut_or_no_program_is_no_elf_file() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(segments(&bytes).is_some());
        for length in [0, 3, 6, 40, 57, 70] {
            assert!(segments(&bytes[..length]).is_none(), "{length}");
        }
        assert!(segments(b"#!/bin/sh\n").is_none());
    }
}
