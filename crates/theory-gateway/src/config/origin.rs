//! The application behind a site.

use http::Uri;

use super::form::{Count, Word};
use super::section::Section;
use super::size::Size;
use super::span::Patience;
use crate::settings::{Listen, OriginSettings, Scheme};

const COUNT_MAX: u32 = 1_000_000;

/// An address of an application.
struct Address(Uri);

impl Word for Address {
    fn word(text: &str) -> Result<Self, String> {
        const FORM: &str = "write `http://` or `https://`, host and port, such as `http://127.0.0.1:3000`";
        if !text.contains("://") {
            return Err(format!("{FORM}; did you mean `http://{}`?", super::problem::shown(text)));
        }
        let uri: Uri = text.parse().map_err(|_| FORM)?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(format!("only http and https are spoken: {FORM}"));
        }
        let is_whole = uri.host().is_some_and(|host| !host.is_empty()) && uri.port_u16() != Some(0);
        if !is_whole {
            return Err(FORM.to_owned());
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        if authority.ends_with(':')
            || authority
                .rsplit_once(':')
                .is_some_and(|(_, port)| port.parse::<u16>().is_err() && !port.ends_with(']'))
        {
            return Err(FORM.to_owned());
        }
        if uri.path() != "/" || uri.query().is_some() || text.contains('#') {
            return Err("leave the path out: it is the one that is asked for".to_owned());
        }
        Ok(Self(uri))
    }

    fn written(&self) -> String {
        self.0.to_string().trim_end_matches('/').to_owned()
    }
}

impl Word for Scheme {
    fn word(text: &str) -> Result<Self, String> {
        match text {
            "http" => Ok(Self::Http),
            "https" => Ok(Self::Https),
            _ => Err("write `http` or `https`".to_owned()),
        }
    }

    fn written(&self) -> String {
        self.as_str().to_owned()
    }
}

/// The application. `section` is its table; without a URL there is nobody to ask.
pub(super) fn read(section: &Section<'_>, listen: &[Listen]) -> Option<OriginSettings> {
    let found = section.find("url");
    if found.as_ref().and_then(|found| found.raw.text()).is_some_and(|text| text.contains('@')) {
        // It is not repeated: what stands before the sign may be a password.
        section.refuse("url", "has a user in it: leave everything between `//` and `@` out");
        return None;
    }
    if found.is_none() {
        section.refuse(
            "url",
            "is missing, so there is no application to ask: give `origin = \"http://127.0.0.1:3000\"`, THEORY_ORIGIN or --origin",
        );
    }
    let uri = section.get::<Address>("url").map(|(Address(uri), _)| uri);
    let default = OriginSettings::new(uri.clone().unwrap_or_default());
    let time = |key, default| section.or(key, Patience(default)).0;
    let count = |key, default: u32| section.or(key, Count::<1, COUNT_MAX>(default)).0;
    let origin = OriginSettings {
        uri: default.uri,
        host: host(section),
        scheme: section.or("scheme", scheme_of(listen)),
        connect_wait: time("connect_timeout", default.connect_wait),
        head_wait: time("head_timeout", default.head_wait),
        body_wait: time("body_timeout", default.body_wait),
        kept_bytes_max: section.or("kept_max", Size::<1024>(default.kept_bytes_max as u64)).bytes(),
        requests_max: count("requests_max", u32::try_from(default.requests_max).unwrap_or(COUNT_MAX))
            as usize,
        failures_max: count("failures_max", default.failures_max),
        pause: time("pause", default.pause),
        health_path: health_path(section),
        health_every: time("health_every", default.health_every),
        allow_private: section.or("allow_private", default.allow_private),
    };
    if asks_itself(&uri?, listen) {
        section.refuse(
            "url",
            "is where the gateway itself listens, and it would ask itself: give the application's address",
        );
    }
    Some(origin)
}

/// Where there is a certificate, visitors come by TLS: whoever comes otherwise is mostly sent there.
fn scheme_of(listen: &[Listen]) -> Scheme {
    if listen.iter().any(|listen| listen.certificate.is_some()) { Scheme::Https } else { Scheme::Http }
}

fn host(section: &Section<'_>) -> Option<String> {
    let host = section.maybe::<String>("host")?;
    let is_authority = host.parse::<http::uri::Authority>().is_ok() && !host.contains('@');
    if !is_authority {
        section.refuse("host", "is no host: write it as `example.com` or `example.com:8080`");
    }
    Some(host)
}

fn health_path(section: &Section<'_>) -> Option<String> {
    let path = section.maybe::<String>("health_path")?;
    let is_path = path.starts_with('/') && path.parse::<Uri>().is_ok() && !path.contains('#');
    if !is_path {
        section.refuse("health_path", "is no path: write it as `/healthz`");
    }
    Some(path)
}

/// Whether an address that is written down is one that is listened on.
fn asks_itself(uri: &Uri, listen: &[Listen]) -> bool {
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let address = match host {
        "localhost" => "127.0.0.1",
        host => host,
    };
    let Ok(address) = address.parse::<std::net::IpAddr>() else { return false };
    listen.iter().map(|listen| listen.address).any(|own| {
        let reaches = own.ip() == address || own.ip().is_unspecified() && address.is_loopback();
        own.port() == port && reaches
    })
}
