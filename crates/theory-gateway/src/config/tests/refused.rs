//! What cannot be is refused, with its place and what to do.

use super::{load, load_with, refused};

#[test]
fn unknown_keys_are_refused_with_their_place_and_a_guess() {
    refused(
        "lisen = '127.0.0.1:1'",
        "theory.toml:2:1: `lisen` is unknown at the top: did you mean `listen`?",
    );
    refused(
        "[[route]]\npath = '/a'\n  revalidat = '60s'",
        "theory.toml:4:3: `route[0].revalidat` is unknown here: did you mean `revalidate`?",
    );
    refused("[tls]\ncert = 'a'\nkey = 'b'\n\ntrusted_proxies = []", "belongs to the top of the file");
    refused("[[route]]\npath = '/a'\nlimits = []", "did you mean `rate_limits`?");
    refused(
        "[[route]]\npath = '/a'\nrate_limits = [{limit = '1/s', whom = 'x'}]",
        "`route[0].rate_limits[0].whom`",
    );
    refused("[[route]]\npath = '/a'\nidempotency = {principal = 'x'}", "did you mean `by`?");
}

#[test]
fn everything_that_is_wrong_is_told_at_once_in_the_order_of_the_file() {
    let text = "listen = 'here'\nrevalidate = 60\norigin = 'ftp://x'\n[store]\nkind = 'embeded'\n[[route]]\npath = 'a'\n\
                [[route]]\npath = '/b'\nstale = 'long'\nquery = [1]";
    let error = load(text).expect_err("nothing is right").to_string();
    let lines: Vec<&str> = error.lines().collect();
    let expected = [
        "theory.toml:1:10: `listen` cannot be `here`",
        "theory.toml:2:14: `revalidate` cannot be `60`: write a text in quotes",
        "theory.toml:3:10: `origin.url` cannot be `ftp://x`: only http and https",
        "theory.toml:5:8: `store.kind` cannot be `embeded`: did you mean `embedded`?",
        "theory.toml:7:8: `route[0].path` cannot be `a`: a path begins with `/`; did you mean `/a`?",
        "theory.toml:10:9: `route[1].stale` cannot be `long`: write a number and its unit",
        "theory.toml:11:10: `route[1].query` cannot be ``1``",
    ];
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}\nwas expected to begin with\n{expected}");
    }
    assert_eq!(lines.len(), expected.len(), "{error}");
}

#[test]
fn without_an_application_there_is_nothing_to_do() {
    let error = load("").expect_err("no application");
    assert!(error.to_string().contains("--origin"), "{error}");
    let error = load("[[site]]\nhosts = 'a.example'").expect_err("no application");
    assert!(error.to_string().contains("theory.toml:1:1: `site[0].origin.url` is missing"), "{error}");
}

