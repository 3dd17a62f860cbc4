//! Idempotent requests in several processes at one endpoint: many duplicates at once, processes that are killed or stopped while they
//! handle a request, and clocks that are wrong. Runs and effects are counted in the table.

mod crew;
mod orders;
mod seed;
mod tally;
mod worker;

use std::path::Path;
use std::time::Duration;

use idempotent::record::Status;
use tabletheory_core::store::contract::DynamoDbLocal;
use tempfile::TempDir;
use tokio::time::sleep;

use crate::fleet::faketime;
use crate::process::WrongClock;
use crate::server::Server;
use crew::Crew;
use orders::Ask;

/// A lock that is soon over when its process is gone, and that a busy machine can keep: it is made longer after two seconds.
const LOCK_SECONDS: i64 = 6;
/// A silent lock is over then: what it says is rounded up, and two seconds are left for texts and clocks.
const SILENT: Duration = Duration::from_secs(9);

/// Our endpoint on a folder.
fn serve() -> (Server, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().to_str().expect("the folder's name is text");
    (Server::dynamodb(&["--data", data]), folder)
}

/// In each of four processes so many ask at the same time, for one request after the other. Half of them let the machine wait, the
/// others come again; half of the processes remember answers.
async fn many_ask_at_once(endpoint: &str) {
    const CALLERS: usize = 100;
    let keys = ["m-1", "m-2", "m-3"];
    let mut crew = Crew::at(endpoint, 60).await;
    let names = ["a", "b", "c", "d"];
    for (number, name) in names.into_iter().enumerate() {
        let ask = |key: &str| vec![Ask { callers: CALLERS, takes_ms: 400, ..Ask::of(key) }.after("begin")];
        crew.start_with(name, keys.map(ask).into(), number % 2 == 0, None);
    }
    for name in names {
        crew.until_said(name, "ready", 1).await;
    }
    crew.open("begin");
    crew.until_all_are_done();
    for key in keys {
        let (attempt, body) = crew.answer(key, names.len() * CALLERS);
        let runs = crew.tally(key).await.runs;
        assert!(
            runs.len() == 1 && runs.contains(&body),
            "{key}: one runs, and its answer is everybody's: {runs:?}"
        );
        let record = crew.record(key).await;
        assert_eq!((attempt, record.attempt, record.status), (1, Some(1), Status::Completed), "{key}");
    }
    assert!(crew.count_all("running") > 0, "nobody was told that another runs it, so nothing is shown");
    eprintln!(
        "{} were told to come again, {} calls failed",
        crew.count_all("running"),
        crew.count_all("failed")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_duplicates_in_each_of_four_processes_one_runs_and_all_get_its_answer() {
    let (server, _folder) = serve();
    many_ask_at_once(&server.address).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_duplicates_in_each_of_four_processes_one_runs_at_dynamodb_local_too() {
    let Some(folder) = DynamoDbLocal::folder("idempotent requests against it") else {
        eprintln!("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so duplicates do not meet at DynamoDB Local");
        return;
    };
    let local = DynamoDbLocal::start(&folder);
    many_ask_at_once(&format!("http://127.0.0.1:{}", local.port())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_process_is_killed_is_taken_over_by_one_other_when_its_lock_is_over_and_not_before() {
    let (server, _folder) = serve();
    let mut crew = Crew::at(&server.address, LOCK_SECONDS).await;
    crew.start("first", vec![Ask::of("m-1").gate("never")]);
    crew.until_said("first", "working m-1", 1).await;
    let others = ["a", "b", "c"];
    for name in others {
        crew.start(name, vec![Ask { takes_ms: 300, ..Ask::of("m-1") }]);
        crew.until_said(name, "running m-1", 1).await;
    }
    // Longer than the lock that was claimed: the heartbeat keeps it.
    sleep(SILENT).await;
    assert_eq!(
        (crew.tally("m-1").await.runs.len(), crew.count_all("granted")),
        (1, 1),
        "a lock that is kept holds"
    );
    crew.kill("first");
    let orphan = crew.record("m-1").await;
    assert_eq!((orphan.attempt, &orphan.status), (Some(1), &Status::Processing));
    crew.until_all_are_done();

    let (attempt, body) = crew.answer("m-1", others.len());
    let (tally, record) = (crew.tally("m-1").await, crew.record("m-1").await);
    assert_eq!((attempt, record.attempt, record.status), (2, Some(2), Status::Completed), "the number grows");
    assert_eq!((tally.runs.len(), crew.count_all("granted m-1 2 ")), (2, 1), "one takes over: {tally:?}");
    assert!(tally.runs.contains(&body) && !body.starts_with("first/"), "the answer is the second attempt's");
    let (began, locked_until) =
        (record.timestamp.expect("it began"), orphan.locked_until.expect("it was locked"));
    // Whole seconds of one clock, as texts.
    assert!(began > locked_until, "taken over at {began}, and the lock was good until {locked_until}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_effect_in_the_completing_transaction_happens_once_though_its_process_is_killed_amid_eight() {
    let (server, _folder) = serve();
    let mut crew = Crew::at(&server.address, LOCK_SECONDS).await;
    let keys = ["m-0", "m-1", "m-2", "m-3", "m-4", "m-5", "m-6", "m-7"];
    let ask = |key: &str| Ask::of(key).in_transaction();
    let first = keys.iter().zip(0_u64..).map(|(key, number)| {
        // The last two are in their handlers whenever the process is killed; of the others some are done.
        if number < 6 { Ask { takes_ms: number * 60, ..ask(key) } } else { ask(key).gate("never") }
    });
    crew.start("first", first.collect());
    for (words, times) in [("working m-6", 1), ("working m-7", 1), ("answer", 2)] {
        crew.until_said("first", words, times).await;
    }
    crew.kill("first");
    let answered = crew.count("first", "answer");
    for name in ["a", "b", "c"] {
        crew.start(name, keys.map(ask).into());
    }
    crew.until_all_are_done();

    let mut runs = Vec::new();
    for key in keys {
        let by_first = crew.count("first", &format!("answer {key} "));
        let (attempt, body) = crew.answer(key, 3 + by_first);
        let tally = crew.tally(key).await;
        assert_eq!(tally.effects, Some(1), "{key}: the effect happens once: {tally:?}");
        assert!(tally.runs.contains(&body) && tally.runs.len() <= 2, "{key}: {tally:?}");
        assert!(by_first == 0 || attempt == 1, "{key}: what was answered stays");
        if ["m-6", "m-7"].contains(&key) {
            assert_eq!((attempt, tally.runs.len()), (2, 2), "{key}: it is done again");
        }
        runs.push(tally.runs.len());
    }
    eprintln!("killed after {answered} answers; runs of each: {runs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_was_stopped_beyond_its_lock_completes_nothing_and_gets_the_winners_answer() {
    let (server, _folder) = serve();
    let mut crew = Crew::at(&server.address, LOCK_SECONDS).await;
    let keys = ["guarded", "unguarded"];
    let ask = |key: &str| Ask { is_guarded: key == "guarded", ..Ask::of(key).in_transaction() };
    crew.start("stopped", keys.map(|key| ask(key).gate("go-on")).into());
    for key in keys {
        crew.until_said("stopped", &format!("working {key}"), 1).await;
    }
    crew.stop_for("stopped", 20);
    for name in ["a", "b"] {
        crew.start(name, keys.map(ask).into());
    }
    crew.until_done("a");
    crew.until_done("b");
    assert_eq!(crew.count("stopped", "answer"), 0, "it was stopped in its handlers");
    assert!(crew.is_stopped("stopped"), "the others were done before it went on");
    crew.open("go-on");
    crew.until_all_are_done();

    for key in keys {
        let (attempt, body) = crew.answer(key, 3);
        let tally = crew.tally(key).await;
        assert!(attempt == 2 && !body.starts_with("stopped/"), "{key}: the winner's answer is everybody's");
        assert_eq!((tally.effects, tally.runs.len()), (Some(1), 2), "{key}: two ran, and one had an effect");
    }
    assert_eq!(crew.count("stopped", "dropped guarded"), 1, "{}", crew.said("stopped"));
    assert_eq!(crew.count("stopped", "refused unguarded"), 1, "{}", crew.said("stopped"));
    assert_eq!(crew.count("stopped", "granted"), 2, "it never runs again");
}

/// Three processes whose clocks are wrong by so many seconds. Each holds a request of its own, and then asks for all others.
async fn hold_each_with_clocks_wrong_by(crew: &mut Crew, skews: [i64; 3], faketime: &Path, is_guarded: bool) {
    for own in skews {
        let ask = |skew: i64| {
            let ask = Ask { is_guarded, ..Ask::of(&key(skew)).in_transaction() };
            if skew == own { ask.gate("go-on") } else { ask.after("all-hold") }
        };
        crew.start_at(&key(own), skews.map(ask).into(), WrongClock { faketime, skew: own });
    }
    for own in skews {
        crew.until_said(&key(own), &format!("working {}", key(own)), 1).await;
    }
    crew.open("all-hold");
}

/// The request that the process with this clock holds, and the name of that process.
fn key(skew: i64) -> String {
    format!("by{skew:+}s")
}

/// Each holds its lock for so long while the others ask, and nobody else runs anything.
async fn locks_hold(lock_seconds: i64, skews: [i64; 3], span: Duration) {
    let Some(faketime) = faketime::find() else { return };
    let (server, _folder) = serve();
    let mut crew = Crew::at(&server.address, lock_seconds).await;
    hold_each_with_clocks_wrong_by(&mut crew, skews, &faketime, true).await;
    for own in skews {
        for other in skews.into_iter().filter(|other| *other != own) {
            crew.until_said(&key(own), &format!("running {}", key(other)), 1).await;
        }
    }
    sleep(span).await;
    crew.open("go-on");
    crew.until_all_are_done();
    for skew in skews {
        let (attempt, body) = crew.answer(&key(skew), skews.len());
        let tally = crew.tally(&key(skew)).await;
        assert_eq!((attempt, tally.effects, tally.runs.len()), (1, Some(1), 1), "{}: one runs", key(skew));
        assert!(body.starts_with(&format!("{}/", key(skew))), "the holder's answer is everybody's");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clocks_that_differ_by_less_than_two_seconds_and_a_sixth_of_the_lock_let_nobody_else_run() {
    // Three seconds between the clocks, four are promised; and longer than the lock, so that it is made longer.
    locks_hold(12, [0, 2, -1], Duration::from_secs(16)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clocks_that_are_wrong_by_a_minute_and_a_half_either_way_let_nobody_else_run_under_a_long_lock() {
    // Three minutes between the clocks; a lock of twenty minutes allows for them.
    locks_hold(1200, [0, 90, -90], Duration::from_secs(4)).await;
}

/// Nothing more is promised: who is ahead by more than the lock takes it for over. Then only the token stands between two handlers.
async fn effects_happen_once_though_locks_are_taken_early(is_guarded: bool, faketime: &Path) {
    let (server, _folder) = serve();
    let mut crew = Crew::at(&server.address, LOCK_SECONDS).await;
    let (skews, ahead) = ([0, 90, -90], 90);
    hold_each_with_clocks_wrong_by(&mut crew, skews, faketime, is_guarded).await;
    for behind in [0, -90] {
        crew.until_said(&key(ahead), &format!("answer {}", key(behind)), 1).await;
        if is_guarded {
            crew.until_said(&key(behind), &format!("dropped {}", key(behind)), 1).await;
        }
    }
    // Who was taken over goes on, if nobody has dropped it.
    crew.open("go-on");
    crew.until_all_are_done();
    for skew in skews {
        let (attempt, body) = crew.answer(&key(skew), skews.len());
        let tally = crew.tally(&key(skew)).await;
        assert_eq!(tally.effects, Some(1), "{}: the effect happens once: {tally:?}", key(skew));
        assert!(tally.runs.contains(&body), "{}: {tally:?}", key(skew));
        assert!(skew == ahead || attempt > 1, "{}: who is ahead has taken over", key(skew));
        if skew != ahead && !is_guarded {
            let refused = crew.count(&key(skew), &format!("refused {}", key(skew)));
            assert_eq!(refused, 1, "{}: its completion is refused", key(skew));
        }
        eprintln!("{}: {} runs, answered by attempt {attempt}", key(skew), tally.runs.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_ahead_by_more_than_the_lock_takes_over_early_and_the_effect_still_happens_once() {
    let Some(faketime) = faketime::find() else { return };
    for is_guarded in [true, false] {
        effects_happen_once_though_locks_are_taken_early(is_guarded, &faketime).await;
    }
}
