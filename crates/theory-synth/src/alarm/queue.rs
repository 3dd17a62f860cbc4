//! The alarm of a queue of dead letters: one is too many.

use super::{Alarm, Statistic};
use crate::queue::QueueResource;

/// The alarm of a queue of dead letters.
#[must_use]
pub fn dead_letters(queue: &QueueResource) -> Alarm {
    let text = "There is work that could not be done. It is kept for 14 days: look at it, repair what failed, and send it back.";
    Alarm::new(format!("{}Depth", queue.id()), "AWS/SQS", "ApproximateNumberOfMessagesVisible", text)
        .of("QueueName", queue.name())
        .statistic(Statistic::Maximum)
        .lasting(300, 1)
}
