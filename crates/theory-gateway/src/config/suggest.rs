//! What somebody meant who wrote a key that there is not.

use super::known::KEYS;
use super::scope::Scope;

/// Names from elsewhere that no likeness leads to ours.
const ELSEWHERE: &[(Scope, &str, &str)] = &[
    (Scope::Top, "upstream", "origin"),
    (Scope::Top, "backend", "origin"),
    (Scope::Top, "port", "listen"),
    (Scope::Top, "bind", "listen"),
    (Scope::Top, "address", "listen"),
    (Scope::Top, "data_dir", "data"),
    (Scope::Site, "host", "hosts"),
    (Scope::Site, "domain", "hosts"),
    (Scope::Site, "domains", "hosts"),
    (Scope::Site, "upstream", "origin"),
    (Scope::Origin, "address", "url"),
    (Scope::Origin, "timeout", "head_timeout"),
    (Scope::Route, "pattern", "path"),
    (Scope::Route, "match", "path"),
    (Scope::Route, "limits", "rate_limits"),
    (Scope::Route, "limit", "rate_limits"),
    (Scope::Route, "ttl", "revalidate"),
    (Scope::Route, "max_age", "revalidate"),
    (Scope::Route, "type", "kind"),
    (Scope::Route, "stale_while_revalidate", "stale"),
    (Scope::Route, "websocket", "upgrade"),
    (Scope::Store, "type", "kind"),
    (Scope::Store, "data", "dir"),
    (Scope::Store, "folder", "dir"),
    (Scope::Bodies, "type", "kind"),
    (Scope::Bodies, "folder", "dir"),
    (Scope::RateLimit, "rate", "limit"),
    (Scope::RateLimit, "who", "by"),
    (Scope::Idempotency, "principal", "by"),
];
/// Less alike is another word.
const LIKENESS_MIN: f64 = 0.7;

/// What to do about a key that is not known.
pub(super) fn advice(scope: Scope, name: &str) -> String {
    let elsewhere = ELSEWHERE.iter().find(|(table, wrong, _)| *table == scope && *wrong == name);
    if let Some((_, _, right)) = elsewhere.copied().or_else(|| nearest(scope, name)) {
        return format!("did you mean `{right}`?");
    }
    // A key below a heading belongs to that table, also when an empty line stands between: the most common mistake in TOML.
    let homes: Vec<&str> =
        KEYS.iter().filter(|known| known.name == name).map(|known| known.scope.heading()).collect();
    match (homes.as_slice(), scope) {
        ([], _) => {
            let names: Vec<&str> =
                KEYS.iter().filter(|known| known.scope == scope).map(|known| known.name).collect();
            format!("known are {}", names.join(", "))
        }
        (homes, Scope::Top) => format!("it belongs below {}", homes.join(" or ")),
        (homes, _) if homes.contains(&Scope::Top.heading()) => {
            "it belongs to the top of the file, above the first heading in brackets".to_owned()
        }
        (homes, _) => format!("it belongs below {}", homes.join(" or ")),
    }
}

fn nearest(scope: Scope, name: &str) -> Option<(Scope, &'static str, &'static str)> {
    let known = KEYS.iter().filter(|known| known.scope == scope);
    let (likeness, nearest) = known
        .map(|known| (strsim::normalized_damerau_levenshtein(name, known.name), known.name))
        .max_by(|left, right| left.0.total_cmp(&right.0))?;
    (likeness >= LIKENESS_MIN).then_some((scope, "", nearest))
}

/// The word that was meant, among a few.
pub(super) fn nearest_word<'a>(word: &str, among: &[&'a str]) -> Option<&'a str> {
    let alike = among.iter().map(|known| (strsim::normalized_damerau_levenshtein(word, known), *known));
    alike
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scope: Scope, name: &str, expected: &str) {
        assert!(advice(scope, name).contains(expected), "{name}: {}", advice(scope, name));
    }

    #[test]
    fn what_was_meant_is_guessed() {
        check(Scope::Route, "revalidat", "`revalidate`");
        check(Scope::Route, "revaildate", "`revalidate`");
        check(Scope::Route, "stale_on_error", "`stale_if_error`");
        check(Scope::Route, "limits", "`rate_limits`");
        check(Scope::Top, "orign", "`origin`");
        check(Scope::Top, "sites", "`site`");
    }

    #[test]
    fn a_key_at_the_wrong_place_is_sent_home() {
        check(Scope::Tls, "trusted_proxies", "top of the file");
        check(Scope::Top, "stale", "below [[route]]");
        check(Scope::Admin, "hosts", "below [[site]]");
    }

    #[test]
    fn for_other_words_all_keys_are_named() {
        check(Scope::Tls, "zebra", "known are cert, key");
    }

    #[test]
    fn every_suggestion_is_a_key() {
        for (scope, wrong, right) in ELSEWHERE {
            assert!(super::super::known::Known::find(*scope, right).is_some(), "{right}");
            assert!(super::super::known::Known::find(*scope, wrong).is_none(), "{wrong} is a key itself");
        }
    }
}
