//! The one binary. It reads its arguments, hands over to a command, and says what came of it: 0 well, 1 failed, 2 not understood.

mod admin;
mod commands;
mod help;
mod http;
mod objects;
mod output;
mod runtime;
mod store;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use commands::{
    archive, bench, completions, config, copy, demo, doctor, dynamodb, leases, limits, man, pages, requests,
    serve, synth, tables,
};
use output::paper::{self, Closed};
use output::tone::Tone;

/// A request is made on one thread and let go on another, which the system's allocator does not like.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Typed DynamoDB tables and what web backends build on them, on one machine or on DynamoDB.
#[derive(Debug, Parser)]
#[command(name = "theory", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Shows everything at work: a slow shop, the gateway in front of it, visitors, the dashboard.
    #[command(after_help = demo::EXAMPLES)]
    Demo(demo::Demo),
    /// Puts the gateway in front of an application.
    ///
    /// Pages are kept and regenerated once for a whole fleet, callers are limited, repeated requests answered once.
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::Serve),
    /// Serves DynamoDB: any AWS SDK, the AWS command line and other tools work against it.
    ///
    /// Without keys it answers only programs on this machine. With keys, requests must be signed with them.
    ///
    /// Try:  theory dynamodb                                   (tables are kept in ./theory-data)
    ///       theory dynamodb --memory --addr 127.0.0.1:0       (for tests: a free port, nothing is kept)
    ///       theory dynamodb --addr 0.0.0.0:8000 --keys FILE   (for other machines)
    #[command(name = "dynamodb", verbatim_doc_comment)]
    DynamoDb(dynamodb::DynamoDb),
    /// Lists, renders, purges and rolls back the pages of a running gateway.
    Pages(pages::Pages),
    /// Shows who regenerates which page now.
    #[command(after_help = leases::EXAMPLES)]
    Leases(leases::Leases),
    /// Shows idempotent requests, and forgets them.
    #[command(after_help = requests::EXAMPLES)]
    Requests(requests::Requests),
    /// Shows who has used how much of a rate limit, and resets it.
    #[command(after_help = limits::EXAMPLES)]
    Limits(limits::Limits),
    /// Makes, describes, exports and imports tables of a store.
    #[command(after_help = tables::EXAMPLES)]
    Tables(tables::Tables),
    /// Keeps what time to live removes from a table, in a folder or a bucket; lists it, and puts it back.
    #[command(after_help = archive::EXAMPLES)]
    Archive(archive::Archive),
    /// Copies tables between stores, and reads and writes DynamoDB's exports.
    ///
    /// From a folder of this machine to DynamoDB and back, table by table. It can be stopped and goes on, and compares everything at the
    /// end.
    #[command(after_help = copy::EXAMPLES)]
    Copy(copy::Copy),
    /// Writes CloudFormation for tables, functions, sites and archives, and checks templates.
    ///
    /// Tables, permissions and alarms come from the same definitions that the runtime works with. What AWS would refuse is said before
    /// anything is written.
    #[command(after_help = synth::EXAMPLES)]
    Synth(synth::Synth),
    /// Explains the settings of the gateway: every value, and where it came from.
    #[command(after_help = config::EXAMPLES)]
    Config(config::Config),
    /// Checks everything a gateway needs, and says what to do.
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::Doctor),
    /// Measures how many answers a server gives, and how long they take.
    #[command(after_help = bench::EXAMPLES)]
    Bench(bench::Bench),
    /// Prints a completion script for a shell.
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Completions),
    /// Prints the manual page.
    #[command(after_help = man::EXAMPLES)]
    Man(man::Man),
}

fn main() -> ExitCode {
    let tree = help::grouped(Arguments::command());
    let matches = tree.clone().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let outcome = match arguments.command {
        Command::Demo(demo) => demo.run(),
        Command::Serve(serve) => serve.run(),
        Command::DynamoDb(dynamodb) => dynamodb.run(),
        Command::Pages(pages) => pages.run(),
        Command::Leases(leases) => leases.run(),
        Command::Requests(requests) => requests.run(),
        Command::Limits(limits) => limits.run(),
        Command::Tables(tables) => tables.run(),
        Command::Archive(archive) => archive.run(),
        Command::Copy(copy) => copy.run(),
        Command::Synth(synth) => synth.run(),
        Command::Config(config) => config.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Bench(bench) => bench.run(),
        Command::Completions(completions) => completions.run(tree),
        Command::Man(man) => man.run(tree),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has seen enough.
        Err(error) if error.is::<Closed>() => ExitCode::SUCCESS,
        Err(error) => {
            paper::aside(format_args!("{} {error:#}", Tone::Bad.paint_aside("error:")));
            ExitCode::FAILURE
        }
    }
}
