//! What files become.

use std::path::{Path, PathBuf};
use std::time::Duration;

use facetheory::Mode;
use http::{HeaderName, Method, header};
use limited::Limit;
use tabletheory_core::Seconds;
use tabletheory_engine::Durability;

use super::{load, load_with, settings};
use crate::settings::{
    BodyPlace, Chosen, EdgeLimits, Host, MemoryBounds, PageRoute, Route, RouteKind, StorePlace, Tables,
    Token, WhoIsLimited,
};

#[track_caller]
fn page(route: &Route) -> &PageRoute {
    match &route.kind {
        RouteKind::Page(page) => page,
        other => panic!("{other:?}"),
    }
}

fn patterns(routes: &[Route]) -> Vec<&str> {
    routes.iter().map(|route| route.pattern.as_str()).collect()
}

#[test]
fn memory_is_shared_out_as_the_file_says() {
    let settings = settings("[memory]\nrows = '40MB'\nknown = '3MB'\npages = '2MB'\nhttp_cache = '1MB'");
    let memory = MemoryBounds { rows: 40 << 20, known: 3 << 20, pages: 2 << 20, http_cache: 1 << 20 };
    assert_eq!(settings.memory, memory);
}

#[test]
fn an_origin_is_enough() {
    let effective = load_with("", &[], &[("--origin", "http://127.0.0.1:3000")]).expect("it is enough");
    let settings = effective.settings;
    assert_eq!(settings.listen[0].address.to_string(), "127.0.0.1:8080");
    assert!(settings.listen[0].certificate.is_none());
    assert_eq!(settings.edge, EdgeLimits::default());
    assert_eq!(settings.tables, Tables::default());
    let memory = MemoryBounds { rows: 160 << 20, known: 96 << 20, pages: 64 << 20, http_cache: 64 << 20 };
    assert_eq!((settings.memory, settings.sweep_every.as_secs()), (memory, 3600));
    let admin = settings.admin.expect("operators reach it");
    assert_eq!(admin.listen.to_string(), "127.0.0.1:9090");
    assert_eq!(admin.token, Token::Generated { file: PathBuf::from("theory-data/admin-token") });
    let folder = PathBuf::from("theory-data/store");
    assert_eq!(settings.store, StorePlace::Embedded { folder, durability: Durability::Sync });
    assert_eq!(settings.bodies, BodyPlace::Folder(PathBuf::from("theory-data/bodies")));
    let [site] = settings.sites.as_slice() else { panic!("one site") };
    assert_eq!((site.name.as_str(), site.hosts.as_slice()), ("default", [Host::Any].as_slice()));
    assert_eq!(site.origin.uri.to_string(), "http://127.0.0.1:3000/");
    assert_eq!(patterns(&site.routes), ["/{*path}"]);
    for route in &site.routes {
        let page = page(route);
        assert_eq!(page.policy.revalidate, Seconds(60));
        assert_eq!(page.bypass[..2], [header::AUTHORIZATION, header::COOKIE]);
        // What Next's App Router says in `Vary`, whichever of its versions answers.
        let next =
            "rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch, next-url";
        assert!(page.bypass[2..].iter().map(HeaderName::as_str).eq(next.split(", ")), "{:?}", page.bypass);
        assert!(page.follow_origin && route.limits.is_empty() && route.idempotency.is_none());
    }
}

#[test]
fn a_written_page_says_what_it_wants() {
    let settings = settings(
        "[[route]]\npath = '/blog/{slug}'\nrevalidate = '5m'\nstale = '2h'\nstale_if_error = '2d'\nnegative = '0s'\n\
         mode = 'blocking'\nwait = '500ms'\nrender_max = '10s'\nversions = true\nquery = ['page']\n\
         headers = ['Accept-Language']\ncookies = 'theme'\ntags = ['post:{slug}']\ntag_header = 'x-tags'",
    );
    let routes = &settings.sites[0].routes;
    assert_eq!(patterns(routes), ["/blog/{slug}", "/{*path}"], "what has no route is passed on");
    assert!(matches!(&routes[1].kind, RouteKind::Pass(pass) if pass.upgrade));
    let page = page(&routes[0]);
    let policy = &page.policy;
    assert_eq!(
        (policy.revalidate, policy.stale_max, policy.stale_if_error),
        (Seconds(300), Seconds(7200), Seconds(172_800))
    );
    assert_eq!((policy.negative, policy.mode, policy.versions), (Seconds(0), Mode::Blocking, true));
    assert_eq!((policy.wait, policy.render_max), (Duration::from_millis(500), Duration::from_secs(10)));
    assert_eq!(page.key.query, Chosen::These(vec!["page".to_owned()]));
    assert_eq!(page.key.headers, [header::ACCEPT_LANGUAGE]);
    assert_eq!(page.key.cookies, ["theme"]);
    assert_eq!(page.bypass, [header::AUTHORIZATION]);
    assert_eq!(page.tags, ["post:{slug}"]);
    assert_eq!(page.tag_header, Some(HeaderName::from_static("x-tags")));
    assert!(!page.follow_origin, "what is written counts");
}

