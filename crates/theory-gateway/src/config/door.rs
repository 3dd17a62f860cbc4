//! What stands before a route: who may ask how often, and whether repeated requests are answered once.

use std::collections::BTreeMap;

use http::{HeaderName, Method};
use limited::Limit;

use super::form::{List, Word};
use super::pattern::Pattern;
use super::scope::Scope;
use super::section::Section;
use crate::settings::{IdempotencyRule, LimitRule, WhoIsLimited};

const NAME_BYTES_MAX: usize = 64;

/// The names of rate limits, and which site uses them with which limits: rules of one name count together.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, (String, Vec<Limit>, WhoIsLimited)>);

impl Word for Limit {
    fn word(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error| match error {
            limited::Error::Limit { reason, .. } => reason.to_owned(),
            other => other.to_string(),
        })
    }

    fn written(&self) -> String {
        self.text()
    }
}

impl Word for WhoIsLimited {
    fn word(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "address" => Ok(Self::Address),
            None if text == "site" => Ok(Self::Site),
            Some(("header", name)) => HeaderName::word(name.trim()).map(Self::Header),
            _ => {
                Err("it is `address`, `site`, or `header:` and a name, such as `header:x-api-key`".to_owned())
            }
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Address => "address".to_owned(),
            Self::Site => "site".to_owned(),
            Self::Header(name) => format!("header:{name}"),
        }
    }
}

/// Who may ask how often.
pub(super) fn limits(
    route: &Section<'_>,
    pattern: &Pattern,
    site: &str,
    names: &mut Names,
) -> Vec<LimitRule> {
    let rules = route.tables("rate_limits", Scope::RateLimit);
    rules.iter().filter_map(|rule| limit(rule, pattern, site, names)).collect()
}

fn limit(rule: &Section<'_>, pattern: &Pattern, site: &str, names: &mut Names) -> Option<LimitRule> {
    let name = rule.or("name", name_of(site, pattern));
    if rule.find("limit").is_none() {
        rule.refuse("limit", "is missing: write how much in how long, such as `20/s burst 60`");
    }
    let limits = rule.get::<List<Limit>>("limit").map(|(List(limits), _)| limits);
    let who = rule.or("by", WhoIsLimited::Address);
    let List(methods) = rule.or("methods", List::<Method>(Vec::new()));
    let shadow = rule.or("shadow", false);
    let limits = limits?;
    names.check(rule, &name, site, &limits, &who);
    match limited::Policy::new(&name, limits) {
        Ok(policy) => {
            let policy = if shadow { policy.shadow() } else { policy };
            Some(LimitRule { policy, who, methods })
        }
        Err(limited::Error::Policy { reason, .. }) if reason.contains("name") => {
            rule.refuse("name", format!("cannot be: {reason}"));
            None
        }
        Err(error) => {
            rule.refuse("limit", format!("cannot be: {error}"));
            None
        }
    }
}

impl Names {
    fn check(&mut self, rule: &Section<'_>, name: &str, site: &str, limits: &[Limit], who: &WhoIsLimited) {
        let Some((other_site, other_limits, other_who)) = self.0.get(name) else {
            let used = (site.to_owned(), limits.to_vec(), who.clone());
            self.0.insert(name.to_owned(), used);
            return;
        };
        if other_site != site {
            rule.refuse("name", format!("is `{name}` in the site `{other_site}` too, and callers of both would be counted together: give it another"));
        } else if other_limits != limits || other_who != who {
            rule.refuse("name", format!("is `{name}` for another rule of this site too, and rules of one name count together: give it another, or the same `limit` and `by`"));
        }
    }
}

/// A name made of the path, and of the site where that tells it from others.
fn name_of(site: &str, pattern: &Pattern) -> String {
    let words =
        pattern.0.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let path = words.collect::<Vec<_>>().join("-");
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "-_.".contains(*letter);
    let site: String = site.chars().map(|letter| if is_plain(&letter) { letter } else { '-' }).collect();
    let name = if path.is_empty() { site } else { format!("{site}.{path}") };
    name.chars().take(NAME_BYTES_MAX).collect()
}

/// Whether repeated requests are answered once.
pub(super) fn idempotency(route: &Section<'_>) -> Option<IdempotencyRule> {
    let said = route.find("idempotency")?;
    let rule = match said.raw.boolean() {
        Some(false) => return None,
        Some(true) => route.empty("idempotency", Scope::Idempotency),
        None => route.table("idempotency", Scope::Idempotency),
    };
    let principal = match rule.or("by", WhoIsLimited::Address) {
        WhoIsLimited::Address => None,
        WhoIsLimited::Header(name) => Some(name),
        WhoIsLimited::Site => {
            rule.refuse("by", "cannot be `site`: one caller would be answered with another's answer; write `address` or `header:authorization`");
            None
        }
    };
    let required = rule.or("required", false);
    let List(methods) = rule.or("methods", List(vec![Method::POST, Method::PATCH]));
    for method in &methods {
        if [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) {
            rule.refuse(
                "methods",
                format!("has {method}, which changes nothing and can be repeated anyway: leave it out"),
            );
        }
    }
    Some(IdempotencyRule { principal, required, methods })
}
