//! A page: where a server has it, and how it is asked for.

use std::net::SocketAddr;

/// Digits of a key, so that all paths are equally long.
pub(crate) const KEY_DIGITS: usize = 8;

/// A page of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// How many bytes it has, as far as the server can choose that.
    pub(crate) bytes: usize,
    /// Its path.
    pub(crate) path: String,
}

impl Page {
    /// As the origin has it, and every cache in front of it.
    pub(crate) fn of_origin(bytes: usize) -> Self {
        Self { bytes, path: format!("/pages/{bytes}") }
    }

    /// One of many pages of so many bytes, which begin with the digits of the key.
    pub(crate) fn numbered(bytes: usize, key: u64) -> Self {
        Self { bytes, path: format!("/pages/{bytes}-{key:0KEY_DIGITS$}") }
    }

    /// Its address.
    pub(crate) fn url(&self, server: SocketAddr) -> String {
        format!("http://{server}{}", self.path)
    }

    /// The request for it.
    pub(crate) fn request(&self) -> String {
        get(&self.path)
    }
}

/// A request for a path.
pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
}
