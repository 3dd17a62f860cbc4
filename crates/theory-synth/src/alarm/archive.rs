//! Alarms of the archive: a stream forgets after a day what nobody has read.

use super::{Alarm, Statistic};
use crate::function::FunctionResource;
use crate::metric;

/// The alarms of the function that archives what expired.
#[must_use]
pub fn archive(function: &FunctionResource) -> Vec<Alarm> {
    let id = function.id();
    vec![
        Alarm::new(
            format!("{id}Behind"),
            "AWS/Lambda",
            "IteratorAge",
            "The archive is more than an hour behind the stream, which forgets after a day.",
        )
        .of("FunctionName", function.name())
        .statistic(Statistic::Maximum)
        .lasting(300, 3)
        .above(60 * 60 * 1000),
        Alarm::new(
            format!("{id}Failures"),
            metric::NAMESPACE,
            metric::ARCHIVE_FAILED,
            "Items that expired could not be archived. They are tried again, and then become dead letters.",
        )
        .of(metric::DIMENSION, function.name())
        .lasting(300, 1),
    ]
}
