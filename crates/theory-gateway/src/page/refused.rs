//! Why there is no page, as clients are told: what they can do, and nothing about the inside.

use facetheory::Error;
use http::StatusCode;
use tabletheory_core::Timestamp;

use crate::refusal::Refusal;

/// Nobody is told to come back later than this: what is in the way is mostly gone sooner.
const RETRY_SECONDS_MAX: u64 = 30;

/// What a client is told.
pub(super) fn of(error: &Error, now: Timestamp) -> Refusal {
    const RENDERING: &str = "the page is being made; ask again in a moment";
    match error {
        Error::Busy { until } | Error::InProgress { until } => {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, RENDERING).retry_after(seconds_until(*until, now))
        }
        Error::BackedOff { at, now } => {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the page could not be made; ask again in a moment")
                .retry_after(seconds_until(Some(*at), *now))
        }
        Error::Render(reason) if reason.is_too_slow() => {
            Refusal::new(StatusCode::GATEWAY_TIMEOUT, "the application did not answer in time")
        }
        Error::Render(reason) if reason.is_busy() => Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the application has too much to do; ask again later",
        )
        .retry_after(1),
        Error::Render(_) => {
            Refusal::new(StatusCode::BAD_GATEWAY, "the application did not answer as it should")
        }
        Error::StoreTooSlow | Error::Table(_) | Error::Body(_) | Error::Contended { .. } => {
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, RENDERING).retry_after(1)
        }
        _ => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be made"),
    }
}

fn seconds_until(moment: Option<Timestamp>, now: Timestamp) -> u64 {
    let wait_ms = moment.map_or(0, |moment| moment.millis().saturating_sub(now.millis()));
    u64::try_from(wait_ms).unwrap_or(0).div_ceil(1000).clamp(1, RETRY_SECONDS_MAX)
}

#[cfg(test)]
mod tests {
    use facetheory::render::RenderError;

    use super::*;

    #[track_caller]
    fn check(error: &Error, status: u16, retry_after: Option<u64>) {
        let refusal = of(error, Timestamp::from_seconds(100));
        assert_eq!((refusal.status.as_u16(), refusal.retry_after), (status, retry_after), "{error}");
        assert!(!refusal.detail.contains("secret"));
    }

    #[test]
    fn clients_learn_what_they_can_do() {
        let at = |seconds| Some(Timestamp::from_seconds(seconds));
        check(&Error::Busy { until: at(107) }, 503, Some(7));
        check(&Error::Busy { until: at(99) }, 503, Some(1));
        check(&Error::Busy { until: None }, 503, Some(1));
        let (at, now) = (Timestamp::from_seconds(900), Timestamp::from_seconds(1));
        check(&Error::BackedOff { at, now }, 503, Some(30));
        check(&Error::Render(RenderError::new("secret.internal refused")), 502, None);
        check(&Error::Render(RenderError::too_slow("secret.internal")), 504, None);
        check(&Error::Render(RenderError::busy("secret.internal")), 503, Some(1));
        check(&Error::StoreTooSlow, 503, Some(1));
        check(&Error::NoIntent, 500, None);
    }
}
