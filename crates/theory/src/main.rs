//! The one binary. It reads its arguments and hands over to a command.

mod commands;

use clap::{Parser, Subcommand};

/// A request is made on one thread and let go on another, which the system's allocator does not like.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Typed DynamoDB tables and what web backends build on them, on one machine or on DynamoDB.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Explains the settings of the gateway: every value, and where it came from.
    ///
    /// Try:  theory config example > theory.toml
    ///       theory config check
    ///       theory config check --origin http://127.0.0.1:3000
    #[command(verbatim_doc_comment)]
    Config(commands::config::Config),
    /// Shows the embedded engine at work: a lease, a page published in one transaction, a late writer refused, a counter
    /// under 64 writers, a stream, and a restart.
    ///
    /// Try:  theory demo
    ///       theory demo --data ./demo-data     (keeps the folder; run it twice)
    Demo(commands::demo::Demo),
    /// Serves DynamoDB: any AWS SDK, the AWS command line and other tools work against it.
    ///
    /// Without keys it answers only programs on this machine. With keys, requests must be signed with them.
    ///
    /// Try:  theory dynamodb                                   (tables are kept in ./theory-data)
    ///       theory dynamodb --memory --addr 127.0.0.1:0       (for tests: a free port, nothing is kept)
    ///       theory dynamodb --addr 0.0.0.0:8000 --keys FILE   (for other machines)
    #[command(name = "dynamodb", verbatim_doc_comment)]
    DynamoDb(commands::dynamodb::DynamoDb),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Config(config) => config.run(),
        Command::Demo(demo) => demo.run(),
        Command::DynamoDb(dynamodb) => dynamodb.run(),
    }
}
