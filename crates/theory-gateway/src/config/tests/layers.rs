//! A flag is stronger than a variable, and that is stronger than the file; and every value says where it came from.

use super::{load, load_with};
use crate::config::{Effective, Source};
use crate::settings::{StorePlace, Token};

const ORIGIN: &str = "origin = 'http://127.0.0.1:3000'\n";

#[track_caller]
fn explained(effective: &Effective, table: &str, key: &str) -> (String, String) {
    let value =
        effective.explanation.value(table, key).unwrap_or_else(|| panic!("{table}.{key} is not explained"));
    (value.text(), value.source.to_string())
}

#[test]
fn a_flag_is_stronger_than_a_variable_and_that_than_the_file() {
    let text = "listen = '127.0.0.1:1'\n\norigin = 'http://127.0.0.1:3001'\n";
    let variables = [("THEORY_LISTEN", "127.0.0.1:2"), ("THEORY_ORIGIN", "http://127.0.0.1:3002")];
    let flags = [("--listen", "127.0.0.1:3"), ("--origin", "http://127.0.0.1:3003")];
    let check = |effective: Effective, number: u16, listen: &str, origin: &str| {
        assert_eq!(effective.settings.listen[0].address.port(), number);
        assert_eq!(effective.settings.sites[0].origin.uri.port_u16(), Some(3000 + number));
        assert_eq!(explained(&effective, "", "listen").1, listen);
        assert_eq!(explained(&effective, "origin", "url").1, origin);
    };
    check(load(text).expect("a file"), 1, "theory.toml:1", "theory.toml:3");
    check(load_with(text, &variables, &[]).expect("variables"), 2, "THEORY_LISTEN", "THEORY_ORIGIN");
    check(load_with(text, &variables, &flags).expect("flags"), 3, "--listen", "--origin");
    check(load_with("", &[], &flags).expect("flags alone"), 3, "--listen", "--origin");
}

#[test]
fn a_variable_can_hold_a_list() {
    let variables = [("THEORY_LISTEN", "127.0.0.1:1, 127.0.0.1:2"), ("THEORY_TRUSTED_PROXIES", "10.0.0.0/8")];
    let settings = load_with(ORIGIN, &variables, &[]).expect("lists").settings;
    assert_eq!((settings.listen.len(), settings.trusted_proxies.len()), (2, 1));
}

#[test]
fn an_origin_from_outside_keeps_what_the_file_says_about_it() {
    let text = "[origin]\nurl = 'http://127.0.0.1:3001'\nhead_timeout = '5s'";
    let settings = load_with(text, &[], &[("--origin", "http://127.0.0.1:3002")]).expect("both").settings;
    let origin = &settings.sites[0].origin;
    assert_eq!((origin.uri.port_u16(), origin.head_wait.as_secs()), (Some(3002), 5));
}

#[test]
fn an_origin_from_outside_is_that_of_the_only_site() {
    let site = |host: &str| format!("[[site]]\nhosts = '{host}'\norigin = 'http://127.0.0.1:3001'\n");
    let outside = [("THEORY_ORIGIN", "http://127.0.0.1:3002")];
    let settings = load_with(&site("a.example"), &outside, &[]).expect("one site").settings;
    assert_eq!(settings.sites[0].origin.uri.port_u16(), Some(3002));
    let error = load_with(&(site("a.example") + &site("b.example")), &outside, &[]).expect_err("two sites");
    assert!(error.to_string().contains("THEORY_ORIGIN: there are 2 sites"), "{error}");
}

