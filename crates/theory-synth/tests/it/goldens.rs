//! Every template as text, reviewed as a difference: `cargo insta review`, or INSTA_UPDATE=always and `git diff`.

use crate::scenes;

/// A template that changed is a failed test, and nothing is written unless somebody asks for it.
fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("goldens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn templates_are_those_that_were_reviewed() {
    settings().bind(|| {
        for (name, template) in scenes::all() {
            insta::assert_snapshot!(format!("{name}.yaml"), template.to_yaml().unwrap());
        }
        // JSON is the same tree written another way, which another test holds; one is enough to look at.
        let (name, template) = scenes::all().swap_remove(0);
        insta::assert_snapshot!(format!("{name}.json"), template.to_json().unwrap());
    });
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (first, second) = (scenes::all(), scenes::all());
    for ((name, first), (_, second)) in first.iter().zip(&second) {
        assert_eq!(first.to_yaml(), second.to_yaml(), "{name}");
        assert_eq!(first.to_json(), second.to_json(), "{name}");
    }
}

#[test]
fn json_and_yaml_say_the_same() {
    for (name, template) in scenes::all() {
        let node = template.to_node().unwrap();
        assert_eq!(theory_synth::read(&template.to_yaml().unwrap()).as_ref(), Ok(&node), "{name}");
        assert_eq!(theory_synth::read(&template.to_json().unwrap()).as_ref(), Ok(&node), "{name}");
    }
}

/// Outputs for everything: whoever deploys a template finds what it made without reading it.
#[test]
fn everything_that_is_made_is_told() {
    let kinds = [
        "AWS::DynamoDB::Table",
        "AWS::S3::Bucket",
        "AWS::Lambda::Function",
        "AWS::SQS::Queue",
        "AWS::IAM::Role",
        "AWS::CloudWatch::Alarm",
        "AWS::Logs::LogGroup",
        "AWS::KMS::Key",
        "AWS::Lambda::Url",
        "AWS::Lambda::EventSourceMapping",
    ];
    for (name, template) in scenes::all() {
        let node = template.to_node().unwrap();
        let outputs = theory_synth::json(node.get("Outputs").unwrap());
        for kind in kinds {
            for id in template.of_kind(kind) {
                assert!(outputs.contains(&format!("\"{id}\"")), "{name}: nothing tells of {id}");
            }
        }
    }
}

#[test]
fn alarms_are_on_figures_that_somebody_tells() {
    use theory_synth::stack::{IsrSite, RateLimitedFunction, RegenerationQueue};
    let limits = |has_overrides| {
        let stack = RateLimitedFunction { has_overrides, ..RateLimitedFunction::default() };
        stack.template().unwrap().to_yaml().unwrap()
    };
    assert!(!limits(false).contains("TransactionConflict"), "nobody sends a transaction");
    assert!(!limits(false).contains("ReadThrottleEvents"), "nobody reads");
    assert!(limits(true).contains("ReadThrottleEvents"), "overrides are read");
    let site = IsrSite { queue: Some(RegenerationQueue::default()), ..IsrSite::default() };
    let site = site.template().unwrap().to_yaml().unwrap();
    assert!(site.contains("RegeneratorRegenerationFailures:") && site.contains("FunctionStaleAfterError:"));
    assert!(!site.contains("RegeneratorStaleAfterError"), "it answers nobody");
}

#[test]
fn a_bounded_function_is_not_given_more_of_its_queue_than_it_may_do() {
    use theory_synth::FunctionSettings;
    use theory_synth::stack::{IsrSite, RegenerationQueue};
    for (bound, expected) in [(1, 2), (7, 7)] {
        let consumer = FunctionSettings { concurrency_max: Some(bound), ..FunctionSettings::default() };
        let queue = Some(RegenerationQueue { consumer, ..RegenerationQueue::default() });
        let yaml = IsrSite { queue, ..IsrSite::default() }.template().unwrap().to_yaml().unwrap();
        assert!(yaml.contains(&format!("MaximumConcurrency: {expected}")), "{yaml}");
        assert!(yaml.contains(&format!("ReservedConcurrentExecutions: {expected}")), "{yaml}");
    }
}

#[test]
fn an_archive_is_tried_until_the_stream_forgets() {
    use theory_synth::stack::{StreamSource, TtlArchive};
    let existing = StreamSource::Existing { ttl_attribute: "ttl".to_owned(), key: None };
    let yaml = TtlArchive::new(existing).template().unwrap().to_yaml().unwrap();
    assert!(yaml.contains("MaximumRetryAttempts: -1") && yaml.contains("MaximumRecordAgeInSeconds: 82800"));
}
