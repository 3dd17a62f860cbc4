//! Sites: hosts, whose they are, the application behind them, and their routes.

use std::collections::BTreeMap;

use facetheory::Tenant;
use tabletheory_core::Seconds;

use super::door::Names;
use super::form::{List, Word};
use super::scope::Scope;
use super::section::Section;
use super::source::Source;
use super::{origin, route};
use crate::settings::{Host, Listen, Site};

const NAME_CHARS_MAX: usize = 64;
/// The one site of a file that has no `[[site]]`.
const ONLY_SITE: &str = "default";

impl Word for Tenant {
    fn word(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "a tenant has 1 to 64 letters, digits, `-` and `_`".to_owned())
    }

    fn written(&self) -> String {
        self.as_str().to_owned()
    }
}

/// A name for people, which also stands in keys.
struct Name(String);

impl Word for Name {
    fn word(text: &str) -> Result<Self, String> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.*[]:".contains(letter);
        match (1..=NAME_CHARS_MAX).contains(&text.len()) && text.chars().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err("a name has 1 to 64 letters, digits, `-`, `_` and `.`".to_owned()),
        }
    }

    fn written(&self) -> String {
        self.0.clone()
    }
}

/// All sites.
pub(super) fn read(top: &Section<'_>, revalidate: &(Seconds, Source), listen: &[Listen]) -> Vec<Site> {
    let mut names = Names::default();
    let sections = top.tables("site", Scope::Site);
    if top.writes("site").is_none() {
        let section = top.table_or("origin", Scope::Origin, "url");
        let origin = origin::read(&section, listen);
        let routes = route::read(top, ONLY_SITE, revalidate, &mut names);
        let name = ONLY_SITE.to_owned();
        return origin
            .map(|origin| Site { name, hosts: vec![Host::Any], tenant: None, origin, routes })
            .into_iter()
            .collect();
    }
    for key in ["origin", "route"] {
        if let Some(source) = top.writes(key) {
            let text =
                format!("`{key}` stands at the top, and there are [[site]] tables: move it into one of them");
            top.reader().refuse(source, text);
        }
    }
    if sections.is_empty() {
        top.refuse("site", "has no table that can be used, and nobody would be served: write `[[site]]`, or `origin` at the top");
        return Vec::new();
    }
    let is_only = sections.len() == 1;
    if let Some(found) = Section::nowhere(top.reader(), Scope::Origin, "").outside("url").filter(|_| !is_only)
    {
        let text = format!(
            "there are {} sites, and this does not say whose application it is: write it into the file",
            sections.len()
        );
        top.reader().refuse(found.source, text);
    }
    let mut taken = Taken::default();
    sections
        .iter()
        .filter_map(|section| site(section, is_only, revalidate, listen, &mut names, &mut taken))
        .collect()
}

fn site(
    section: &Section<'_>,
    is_only: bool,
    revalidate: &(Seconds, Source),
    listen: &[Listen],
    names: &mut Names,
    taken: &mut Taken,
) -> Option<Site> {
    let List(hosts) = section.or("hosts", List(vec![Host::Any]));
    if hosts.is_empty() {
        section.refuse(
            "hosts",
            "is empty, and nobody would be served: write at least one host, or leave it out",
        );
    }
    let default = match hosts.first() {
        Some(Host::Any) | None => ONLY_SITE.to_owned(),
        Some(host) => host.written().chars().take(NAME_CHARS_MAX).collect(),
    };
    let Name(name) = section.or("name", Name(default));
    section.call(format!("site {name}"));
    taken.check(section, &name, &hosts);
    let tenant = section.maybe::<Tenant>("tenant");
    let table = section.table_or("origin", Scope::Origin, "url").heard(is_only);
    table.call(format!("site {name}, origin"));
    let origin = origin::read(&table, listen);
    let routes = route::read(section, &name, revalidate, names);
    Some(Site { name, hosts, tenant, origin: origin?, routes })
}

/// Hosts and names that sites have.
#[derive(Default)]
struct Taken {
    hosts: BTreeMap<String, String>,
    names: BTreeMap<String, ()>,
}

impl Taken {
    fn check(&mut self, section: &Section<'_>, name: &str, hosts: &[Host]) {
        if self.names.insert(name.to_owned(), ()).is_some() {
            section.refuse(
                "name",
                format!("is `{name}`, like another site's: give each its own, since pages are kept by it"),
            );
        }
        for host in hosts {
            let written = host.written();
            if let Some(other) = self.hosts.insert(written.clone(), name.to_owned()) {
                section.refuse("hosts", format!("has `{written}`, which the site `{other}` has already: one of them must answer for it"));
            }
        }
    }
}