#[test]
fn the_names_of_the_seeds_are_heard() {
    let variables = [
        ("APPTHEORY_CACHE_TABLE_NAME", "old-pages"),
        ("RATE_LIMIT_TABLE_NAME", "limits-1"),
        ("IDEMPOTENCY_TABLE_NAME", "requests-1"),
        ("AWS_REGION", "eu-north-1"),
    ];
    let text = format!("{ORIGIN}[store]\nkind = 'dynamodb'\n[bodies]\nkind = 'dir'");
    let settings = load_with(&text, &variables, &[]).expect("names").settings;
    let tables = &settings.tables;
    assert_eq!(
        (tables.cache.as_str(), tables.limits.as_str(), tables.requests.as_str()),
        ("old-pages", "limits-1", "requests-1")
    );
    assert!(
        matches!(&settings.store, StorePlace::DynamoDb { region: Some(region), .. } if region == "eu-north-1")
    );
    let both = [variables[0], ("FACETHEORY_CACHE_TABLE_NAME", "new-pages")];
    let effective = load_with(ORIGIN, &both, &[]).expect("the newer name is stronger");
    assert_eq!(
        explained(&effective, "tables", "cache"),
        ("new-pages".to_owned(), "FACETHEORY_CACHE_TABLE_NAME".to_owned())
    );
}

