//! The DynamoDB JSON protocol, version 1.0: any [`Store`](tabletheory_core::Store) behind HTTP, for every client that
//! speaks to DynamoDB or to its streams.
//!
//! ```
//! use std::sync::Arc;
//! use tabletheory_engine::Engine;
//! use tabletheory_wire::{Endpoint, server};
//! use tokio::net::TcpListener;
//!
//! # tokio::runtime::Runtime::new().expect("a runtime").block_on(async {
//! let listener = TcpListener::bind("127.0.0.1:0").await?;
//! println!("http://{}", listener.local_addr()?);
//! let endpoint = Endpoint::unsigned(Arc::new(Engine::memory()));
//! let stop = async { /* a signal, for example */ };
//! server::serve(listener, endpoint, server::Settings::default(), stop).await;
//! # Ok::<(), std::io::Error>(())
//! # }).expect("the example runs");
//! ```
//!
//! A call walks down once: `server` reads head and body, `sigv4` asks who signed them, `target` which operation it is,
//! `decode` makes the typed request (with `shape`, what JSON may look like, and `constraint`, the service's first look),
//! the store answers, `encode` and `error` write the answer. `endpoint` is that walk without the socket.

mod constraint;
pub mod decode;
pub mod encode;
mod endpoint;
pub mod error;
pub mod server;
mod shape;
pub mod sigv4;
mod target;

pub use endpoint::{Answer, Endpoint};

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
