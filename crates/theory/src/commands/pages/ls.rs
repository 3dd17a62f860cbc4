//! `theory pages ls`.

use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::Value;

use crate::admin::{Gateway, Listing, Range, listing};
use crate::output::amount;
use crate::output::record::tone_of_state;
use crate::output::table::{Cell, Side, Table};

pub(super) const EXAMPLES: &str = "\
Examples:
  theory pages ls                              the first fifty
  theory pages ls /blog/ --state stale         stale pages below /blog/
  theory pages ls --tag news --all --json      every page with a tag, for programs";

/// Lists pages.
#[derive(Debug, Args)]
pub(super) struct Ls {
    /// Only pages whose address begins with this.
    #[arg(value_name = "PREFIX")]
    prefix: Option<String>,
    /// Only pages of this tenant.
    #[arg(long, value_name = "TENANT")]
    tenant: Option<String>,
    /// Only pages in this state.
    #[arg(long, value_enum, value_name = "STATE")]
    state: Option<State>,
    /// Only pages with this tag.
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    #[command(flatten)]
    range: Range,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Fresh,
    Stale,
    Gone,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Gone => "gone",
        }
    }
}

/// A page, as the API tells of it. What a gateway of another version leaves out stays empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Page {
    url: Option<String>,
    id: Option<String>,
    tenant: Option<String>,
    state: Option<String>,
    age_s: Option<u64>,
    fresh_left_s: Option<i64>,
    status: Option<u16>,
    bytes: Option<u64>,
    tags: Vec<String>,
    generation: Option<u64>,
}

impl Ls {
    pub(super) async fn run(self, gateway: &Gateway, is_json: bool) -> anyhow::Result<()> {
        let query = vec![
            ("prefix", self.prefix.as_deref()),
            ("tenant", self.tenant.as_deref()),
            ("state", self.state.map(State::name)),
            ("tag", self.tag.as_deref()),
        ];
        let wanted = Listing { path: "/api/pages", member: "pages", query, range: &self.range };
        let mut table = Table::new(&[
            ("STATE", Side::Left),
            ("AGE", Side::Right),
            ("LEFT", Side::Right),
            ("STATUS", Side::Right),
            ("SIZE", Side::Right),
            ("GEN", Side::Right),
            ("TENANT", Side::Left),
            ("TAGS", Side::Left),
            ("URL", Side::Left),
        ]);
        let mut is_empty = true;
        listing(gateway, wanted, is_json, |pages| {
            for page in pages {
                is_empty = false;
                table.row(row(page)?);
            }
            table.print()
        })
        .await?;
        if is_empty && !is_json {
            crate::output::paper::aside("no pages");
        }
        Ok(())
    }
}

fn row(page: &Value) -> anyhow::Result<Vec<Cell>> {
    let page = Page::deserialize(page).map_err(|error| {
        anyhow::anyhow!("a page in the gateway's answer cannot be read ({error}): {page}")
    })?;
    let dash = || "-".to_owned();
    let state = page.state.unwrap_or_else(dash);
    let left = page.fresh_left_s.map_or_else(dash, |left| match u64::try_from(left) {
        Ok(0) | Err(_) => dash(),
        Ok(left) => amount::span(left),
    });
    Ok(vec![
        Cell::toned(&state, tone_of_state(&state)),
        page.age_s.map_or_else(dash, amount::span).into(),
        left.into(),
        page.status.map_or_else(dash, |status| status.to_string()).into(),
        page.bytes.map_or_else(dash, amount::size).into(),
        page.generation.map_or_else(dash, |generation| generation.to_string()).into(),
        page.tenant.unwrap_or_else(dash).into(),
        (if page.tags.is_empty() { dash() } else { page.tags.join(",") }).into(),
        page.url.or(page.id).unwrap_or_else(dash).into(),
    ])
}
