//! Parameters of the query: which of them make another page. They are compared by what they mean and kept as they came.

use crate::settings::Chosen;

/// The parameters that count, as pairs of name and value, in the order in which they came.
///
/// A parameter without `=` has no value, and one whose value is empty has the `=` in its name: the application may tell them
/// apart, so the key does.
pub(super) fn chosen<'q>(
    rule: &'q Chosen,
    query: Option<&'q str>,
) -> impl Iterator<Item = (&'q str, &'q str)> {
    let parameters = query.unwrap_or_default().split('&').filter(|parameter| !parameter.is_empty());
    parameters.filter(|parameter| counts(rule, parameter)).map(halves)
}

fn halves(parameter: &str) -> (&str, &str) {
    match parameter.split_once('=') {
        Some((_, "")) | None => (parameter, ""),
        Some(halves) => halves,
    }
}

fn counts(rule: &Chosen, parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default();
    let is_named = |names: &[String]| names.iter().any(|pattern| matches(pattern, name));
    match rule {
        Chosen::These(names) => is_named(names),
        Chosen::AllBut(names) => !is_named(names),
    }
}

/// Whether a pattern, which may end with `*`, names this parameter.
fn matches(pattern: &str, name: &str) -> bool {
    let mut decoded = decoded(name);
    match pattern.strip_suffix('*') {
        None => decoded.eq(pattern.bytes()),
        Some(start) => start.bytes().all(|byte| decoded.next() == Some(byte)),
    }
}

/// The bytes that a name means: `%75tm` is `utm`.
fn decoded(name: &str) -> impl Iterator<Item = u8> {
    let mut rest = name.as_bytes();
    std::iter::from_fn(move || {
        let (&first, after) = rest.split_first()?;
        rest = after;
        Some(match (first, after) {
            (b'+', _) => b' ',
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    rest = after;
                    high << 4 | low
                }
                _ => first,
            },
            _ => first,
        })
    })
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: &Chosen, query: &str, expected: &[(&str, &str)]) {
        assert_eq!(chosen(rule, Some(query)).collect::<Vec<_>>(), expected, "{query}");
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn only_what_is_listed_counts() {
        let rule = Chosen::These(names(&["page", "f_*"]));
        check(&rule, "page=2&x=1&f_a=1&f_=2&f=3", &[("page", "2"), ("f_a", "1"), ("f_", "2")]);
        check(&rule, "Page=2&pages=3", &[]);
        check(&rule, "", &[]);
        check(&Chosen::These(Vec::new()), "a=1&b", &[]);
    }

    #[test]
    fn all_but_what_is_listed_counts() {
        let rule = Chosen::AllBut(names(&["utm_*", "fbclid"]));
        check(&rule, "a=1&utm_source=x&fbclid=y&fbclid2=z", &[("a", "1"), ("fbclid2", "z")]);
        check(&Chosen::AllBut(names(&["*"])), "a=1&b", &[]);
    }

    #[test]
    fn names_are_compared_by_what_they_mean_and_kept_as_they_came() {
        check(&Chosen::AllBut(names(&["utm_*"])), "%75tm_source=x&ut%6D%5fa=y", &[]);
        check(&Chosen::These(names(&["a b"])), "a+b=1&a%20b=%31", &[("a+b", "1"), ("a%20b", "%31")]);
        check(&Chosen::These(names(&["%zz", "%"])), "%zz=1&%=2", &[("%zz", "1"), ("%", "2")]);
    }

    #[test]
    fn a_name_without_a_value_is_not_one_with_an_empty_value() {
        let rule = Chosen::AllBut(Vec::new());
        check(&rule, "a&a=&a=1=2&&", &[("a", ""), ("a=", ""), ("a", "1=2")]);
    }
}