#[test]
fn an_origin_is_a_scheme_a_host_and_a_port() {
    let check = |url: &str, expected: &str| {
        let error = load_with("", &[], &[("--origin", url)]).expect_err(url).to_string();
        assert!(error.contains(expected) && error.lines().count() == 1, "{url}: {error}");
    };
    check("http://a/path", "leave the path out");
    check("http://a/?x", "leave the path out");
    check("http://a/#x", "leave the path out");
    check("http://user:hunter2@a", "has a user");
    check("ftp://a", "only http and https");
    check("127.0.0.1:3000", "did you mean `http://127.0.0.1:3000`?");
    check("http://", "write `http://` or `https://`");
    check("http://a:0", "write `http://` or `https://`");
    check("http://a:99999", "write `http://` or `https://`");
    check("http://a:", "write `http://` or `https://`");
    check("http://a b", "write `http://` or `https://`");
    check("http://127.0.0.1:8080", "it would ask itself");
    check("http://localhost:8080", "it would ask itself");
    let error = load_with("", &[], &[("--origin", "http://user:hunter2@a")]).expect_err("a user");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn two_sites_do_not_answer_for_one_host() {
    let sites = |first: &str, second: &str| {
        let text = format!("[[site]]\n{first}\norigin = 'http://a'\n[[site]]\n{second}\norigin = 'http://b'");
        load(&text).expect_err(&text).to_string()
    };
    let error = sites("hosts = 'a.example'", "name = 'b'\nhosts = ['x.example', 'A.example']");
    assert!(error.contains("has `a.example`, which the site `a.example` has already"), "{error}");
    let error = sites("name = 'a'", "name = 'b'\nhosts = '*'");
    assert!(error.contains("has `*`, which the site `a` has already"), "{error}");
    let error = sites("name = 'a'\nhosts = 'a'", "name = 'a'\nhosts = 'b'");
    assert!(error.contains("is `a`, like another site's"), "{error}");
    refused("[[site]]\nhosts = 'a'\norigin = 'http://a'", "move it into one of them");
    let error = load("site = []").expect_err("no site");
    assert!(error.to_string().contains("nobody would be served"), "{error}");
    let error = load("[[site]]\ntenant = 'a#b'\norigin = 'http://a'").expect_err("no tenant");
    assert!(error.to_string().contains("a tenant has 1 to 64"), "{error}");
}

#[test]
fn patterns_that_want_the_same_paths_are_refused() {
    refused(
        "[[route]]\npath = '/a/{b}'\n[[route]]\npath = '/a/{c}'",
        "theory.toml:5:8: `route[1].path` wants the same paths as `/a/{b}`",
    );
    refused("[[route]]\npath = '/a'\n[[route]]\npath = '/a'", "is there already");
    refused("[[route]]\nkind = 'page'", "theory.toml:2:1: `route[0].path` is missing");
    refused("[route]\npath = '/a'", "write `[[route]]`");
}

#[test]
fn keys_of_another_kind_are_refused() {
    refused(
        "[[route]]\npath = '/a'\nkind = 'pass'\nrevalidate = '1s'",
        "is for kind = \"page\", and this route is \"pass\"",
    );
    refused("[[route]]\npath = '/a'\nupgrade = true", "is for kind = \"pass\"");
    refused("[store]\nregion = 'x'", "is for kind = \"dynamodb\"");
    refused("[bodies]\nbucket = 'x'", "is for kind = \"s3\"");
}

#[test]
fn policies_that_cannot_be_kept_are_refused() {
    let route =
        |keys: &str, expected: &str| refused(&format!("[[route]]\npath = '/a/{{b}}'\n{keys}"), expected);
    route("retention = '1h'", "`route[0].retention` cannot be: pages are served for 86460 seconds");
    route("stale = '4000d'", "nothing takes longer than ten years");
    route("revalidate = '500ms'", "write whole seconds");
    route("render_max = '0s'", "nothing could ever succeed");
    route("mode = 'blokcing'", "did you mean `blocking`?");
    route("tags = ['x:{c}']", "has `{c}`, and the path names no such part");
    route("headers = ['cookie']", "`cookies` names single ones");
    route("headers = ['a b']", "write the name of a header");
    route("headers = ['x-a']\nbypass = ['x-a']", "has `x-a`, and it makes another page too");
    route("cookies = 'theme'\nbypass = ['cookie']", "has `cookie`, and it makes another page too");
    route("query = ['a', '*']", "alone for all parameters");
    route("versions = 'yes'", "write true or false");
}

#[test]
fn rate_limits_that_cannot_be_kept_are_refused() {
    let rules = |rules: &str, expected: &str| {
        refused(&format!("[[route]]\npath = '/a'\nrate_limits = [{rules}]"), expected);
    };
    rules(
        "{limit = '20 per second'}",
        "`route[0].rate_limits[0].limit` cannot be `20 per second`: write `20/s burst 60`",
    );
    rules("{limit = '1/s', by = 'ip'}", "it is `address`, `site`");
    rules("{limit = '1/s', methods = ['FETCH']}", "it is one of GET");
    rules("{}", "is missing");
    rules("{limit = []}", "it has no limit");
    rules("{limit = ['1/s', '2/s']}", "one rule and one period");
    rules("{limit = '1/s', name = 'a b'}", "its name is not");
    rules("{limit = '1/s'}, {limit = '2/min'}", "rules of one name count together");
    let two = "[[site]]\nname = 'a'\nhosts = 'a'\norigin = 'http://a'\n[[site.route]]\npath = '/a'\nrate_limits = [{name = 'x', \
               limit = '1/s'}]\n";
    let error = load(&format!("{two}{}", two.replace("'a'", "'b'"))).expect_err("one name").to_string();
    assert!(error.contains("is `x` in the site `a` too"), "{error}");
    refused("[[route]]\npath = '/a'\nidempotency = {by = 'site'}", "another's answer");
    refused("[[route]]\npath = '/a'\nidempotency = {methods = ['GET']}", "has GET");
    refused("[[route]]\npath = '/a'\nidempotency = 'yes'", "write a table");
}

#[test]
fn addresses_and_certificates_must_fit() {
    refused("listen = []", "is empty");
    refused("listen = ['127.0.0.1:1', '127.0.0.1:1']", "twice");
    refused("listen = 'https://127.0.0.1:1'", "there is no certificate");
    refused("listen = 'http://127.0.0.1:1'\n[tls]\ncert = 'a'\nkey = 'b'", "speaks no TLS anywhere");
    refused("[tls]\ncert = 'a'", "`tls.key` is missing");
    refused("[tls]\nkey = 'a'", "`tls.cert` is missing");
    refused("[tls]", "`tls.cert` is missing");
    refused("listen = 8080", "write a text, or a list of texts");
    refused("trusted_proxies = ['10.0.0.0/33']", "write an address or a network");
}

#[test]
fn operators_are_not_exposed_by_accident() {
    refused("[admin]\nlisten = '0.0.0.0:9090'", "a token is only generated for this one");
    refused("preview = 'short'", "a secret is 16 to 256");
    refused("[admin]\nlisten = '0.0.0.0:9090'\ntoken = 'short'", "a secret is 16 to 256");
    refused("[admin]\ntoken_file = 'missing'", "cannot be /srv/missing");
    refused("[admin]\nlisten = '127.0.0.1:8080'", "takes the port of `listen`");
    refused("listen = '0.0.0.0:9090'", "takes the port of `listen`");
    let error = load("origin = 'http://a'\n[admin]\ntoken = 'hunter2'").expect_err("too short");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn places_must_fit_together() {
    refused("[store]\nkind = 'dynamodb'", "rows in DynamoDB are shared by a fleet");
    refused("[bodies]\nkind = 'memory'", "would name bodies that are forgotten");
    refused("[bodies]\nkind = 's3'", "`bodies.bucket` is missing");
    refused("[bodies]\nkind = 's3'\nbucket = 'a'\nprefix = '../x'", "is no relative path");
    refused("[store]\nkind = 'dynamodb'\nendpoint = 'dynamo'\n[bodies]\nkind = 'dir'", "is no address");
    refused("[store]\ndurability = 'interval:0ms'", "it is one of sync");
    refused("[tables]\ncache = 'x'", "a table has 3 to 255");
    refused("[tables]\ncache = 'same'\nlimits = 'same'", "give each its own");
    refused("[limits]\nuri_max = '32KB'", "is larger than `head_max`");
    refused("[limits]\nhead_max = '1KB'", "write a size from `8KB`");
    refused("[limits]\nstreams_max = 0", "write a whole number from 1 to 1000");
    refused("store = 'memory'", "`store` cannot be `memory`: write a table");
}
