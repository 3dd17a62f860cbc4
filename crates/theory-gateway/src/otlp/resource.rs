//! What a collector is told about this process: what was set, and besides that its name, its version, and a number that tells it from
//! others of the same name. Without that, the totals of a fleet would overwrite each other.

use std::fmt::Write as _;

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::settings::OtlpSettings;

/// What is told about this process.
pub(super) fn of(settings: &OtlpSettings, version: &str) -> Resource {
    let mut attributes = vec![attribute("service.name", &settings.service)];
    attributes.extend(settings.attributes.iter().map(|(name, value)| attribute(name, value)));
    let own = [("service.version", version.to_owned()), ("service.instance.id", instance())];
    for (name, value) in own {
        if settings.attributes.iter().all(|(said, _)| said != name) {
            attributes.push(attribute(name, &value));
        }
    }
    Resource { attributes, ..Resource::default() }
}

/// A name and a text.
pub(super) fn attribute(name: &str, value: &str) -> KeyValue {
    let value = Some(AnyValue { value: Some(Value::StringValue(value.to_owned())) });
    KeyValue { key: name.to_owned(), value, ..KeyValue::default() }
}

/// A random UUID, as the conventions ask for.
fn instance() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without randomness, what else tells processes of one machine apart.
        bytes[..4].copy_from_slice(&std::process::id().to_be_bytes());
    }
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (place, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&place) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(attributes: &[(&str, &str)]) -> Vec<(String, String)> {
        let settings = OtlpSettings {
            metrics: "http://127.0.0.1/v1/metrics".parse().unwrap(),
            every: std::time::Duration::from_secs(60),
            headers: Vec::new(),
            service: "shop".to_owned(),
            attributes: attributes
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        let text = |attribute: KeyValue| match attribute.value.unwrap().value.unwrap() {
            Value::StringValue(value) => (attribute.key, value),
            other => panic!("{other:?} is no text"),
        };
        of(&settings, "1.2.3").attributes.into_iter().map(text).collect()
    }

    #[test]
    fn a_process_is_named_and_told_from_others() {
        let (one, other) = (texts(&[]), texts(&[]));
        let names: Vec<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["service.name", "service.version", "service.instance.id"]);
        assert_eq!((&one[0], &one[1].1), (&other[0], &"1.2.3".to_owned()));
        assert_ne!(one[2], other[2]);
        let form: String = one[2].1.chars().map(|sign| if sign == '-' { '-' } else { 'x' }).collect();
        assert_eq!(form, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    }

    #[test]
    fn what_is_set_is_said_in_place_of_what_is_known() {
        let texts = texts(&[("service.instance.id", "a"), ("service.version", "9"), ("team", "b")]);
        let expected =
            [("service.name", "shop"), ("service.instance.id", "a"), ("service.version", "9"), ("team", "b")];
        assert_eq!(texts, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
