//! Figures as a collector reads them: a metric for each family, a point for each number, all of them totals since the start.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
    ScopeMetrics, Sum,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use tabletheory_core::Timestamp;

use super::resource::attribute;
use crate::admin::{EXPONENTS, Kind, Numbers, bucket_end};
use crate::telemetry::Distribution;

/// Figures that are gathered.
#[derive(Debug)]
pub(super) struct Message {
    metrics: Vec<Metric>,
    started_nanos: u64,
    now_nanos: u64,
}

impl Message {
    /// Nothing yet. What only grows has grown since `started`.
    pub(super) fn between(started: Timestamp, now: Timestamp) -> Self {
        let nanos = |at: Timestamp| u64::try_from(at.millis()).unwrap_or(0).saturating_mul(1_000_000);
        Self { metrics: Vec::new(), started_nanos: nanos(started), now_nanos: nanos(now) }
    }

    /// All of it, as what this process says. A family without a number is left out.
    pub(super) fn of(self, resource: Resource, version: &str) -> ExportMetricsServiceRequest {
        let has_points = |metric: &Metric| match &metric.data {
            Some(Data::Gauge(gauge)) => !gauge.data_points.is_empty(),
            Some(Data::Sum(sum)) => !sum.data_points.is_empty(),
            Some(Data::Histogram(histogram)) => !histogram.data_points.is_empty(),
            _ => false,
        };
        let scope = InstrumentationScope {
            name: "theory".to_owned(),
            version: version.to_owned(),
            ..InstrumentationScope::default()
        };
        let metrics = self.metrics.into_iter().filter(has_points).collect();
        let scope = ScopeMetrics { scope: Some(scope), metrics, ..ScopeMetrics::default() };
        let resource = ResourceMetrics {
            resource: Some(resource),
            scope_metrics: vec![scope],
            ..ResourceMetrics::default()
        };
        ExportMetricsServiceRequest { resource_metrics: vec![resource] }
    }

    /// The family that was begun last.
    fn last(&mut self) -> Option<&mut Data> {
        self.metrics.last_mut()?.data.as_mut()
    }
}

impl Numbers for Message {
    fn family(&mut self, name: &'static str, kind: Kind, help: &'static str) {
        let aggregation_temporality = AggregationTemporality::Cumulative.into();
        let data = match kind {
            Kind::Gauge => Data::Gauge(Gauge::default()),
            Kind::Counter => {
                Data::Sum(Sum { data_points: Vec::new(), aggregation_temporality, is_monotonic: true })
            }
            Kind::Histogram => {
                Data::Histogram(Histogram { data_points: Vec::new(), aggregation_temporality })
            }
        };
        self.metrics.push(Metric {
            name: name.to_owned(),
            description: help.to_owned(),
            unit: unit(name).to_owned(),
            data: Some(data),
            ..Metric::default()
        });
    }

    fn number(&mut self, labels: &[(&'static str, &str)], value: u64) {
        let (started, now) = (self.started_nanos, self.now_nanos);
        let mut point = NumberDataPoint {
            attributes: attributes(labels),
            time_unix_nano: now,
            value: Some(Value::AsInt(i64::try_from(value).unwrap_or(i64::MAX))),
            ..NumberDataPoint::default()
        };
        match self.last() {
            Some(Data::Gauge(gauge)) => gauge.data_points.push(point),
            Some(Data::Sum(sum)) => {
                point.start_time_unix_nano = started;
                sum.data_points.push(point);
            }
            _ => {}
        }
    }

    fn times(&mut self, labels: &[(&'static str, &str)], times: &Distribution) {
        let (mut counts, mut below): (Vec<u64>, u64) = (Vec::new(), 0);
        for up_to in EXPONENTS.map(|exponent| times.count_up_to(exponent)).chain([times.count()]) {
            counts.push(up_to - below);
            below = up_to;
        }
        let point = HistogramDataPoint {
            attributes: attributes(labels),
            start_time_unix_nano: self.started_nanos,
            time_unix_nano: self.now_nanos,
            count: below,
            sum: Some(times.seconds()),
            bucket_counts: counts,
            explicit_bounds: EXPONENTS.map(bucket_end).collect(),
            ..HistogramDataPoint::default()
        };
        if let Some(Data::Histogram(histogram)) = self.last() {
            histogram.data_points.push(point);
        }
    }
}

fn attributes(labels: &[(&'static str, &str)]) -> Vec<KeyValue> {
    labels.iter().map(|(name, value)| attribute(name, value)).collect()
}

/// The unit that a name ends with, as OpenTelemetry writes it (UCUM).
fn unit(name: &str) -> &'static str {
    let name = name.strip_suffix("_total").unwrap_or(name);
    match name.rsplit('_').next() {
        Some("seconds") => "s",
        Some("bytes") => "By",
        _ => "",
    }
}
