//! Other processes that the tests start, with nothing of the machine's own AWS settings. They end with their values.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// How long a process may take before a test calls it hanging: machines are busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Takes away what the machine might tell the process about AWS, and pipes what goes in and out.
pub(crate) fn isolate(command: &mut Command) {
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    for variable in [
        "AWS_PROFILE",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_DYNAMODB",
        "AWS_ENDPOINT_URL_KMS",
        "KMS_KEY_ARN",
    ] {
        command.env_remove(variable);
    }
    command
        .envs([("AWS_CONFIG_FILE", nothing), ("AWS_SHARED_CREDENTIALS_FILE", nothing)])
        .envs([("AWS_EC2_METADATA_DISABLED", "true"), ("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
}
