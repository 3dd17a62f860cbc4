//! Contenders in turns. Each round runs all of them one after the other, so that a busy moment of the machine hits them
//! alike; a ratio is taken within each round, and the median over the rounds is what counts.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};

use crate::args::Plan;
use crate::contender::Contender;
use crate::contenders::Entry;
use crate::drive::{self, Sample};
use crate::record::Record;
use crate::workload::Workload;

/// One contender's rounds.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) entry: Entry,
    samples: Vec<Sample>,
}

impl Series {
    /// Operations per second, median.
    pub(crate) fn per_second(&self) -> f64 {
        median(self.samples.iter().map(|sample| sample.per_second).collect())
    }

    /// Median latency, median over the rounds.
    pub(crate) fn p50_us(&self) -> f64 {
        median(self.samples.iter().map(|sample| sample.p50_us).collect())
    }

    /// Processor time of other threads for each call, median over the rounds, if there is one caller.
    pub(crate) fn background_us(&self) -> Option<f64> {
        let times: Option<Vec<f64>> = self.samples.iter().map(|sample| sample.background_us).collect();
        times.map(median)
    }

    /// How many times as fast as `other` this one is, median over the rounds.
    pub(crate) fn ratio(&self, other: &Self) -> f64 {
        let pairs = self.samples.iter().zip(&other.samples);
        median(pairs.map(|(own, others)| own.per_second / others.per_second).collect())
    }
}

/// Contenders that are open and hold the same items.
pub(crate) struct Arena {
    contenders: Vec<(Entry, Arc<dyn Contender>)>,
}

impl Arena {
    /// Opens everybody, each in a folder of its own below `folder`, with `items` numbered items.
    pub(crate) fn open(folder: &Path, entries: &[Entry], items: u64) -> Result<Self> {
        let mut contenders = Vec::new();
        for entry in entries {
            let home = tempfile::tempdir_in(folder)?.keep();
            let contender = entry.open(&home).with_context(|| format!("cannot open {}", entry.name()))?;
            contender.load(&mut (0..items).map(Record::numbered))?;
            contenders.push((*entry, contender));
        }
        Ok(Self { contenders })
    }

    /// Lets them run in turns. Round 0 warms up and is not counted.
    pub(crate) fn run(&self, plan: &Plan, workload: Workload, writers: u64) -> Result<Vec<Series>> {
        let series = |(entry, _): &(Entry, _)| Series { entry: *entry, samples: Vec::new() };
        let mut results: Vec<Series> = self.contenders.iter().map(series).collect();
        for number in 0..=plan.rounds {
            let time = if number == 0 { plan.round_time / 4 } else { plan.round_time };
            for ((entry, contender), series) in self.contenders.iter().zip(&mut results) {
                let sample = drive::round(contender, workload, number, writers, time)
                    .with_context(|| format!("{} in {workload:?}", entry.name()))?;
                if number > 0 {
                    eprintln!("  {:<24} {:>10.0} /s", entry.name(), sample.per_second);
                    series.samples.push(sample);
                }
            }
        }
        Ok(results)
    }
}

/// The middle one; of an even number, the upper of the two.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(per_second: &[f64]) -> Series {
        let samples = per_second
            .iter()
            .map(|per_second| Sample { per_second: *per_second, ..Sample::default() })
            .collect();
        Series { entry: Entry::RawFjall, samples }
    }

    #[test]
    fn a_ratio_is_taken_within_each_round() {
        // The machine was busy in the second round: both were slow, and the ratio does not notice.
        assert_eq!(series(&[80.0, 20.0, 90.0]).ratio(&series(&[10.0, 2.5, 10.0])), 8.0);
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