#[test]
fn variables_for_other_programs_do_no_harm() {
    let variables = [("AWS_REGION", "eu-north-1"), ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:8000")];
    let effective = load_with(ORIGIN, &variables, &[]).expect("an embedded store has no region");
    assert!(effective.explanation.value("store", "region").is_none());
}

#[test]
fn an_empty_variable_says_nothing() {
    let settings =
        load_with(ORIGIN, &[("THEORY_LISTEN", ""), ("THEORY_DATA", " ")], &[]).expect("nothing").settings;
    assert_eq!(settings.listen[0].address.port(), 8080);
}

#[test]
fn a_wrong_variable_is_named() {
    let error = load_with(ORIGIN, &[("THEORY_LISTEN", "8080")], &[]).expect_err("no address");
    assert!(
        error.to_string().starts_with("THEORY_LISTEN: `listen` cannot be `8080`: write an address"),
        "{error}"
    );
    let error = load_with("", &[], &[("--origin", "localhost:3000")]).expect_err("no scheme");
    assert!(
        error.to_string().contains("--origin: ") && error.to_string().contains("`http://localhost:3000`"),
        "{error}"
    );
}

#[test]
fn the_token_that_was_said_more_strongly_counts() {
    let text = format!("{ORIGIN}[admin]\ntoken_file = '/nowhere/at/all'");
    let variables = [("THEORY_ADMIN_TOKEN", "a-token-of-some-length")];
    let settings = load_with(&text, &variables, &[]).expect("the file is not asked").settings;
    let token = settings.admin.expect("operators reach it").token;
    assert!(matches!(token, Token::Chosen(secret) if secret.is("a-token-of-some-length")));
    let both = [variables[0], ("THEORY_ADMIN_TOKEN_FILE", "/nowhere/at/all")];
    let error = load_with(ORIGIN, &both, &[]).expect_err("which?");
    assert!(error.to_string().contains("both given"), "{error}");
}

#[test]
fn what_routes_leave_out_comes_from_the_top() {
    let text = format!("{ORIGIN}[[route]]\npath = '/a'\n[[route]]\npath = '/b'\nrevalidate = '2m'");
    let effective = load_with(&text, &[], &[("--revalidate", "5m")]).expect("a flag");
    assert_eq!(explained(&effective, "route[0]", "revalidate"), ("5m".to_owned(), "--revalidate".to_owned()));
    assert_eq!(
        explained(&effective, "route[1]", "revalidate"),
        ("2m".to_owned(), "theory.toml:6".to_owned())
    );
    assert_eq!(explained(&effective, "route[1]", "stale"), ("1d".to_owned(), "default".to_owned()));
}

#[test]
fn whatever_counts_is_explained_once_and_secrets_are_not_shown() {
    let text = format!(
        "{ORIGIN}[admin]\ntoken = 'a-token-of-some-length'\n[[route]]\npath = '/a'\nidempotency = true"
    );
    let effective = load(&text).expect("a file");
    let values = effective.explanation.values();
    for (position, value) in values.iter().enumerate() {
        let twice =
            values[..position].iter().any(|other| (&other.table, other.key) == (&value.table, value.key));
        assert!(!twice, "{}.{} is told twice", value.table, value.key);
        assert!(!value.text().contains("some-length"), "{value:?}");
    }
    let default = values.iter().filter(|value| value.source == Source::Default).count();
    assert!(default > 30 && default < values.len(), "{default} of {}", values.len());
    assert!(!format!("{effective:?}").contains("some-length"));
}

#[test]
#[cfg(feature = "otlp")]
fn a_collector_is_named_as_opentelemetry_has_it() {
    let otlp = |text: &str, variables: &[(&str, &str)]| {
        let text = format!("{ORIGIN}{text}");
        load_with(&text, variables, &[]).expect("settings").settings.otlp
    };
    let address = |text: &str, variables: &[(&str, &str)]| {
        otlp(text, variables).map(|otlp| otlp.metrics.to_string()).unwrap_or_default()
    };
    assert_eq!(address("", &[]), "");
    let file = "[telemetry]\notlp = 'http://127.0.0.1:4318/'";
    assert_eq!(address(file, &[]), "http://127.0.0.1:4318/v1/metrics");
    let (base, whole) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
    assert_eq!(address(file, &[(base, "https://c.example/x")]), "https://c.example/x/v1/metrics");
    assert_eq!(address(file, &[(base, "https://c.example"), (whole, "http://d:1/y")]), "http://d:1/y");
    assert_eq!(address("", &[(base, "https://c.example"), ("THEORY_OTLP", "off")]), "");

    let name = ("OTEL_RESOURCE_ATTRIBUTES", "service.name=a, team=web%2Cshop");
    let named = otlp(file, &[name]).expect("a collector");
    assert_eq!(
        (named.service.as_str(), named.attributes),
        ("a", vec![("team".to_owned(), "web,shop".to_owned())])
    );
    assert_eq!(otlp(file, &[name, ("OTEL_SERVICE_NAME", "b")]).expect("a collector").service, "b");
    assert_eq!(otlp("", &[("OTEL_RESOURCE_ATTRIBUTES", "nonsense")]), None, "nobody is told it");
    let key = ("OTEL_EXPORTER_OTLP_HEADERS", "X-Api-Key=a%3Db, other=c");
    let headers = otlp(file, &[key]).expect("a collector").headers;
    assert!(headers[0].0 == "x-api-key" && headers[0].1 == "a=b" && headers[1].1 == "c", "{headers:?}");
    assert!(!format!("{headers:?}").contains("a=b"));
    let shown = load_with(&format!("{ORIGIN}{file}"), &[key], &[]).expect("a key");
    assert_eq!(explained(&shown, "telemetry", "headers").0, "(not shown)");
    let wrong = load_with(&format!("{ORIGIN}{file}"), &[(key.0, "s3cr3t\u{7}=s3cr3t")], &[]);
    let error = wrong.expect_err("it is no header").to_string();
    assert!(error.contains("telemetry.headers") && !error.contains("s3cr3t"), "{error}");
    for wrong in ["ftp://c.example", "http://me:secret@c.example", "c.example:4318", "http://c.example/?a=b"]
    {
        let error = load_with(ORIGIN, &[("THEORY_OTLP", wrong)], &[]).expect_err(wrong).to_string();
        assert!(error.contains("telemetry.otlp"), "{error}");
    }
    let error = load_with(&format!("{ORIGIN}{file}"), &[("OTEL_RESOURCE_ATTRIBUTES", "nonsense")], &[]);
    assert!(error.expect_err("it is no attribute").to_string().contains("name=value"));
}

#[test]
#[cfg(not(feature = "otlp"))]
fn a_collector_that_nobody_could_tell_is_refused() {
    let wrong = load_with(ORIGIN, &[("THEORY_OTLP", "http://127.0.0.1:4318")], &[]);
    assert!(wrong.expect_err("there is no such feature").to_string().contains("feature `otlp`"));
}
