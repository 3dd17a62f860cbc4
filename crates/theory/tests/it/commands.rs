//! The commands that ask a running gateway, as a person runs them. A stand-in says what a gateway would; the gateway itself is met in
//! `gateway`.

mod bench;
mod doctor;
mod helped;
mod leases;
mod limits;
mod migrate;
mod pages;
mod requests;
mod round;
mod stand_in;
mod tables;
mod trouble;
mod warm;

use std::process::{Command, Output};

use stand_in::StandIn;

/// What the stand-in wants to see.
const TOKEN: &str = "s3cr3t-of-the-gateway";

/// The binary, with nothing of this machine's environment that it listens to.
fn theory() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
    for name in ["THEORY_ADMIN", "THEORY_ADMIN_TOKEN", "THEORY_DATA", "NO_COLOR"] {
        command.env_remove(name);
    }
    // There is no folder of a gateway here, so no token is found that was not given.
    command.env("THEORY_DATA", "no-such-folder");
    command
}

/// Asks the stand-in, with its token.
fn ask(gateway: &StandIn, arguments: &[&str]) -> Output {
    let mut command = theory();
    command.args(arguments).args(["--admin", &gateway.address]).env("THEORY_ADMIN_TOKEN", TOKEN);
    command.output().expect("the binary starts")
}

/// What a command that went well printed.
#[track_caller]
fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", said(&output.stdout), said(&output.stderr));
    said(&output.stdout)
}

/// What a command that failed said about it.
#[track_caller]
fn refused(output: &Output, code: i32) -> String {
    let error = said(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{}{error}", said(&output.stdout));
    assert!(!error.contains("panicked"), "{error}");
    error
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is text")
}
