//! A door for the fuzz targets, open with the feature `fuzz` only: what the cache understands of `Cache-Control` and `Vary`.

use std::fmt::Write as _;

use http::HeaderMap;
use http::header::CACHE_CONTROL;
use tabletheory_core::Seconds;

use super::directives::{Directives, Reach};
use super::targeted::Rules;
use super::vary::{Selection, Vary};

/// What the cache understands of `Cache-Control`, written as a field that says the same.
#[must_use]
pub fn cache_control(headers: &HeaderMap) -> String {
    written(&Directives::of(headers, &CACHE_CONTROL))
}

/// What the cache obeys in an answer, `CDN-Cache-Control` and `Surrogate-Control` considered; and whether one of these said it.
#[must_use]
pub fn rules(headers: &HeaderMap) -> (String, bool) {
    let rules = Rules::of(headers);
    (written(&rules.directives), rules.is_targeted)
}

/// The fields that `Vary` names, or nothing if an answer depends on more than can be known.
#[must_use]
pub fn vary(answer: &HeaderMap) -> Option<Vec<String>> {
    match Vary::of(answer) {
        Vary::On(fields) => Some(fields.iter().map(|field| field.as_str().to_owned()).collect()),
        Vary::Everything => None,
    }
}

/// Whether what was answered to the request `first` with `answer` also answers `second`.
#[must_use]
pub fn answers_both(answer: &HeaderMap, first: &HeaderMap, second: &HeaderMap) -> bool {
    match Vary::of(answer) {
        Vary::On(fields) => Selection::of(&fields, first).is_of(second, answer),
        Vary::Everything => false,
    }
}

fn written(directives: &Directives) -> String {
    let mut text = String::new();
    let times: [(&str, Option<Seconds>); 6] = [
        ("max-age", directives.max_age),
        ("s-maxage", directives.s_maxage),
        ("stale-while-revalidate", directives.stale_while_revalidate),
        ("stale-if-error", directives.stale_if_error),
        ("min-fresh", directives.min_fresh),
        ("max-stale", directives.max_stale),
    ];
    for (name, time) in times {
        if let Some(Seconds(seconds)) = time {
            write!(text, "{name}={seconds}, ").expect("a string takes everything");
        }
    }
    for (name, reach) in [("no-cache", &directives.no_cache), ("private", &directives.private)] {
        match reach {
            Reach::Nothing => {}
            Reach::Everything => text.extend([name, ", "]),
            Reach::Fields(fields) => {
                let names: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
                write!(text, "{name}=\"{}\", ", names.join(", ")).expect("a string takes everything");
            }
        }
    }
    let words = [
        ("no-store", directives.no_store),
        ("public", directives.public),
        ("must-revalidate", directives.must_revalidate),
        ("proxy-revalidate", directives.proxy_revalidate),
        ("must-understand", directives.must_understand),
        ("only-if-cached", directives.only_if_cached),
    ];
    words.iter().filter(|(_, is_said)| *is_said).for_each(|(name, _)| text.extend([*name, ", "]));
    text.truncate(text.trim_end_matches(", ").len());
    text
}
