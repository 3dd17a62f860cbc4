//! The plots of a document: which figures become which picture. How they are drawn stands in the other files of this folder,
//! by hand: seven plots need less code than a library wants to be told (decision 0052).

mod cost;
mod palette;
mod panel;
mod ratio;
mod scale;
mod svg;

use cost::{Cost, Group};
use panel::{Curve, Panel};
use ratio::Ratio;
use scale::Steps;

use crate::comparison::Comparison;
use crate::growth::Growth;
use crate::http::OverHttp;
use crate::pages::fleet::Herd;
use crate::pages::hit::Hits;
use crate::pages::{clients, keys};
use crate::report::Report;
use crate::sample::Sample;

/// Every plot that the document has figures for: its file name and its text.
pub(crate) fn all(report: &Report) -> Vec<(String, String)> {
    let plots = [
        ("engine-ratios.svg", report.engine.as_ref().map(|part| engine(&part.outcome))),
        ("http-ratios.svg", report.http.as_ref().map(|part| over_http(&part.outcome))),
        ("page-cost.svg", report.hits.as_ref().map(|part| hits(&part.outcome))),
        ("clients.svg", report.clients.as_ref().map(|part| by_clients(&part.outcome))),
        ("keys.svg", report.keys.as_ref().map(|part| by_keys(&part.outcome))),
        ("fleet.svg", report.fleet.as_ref().map(|part| fleet(&part.outcome))),
        ("growth.svg", report.growth.as_ref().map(|part| growth(&part.outcome))),
    ];
    plots.into_iter().filter_map(|(name, plot)| Some((name.to_owned(), plot?))).collect()
}

fn engine(comparisons: &[Comparison]) -> String {
    let ratio = |row: &Comparison| Ratio {
        name: format!("{} ÷ {}", row.operation, row.peer.contender),
        ratio: row.ratio,
        at_least: row.at_least,
    };
    ratio::draw("The engine in process beside its peers", &comparisons.iter().map(ratio).collect::<Vec<_>>())
}

fn over_http(outcome: &OverHttp) -> String {
    let mut ratios = Vec::new();
    for row in &outcome.comparisons {
        ratios.extend(row.servers.iter().filter_map(|server| {
            let target = server.target?;
            let name = format!("{} ÷ {}", row.operation, server.contender);
            Some(Ratio { name, ratio: target.ratio, at_least: target.at_least })
        }));
    }
    ratio::draw("theory dynamodb over HTTP beside its peers", &ratios)
}

fn hits(outcome: &Hits) -> String {
    let mut groups = Vec::new();
    for row in &outcome.rows {
        let costs = row.servers.iter().map(|server| Cost {
            name: server.server.clone(),
            total_us: server.middle.server_cpu_us,
            kernel_us: server.middle.server_kernel_us,
        });
        groups.push(Group { name: format!("a page of {}", row.size), costs: costs.collect() });
    }
    cost::draw("What a cached page costs its server", &groups)
}

/// Curves of points that come with a name, in the order in which the names appear.
fn curves(points: impl Iterator<Item = (String, (f64, f64))>) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for (name, point) in points {
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve { is_dashed: name.ends_with("hot"), name, points: vec![point] }),
        }
    }
    curves
}

fn by_clients(points: &[clients::Point]) -> String {
    let panel = |title: &str, steps, figure: fn(&Sample) -> f64| {
        let point = |point: &clients::Point| {
            (point.server.clone(), (f64::from(point.connections), figure(&point.middle)))
        };
        Panel {
            title: title.to_owned(),
            x_title: "connections",
            steps,
            curves: curves(points.iter().map(point)),
        }
    };
    let panels = [
        panel("requests per second", Steps::Linear, |sample| sample.per_second),
        panel("p99, µs", Steps::Log, |sample| sample.p99_us),
    ];
    panel::draw("A cached page of 1 KB with more and more clients", &panels)
}

fn by_keys(points: &[keys::Point]) -> String {
    let panel = |title: &str, steps, figure: fn(&keys::Point) -> f64| {
        let point = |point: &keys::Point| {
            (format!("{}, {}", point.server, point.choice), (point.keys as f64, figure(point)))
        };
        Panel {
            title: title.to_owned(),
            x_title: "pages kept",
            steps,
            curves: curves(points.iter().map(point)),
        }
    };
    let panels = [
        panel("hits per second", Steps::Linear, |point| point.middle.per_second),
        panel("p99, µs", Steps::Log, |point| point.middle.p99_us),
        panel("server CPU, µs for one request", Steps::Linear, |point| point.middle.server_cpu_us),
        panel("resident memory, MB", Steps::Linear, |point| point.rss_mb),
    ];
    panel::draw("A gateway that keeps more and more pages", &panels)
}

fn fleet(herds: &[Herd]) -> String {
    let panel = |title: &str, figure: fn(&Herd) -> f64| {
        let point = |herd: &Herd| (herd.server.clone(), (f64::from(herd.instances), figure(herd)));
        // Ours last in the table, first in the plot.
        let curves = curves(herds.iter().rev().map(point));
        Panel { title: title.to_owned(), x_title: "instances", steps: Steps::Linear, curves }
    };
    let most = |herd: &Herd| herd.expiries.iter().copied().max().unwrap_or_default() as f64;
    let panels = [
        panel("renders when a page expires, at most", most),
        panel("answers per second", |herd| herd.answers_per_second),
    ];
    panel::draw("More and more instances in front of one origin", &panels)
}

fn growth(outcome: &Growth) -> String {
    let mut panels: Vec<Panel> = Vec::new();
    for point in &outcome.points {
        if panels.iter().any(|panel| panel.title.starts_with(&point.operation)) {
            continue;
        }
        let same = outcome.points.iter().filter(|other| other.operation == point.operation);
        let curves = curves(same.map(|point| (point.contender.clone(), (point.items as f64, point.p50_us))));
        let title = format!("{}: p50, µs", point.operation);
        panels.push(Panel { title, x_title: "items in the table", steps: Steps::Log, curves });
    }
    panel::draw("A table that grows, in process", &panels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth::Point;
    use crate::run::{Measured, Run};
    use svg::tests::assert_well_formed;

    #[test]
    fn only_what_was_measured_is_drawn() {
        assert!(all(&Report::default()).is_empty());
        let point = |operation: &str, items| Point {
            operation: operation.to_owned(),
            contender: "ours, memory".to_owned(),
            items,
            per_second: 1000.0,
            p50_us: 2.5,
        };
        let points = vec![point("GetItem", 10_000), point("PutItem", 10_000), point("GetItem", 100_000)];
        let outcome = Growth { points, weights: Vec::new() };
        let report = Report { growth: Some(Measured { run: Run::default(), outcome }), ..Report::default() };
        let plots = all(&report);
        let [(name, text)] = &plots[..] else { panic!("one plot, not {}", plots.len()) };
        assert_eq!(name, "growth.svg");
        assert_well_formed(text);
        assert!(text.contains("GetItem: p50, µs") && text.contains("100 k"), "{text}");
    }
}
