//! From values to pixels, and which values get a tick.

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// Equal differences are equal lengths. Begins at nothing.
    Linear,
    /// Equal ratios are equal lengths.
    Log,
}

/// An axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    steps: Steps,
    from: f64,
    to: f64,
    /// Where both ends lie.
    start: f64,
    end: f64,
}

impl Scale {
    /// An axis from one value to another, between two pixels.
    pub(super) fn new(steps: Steps, (from, to): (f64, f64), (start, end): (f64, f64)) -> Self {
        Self { steps, from, to, start, end }
    }

    /// An axis that shows all of these values, with some room.
    pub(super) fn around(steps: Steps, values: &[f64], place: (f64, f64)) -> Self {
        let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let least = values.iter().copied().filter(|value| *value > 0.0).fold(most, f64::min);
        match steps {
            Steps::Linear => Self::new(steps, (0.0, most * 1.1), place),
            Steps::Log => Self::new(steps, (least / 1.4, most * 1.4), place),
        }
    }

    /// Where a value lies.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = match self.steps {
            Steps::Linear => (value - self.from) / (self.to - self.from),
            Steps::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        self.start + part.clamp(0.0, 1.0) * (self.end - self.start)
    }

    /// Round values on the axis: 1, 2 and 5 of every power of ten, or fewer if that would be too many.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match self.steps {
            Steps::Linear => {
                let step = round_up((self.to - self.from) / 6.0);
                (0..=6).map(|number| f64::from(number) * step).filter(|value| *value <= self.to).collect()
            }
            Steps::Log => {
                let ticks = |digits: &[f64]| -> Vec<f64> {
                    let powers =
                        (-3..=9).flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
                    powers.filter(|value| (self.from..=self.to).contains(value)).collect()
                };
                let fine = ticks(&[1.0, 2.0, 5.0]);
                if fine.len() > 8 { ticks(&[1.0]) } else { fine }
            }
        }
    }
}

/// The next of 1, 2 and 5 of a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= value);
    step.unwrap_or(10.0 * power)
}

/// A value as short as it can be read: `10 k`, `1 M`.
pub(super) fn short(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e6 => (value / 1e6, " M"),
        value if value >= 1e3 => (value / 1e3, " k"),
        value => (value, ""),
    };
    let text = format!("{value:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_find_their_places() {
        let linear = Scale::new(Steps::Linear, (0.0, 10.0), (100.0, 0.0));
        assert_eq!((linear.at(0.0), linear.at(5.0), linear.at(99.0)), (100.0, 50.0, 0.0));
        let log = Scale::new(Steps::Log, (1.0, 100.0), (0.0, 200.0));
        assert_eq!((log.at(1.0), log.at(10.0), log.at(0.5)), (0.0, 100.0, 0.0));
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            Scale::around(Steps::Linear, &[47.0], (0.0, 1.0)).ticks(),
            [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
        );
        assert_eq!(Scale::new(Steps::Log, (0.5, 12.0), (0.0, 1.0)).ticks(), [0.5, 1.0, 2.0, 5.0, 10.0]);
        assert!(Scale::new(Steps::Log, (1.0, 1e6), (0.0, 1.0)).ticks().len() <= 8);
    }

    #[test]
    fn large_values_are_short() {
        for (value, text) in [(0.5, "0.5"), (20.0, "20"), (10_000.0, "10 k"), (2_500_000.0, "2.5 M")] {
            assert_eq!(short(value), text);
        }
    }
}