#[test]
fn parameters_of_trackers_are_left_out_unless_all_are_wanted() {
    let settings = settings(
        "[[route]]\npath = '/a'\n[[route]]\npath = '/b'\nquery = '*'\n[[route]]\npath = '/c'\nquery = []",
    );
    let [a, b, c, ..] = settings.sites[0].routes.as_slice() else { panic!("three routes") };
    let Chosen::AllBut(left_out) = &page(a).key.query else { panic!("all but some") };
    assert!(["utm_source", "fbclid", "gclid"].iter().all(|name| left_out.iter().any(|left| left == name)));
    assert_eq!(page(b).key.query, Chosen::AllBut(Vec::new()));
    assert_eq!(page(c).key.query, Chosen::These(Vec::new()));
    assert!(page(a).follow_origin, "nothing is said about its time");
}

#[test]
fn a_page_that_may_be_served_for_long_is_kept_for_longer() {
    let settings = settings("[[route]]\npath = '/a'\nrevalidate = '365d'");
    let policy = &page(&settings.sites[0].routes[0]).policy;
    assert!(policy.retention > Seconds(366 * 86_400) && policy.check().is_ok(), "{policy:?}");
}

#[test]
fn other_kinds_have_their_own_keys() {
    let settings = settings(
        "[[route]]\npath = '/static/{*rest}'\nkind = 'http-cache'\nvariants_max = 4\nkept_max = '1MB'\nclient_no_cache = 'obey'\n\
         [[route]]\npath = '/{*rest}'\nkind = 'pass'\nupgrade = false",
    );
    let routes = &settings.sites[0].routes;
    assert_eq!(patterns(routes), ["/static/{*rest}", "/{*rest}"]);
    let RouteKind::HttpCache(cache) = &routes[0].kind else { panic!("{:?}", routes[0]) };
    assert_eq!((cache.variants_max, cache.body_bytes_max, cache.obeys_clients), (4, 1 << 20, true));
    assert!(matches!(&routes[1].kind, RouteKind::Pass(pass) if !pass.upgrade));
}

#[test]
fn rate_limits_and_idempotency_stand_before_any_route() {
    let settings = settings(
        "[[route]]\npath = '/api/{*rest}'\nkind = 'pass'\nidempotency = {required = true, by = 'header:authorization', \
         methods = ['post']}\nrate_limits = [{limit = '20/s burst 60'}, {name = 'keys', limit = ['100/min sliding', \
         '5000/day quota'], by = 'header:X-Api-Key', methods = ['GET', 'post'], shadow = true}]\n\
         [[route]]\npath = '/b'\nidempotency = true\n[[route]]\npath = '/c'\nidempotency = false",
    );
    let [api, b, c, ..] = settings.sites[0].routes.as_slice() else { panic!("three routes") };
    let [first, second] = api.limits.as_slice() else { panic!("two rules") };
    assert_eq!((first.policy.name(), &first.who), ("default.api-rest", &WhoIsLimited::Address));
    assert_eq!(first.policy.limits(), [Limit::per_second(20).burst(60)]);
    assert_eq!((second.policy.name(), second.policy.limits().len()), ("keys", 2));
    assert!(second.policy.is_shadow() && !first.policy.is_shadow());
    assert_eq!(second.who, WhoIsLimited::Header(HeaderName::from_static("x-api-key")));
    assert_eq!(second.methods, [Method::GET, Method::POST]);
    let rule = api.idempotency.as_ref().expect("it is idempotent");
    assert_eq!((rule.required, &rule.principal), (true, &Some(header::AUTHORIZATION)));
    assert_eq!(rule.methods, [Method::POST]);
    let short = b.idempotency.as_ref().expect("it is idempotent");
    assert_eq!((short.required, &short.principal), (false, &None));
    assert_eq!(short.methods, [Method::POST, Method::PATCH]);
    assert!(c.idempotency.is_none());
}

