//! What is asked for: a server, one path or many, and the headers that go along.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use http::header::{HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Uri, Version};
use http_body_util::Empty;

/// A list longer than this is a mistake.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) is_tls: bool,
    pub(super) host: String,
    pub(super) port: u16,
    authority: Authority,
    paths: Vec<PathAndQuery>,
    headers: HeaderMap,
}

impl Target {
    /// The target of an address.
    pub(super) fn new(url: &str, headers: &[String], path_file: Option<&Path>) -> anyhow::Result<Self> {
        let wrong = || {
            format!(
                "`{url}` is no address; write http:// or https://, host, port and path, such as http://127.0.0.1:8080/news"
            )
        };
        let uri = url.parse::<Uri>().with_context(wrong)?;
        let parts = uri.into_parts();
        let is_tls = match parts.scheme {
            Some(scheme) if scheme == Scheme::HTTP => false,
            Some(scheme) if scheme == Scheme::HTTPS => true,
            _ => bail!(wrong()),
        };
        let authority = parts.authority.with_context(wrong)?;
        ensure!(
            !authority.as_str().contains('@'),
            "an address has no user here; say it with --header 'authorization: …'"
        );
        let host = authority.host().trim_matches(['[', ']']).to_owned();
        ensure!(!host.is_empty(), wrong());
        let port = authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let own = parts.path_and_query.unwrap_or(PathAndQuery::from_static("/"));
        let paths = path_file.map_or_else(|| Ok(vec![own]), read)?;
        Ok(Self { is_tls, host, port, authority, paths, headers: read_headers(headers)? })
    }

    /// The request of this number. They go through the paths in turn.
    pub(super) fn request(&self, number: u64, version: Version) -> Request<Empty<Bytes>> {
        let at = number % self.paths.len() as u64;
        let path = self.paths[usize::try_from(at).expect("it is less than their number")].clone();
        let mut headers = self.headers.clone();
        let mut parts = http::uri::Parts::default();
        parts.path_and_query = Some(path);
        if version == Version::HTTP_2 {
            // There the host is a part of the address.
            let told = headers.remove(HOST).and_then(|host| Authority::try_from(host.as_bytes()).ok());
            parts.authority = Some(told.unwrap_or_else(|| self.authority.clone()));
            parts.scheme = Some(if self.is_tls { Scheme::HTTPS } else { Scheme::HTTP });
        } else if !headers.contains_key(HOST) {
            let host = HeaderValue::from_str(self.authority.as_str());
            headers.insert(HOST, host.expect("an authority is visible letters"));
        }
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = Uri::from_parts(parts).expect("its parts are those of an address");
        *request.version_mut() = version;
        *request.headers_mut() = headers;
        request
    }
}

fn read_headers(lines: &[String]) -> anyhow::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for line in lines {
        let wrong = || format!("`{line}` is no header; write 'name: value'");
        let (name, value) = line.split_once(':').with_context(wrong)?;
        let name = name.trim().parse::<HeaderName>().with_context(wrong)?;
        headers.append(name, HeaderValue::from_str(value.trim()).with_context(wrong)?);
    }
    if !headers.contains_key(USER_AGENT) {
        let own = HeaderValue::from_static(concat!("theory-bench/", env!("CARGO_PKG_VERSION")));
        headers.insert(USER_AGENT, own);
    }
    Ok(headers)
}

/// The paths of a file: one in each line.
fn read(file: &Path) -> anyhow::Result<Vec<PathAndQuery>> {
    let mut text = String::new();
    let name = file.display();
    let opened = std::fs::File::open(file);
    let read = opened.and_then(|file| file.take(LIST_BYTES_MAX + 1).read_to_string(&mut text));
    let bytes = read.with_context(|| format!("cannot read paths from {name}"))?;
    ensure!(bytes as u64 <= LIST_BYTES_MAX, "{name} is larger than 64 MB; take a part of it");
    let lines = text.lines().map(str::trim).enumerate();
    let said = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let path = |(at, line): (usize, &str)| {
        let wrong = || format!("line {} of {name} is no path; write /path?query", at + 1);
        ensure!(line.starts_with('/'), wrong());
        line.parse::<PathAndQuery>().with_context(wrong)
    };
    let paths = said.map(path).collect::<anyhow::Result<Vec<_>>>()?;
    ensure!(!paths.is_empty(), "{name} holds no paths; it has one in each line");
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str, headers: &[&str]) -> anyhow::Result<Target> {
        let headers: Vec<String> = headers.iter().map(|line| (*line).to_owned()).collect();
        Target::new(url, &headers, None)
    }

    #[test]
    fn an_address_has_a_scheme_a_host_and_maybe_more() {
        for (url, host, port, path) in [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080, "/"),
            ("http://example.com/a?b=c", "example.com", 80, "/a?b=c"),
            ("https://[::1]/a", "::1", 443, "/a"),
        ] {
            let target = target(url, &[]).unwrap();
            assert_eq!((target.host.as_str(), target.port), (host, port));
            assert_eq!(target.request(7, Version::HTTP_11).uri(), path);
        }
        for wrong in ["", "localhost:80", "/news", "ftp://a/", "http://", "http://a b/", "http://me@a/"] {
            assert!(target(wrong, &[]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_host_that_was_said_is_told_in_both_versions() {
        let told = target("http://127.0.0.1:8080/a", &["host: shop.example", "x-a: 1", "X-A: 2"]).unwrap();
        let one = told.request(0, Version::HTTP_11);
        assert_eq!(
            (one.headers()["host"].to_str().unwrap(), one.uri().to_string().as_str()),
            ("shop.example", "/a")
        );
        assert_eq!(one.headers().get_all("x-a").iter().count(), 2);
        let two = told.request(0, Version::HTTP_2);
        assert_eq!(
            (two.headers().get("host"), two.uri().to_string().as_str()),
            (None, "http://shop.example/a")
        );
        let plain = target("http://127.0.0.1:8080/a", &[]).unwrap();
        assert_eq!(plain.request(0, Version::HTTP_11).headers()["host"], "127.0.0.1:8080");
        for wrong in ["no colon", ": value", "a b: c", "a: \u{7}"] {
            assert!(target("http://a/", &[wrong]).is_err(), "{wrong}");
        }
    }
}
