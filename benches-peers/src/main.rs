//! Ours beside its peers in one run: same items, same pages, same operations, in turns, one document. `cargo xtask bench` is
//! the door. What each contender does stands in the file of its name; what is measured in `comparison`, `http`, `limits`,
//! `pages`, `reopen`, `growth`; what becomes of it in `report`, `publish` and `plot`.

mod accept;
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
mod machine;
mod markdown;
mod measure;
mod ours;
mod pages;
mod part;
mod plot;
mod process;
mod publish;
mod raw_fjall;
mod raw_fjall_memory;
mod record;
mod reopen;
mod report;
mod response;
mod run;
mod sample;
mod server;
mod versions;
mod workload;

use anyhow::{Result, ensure};

use args::Plan;

/// The allocator of the program `theory`, for everyone here.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = words.split_first() {
        match first.as_str() {
            reopen::CHILD => return reopen::child_main(rest),
            growth::CHILD => return growth::child_main(rest),
            http::DYNOXIDE_SERVER => return http::dynoxide_server(rest),
            http::BARE_HYPER => return http::bare_hyper_main(rest),
            pages::ORIGIN => return pages::origin_main(rest),
            pages::BARE_HYPER => return pages::bare_hyper_main(rest),
            _ => {}
        }
    }
    let Some(plan) = Plan::parse(&words)? else {
        print!("{}", args::HELP);
        return Ok(());
    };
    if let Some(file) = &plan.plots_from {
        return publish::again(file);
    }
    let (report, failures) = measure::run(&plan)?;
    if plan.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.markdown());
    }
    ensure!(failures.is_empty(), "not everything could be measured:\n{}", failures.join("\n"));
    Ok(())
}
