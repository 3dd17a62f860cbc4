//! Which changes a running gateway can take up.

use super::settings;
use crate::config::needs_restart;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(needs_restart(&settings(""), &settings(text)), expected, "{text}");
}

#[test]
fn routes_limits_sites_and_proxies_need_no_restart() {
    check("", &[]);
    check("[[route]]\npath = '/a'\nrate_limits = [{limit = '1/s'}]", &[]);
    check("revalidate = '5m'\ntrusted_proxies = ['10.0.0.0/8']", &[]);
}

#[test]
fn sockets_and_places_need_one() {
    check("listen = '127.0.0.1:1'", &["listen"]);
    check("[tls]\ncert = 'a'\nkey = 'b'", &["listen"]);
    check("admin = {listen = 'off'}", &["admin"]);
    check("[admin]\ntoken = 'a-token-of-some-length'", &["admin"]);
    check("preview = 'a-secret-of-some-length'", &["preview"]);
    check("[tables]\ncache = 'other'", &["tables"]);
    check("[memory]\npages = '1MB'", &["memory"]);
    check("[memory]\nknown = '1MB'", &["memory"]);
    check("[limits]\nbody_max = '1MB'", &["limits"]);
    check("[store]\nkind = 'memory'", &["store", "bodies"]);
    check("data = 'elsewhere'", &["admin", "store", "bodies"]);
}
