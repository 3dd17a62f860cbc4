//! Words of HTTP that stand in routes: header names, methods, cookies.

use http::{HeaderName, Method};

use super::form::Word;

impl Word for HeaderName {
    fn word(text: &str) -> Result<Self, String> {
        text.to_ascii_lowercase()
            .parse()
            .map_err(|_| "write the name of a header, such as `accept-language`".to_owned())
    }

    fn written(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Word for Method {
    fn word(text: &str) -> Result<Self, String> {
        const METHODS: [Method; 7] = [
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
            Method::OPTIONS,
        ];
        let method = METHODS.iter().find(|method| method.as_str().eq_ignore_ascii_case(text));
        method.cloned().ok_or_else(|| "it is one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS".to_owned())
    }

    fn written(&self) -> String {
        self.as_str().to_owned()
    }
}

/// The name of a cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cookie(pub(super) String);

impl Word for Cookie {
    fn word(text: &str) -> Result<Self, String> {
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
        match !text.is_empty() && text.len() <= 256 && text.bytes().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err("write the name of a cookie, such as `theme`".to_owned()),
        }
    }

    fn written(&self) -> String {
        self.0.clone()
    }
}
