//! The names of the functions that a model gets for its indexes.

use syn::{Error, Ident, LitStr, Result};

/// Functions that every model has.
const TAKEN: [&str; 8] = ["key", "query", "partition", "table", "to_item", "from_item", "matches", "key_of"];

/// The function of an index with this name, unless it is given another one.
pub(crate) fn of_index(index: &LitStr, given: Option<&LitStr>) -> Result<Ident> {
    let literal = given.unwrap_or(index);
    let name = given.map_or_else(|| snake(&index.value()), LitStr::value);
    let mut ident: Ident = syn::parse_str(&name).map_err(|_| {
        let text = format!("`{name}` cannot be the name of a function; say how it is called: `fn = \"...\"`");
        Error::new(literal.span(), text)
    })?;
    ident.set_span(literal.span());
    Ok(ident)
}

/// Refuses a function that the model has already.
pub(crate) fn check_free<'f>(function: &Ident, mut others: impl Iterator<Item = &'f Ident>) -> Result<()> {
    if TAKEN.iter().any(|taken| function == taken) || others.any(|other| other == function) {
        let text = format!(
            "the model has a function `{function}` already; give this index another: `fn = \"...\"` in `index(...)`"
        );
        return Err(Error::new(function.span(), text));
    }
    Ok(())
}

/// The name of an index as a function would be called: `GSI1`, `gsi-status` and `ByCity` are `gsi1`, `gsi_status` and
/// `by_city`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let follows_small = before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit());
        let ends_capitals = before.is_some_and(char::is_uppercase)
            && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if letter.is_uppercase() && (follows_small || ends_capitals) {
            snake.push('_');
        }
        if letter.is_alphanumeric() {
            snake.extend(letter.to_lowercase());
        } else {
            snake.push('_');
        }
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(index: &str, expected: &str) {
        assert_eq!(snake(index), expected, "{index}");
    }

    #[test]
    fn indexes_are_called_as_functions_are() {
        check("gsi1", "gsi1");
        check("GSI1", "gsi1");
        check("by_city", "by_city");
        check("ByCity", "by_city");
        check("byHTTPCode", "by_http_code");
        check("gsi-status", "gsi_status");
        check("gsi.status-At", "gsi_status_at");
    }
}
