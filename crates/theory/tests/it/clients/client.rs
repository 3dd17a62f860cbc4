//! One run of a client: a script in Python or JavaScript, or the AWS command line, with the keys it signs with and nothing
//! else of the machine's own AWS settings.

use std::io::{Read, Seek};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

use super::tools::{self, NODE_MODULES, Tools};
use crate::server::wait;

/// How long a client may take for all it does before a test calls it hanging: its recipes are many, and machines busy.
const PATIENCE: Duration = Duration::from_secs(300);

/// The keys a client signs with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    /// Who signs.
    pub(crate) access: &'static str,
    /// With what.
    pub(crate) secret: &'static str,
}

/// For an endpoint that asks for no keys: a client signs all the same.
pub(crate) const ANY: Keys = Keys { access: "anybody", secret: "anything" };

/// The scripts; both take the same arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Script {
    /// boto3.
    Python,
    /// The AWS SDK for JavaScript.
    JavaScript,
}

impl Script {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Python, Self::JavaScript];

    /// Runs the script; it has to succeed. The answer is what it printed.
    pub(crate) fn run(self, tools: &Tools, endpoint: &str, keys: Keys, arguments: &[&str]) -> String {
        let mut command = match self {
            Self::Python => {
                let mut python = Command::new(&tools.python);
                python.arg(tools::file("recipes.py"));
                python
            }
            Self::JavaScript => {
                let mut node = Command::new("node");
                node.arg(tools::file("recipes.mjs"));
                node
            }
        };
        command.env(NODE_MODULES, &tools.node_modules).args(arguments).args(["--endpoint", endpoint]);
        let done = finish(&mut command, keys);
        assert!(done.success, "{self:?} {arguments:?}:\n{}{}", done.output, done.complaint);
        done.output
    }
}

/// Runs boto3 as the TypeScript store of the cache; it has to succeed. The answer is what it printed.
pub(crate) fn isr(tools: &Tools, endpoint: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(&tools.python);
    command.arg(tools::file("isr.py")).args(arguments).args(["--endpoint", endpoint]);
    let done = finish(&mut command, ANY);
    assert!(done.success, "isr.py {arguments:?}:\n{}{}", done.output, done.complaint);
    done.output
}

/// Runs `aws dynamodb`; it has to succeed. The answer is what it printed, as JSON.
pub(crate) fn aws(tools: &Tools, endpoint: &str, keys: Keys, arguments: &[&str]) -> Json {
    let done = finish(&mut aws_command(tools, endpoint, arguments), keys);
    assert!(done.success, "aws dynamodb {arguments:?}: {}", done.complaint);
    if done.output.trim().is_empty() {
        return Json::Null;
    }
    serde_json::from_str(&done.output).unwrap_or_else(|error| panic!("{error}: {}", done.output))
}

/// Runs `aws dynamodb`; it has to fail. The answer is its complaint.
pub(crate) fn aws_refused(tools: &Tools, endpoint: &str, keys: Keys, arguments: &[&str]) -> String {
    let done = finish(&mut aws_command(tools, endpoint, arguments), keys);
    assert!(!done.success, "aws dynamodb {arguments:?} was accepted: {}", done.output);
    done.complaint
}

fn aws_command(tools: &Tools, endpoint: &str, arguments: &[&str]) -> Command {
    let mut aws = Command::new(&tools.python);
    aws.args(["-m", "awscli", "dynamodb"]).args(arguments).args([
        "--endpoint-url",
        endpoint,
        "--output",
        "json",
    ]);
    aws
}

struct Done {
    success: bool,
    output: String,
    complaint: String,
}

fn finish(command: &mut Command, keys: Keys) -> Done {
    isolate(command, keys);
    // Files take everything without anybody reading along.
    let mut output = tempfile::tempfile().expect("a temporary file");
    let mut complaint = tempfile::tempfile().expect("a temporary file");
    let copy = |file: &std::fs::File| Stdio::from(file.try_clone().expect("a file can be shared"));
    let spawned = command.stdin(Stdio::null()).stdout(copy(&output)).stderr(copy(&complaint)).spawn();
    let mut process = spawned.unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let status = wait(&mut process, PATIENCE);
    if status.is_none() {
        let _ = process.kill();
        let _ = process.wait();
    }
    let read = |file: &mut std::fs::File| {
        let mut text = String::new();
        file.rewind().and_then(|()| file.read_to_string(&mut text)).expect("a client prints text");
        text
    };
    let (output, complaint) = (read(&mut output), read(&mut complaint));
    assert!(status.is_some(), "{command:?} does not end:\n{output}{complaint}");
    Done { success: status.is_some_and(|status| status.success()), output, complaint }
}

/// Gives the command these keys, and takes away what the machine might tell it otherwise.
pub(crate) fn isolate(command: &mut Command, keys: Keys) {
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    for variable in [
        "AWS_PROFILE",
        "AWS_DEFAULT_PROFILE",
        "AWS_SESSION_TOKEN",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_ENDPOINT_URL_DYNAMODB_STREAMS",
    ] {
        command.env_remove(variable);
    }
    command
        .envs([("AWS_ACCESS_KEY_ID", keys.access), ("AWS_SECRET_ACCESS_KEY", keys.secret)])
        .envs([("AWS_REGION", "us-east-1"), ("AWS_DEFAULT_REGION", "us-east-1")])
        .envs([("AWS_CONFIG_FILE", nothing), ("AWS_SHARED_CREDENTIALS_FILE", nothing)])
        .envs([("AWS_EC2_METADATA_DISABLED", "true"), ("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1")])
        // The checkout stays as it is, and warnings about the age of a runtime are not our output.
        .envs([("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONUTF8", "1"), ("NODE_NO_WARNINGS", "1")]);
}
