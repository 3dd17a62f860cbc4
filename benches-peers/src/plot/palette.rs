//! Who has which colour and shape. The colours are Okabe and Ito's, which people of all kinds of sight can tell apart; shapes
//! say the same once more.

use super::svg::Svg;

pub(super) const BLUE: &str = "#0072B2";
pub(super) const VERMILLION: &str = "#D55E00";
const ORANGE: &str = "#E69F00";
const GREEN: &str = "#009E73";
const PINK: &str = "#CC79A7";
const GREY: &str = "#777777";

/// The colour of a contender: ours is blue everywhere.
pub(super) fn colour(name: &str) -> &'static str {
    match () {
        () if name.starts_with("ours") || name.starts_with("theory") => BLUE,
        () if name.starts_with("raw fjall") || name.starts_with("nginx") => ORANGE,
        () if name.starts_with("dynoxide") || name.starts_with("varnish") => GREEN,
        () if name.starts_with("Next.js") || name.starts_with("DynamoDB") => PINK,
        () => GREY,
    }
}

/// Marks a point of a contender.
pub(super) fn mark(svg: &mut Svg, name: &str, (x, y): (f64, f64)) {
    let colour = colour(name);
    match colour {
        BLUE => svg.circle((x, y), 4.0, colour),
        ORANGE => svg.rect((x - 3.8, y - 3.8), (7.6, 7.6), colour, 1.0),
        GREEN => svg.polygon(&[(x, y - 5.0), (x + 4.6, y + 3.6), (x - 4.6, y + 3.6)], colour),
        _ => svg.polygon(&[(x, y - 5.0), (x + 5.0, y), (x, y + 5.0), (x - 5.0, y)], colour),
    }
}
