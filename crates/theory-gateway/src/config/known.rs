//! Every key there is: where it stands, what it is without being said, what it means, and which variable and flag say it too.
//! The reader refuses others, and the documentation and the example are held against this list.

use super::scope::Scope;

/// A key of the file.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// The table it stands in.
    pub scope: Scope,
    /// Its name.
    pub name: &'static str,
    /// What it is if nothing is said, as it is shown; empty if that is nothing.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Environment variables that say it too, the strongest first.
    pub variables: &'static [&'static str],
    /// The flag of `theory serve` that says it too.
    pub flag: Option<&'static str>,
}

impl Known {
    /// The key of this name in a table.
    #[must_use]
    pub fn find(scope: Scope, name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|known| known.scope == scope && known.name == name)
    }

    const fn env(mut self, variables: &'static [&'static str]) -> Self {
        self.variables = variables;
        self
    }

    const fn flag(mut self, flag: &'static str) -> Self {
        self.flag = Some(flag);
        self
    }
}

const fn key(scope: Scope, name: &'static str, default: &'static str, meaning: &'static str) -> Known {
    Known { scope, name, default, meaning, variables: &[], flag: None }
}

use Scope::{
    Admin, Bodies, Idempotency, Limits, Memory, Origin, RateLimit, Route, Site, Store, Tables, Telemetry,
    Tls, Top,
};

