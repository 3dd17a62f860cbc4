//! Ours ÷ peer as bars on a scale of ratios, with the bound that is wanted.

use super::palette::{BLUE, VERMILLION};
use super::scale::{Scale, Steps, short};
use super::svg::{Anchor, GRID, INK, SOFT_INK, Svg};

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 24.0;
const TOP: f64 = 74.0;
const ROW: f64 = 42.0;
const BAR: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// One bar.
#[derive(Debug)]
pub(super) struct Ratio {
    pub(super) name: String,
    pub(super) ratio: f64,
    pub(super) at_least: f64,
}

impl Ratio {
    fn is_reached(&self) -> bool {
        self.ratio >= self.at_least
    }
}

/// The plot.
pub(super) fn draw(title: &str, ratios: &[Ratio]) -> String {
    let height = TOP + ROW * ratios.len() as f64 + BOTTOM;
    let mut svg = Svg::new(WIDTH, height, title);
    let most = ratios.iter().map(|ratio| ratio.ratio.max(ratio.at_least)).fold(1.0, f64::max);
    let scale = Scale::new(Steps::Log, (0.4, most * 1.5), (MARGIN, WIDTH - MARGIN - 40.0));
    svg.title((MARGIN, 30.0), 16.0, title);
    let legend = "operations per second, ours ÷ peer; the black mark is what was wanted at least";
    svg.text((MARGIN, 50.0), Anchor::Start, 12.0, SOFT_INK, legend);
    let base = height - BOTTOM;
    for tick in scale.ticks() {
        let x = scale.at(tick);
        svg.line((x, TOP - 10.0), (x, base), if tick == 1.0 { SOFT_INK } else { GRID }, 1.0);
        svg.text((x, base + 16.0), Anchor::Middle, 11.0, SOFT_INK, &format!("{}×", short(tick)));
    }
    for (number, ratio) in ratios.iter().enumerate() {
        bar(&mut svg, &scale, TOP + ROW * number as f64, ratio);
    }
    let caption = "a scale of ratios: every step to the right is as many times more as the one before";
    svg.text((MARGIN, height - 10.0), Anchor::Start, 11.0, SOFT_INK, caption);
    svg.finish()
}

fn bar(svg: &mut Svg, scale: &Scale, top: f64, ratio: &Ratio) {
    let y = top + 18.0;
    svg.text((MARGIN, top + 12.0), Anchor::Start, 12.5, INK, &ratio.name);
    let colour = if ratio.is_reached() { BLUE } else { VERMILLION };
    let end = scale.at(ratio.ratio);
    svg.rect((MARGIN, y), (end - MARGIN, BAR), colour, 1.0);
    let bound = scale.at(ratio.at_least);
    svg.line((bound, y - 3.0), (bound, y + BAR + 3.0), INK, 2.5);
    // The figure stands behind whatever reaches further.
    let after = end.max(bound) + 7.0;
    let missed = if ratio.is_reached() { "" } else { ", missed" };
    let text = format!("{:.2} (≥ {}{missed})", ratio.ratio, ratio.at_least);
    svg.text((after, y + BAR - 3.0), Anchor::Start, 12.0, INK, &text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::svg::tests::assert_well_formed;

    #[test]
    fn a_missed_bound_is_told_in_words_and_colour() {
        let ratio = |ratio| Ratio { name: "PutItem < dynoxide".to_owned(), ratio, at_least: 6.0 };
        let text = draw("engine", &[ratio(5.8), ratio(7.0)]);
        assert_well_formed(&text);
        assert!(text.contains("5.80 (≥ 6, missed)") && text.contains("7.00 (≥ 6)"), "{text}");
        assert_eq!(text.matches(VERMILLION).count(), 1);
    }
}
