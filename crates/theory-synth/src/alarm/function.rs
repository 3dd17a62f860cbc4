//! Alarms of functions: Lambda's own figures, and those that the functions of this product tell.

use super::{Alarm, Statistic};
use crate::function::FunctionResource;
use crate::metric;

const NAMESPACE: &str = "AWS/Lambda";

/// The alarms of any function.
#[must_use]
pub fn function(function: &FunctionResource) -> Vec<Alarm> {
    let named = |name: &str, metric: &'static str, text: &str| {
        let id = format!("{}{name}", function.id());
        Alarm::new(id, NAMESPACE, metric, text).of("FunctionName", function.name())
    };
    // Nine tenths of the time it has.
    let near_ms = i64::from(function.settings().timeout_seconds) * 900;
    vec![
        named("Errors", "Errors", "The function failed, or ran out of time.").lasting(300, 1),
        named("Throttles", "Throttles", "More invocations were wanted than may run at once.").lasting(300, 1),
        named("NearTimeout", "Duration", "An invocation took nine tenths of the time it has.")
            .statistic(Statistic::Maximum)
            .lasting(300, 3)
            .above(near_ms),
    ]
}

fn told(function: &FunctionResource, name: &str, metric: &'static str, text: &str) -> Alarm {
    let id = format!("{}{name}", function.id());
    Alarm::new(id, metric::NAMESPACE, metric, text).of(metric::DIMENSION, function.name())
}

/// The alarms of a function with rate limits.
#[must_use]
pub fn limits(function: &FunctionResource) -> Vec<Alarm> {
    vec![
        told(
            function,
            "FailOpen",
            metric::LIMIT_FAIL_OPEN,
            "Requests pass without being counted, because the table of limits does not answer: there is no limit now.",
        )
        .lasting(60, 1),
        told(
            function,
            "Denials",
            metric::LIMIT_DENIED,
            "Many requests are denied: somebody attacks, or a limit is too small.",
        )
        .lasting(300, 3)
        .above(1000),
    ]
}

/// The alarms of a function that serves pages.
#[must_use]
pub fn cache(function: &FunctionResource) -> Vec<Alarm> {
    let stale = told(
        function,
        "StaleAfterError",
        metric::ISR_STALE_AFTER_ERROR,
        "Visitors see old pages, because the application or a store fails.",
    );
    vec![stale.lasting(300, 2), regeneration(function)]
}

/// The alarm of a function that renders pages again.
#[must_use]
pub fn regeneration(function: &FunctionResource) -> Alarm {
    let text = "Pages could not be rendered again.";
    told(function, "RegenerationFailures", metric::REGENERATION_FAILED, text).lasting(300, 3)
}
