//! The targets, one file each.

pub(crate) mod cache_control;
pub(crate) mod cursor;
pub(crate) mod endpoint;
pub(crate) mod expression;
pub(crate) mod folder;
pub(crate) mod json;
pub(crate) mod key;
pub(crate) mod number;
pub(crate) mod partiql;
pub(crate) mod path;
pub(crate) mod request;
pub(crate) mod row;
pub(crate) mod settings;
pub(crate) mod sigv4;
pub(crate) mod template;
pub(crate) mod vary;
