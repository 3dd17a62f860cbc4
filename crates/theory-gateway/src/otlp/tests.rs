//! A gateway and its collector: what it is told, and what it cannot do to the gateway by being slow, gone or wrong.

use std::collections::BTreeSet;
use std::convert::Infallible;

use http::Response;
use http::request::Parts;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsPartialSuccess, ExportMetricsServiceRequest,
};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point;
use opentelemetry_proto::tonic::metrics::v1::{HistogramDataPoint, Metric};
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;
use crate::config::{Document, Flags, read};
use crate::run::Running;

const TOKEN: &str = "a-token-of-an-operator";
/// Nothing here takes nearly as long.
const PATIENCE: Duration = Duration::from_secs(60);

type Told = Arc<Mutex<Vec<(Parts, ExportMetricsServiceRequest)>>>;

/// A collector that answers so, or never. It ends with this.
struct Collector {
    address: String,
    told: Told,
    task: JoinHandle<()>,
}

impl Collector {
    async fn answering(status: Option<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let told = Told::default();
        let heard = Arc::clone(&told);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let heard = Arc::clone(&heard);
                let service = service_fn(move |request: Request<Incoming>| {
                    let heard = Arc::clone(&heard);
                    async move {
                        let (head, body) = request.into_parts();
                        let body = body.collect().await.unwrap().to_bytes();
                        heard.lock().push((head, ExportMetricsServiceRequest::decode(body).unwrap()));
                        let Some(status) = status else { return std::future::pending().await };
                        let mut response = Response::new(Full::<Bytes>::default());
                        *response.status_mut() = StatusCode::from_u16(status).unwrap();
                        Ok::<_, Infallible>(response)
                    }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, told, task }
    }

    async fn until_told(&self, times: usize) {
        let until = async {
            while self.told.lock().len() < times {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, until).await.expect("the collector is told");
    }

    /// The metrics it was told last.
    fn last(&self) -> Vec<Metric> {
        let told = self.told.lock();
        let (_, request) = told.last().unwrap();
        let [resource] = request.resource_metrics.as_slice() else { panic!("one resource") };
        let [scope] = resource.scope_metrics.as_slice() else { panic!("one scope") };
        scope.metrics.clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A gateway whose application is gone.
async fn gateway(collector: &str, every: &str) -> Running {
    let text = format!(
        "listen = '127.0.0.1:0'\norigin = {{url = 'http://127.0.0.1:1', failures_max = 1_000_000}}\nstore = {{kind = 'memory'}}\n\
         admin = {{listen = '127.0.0.1:0', token = '{TOKEN}'}}\n[telemetry]\notlp = '{collector}'\nevery = '{every}'\n\
         headers = ['x-key=s3cr3t']\nservice = 'shop'\nattributes = ['team=web']\n[[route]]\npath = '/a/{{*rest}}'\nkind = 'pass'"
    );
    let document = Document::new("theory.toml", "", text);
    let effective = read(&document, &Flags::default(), &|_| None).unwrap_or_else(|error| panic!("{error}"));
    Running::start(effective.settings).await.unwrap()
}

async fn ask(gateway: &Running, times: usize) {
    let client = reqwest::Client::new();
    for _ in 0..times {
        let answer = client.get(format!("http://{}/a/b", gateway.addresses()[0])).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
    }
}

fn text(attributes: &[KeyValue], name: &str) -> String {
    let found = attributes.iter().find(|attribute| attribute.key == name);
    match found.and_then(|attribute| attribute.value.clone()?.value) {
        Some(Value::StringValue(text)) => text,
        other => panic!("{name} is {other:?}"),
    }
}

fn named<'a>(metrics: &'a [Metric], name: &str) -> &'a Metric {
    metrics.iter().find(|metric| metric.name == name).unwrap_or_else(|| panic!("{name} is not told"))
}

#[tokio::test]
async fn a_collector_is_told_at_once_and_everything_at_the_stop() {
    let collector = Collector::answering(Some(200)).await;
    let gateway = gateway(&collector.address, "1h").await;
    collector.until_told(1).await;
    ask(&gateway, 3).await;
    gateway.stop().await.unwrap();
    assert_eq!(collector.told.lock().len(), 2);
    let (head, request) = collector.told.lock()[1].clone();
    assert_eq!((head.method.as_str(), head.uri.path()), ("POST", "/v1/metrics"));
    assert_eq!(
        (&head.headers["content-type"], &head.headers["x-key"]),
        (&PROTOBUF, &HeaderValue::from_static("s3cr3t"))
    );
    let about = &request.resource_metrics[0].resource.as_ref().unwrap().attributes;
    assert_eq!((text(about, "service.name"), text(about, "team")), ("shop".to_owned(), "web".to_owned()));
    assert_eq!(text(about, "service.version"), env!("CARGO_PKG_VERSION"));

    let metrics = collector.last();
    let Some(Data::Sum(sum)) = &named(&metrics, "theory_requests_total").data else { panic!("a sum") };
    assert!(
        sum.is_monotonic
            && sum.aggregation_temporality()
                == opentelemetry_proto::tonic::metrics::v1::AggregationTemporality::Cumulative
    );
    let [point] = sum.data_points.as_slice() else { panic!("one route was asked: {sum:?}") };
    assert_eq!(
        (text(&point.attributes, "route"), point.value),
        ("/a/{*rest}".to_owned(), Some(number_data_point::Value::AsInt(3)))
    );
    assert!(point.start_time_unix_nano > 0 && point.start_time_unix_nano <= point.time_unix_nano);
    let took = named(&metrics, "theory_request_seconds");
    let Some(Data::Histogram(histogram)) = &took.data else { panic!("a histogram") };
    let is_it = |point: &&HistogramDataPoint| text(&point.attributes, "route") == "/a/{*rest}";
    let point = histogram.data_points.iter().find(is_it).unwrap();
    assert_eq!((took.unit.as_str(), point.count, point.bucket_counts.iter().sum()), ("s", 3, 3_u64));
    assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
    assert!(point.explicit_bounds.is_sorted() && point.sum > Some(0.0));
}

#[tokio::test]
async fn a_collector_is_told_what_prometheus_is() {
    let collector = Collector::answering(Some(200)).await;
    let gateway = gateway(&collector.address, "10ms").await;
    ask(&gateway, 1).await;
    let told = collector.told.lock().len();
    collector.until_told(told + 2).await;
    let url = format!("http://{}/metrics", gateway.admin().unwrap().0);
    let answer = reqwest::Client::new().get(url).bearer_auth(TOKEN).send().await.unwrap();
    let exposition = String::from_utf8(answer.bytes().await.unwrap().to_vec()).unwrap();
    // Families without a number are left out where each family is a message.
    let lines = exposition.lines().filter(|line| !line.starts_with('#'));
    let names = lines.filter_map(|line| line.split(['{', ' ']).next());
    let plain = |name: &str| {
        let ends = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        ends.filter(|family| family.ends_with("_seconds")).unwrap_or(name).to_owned()
    };
    let expected: BTreeSet<String> = names.map(plain).collect();
    let found: BTreeSet<String> = collector.last().into_iter().map(|metric| metric.name).collect();
    assert_eq!(found, expected);
    timeout(PATIENCE, gateway.stop()).await.expect("it stops").unwrap();
}

#[tokio::test]
async fn a_collector_that_is_gone_slow_or_wrong_keeps_nobody_waiting() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let started = tokio::time::Instant::now();
    let (silent, wrong) = (Collector::answering(None).await, Collector::answering(Some(500)).await);
    for address in [&gone, &silent.address, &wrong.address] {
        let gateway = gateway(address, "5ms").await;
        timeout(PATIENCE, ask(&gateway, 20)).await.expect("clients are answered");
        timeout(PATIENCE, gateway.stop()).await.expect("it stops").unwrap();
    }
    // Once for each time that it was waited for in vain, and once at the stop, however often its turn came meanwhile.
    let waits = usize::try_from(started.elapsed().as_secs() / WAIT.as_secs()).unwrap();
    assert!((2..=2 + waits).contains(&silent.told.lock().len()), "{}", silent.told.lock().len());
    assert!(wrong.told.lock().len() >= 2, "it is tried again");
}

#[test]
fn only_a_change_is_news() {
    let attempts = [false, false, true, true, false, false, true];
    let mut state = State::Unknown;
    let news = attempts.map(|is_told| {
        let (after, is_news) = state.after(is_told);
        state = after;
        is_news
    });
    assert_eq!(news, [true, false, true, false, true, false, true]);
    assert!(State::Unknown.after(true).1, "that it works is said, too");
}

#[test]
fn what_a_collector_leaves_out_is_no_success() {
    let answer = |status: u16, rejected: Option<i64>| {
        let partial = |rejected_data_points| ExportMetricsPartialSuccess {
            rejected_data_points,
            error_message: "full".to_owned(),
        };
        let body = ExportMetricsServiceResponse { partial_success: rejected.map(partial) };
        Answer { status: StatusCode::from_u16(status).unwrap(), body: body.encode_to_vec().into() }.taken()
    };
    assert_eq!((answer(200, None), answer(200, Some(0)), answer(202, None)), (Ok(()), Ok(()), Ok(())));
    assert_eq!(answer(200, Some(7)), Err("it left out 7 figures: \"full\"".to_owned()));
    for status in [301, 400, 404, 429, 503] {
        assert!(answer(status, None).unwrap_err().contains(&status.to_string()));
    }
    let strange = Answer { status: StatusCode::OK, body: Bytes::from_static(b"\xff<html>") };
    assert_eq!(strange.taken(), Ok(()), "what cannot be read says nothing");
}
