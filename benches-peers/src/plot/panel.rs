//! Curves: several panels on one sheet, which share a legend. The x axis is a scale of ratios with a tick for each point.

use super::palette::{colour, mark};
use super::scale::{Scale, Steps, short};
use super::svg::{Anchor, GRID, INK, SOFT_INK, Svg};

const PANEL: (f64, f64) = (400.0, 250.0);
const COLUMNS: usize = 2;
const TOP: f64 = 76.0;
/// Room inside a panel: left for the ticks, above for its name, below for the x axis.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 20.0;
const ABOVE: f64 = 34.0;
const BELOW: f64 = 46.0;
const MARGIN: f64 = 24.0;

/// One curve.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) is_dashed: bool,
    pub(super) points: Vec<(f64, f64)>,
}

/// One panel.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) x_title: &'static str,
    pub(super) steps: Steps,
    pub(super) curves: Vec<Curve>,
}

/// The sheet.
pub(super) fn draw(title: &str, panels: &[Panel]) -> String {
    let rows = panels.len().div_ceil(COLUMNS);
    let (width, height) = (PANEL.0 * COLUMNS as f64, TOP + PANEL.1 * rows as f64);
    let mut svg = Svg::new(width, height, title);
    svg.title((MARGIN, 30.0), 16.0, title);
    legend(&mut svg, panels);
    for (number, panel) in panels.iter().enumerate() {
        let left = PANEL.0 * (number % COLUMNS) as f64;
        panel.draw(&mut svg, (left, TOP + PANEL.1 * (number / COLUMNS) as f64));
    }
    svg.finish()
}

/// Every name once, in the order in which they first appear.
fn legend(svg: &mut Svg, panels: &[Panel]) {
    let mut known: Vec<&Curve> = Vec::new();
    for curve in panels.iter().flat_map(|panel| &panel.curves) {
        if !known.iter().any(|other| other.name == curve.name) {
            known.push(curve);
        }
    }
    let mut x = MARGIN;
    for curve in known {
        svg.path(&[(x, 52.0), (x + 26.0, 52.0)], colour(&curve.name), curve.is_dashed);
        mark(svg, &curve.name, (x + 13.0, 52.0));
        svg.text((x + 33.0, 56.0), Anchor::Start, 12.5, INK, &curve.name);
        // Letters are about this wide; a legend need not be exact.
        x += 52.0 + 6.7 * curve.name.chars().count() as f64;
    }
}

impl Panel {
    fn draw(&self, svg: &mut Svg, (left, top): (f64, f64)) {
        let values = |axis: fn(&(f64, f64)) -> f64| -> Vec<f64> {
            self.curves.iter().flat_map(|curve| curve.points.iter().map(axis)).collect()
        };
        let (base, start, end) = (top + PANEL.1 - BELOW, left + LEFT, left + PANEL.0 - RIGHT);
        let x = Scale::around(Steps::Log, &values(|point| point.0), (start, end));
        let y = Scale::around(self.steps, &values(|point| point.1), (base, top + ABOVE));
        svg.title((left + MARGIN, top + 18.0), 13.0, &self.title);
        for tick in y.ticks() {
            svg.line((start, y.at(tick)), (end, y.at(tick)), GRID, 1.0);
            svg.text((start - 6.0, y.at(tick) + 4.0), Anchor::End, 11.0, SOFT_INK, &short(tick));
        }
        let mut sizes = values(|point| point.0);
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        for size in sizes {
            svg.line((x.at(size), base), (x.at(size), base + 4.0), SOFT_INK, 1.0);
            svg.text((x.at(size), base + 18.0), Anchor::Middle, 11.0, SOFT_INK, &short(size));
        }
        svg.line((start, base), (end, base), SOFT_INK, 1.0);
        svg.text(((start + end) / 2.0, base + 36.0), Anchor::Middle, 11.5, SOFT_INK, self.x_title);
        // Whoever comes first lies on top.
        for curve in self.curves.iter().rev() {
            let places: Vec<_> =
                curve.points.iter().map(|(size, value)| (x.at(*size), y.at(*value))).collect();
            svg.path(&places, colour(&curve.name), curve.is_dashed);
            for place in places {
                mark(svg, &curve.name, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::svg::tests::assert_well_formed;

    #[test]
    fn every_name_stands_once_in_the_legend() {
        let curve = |name: &str| Curve {
            name: name.to_owned(),
            is_dashed: false,
            points: vec![(10.0, 1.0), (100.0, 20.0)],
        };
        let panel = |title: &str| Panel {
            title: title.to_owned(),
            x_title: "items",
            steps: Steps::Log,
            curves: vec![curve("ours"), curve("nginx")],
        };
        let text = draw("growth", &[panel("get"), panel("put"), panel("query")]);
        assert_well_formed(&text);
        assert_eq!((text.matches(">ours<").count(), text.matches(">items<").count()), (1, 3));
    }
}
