//! The engine beside its peers in one run: same items, same operations, in turns, one table. `cargo xtask bench` is the
//! door. What each contender does stands in the file of its name; what is measured in `comparison`, `http`,
//! `limits`, `pages`, `growth`, `reopen`.

mod args;
mod comparison;
mod contender;
mod contenders;
mod drive;
mod duel;
mod dynoxide;
mod growth;
mod http;
mod limits;
mod markdown;
mod ours;
mod pages;
mod process;
mod raw_fjall;
mod record;
mod reopen;
mod report;
mod response;
mod sample;
mod server;
mod workload;

use anyhow::{Context, Result};

use args::Plan;
use report::Report;

/// The allocator of the program `theory`, for everyone here.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = words.split_first() {
        match first.as_str() {
            reopen::CHILD => return reopen::child_main(rest),
            http::DYNOXIDE_SERVER => return http::dynoxide_server(rest),
            pages::ORIGIN => return pages::origin_main(rest),
            pages::BARE_HYPER => return pages::bare_hyper_main(rest),
            _ => {}
        }
    }
    let Some(plan) = Plan::parse(&words)? else {
        print!("{}", args::HELP);
        return Ok(());
    };
    let report = measure(&plan)?;
    if plan.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.markdown());
    }
    Ok(())
}

fn measure(plan: &Plan) -> Result<Report> {
    std::fs::create_dir_all(&plan.dir).with_context(|| format!("cannot make {}", plan.dir.display()))?;
    let folder = tempfile::Builder::new().prefix("benches-peers-").tempdir_in(&plan.dir)?;
    let comparisons = comparison::run(plan, folder.path())?;
    let over_http = http::run(plan, folder.path())?;
    let decisions = limits::run(plan, folder.path())?;
    let pages = pages::run(plan, folder.path())?;
    let reopenings = if plan.wants("reopen") { reopen::run(plan, folder.path())? } else { Vec::new() };
    let growth = if plan.wants("growth") { growth::run(plan, folder.path())? } else { Vec::new() };
    Ok(Report { is_quick: plan.is_quick, comparisons, over_http, decisions, pages, reopenings, growth })
}
