//! Which pages are meant: one by its address or its partition, or a group.

use clap::Args;
use serde_json::{Map, Value};

/// One page.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct OnePage {
    /// The page's address: http(s)://host/path?query, or /path when the gateway has one site.
    #[arg(value_name = "URL")]
    url: Option<String>,
    /// The page's partition, as `theory pages ls --json` gives it in `id`.
    #[arg(long, value_name = "ID")]
    id: Option<String>,
}

impl OnePage {
    /// As parameters of an address.
    pub(super) fn query(&self) -> [(&'static str, Option<&str>); 2] {
        [("url", self.url.as_deref()), ("id", self.id.as_deref())]
    }

    /// As members of a body.
    pub(super) fn members(&self) -> Map<String, Value> {
        members(&self.query())
    }

    /// As people call it.
    pub(super) fn name(&self) -> &str {
        self.url.as_deref().or(self.id.as_deref()).unwrap_or("the page")
    }
}

/// One page, or a group of pages.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(super) struct SomePages {
    /// The page's address: http(s)://host/path?query, or /path when the gateway has one site.
    #[arg(value_name = "URL", conflicts_with_all = ["id", "tag", "tenant", "is_all"])]
    url: Option<String>,
    /// The page's partition, as `theory pages ls --json` gives it in `id`.
    #[arg(long, value_name = "ID", conflicts_with_all = ["tag", "tenant", "is_all"])]
    id: Option<String>,
    /// Every page with this tag; together with --tenant, those of that tenant.
    #[arg(long, value_name = "TAG", conflicts_with = "is_all")]
    tag: Option<String>,
    /// Every page of this tenant.
    #[arg(long, value_name = "TENANT", conflicts_with = "is_all")]
    tenant: Option<String>,
    /// Every page there is.
    #[arg(long = "all")]
    pub(super) is_all: bool,
}

impl SomePages {
    /// As members of a body.
    pub(super) fn members(&self) -> Map<String, Value> {
        let Self { url, id, tag, tenant, is_all } = self;
        let named = [("url", url), ("id", id), ("tag", tag), ("tenant", tenant)];
        let mut members = members(&named.map(|(name, value)| (name, value.as_deref())));
        if *is_all {
            members.insert("all".to_owned(), Value::Bool(true));
        }
        members
    }
}

fn members(named: &[(&str, Option<&str>)]) -> Map<String, Value> {
    let given =
        named.iter().filter_map(|(name, value)| value.map(|value| ((*name).to_owned(), Value::from(value))));
    given.collect()
}