#[test]
fn sites_have_hosts_tenants_and_origins() {
    let text = "[[site]]\nname = 'shop'\nhosts = ['Shop.example', '*.shop.example']\ntenant = 'acme'\n\
                origin = 'https://10.0.0.5'\n\
                [[site]]\nhosts = 'blog.example'\n[site.origin]\nurl = 'http://blog.internal:4000/'\nhost = 'blog'\n\
                head_timeout = '5s'\nhealth_path = '/up'\nrequests_max = 8\nkept_max = '1MB'\nallow_private = false";
    let settings = load(text).expect("two sites").settings;
    let [shop, blog] = settings.sites.as_slice() else { panic!("two sites") };
    let hosts = [Host::Exact("shop.example".to_owned()), Host::Below(".shop.example".to_owned())];
    assert_eq!((shop.name.as_str(), shop.hosts.as_slice()), ("shop", hosts.as_slice()));
    assert_eq!(shop.tenant.as_ref().map(|tenant| tenant.as_str()), Some("acme"));
    assert_eq!(shop.origin.uri.to_string(), "https://10.0.0.5/");
    assert_eq!((blog.name.as_str(), &blog.tenant), ("blog.example", &None));
    let origin = &blog.origin;
    assert_eq!((origin.host.as_deref(), origin.health_path.as_deref()), (Some("blog"), Some("/up")));
    assert_eq!((origin.head_wait, origin.requests_max), (Duration::from_secs(5), 8));
    assert!(origin.kept_bytes_max == 1 << 20 && !origin.allow_private);
}

#[test]
fn addresses_speak_tls_unless_they_say_otherwise() {
    let text = "listen = ['0.0.0.0:443', 'http://0.0.0.0:80', 'https://[::1]:8443', 'localhost:0']\n\
                [tls]\ncert = 'cert.pem'\nkey = '/etc/key.pem'";
    let listen = settings(text).listen;
    let certificates: Vec<bool> = listen.iter().map(|listen| listen.certificate.is_some()).collect();
    assert_eq!(certificates, [true, false, true, true]);
    let certificate = listen[0].certificate.as_ref().expect("it has one");
    assert_eq!(certificate.chain, Path::new("/srv/cert.pem"), "paths begin at the file's folder");
    assert_eq!(certificate.key, Path::new("/etc/key.pem"));
}

#[test]
fn places_can_be_elsewhere() {
    let text = "data = 'kept'\n[store]\nkind = 'dynamodb'\nendpoint = 'http://127.0.0.1:8000'\nregion = 'eu-west-1'\n\
                [bodies]\nkind = 's3'\nbucket = 'pages'\nprefix = 'isr/x'\n[tables]\ncache = 'my-cache'\ncreate = false";
    let settings = settings(text);
    let endpoint = Some("http://127.0.0.1:8000".to_owned());
    assert_eq!(settings.store, StorePlace::DynamoDb { endpoint, region: Some("eu-west-1".to_owned()) });
    let (bucket, prefix) = ("pages".to_owned(), "isr/x".to_owned());
    assert_eq!(settings.bodies, BodyPlace::S3 { bucket, prefix, endpoint: None, region: None });
    assert_eq!((settings.tables.cache.as_str(), settings.tables.create), ("my-cache", false));
    let Token::Generated { file } = settings.admin.expect("operators reach it").token else {
        panic!("generated")
    };
    assert_eq!(file, Path::new("/srv/kept/admin-token"));
    let text = "[store]\ndurability = 'interval:250ms'\ndir = 'rows'";
    let folder = PathBuf::from("/srv/rows");
    assert_eq!(
        super::settings(text).store,
        StorePlace::Embedded { folder, durability: Durability::Interval(250) }
    );
    let memory = super::settings("[store]\nkind = 'memory'");
    assert_eq!((memory.store, memory.bodies), (StorePlace::Memory, BodyPlace::Memory));
}

#[test]
fn operators_can_be_kept_out_and_need_a_chosen_token_from_elsewhere() {
    assert!(settings("admin = {listen = 'off'}").admin.is_none());
    let admin = settings("[admin]\nlisten = '0.0.0.0:9090'\ntoken = 'a-token-of-some-length'").admin;
    let Some(Token::Chosen(secret)) = admin.map(|admin| admin.token) else { panic!("chosen") };
    assert!(secret.is("a-token-of-some-length"));
}

#[test]
fn proxies_are_addresses_or_networks() {
    let proxies = settings("trusted_proxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']").trusted_proxies;
    let texts: Vec<String> = proxies.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::/32"]);
}
