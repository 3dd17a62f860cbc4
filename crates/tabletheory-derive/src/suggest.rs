//! What to say about a word that nobody knows: the word that was probably meant, or all words that are known.

use proc_macro2::Span;

/// An error about an unknown word.
pub(crate) fn unknown(span: Span, what: &str, word: &str, known: &[&str]) -> syn::Error {
    let close = known.iter().map(|known| (distance(word, known), known)).min();
    let hint = match close {
        Some((distance, known)) if distance <= 2.max(word.len() / 3) => format!("did you mean `{known}`?"),
        Some(_) => format!("known are {}", list(known)),
        None => "there are none".to_owned(),
    };
    syn::Error::new(span, format!("unknown {what} `{word}`: {hint}"))
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// How many letters must be changed, added or removed to make one word the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in right.iter().enumerate() {
            let change = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: &str) {
        let error = unknown(Span::call_site(), "attribute", word, &["table", "ttl", "version"]);
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_slip_of_the_hand_is_recognised_and_anything_else_gets_the_list() {
        check("tabel", "unknown attribute `tabel`: did you mean `table`?");
        check("versions", "unknown attribute `versions`: did you mean `version`?");
        check("colour", "unknown attribute `colour`: known are `table`, `ttl`, `version`");
    }
}
