//! Who is told figures. The variables of OpenTelemetry mean here what its specification says they mean.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};
use serde_json::Value;

use super::admin::REDACTED;
use super::form::{Form as _, List, Word};
use super::scope::Scope;
use super::section::{Found, Section};
use super::source::Source;
use super::span::Patience;
use crate::settings::OtlpSettings;

const EVERY: Duration = Duration::from_secs(60);
const SERVICE: &str = "theory";
const SERVICE_NAME: &str = "service.name";
/// What is added to the address of a collector.
const METRICS: &str = "/v1/metrics";
/// The variable that names the whole address, to which nothing is added.
const WHOLE: &str = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT";

/// A collector, or nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Collector {
    Off,
    At(Uri),
}

impl Word for Collector {
    fn word(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let wrong = "write `http://` or `https://`, host and port, and no user; or `off`";
        let uri: Uri = text.parse().map_err(|_| wrong)?;
        let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        if is_http && uri.host().is_some_and(|host| !host.is_empty()) && uri.query().is_none() && !has_user {
            Ok(Self::At(uri))
        } else {
            Err(wrong.to_owned())
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Off => "off".to_owned(),
            Self::At(uri) => uri.to_string(),
        }
    }
}

/// A name and a value. Signs of the value may be escaped, as in baggage.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Attribute(String, String);

impl Word for Attribute {
    fn word(text: &str) -> Result<Self, String> {
        let wrong = "write `name=value`, such as `deployment.environment.name=production`";
        let (name, value) = text.split_once('=').ok_or(wrong)?;
        let name = name.trim();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong.to_owned());
        }
        let value = decoded(value.trim()).ok_or("`%` is followed by two hexadecimal digits of UTF-8")?;
        Ok(Self(name.to_owned(), value))
    }

    fn written(&self) -> String {
        format!("{}={}", self.0, self.1.replace('%', "%25").replace(',', "%2C"))
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit()? * 16 + digit()?);
    }
    String::from_utf8(bytes).ok()
}

/// The collector, if there is one.
pub(super) fn read(top: &Section<'_>) -> Option<OtlpSettings> {
    let telemetry = top.table("telemetry", Scope::Telemetry);
    telemetry.call("telemetry");
    let (collector, source) = telemetry.or_from("otlp", Collector::Off, Source::Default);
    // Variables are set for many programs: what they say about figures that nobody is told is no mistake here.
    let telemetry = telemetry.heard(collector != Collector::Off);
    let Patience(every) = telemetry.or("every", Patience(EVERY));
    let headers = headers(&telemetry);
    let List(attributes) = telemetry.or("attributes", List::<Attribute>(Vec::new()));
    // A name that is given as such counts before one among the attributes.
    let named = attributes.iter().find(|Attribute(name, _)| name == SERVICE_NAME);
    let named = named.map_or(SERVICE, |Attribute(_, value)| value);
    let service = telemetry.or("service", named.to_owned());
    let Collector::At(uri) = collector else { return None };
    if cfg!(not(feature = "otlp")) {
        telemetry.refuse("otlp", "cannot be used: this program was built without the feature `otlp`");
    }
    let attributes = attributes.into_iter().filter(|Attribute(name, _)| name != SERVICE_NAME);
    let attributes = attributes.map(|Attribute(name, value)| (name, value)).collect();
    Some(OtlpSettings { metrics: metrics(uri, &source), every, headers, service, attributes })
}

/// What the collector wants to be shown. A wrong one is not repeated.
fn headers(telemetry: &Section<'_>) -> Vec<(HeaderName, HeaderValue)> {
    let Some(Found { raw, source }) = telemetry.find("headers") else {
        telemetry.explain("headers", Value::Array(Vec::new()), Source::Default);
        return Vec::new();
    };
    let header = |Attribute(name, value): Attribute| {
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::word(&name).ok()?, value))
    };
    let headers = List::<Attribute>::read(&raw).ok().map(|List(headers)| headers);
    let headers: Option<Vec<_>> = headers.and_then(|headers| headers.into_iter().map(header).collect());
    telemetry.explain("headers", Value::from(REDACTED), source);
    headers.unwrap_or_else(|| {
        telemetry
            .refuse("headers", "are none: write `name=value`, such as `x-api-key=…`, with `%2C` for a comma");
        Vec::new()
    })
}

/// Where figures are sent to.
fn metrics(uri: Uri, source: &Source) -> Uri {
    if *source == Source::Variable(WHOLE) {
        return uri;
    }
    let path = format!("{}{METRICS}", uri.path().trim_end_matches('/'));
    let mut parts = uri.into_parts();
    parts.path_and_query = Some(path.parse().expect("a path with another behind it is one"));
    Uri::from_parts(parts).expect("it has a scheme, a host and a path")
}