/// Every key, table by table.
#[rustfmt::skip]
pub const KEYS: &[Known] = &[
    key(Top, "listen", "127.0.0.1:8080", "The addresses it listens on, one or several; `0.0.0.0` is reached from other machines. With `[tls]` they speak TLS, unless `http://` stands before one.").env(&["THEORY_LISTEN"]).flag("--listen"),
    key(Top, "origin", "", "The application: its URL, or a table `[origin]`. Instead of `[[site]]`, for one application behind every host."),
    key(Top, "data", "theory-data", "The folder of everything that is kept on this machine.").env(&["THEORY_DATA"]).flag("--data"),
    key(Top, "revalidate", "60s", "How long pages are fresh whose route does not say it.").env(&["THEORY_REVALIDATE"]).flag("--revalidate"),
    key(Top, "trusted_proxies", "", "Addresses and networks of proxies in front, whose word about the client's address is believed.").env(&["THEORY_TRUSTED_PROXIES"]).flag("--trusted-proxy"),
    key(Top, "caller_secret", "the same for all", "What API keys and other secrets of callers are hashed with before they name limits and requests: 16 to 256 letters, digits and signs, the same in a whole fleet.").env(&["THEORY_CALLER_SECRET"]),
    key(Top, "preview", "", "What operators show, in the header or cookie `x-theory-preview`, to see a page past the cache: 16 to 256 letters, digits and signs. Without it nobody does.").env(&["THEORY_PREVIEW"]),
    key(Top, "tls", "", "The certificate: a table."),
    key(Top, "admin", "", "Where operators reach it: a table."),
    key(Top, "store", "", "Where rows are: a table."),
    key(Top, "tables", "", "What the tables are called: a table."),
    key(Top, "bodies", "", "Where the bodies of pages are: a table."),
    key(Top, "memory", "", "What is kept in memory beside that: a table."),
    key(Top, "limits", "", "What is borne from clients: a table. How often they may ask is said by the `rate_limits` of a route."),
    key(Top, "telemetry", "", "Who is told figures besides those who ask for them: a table."),
    key(Top, "site", "", "The applications: one table `[[site]]` for each."),
    key(Top, "route", "", "What is done with paths, instead of `[[site.route]]` for one application: one table `[[route]]` for each pattern."),

    key(Tls, "cert", "", "The chain of certificates, PEM. The file is read again when it changes.").env(&["THEORY_TLS_CERT"]).flag("--tls-cert"),
    key(Tls, "key", "", "The private key, PEM.").env(&["THEORY_TLS_KEY"]).flag("--tls-key"),

    key(Admin, "listen", "127.0.0.1:9090", "The address of dashboard, API and metrics, or `off`. One that other machines reach needs a token that was chosen.").env(&["THEORY_ADMIN_LISTEN"]).flag("--admin-listen"),
    key(Admin, "token", "generated at start", "What operators must show: 16 to 256 letters, digits and signs. Without one it is generated into `admin-token` in the folder `data`.").env(&["THEORY_ADMIN_TOKEN"]),
    key(Admin, "token_file", "", "A file with the token, in place of `token`.").env(&["THEORY_ADMIN_TOKEN_FILE"]).flag("--admin-token-file"),

    key(Store, "kind", "embedded", "`embedded` (a folder of this machine), `memory` (forgotten at the end) or `dynamodb` (shared by a fleet).").env(&["THEORY_STORE"]).flag("--store"),
    key(Store, "dir", "store", "The folder of an embedded store; in `data`, if nothing is said."),
    key(Store, "durability", "sync", "What an answered write of an embedded store survives: `sync` kill -9 and power loss, `interval` or `interval:250ms` kill -9, `memory` neither.").env(&["THEORY_DURABILITY"]).flag("--durability"),
    key(Store, "endpoint", "", "The endpoint of DynamoDB; AWS's own, if nothing is said.").env(&["THEORY_DYNAMODB_ENDPOINT", "AWS_ENDPOINT_URL_DYNAMODB"]).flag("--dynamodb-endpoint"),
    key(Store, "region", "", "The region of DynamoDB; what AWS's own settings say, if nothing is said.").env(&["AWS_REGION", "AWS_DEFAULT_REGION"]),

    key(Tables, "cache", "facetheory-cache", "The table of pages.").env(&["FACETHEORY_CACHE_TABLE_NAME", "APPTHEORY_CACHE_TABLE_NAME"]),
    key(Tables, "limits", "rate-limits", "The table of rate limits.").env(&["RATE_LIMIT_TABLE_NAME"]),
    key(Tables, "requests", "idempotency", "The table of idempotent requests.").env(&["IDEMPOTENCY_TABLE_NAME"]),
    key(Tables, "create", "true", "Whether tables are made that are not there."),

    key(Bodies, "kind", "dir", "`dir` (a folder), `memory` (forgotten at the end; so with a store in memory) or `s3`. With a store in DynamoDB it must be said.").env(&["THEORY_BODIES"]).flag("--bodies"),
    key(Bodies, "dir", "bodies", "The folder of bodies; in `data`, if nothing is said.").env(&["THEORY_BODIES_DIR"]),
    key(Bodies, "bucket", "", "The bucket of S3.").env(&["THEORY_BUCKET"]).flag("--bucket"),
    key(Bodies, "prefix", "", "What keys in the bucket begin with: a relative path."),
    key(Bodies, "endpoint", "", "The endpoint of S3; AWS's own, if nothing is said.").env(&["THEORY_S3_ENDPOINT", "AWS_ENDPOINT_URL_S3"]),
    key(Bodies, "region", "", "The region of the bucket; `us-east-1`, if nothing is said.").env(&["AWS_REGION", "AWS_DEFAULT_REGION"]),
    key(Bodies, "sweep_every", "1h", "How often bodies that nothing names any more, and that are older than an hour, are removed."),

    key(Memory, "rows", "160MB", "How much memory the rows of an embedded store may take: those that are read often, and those that are not in their files yet."),
    key(Memory, "known", "96MB", "How much memory what is known of pages may take, without their bodies: some 800 bytes each. The rows of others are read at each visit."),
    key(Memory, "pages", "64MB", "How much memory the bodies of pages may take, beside where they are kept."),
    key(Memory, "http_cache", "64MB", "How much memory routes of the kind `http-cache` may take."),

    key(Limits, "head_max", "16KB", "The largest request line with its headers."),
    key(Limits, "headers_max", "100", "How many header lines."),
    key(Limits, "uri_max", "8KB", "The longest path with its query, as it comes and as the application is asked."),
    key(Limits, "body_max", "16MB", "The largest body."),
    key(Limits, "head_timeout", "15s", "How long a head may take, and an idle connection stay open."),
    key(Limits, "body_timeout", "15s", "How long a body may pause."),
    key(Limits, "body_rate_min", "240B", "How many bytes a second a body must bring on average, once it has taken ten seconds."),
    key(Limits, "write_timeout", "30s", "How long a client may take nothing of an answer."),
    key(Limits, "connections_max", "10000", "How many connections there may be; further ones wait."),
    key(Limits, "connections_per_address_max", "1000", "How many of them from one address."),
    key(Limits, "streams_max", "100", "How many requests at once on one connection of HTTP/2."),
    key(Limits, "drain_timeout", "30s", "How long running requests get after the stop."),

    key(Telemetry, "otlp", "off", "A collector of OpenTelemetry that is told the figures of `/metrics`, by OTLP over HTTP: `http://` or `https://`, host and port; `/v1/metrics` is added. Or `off`.").env(&["THEORY_OTLP", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]).flag("--otlp"),
    key(Telemetry, "every", "60s", "How often it is told; once more at the stop.").env(&["THEORY_OTLP_EVERY"]),
    key(Telemetry, "headers", "", "What the collector wants to be shown, such as a key: `name=value`, one or several. Values are never shown. The variables keep them out of files.").env(&["OTEL_EXPORTER_OTLP_METRICS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"]),
    key(Telemetry, "service", "theory", "What the gateway is called there: `service.name`.").env(&["OTEL_SERVICE_NAME"]),
    key(Telemetry, "attributes", "", "What else is said about this process there: `name=value`, one or several.").env(&["OTEL_RESOURCE_ATTRIBUTES"]),

    key(Site, "name", "", "Its name, for people and for keys; its first host, if nothing is said."),
    key(Site, "hosts", "*", "The hosts it answers for: `example.com`, `*.example.com` (those below it) or `*` (all that no other site has)."),
    key(Site, "tenant", "", "Whose it is: 1 to 64 letters, digits, `-` and `_`. Sites of different tenants share nothing."),
    key(Site, "origin", "", "Its application: the URL, or a table `[site.origin]`."),
    key(Site, "route", "", "What is done with its paths: one table `[[site.route]]` for each pattern."),

    key(Origin, "url", "", "The application's address: `http://` or `https://`, host and port. Nothing a client sends chooses another.").env(&["THEORY_ORIGIN"]).flag("--origin"),
    key(Origin, "host", "", "What it is told as `Host`. If nothing is said: the host that was asked for; for pages of a site with `hosts = \"*\"`, which are one for all hosts, the host of `url`."),
    key(
        Origin,
        "scheme",
        "http",
        "How it is told that visitors come when a page is rendered, for all of them: `http` or `https`; `https` if a listener has a certificate.",
    ),
    key(Origin, "connect_timeout", "3s", "How long a connection may take to be made."),
    key(Origin, "head_timeout", "30s", "How long the head of an answer may take."),
    key(Origin, "body_timeout", "30s", "How long an answer may pause. Streams of events have no such bound."),
    key(Origin, "kept_max", "16MB", "The largest answer that is kept."),
    key(Origin, "requests_max", "256", "How many requests it gets at once from this process; further ones wait."),
    key(Origin, "failures_max", "5", "After so many failures in a row it is left alone."),
    key(Origin, "pause", "2s", "For how long it is left alone."),
    key(Origin, "health_path", "", "A path that is asked to learn whether it is well."),
    key(Origin, "health_every", "5s", "How often it is asked."),
    key(Origin, "allow_private", "true", "Whether a name may lead to loopback and private addresses; to link-local ones and a cloud's own services it never may. An address that is written down is what was meant."),

    key(Route, "path", "", "The pattern: `/blog/{slug}` takes one part of a path, `/static/{*rest}` all that follows, also nothing. The most specific one counts."),
    key(Route, "kind", "page", "`page` (kept, and regenerated once for the whole fleet), `http-cache` (kept as the answer's own headers say) or `pass` (everything goes to the application)."),
    key(Route, "revalidate", "60s", "page: how long it is fresh. Without it, `revalidate` at the top counts."),
    key(Route, "stale", "1d", "page: how long after that it may be served while it is regenerated."),
    key(Route, "stale_if_error", "1d", "page: how long after that it may be served when it cannot be regenerated."),
    key(Route, "negative", "10s", "page: how long `404` and `410` are kept; `0s` keeps none."),
    key(Route, "retention", "30d", "page: how long one is kept that nobody asks for; longer, if it may be served longer."),
    key(Route, "mode", "background", "page: `background` serves a stale one and regenerates beside it, `blocking` lets visitors wait for the new one."),
    key(Route, "wait", "10s", "page: how long a visitor waits for the render of another process."),
    key(Route, "render_max", "60s", "page: how long a render may take, and then what stores it."),
    key(Route, "versions", "false", "page: whether each publish leaves a version for the way back."),
    key(Route, "query", "all but those of trackers", "page: which parameters make another page: a list, or `*` for all. Others do not reach the application."),
    key(Route, "headers", "", "page: which request headers make another page. Others do not reach the application."),
    key(Route, "cookies", "", "page: which cookies make another page. Others do not reach the application."),
    key(Route, "bypass", "authorization", "page: requests with one of these headers go to the application, and nothing of them is kept. Where no route is written: `authorization`, `cookie`, and the headers of Next's App Router (`rsc`, `next-router-…`, `next-url`)."),
    key(Route, "tags", "", "page: what its pages can be purged by; `{slug}` stands for that part of the path."),
    key(Route, "tag_header", "", "page: the header in which the application says what else a page can be purged by."),
    key(Route, "follow_origin", "true", "page: whether `s-maxage` of the application replaces `revalidate`; `false` where the route says `revalidate`."),
    key(Route, "variants_max", "16", "http-cache: how many variants of one address are kept."),
    key(Route, "kept_max", "16MB", "http-cache: the largest answer that is kept."),
    key(Route, "client_no_cache", "ignore", "http-cache: whether a client's `no-cache`, `no-store`, `max-age` and `min-fresh` are heard. `ignore` sends what is kept for as long as it is fresh, as CDNs do; `obey` lets every client have the application asked."),
    key(Route, "upgrade", "true", "pass: whether a connection may become a WebSocket."),
    key(Route, "rate_limits", "", "Who may ask how often: a list of tables. All must agree."),
    key(Route, "idempotency", "", "Whether requests with an `Idempotency-Key` are answered once: `true`, or a table."),

    key(RateLimit, "name", "made of the path", "Its name, for people and rows: letters, digits, `-`, `_` and `.`. Rules of one name in a site count together."),
    key(RateLimit, "limit", "", "How much in how long: `20/s burst 60`, `100/min sliding`, `1000/h fixed`, `10/30s log`, `5000/day quota`; or a list, of which all must agree."),
    key(RateLimit, "by", "address", "Who is counted: `address`, `header:x-api-key` or `site` (everybody together)."),
    key(RateLimit, "methods", "", "For which methods; for all, if nothing is said."),
    key(RateLimit, "shadow", "false", "Whether it only counts, and lets everybody through."),

    key(Idempotency, "required", "false", "Whether requests without a key are refused."),
    key(Idempotency, "by", "address", "Who asks: `address` or `header:authorization`. Keys of one caller mean nothing for another."),
    key(Idempotency, "methods", "POST, PATCH", "For which methods."),
];
