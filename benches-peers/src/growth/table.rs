//! The tables of the growth: one line for each operation and contender, one column for each size.

use std::fmt::Write;

use super::{Growth, Point, Weight};
use crate::markdown::{grouped, line};

impl Growth {
    /// Both tables.
    pub(crate) fn markdown(&self) -> String {
        format!("{}\n{}\n", self.point_table(), self.weight_table())
    }

    fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.points.iter().map(|point| point.items).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    fn point_table(&self) -> String {
        let sizes = self.sizes();
        let mut text = String::from("| growth, p50 µs (per second) | contender |");
        for size in &sizes {
            let _ = write!(text, " {} items |", grouped(*size as f64));
        }
        text.push_str(" largest ÷ smallest |\n|---|---|");
        text.push_str(&"--:|".repeat(sizes.len() + 1));
        text.push('\n');
        for first in self.points.iter().filter(|point| Some(&point.items) == sizes.first()) {
            let points: Vec<&Point> = self.points.iter().filter(|point| point.is_beside(first)).collect();
            let mut cells = vec![first.operation.clone(), first.contender.clone()];
            cells.extend(sizes.iter().map(|size| {
                let point = points.iter().find(|point| point.items == *size);
                point.map_or(String::new(), |point| {
                    format!("{:.1} ({})", point.p50_us, grouped(point.per_second))
                })
            }));
            let last = points.last().map_or(f64::NAN, |point| point.p50_us);
            cells.push(format!("{:.1}", last / first.p50_us));
            line(&mut text, &cells.iter().map(String::as_str).collect::<Vec<_>>());
        }
        text
    }

    fn weight_table(&self) -> String {
        let mut text =
            String::from("| items | contender | loaded /s | memory MB | disk MB |\n|--:|---|--:|--:|--:|\n");
        for Weight { contender, items, loaded_per_second, rss_mb, disk_mb } in &self.weights {
            let cells = [
                grouped(*items as f64),
                contender.clone(),
                grouped(*loaded_per_second),
                grouped(*rss_mb),
                disk_mb.map(grouped).unwrap_or_default(),
            ];
            line(&mut text, &cells.each_ref().map(String::as_str));
        }
        text
    }
}

impl Point {
    /// Whether both are the same operation of the same contender.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        self.operation == other.operation && self.contender == other.contender
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_stands_in_columns_and_who_is_missing_leaves_one_empty() {
        let point = |contender: &str, items, p50_us| Point {
            operation: "GetItem".to_owned(),
            contender: contender.to_owned(),
            items,
            per_second: 1000.0,
            p50_us,
        };
        let weight = |disk_mb| Weight {
            contender: "ours".to_owned(),
            items: 10_000,
            loaded_per_second: 123_456.0,
            rss_mb: 70.4,
            disk_mb,
        };
        let growth = Growth {
            points: vec![point("ours", 10_000, 2.0), point("peer", 10_000, 4.0), point("ours", 100_000, 3.0)],
            weights: vec![weight(Some(12.0)), weight(None)],
        };
        let text = growth.markdown();
        for expected in [
            "| GetItem | ours | 2.0 (1,000) | 3.0 (1,000) | 1.5 |",
            "| GetItem | peer | 4.0 (1,000) |  | 1.0 |",
            "| 10,000 | ours | 123,456 | 70 | 12 |",
            "| 10,000 | ours | 123,456 | 70 |  |",
        ] {
            assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
        }
    }
}
