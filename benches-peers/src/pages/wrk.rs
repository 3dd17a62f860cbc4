//! wrk, the load generator, and what it prints.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

const PROGRAM: &str = "wrk";

/// What it saw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seen {
    pub(crate) requests: u64,
    pub(crate) per_second: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    /// Answers that were no success.
    pub(crate) refused: u64,
    /// Answers that did not come within two seconds.
    pub(crate) late: u64,
}

/// Fails if it is not there.
pub(crate) fn ensure_present() -> Result<()> {
    let probe = Command::new(PROGRAM).arg("-v").output();
    probe.map(drop).context("`wrk` generates the load for pages; install it")
}

/// A run under way; it ends with the value.
#[derive(Debug)]
pub(crate) struct Running(Option<Child>);

/// Starts a run of one thread.
pub(crate) fn start(url: &str, connections: u32, seconds: u64) -> Result<Running> {
    let mut command = Command::new(PROGRAM);
    command.args(["-t", "1", "-c", &connections.to_string(), "-d", &format!("{seconds}s"), "--latency", url]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(Running(Some(command.spawn().context("cannot start wrk")?)))
}

impl Running {
    /// Waits for its end.
    pub(crate) fn finish(mut self) -> Result<Seen> {
        let child = self.0.take().context("a run ends once")?;
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "wrk: {text}{}", String::from_utf8_lossy(&output.stderr));
        parse(&text).with_context(|| format!("what wrk printed is not as expected:\n{text}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn parse(text: &str) -> Result<Seen> {
    let after = |word: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(word));
        line.map(str::trim).with_context(|| format!("nothing behind `{word}`"))
    };
    let requests =
        text.lines().find_map(|line| line.trim().split_once(" requests in ")).context("no requests")?.0;
    let mut late = 0;
    if let Ok(errors) = after("Socket errors:") {
        for error in errors.split(',') {
            match error.trim().split_once(' ') {
                Some(("timeout", count)) => late = count.parse()?,
                Some((_, "0")) => {}
                _ => bail!("connections failed"),
            }
        }
    }
    Ok(Seen {
        requests: requests.parse()?,
        per_second: after("Requests/sec:")?.parse()?,
        p50_us: microseconds(after("50%")?)?,
        p99_us: microseconds(after("99%")?)?,
        refused: after("Non-2xx or 3xx responses:").map_or(Ok(0), str::parse)?,
        late,
    })
}

fn microseconds(text: &str) -> Result<f64> {
    for (unit, factor) in [("us", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 6e7)] {
        if let Some(number) = text.strip_suffix(unit) {
            return Ok(number.parse::<f64>()? * factor);
        }
    }
    bail!("`{text}` is no length of time")
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: &str = "Running 1s test @ http://127.0.0.1:18000/pages/1024
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.29ms    1.33ms  26.11ms   97.59%
    Req/Sec    54.07k     5.18k   60.17k    80.00%
  Latency Distribution
     50%    1.08ms
     75%    1.34ms
     90%    1.78ms
     99%    7.10ms
  53872 requests in 1.00s, 66.02MB read
Requests/sec:  53798.29
Transfer/sec:     65.93MB
";

    #[test]
    fn what_it_prints_is_read() {
        let seen = parse(QUIET).expect("it is right");
        assert_eq!(
            (seen.requests, seen.per_second, seen.p50_us, seen.p99_us),
            (53_872, 53_798.29, 1080.0, 7100.0)
        );
        assert_eq!((seen.refused, seen.late), (0, 0));
    }

    #[test]
    fn trouble_is_not_overlooked() {
        let with = |line: &str| QUIET.replace("Requests/sec:", &format!("{line}\nRequests/sec:"));
        let seen = parse(&with(
            "  Socket errors: connect 0, read 0, write 0, timeout 3\n  Non-2xx or 3xx responses: 7",
        ));
        let seen = seen.expect("it is right");
        assert_eq!((seen.refused, seen.late), (7, 3));
        assert!(parse(&with("  Socket errors: connect 0, read 5, write 0, timeout 0")).is_err());
        assert!(parse("unable to connect").is_err());
    }

    #[test]
    fn times_have_units() {
        for (text, expected) in [("627.00us", 627.0), ("1.50ms", 1500.0), ("2.00s", 2e6), ("1.00m", 6e7)] {
            assert_eq!(microseconds(text).expect("it is right"), expected);
        }
        assert!(microseconds("fast").is_err());
    }
}
