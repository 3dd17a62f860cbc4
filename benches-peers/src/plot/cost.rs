//! What a cached page costs its server, as bars: the program's own time and the kernel's. A server that is far beyond all
//! others is cut off, and says so.

use super::palette::colour;
use super::scale::{Scale, Steps, short};
use super::svg::{Anchor, GRID, INK, SOFT_INK, Svg};

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 24.0;
const NAMES: f64 = 140.0;
const TOP: f64 = 74.0;
const ROW: f64 = 21.0;
const BAR: f64 = 14.0;
const GROUP_HEAD: f64 = 26.0;
const GROUP_GAP: f64 = 30.0;
/// Whoever costs this many times as much as the next one would leave nothing to see of the others.
const FAR: f64 = 3.0;

/// One bar.
#[derive(Debug)]
pub(super) struct Cost {
    pub(super) name: String,
    pub(super) total_us: f64,
    pub(super) kernel_us: f64,
}

/// The bars of one size.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) costs: Vec<Cost>,
}

/// The plot. Every size has a scale of its own.
pub(super) fn draw(title: &str, groups: &[Group]) -> String {
    let rows: usize = groups.iter().map(|group| group.costs.len()).sum();
    let height = TOP + ROW * rows as f64 + (GROUP_HEAD + GROUP_GAP) * groups.len() as f64;
    let mut svg = Svg::new(WIDTH, height, title);
    svg.title((MARGIN, 30.0), 16.0, title);
    let legend =
        "µs of processor time for one request: full colour is the program, pale is the kernel on its behalf";
    svg.text((MARGIN, 50.0), Anchor::Start, 12.0, SOFT_INK, legend);
    let mut top = TOP;
    for group in groups {
        top = group.draw(&mut svg, top);
    }
    svg.finish()
}

impl Group {
    /// Draws it, and says where the next one begins.
    fn draw(&self, svg: &mut Svg, top: f64) -> f64 {
        let end = top + GROUP_HEAD + ROW * self.costs.len() as f64;
        let scale =
            Scale::new(Steps::Linear, (0.0, self.most() * 1.1), (MARGIN + NAMES, WIDTH - MARGIN - 60.0));
        svg.title((MARGIN, top + 14.0), 13.0, &self.name);
        for tick in scale.ticks() {
            svg.line((scale.at(tick), top + GROUP_HEAD - 4.0), (scale.at(tick), end), GRID, 1.0);
            svg.text((scale.at(tick), end + 13.0), Anchor::Middle, 10.5, SOFT_INK, &short(tick));
        }
        for (number, cost) in self.costs.iter().enumerate() {
            bar(svg, &scale, top + GROUP_HEAD + ROW * number as f64, cost, self.most());
        }
        end + GROUP_GAP
    }

    /// The largest of those that are not far beyond all others.
    fn most(&self) -> f64 {
        let mut costs: Vec<f64> = self.costs.iter().map(|cost| cost.total_us).collect();
        costs.sort_by(f64::total_cmp);
        while let [.., before, last] = costs[..]
            && last > before * FAR
        {
            costs.pop();
        }
        costs.last().copied().unwrap_or(1.0)
    }
}

fn bar(svg: &mut Svg, scale: &Scale, top: f64, cost: &Cost, most: f64) {
    let colour = colour(&cost.name);
    let user_us = (cost.total_us - cost.kernel_us).max(0.0);
    let (start, split, end) = (scale.at(0.0), scale.at(user_us), scale.at(cost.total_us));
    svg.text((start - 8.0, top + BAR - 2.0), Anchor::End, 12.0, INK, &cost.name);
    svg.rect((start, top), (split - start, BAR), colour, 1.0);
    svg.rect((split, top), (end - split, BAR), colour, 0.4);
    let is_cut = cost.total_us > most;
    if is_cut {
        // A white cut through the bar: it goes on.
        svg.polygon(
            &[(end - 22.0, top + BAR), (end - 14.0, top), (end - 8.0, top), (end - 16.0, top + BAR)],
            "#ffffff",
        );
    }
    let text = if is_cut { format!("{:.0}", cost.total_us) } else { format!("{:.1}", cost.total_us) };
    svg.text((end + 6.0, top + BAR - 2.0), Anchor::Start, 12.0, INK, &text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::svg::tests::assert_well_formed;

    #[test]
    fn who_is_far_beyond_does_not_set_the_scale() {
        let cost = |total_us| Cost { name: "nginx".to_owned(), total_us, kernel_us: total_us / 2.0 };
        let group = Group { name: "1 KB".to_owned(), costs: vec![cost(16.0), cost(40.0), cost(620.0)] };
        assert_eq!(group.most(), 40.0);
        let text = draw("pages", &[group]);
        assert_well_formed(&text);
        assert!(text.contains(">620<") && text.contains(">16.0<"), "{text}");
        assert_eq!(Group { name: String::new(), costs: Vec::new() }.most(), 1.0);
    }
}
