use std::fmt;
use std::io;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::contract::{RemovalReason, TransactionState, WaitingFor};

/// The failure of a call.
#[derive(Debug)]
pub enum Error {
    /// The daemon answered with an error.
    Server(Box<ServerError>),
    /// Nothing answered at the socket; nothing was sent.
    NotConnected { path: String, reason: String },
    /// The connection ended before the answer came. Whether the call had an effect is not known; repeat
    /// it with the same key.
    ConnectionLost { path: String },
    /// The answer did not come in time. Repeat the call with the same key.
    TimedOut { method: String },
    /// What came over the connection is not the daemon's language.
    NotUnderstood(String),
    /// The time ran out and the purchase continues.
    StillWaiting { transaction: String, waiting_for: Option<WaitingFor> },
    /// The transaction is gone: finished earlier, or discarded.
    LeftTheQueue { transaction: String, reason: RemovalReason, state: TransactionState },
    /// A file of keys or cursors could not be read or written.
    File { path: String, error: io::Error },
}

/// An error that the daemon answered a call with. `code` alone identifies it; see [`crate::code`].
#[derive(Clone, Debug)]
pub struct ServerError {
    pub method: String,
    pub code: i64,
    pub message: String,
    /// The stable word of the failure.
    pub kind: String,
    /// `no`, `same` (send the same again, with the same key) or `later`.
    pub retry: String,
    /// How long to wait before that, if the daemon knows.
    pub retry_after: Option<Duration>,
    /// `none`, `done` or `unknown`.
    pub effect: String,
    /// All of it, and the ids concerned.
    pub data: Map<String, Value>,
}

impl ServerError {
    /// Reads the error member of a reply and tolerates what is missing in it.
    pub(crate) fn read(method: &str, error: &Value) -> Box<ServerError> {
        let data = error["data"].as_object().cloned().unwrap_or_default();
        let word = |name: &str, otherwise: &str| {
            data.get(name).and_then(Value::as_str).unwrap_or(otherwise).to_string()
        };
        Box::new(ServerError {
            method: method.to_string(),
            code: error["code"].as_i64().unwrap_or(0),
            message: error["message"].as_str().unwrap_or("no reason given").to_string(),
            kind: word("kind", ""),
            retry: word("retry", "no"),
            retry_after: data
                .get("retryAfterMs")
                .and_then(Value::as_u64)
                .map(Duration::from_millis),
            effect: word("effect", "unknown"),
            data,
        })
    }
}

impl Error {
    /// The code of the daemon's error; none if it is no such error.
    pub fn code(&self) -> Option<i64> {
        match self {
            Error::Server(error) => Some(error.code),
            _ => None,
        }
    }

    /// Whether no answer came.
    pub fn is_connection_failure(&self) -> bool {
        self.is_broken() || matches!(self, Error::TimedOut { .. } | Error::NotUnderstood(_))
    }

    pub(crate) fn is_broken(&self) -> bool {
        matches!(self, Error::ConnectionLost { .. } | Error::NotConnected { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Server(error) => write!(
                formatter,
                "cannot call '{}': {} (code {}, {})",
                error.method, error.message, error.code, error.kind
            ),
            Error::NotConnected { path, reason } => {
                write!(formatter, "cannot connect to '{}': {}", path, reason)
            }
            Error::ConnectionLost { path } => {
                write!(formatter, "the connection to '{}' ended before the answer came", path)
            }
            Error::TimedOut { method } => {
                write!(formatter, "no answer to '{}' came in time", method)
            }
            Error::NotUnderstood(what) => write!(formatter, "the daemon sent {}", what),
            Error::StillWaiting { transaction, waiting_for: Some(what) } => {
                write!(formatter, "'{}' is not decided yet: it waits for {}", transaction, what)
            }
            Error::StillWaiting { transaction, waiting_for: None } => {
                write!(formatter, "'{}' is not decided yet", transaction)
            }
            Error::LeftTheQueue { transaction, reason, .. } => {
                write!(formatter, "'{}' has left the queue: {}", transaction, reason)
            }
            Error::File { path, error } => write!(formatter, "cannot use '{}': {}", path, error),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { error, .. } => Some(error),
            _ => None,
        }
    }
}
