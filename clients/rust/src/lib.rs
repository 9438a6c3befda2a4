//! A client of payqueued, the payment queue daemon. It needs serde and serde_json.
//!
//! ```no_run
//! # fn deliver(_: &payqueued::Transaction) -> std::io::Result<()> { Ok(()) }
//! use payqueued::{Client, Worker};
//!
//! let client = Client::new("worker");
//! client.work(Worker::new(|transaction| Ok(deliver(transaction)?)))?;
//! # Ok::<(), payqueued::Error>(())
//! ```
//!
//! A [`Client`] has one method for each of the daemon, with the types of the contract, and those that
//! keep a client honest: [`Client::buy_once`], [`Client::work`] and [`Client::subscribe`].

#![deny(unsafe_code)]

mod client;
mod contract;
mod errors;
mod files;
mod inbox;
mod purchase;
mod subscription;
mod wire;
mod words;
mod worker;

pub use client::{socket_path, Client};
pub use contract::*;
pub use errors::{Error, ServerError};
pub use files::{fresh_key, replace_file, CursorFile, KeyFile};
pub use subscription::Subscription;
pub use worker::{HandlerError, Worker};

/// The release of the product that this is of.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
