//! A drawing as SVG text: the few shapes that plots need, in coordinates of pixels. A white panel lies behind everything, so
//! that a plot reads alike on light and on dark pages.

use std::fmt::Write;

pub(super) const INK: &str = "#1a1a1a";
pub(super) const SOFT_INK: &str = "#5a5a5a";
pub(super) const GRID: &str = "#dddddd";
/// A text stays readable where it crosses a line of the grid.
const HALO: &str = r##"stroke="#ffffff" stroke-width="3" paint-order="stroke""##;
const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/// On which side of its point a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing under way.
#[derive(Debug)]
pub(super) struct Svg {
    width: f64,
    height: f64,
    shapes: String,
}

impl Svg {
    /// A white panel with a name, which is what a screen reader says.
    pub(super) fn new(width: f64, height: f64, name: &str) -> Self {
        let mut svg = Self { width, height, shapes: String::new() };
        let _ = writeln!(svg.shapes, "<title>{}</title>", escaped(name));
        svg.rect((0.0, 0.0), (width, height), "#ffffff", 1.0);
        svg
    }

    pub(super) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str, opacity: f64) {
        let _ = writeln!(
            self.shapes,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}" fill-opacity="{opacity}"/>"#
        );
    }

    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), stroke: &str, width: f64) {
        let _ = writeln!(
            self.shapes,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{stroke}" stroke-width="{width}"/>"#
        );
    }

    /// A line through points, dashed or not.
    pub(super) fn path(&mut self, points: &[(f64, f64)], stroke: &str, is_dashed: bool) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if is_dashed { r#" stroke-dasharray="6 4""# } else { "" };
        let _ = writeln!(
            self.shapes,
            r#"<polyline points="{}" fill="none" stroke="{stroke}" stroke-width="2"{dash}/>"#,
            points.join(" ")
        );
    }

    pub(super) fn polygon(&mut self, corners: &[(f64, f64)], fill: &str) {
        let corners: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(self.shapes, r#"<polygon points="{}" fill="{fill}"/>"#, corners.join(" "));
    }

    pub(super) fn circle(&mut self, (x, y): (f64, f64), radius: f64, fill: &str) {
        let _ = writeln!(self.shapes, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{fill}"/>"#);
    }

    /// A text whose base line is at the point.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, fill: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.shapes,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" font-size="{size}" fill="{fill}" {HALO}>{}</text>"#,
            escaped(text)
        );
    }

    /// The same in bold, for what is read first.
    pub(super) fn title(&mut self, (x, y): (f64, f64), size: f64, text: &str) {
        let _ = writeln!(
            self.shapes,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" font-weight="600" fill="{INK}">{}</text>"#,
            escaped(text)
        );
    }

    /// The whole document.
    pub(super) fn finish(self) -> String {
        let Self { width, height, shapes } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" font-family=\"{FONT}\">\n{shapes}</svg>\n"
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Fails unless every element is closed, in the right order, and no character stands where markup would begin.
    pub(in crate::plot) fn assert_well_formed(text: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = text;
        while let Some((before, tag)) = rest.split_once('<') {
            assert!(!before.contains('>'), "a stray > in `{before}`");
            let (tag, after) = tag.split_once('>').expect("a tag ends");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{text}");
            } else if !tag.ends_with('/') {
                open.push(tag.split_whitespace().next().expect("a tag has a name"));
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            assert!(!tag.contains("NaN") && !tag.contains("inf"), "{tag}");
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} stays open");
    }

    #[test]
    fn a_drawing_is_well_formed_whatever_the_texts_are() {
        let mut svg = Svg::new(100.0, 50.0, "a < b & c");
        svg.text((1.0, 2.0), Anchor::Middle, 12.0, INK, "x > y");
        svg.path(&[(0.0, 0.0), (1.0, 2.0)], INK, true);
        let text = svg.finish();
        assert_well_formed(&text);
        assert!(text.contains("a &lt; b &amp; c") && text.contains("x &gt; y"));
    }
}
