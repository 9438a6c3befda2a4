use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::{json, Value};

use crate::errors::{Error, ServerError};
use crate::wire::{Message, Wire};

/// A client for one thread or many.
///
/// Calls share one connection and take turns on it; a thread that waits long (`wait`, `events`) should
/// have a client of its own. The connection is made at the first call and again after it broke. Calls that
/// may be repeated safely are repeated then. Subscriptions have connections of their own.
pub struct Client {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) timeout: Duration,
    link: Mutex<Link>,
}

#[derive(Default)]
struct Link {
    wire: Option<Wire>,
    last_id: u64,
}

/// How a method is carried out.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    method: &'static str,
    is_repeatable: bool,
    /// How much longer than usual an answer may take.
    patience: Duration,
}

impl Call {
    pub const fn new(method: &'static str, is_repeatable: bool, patience: u64) -> Call {
        Call { method, is_repeatable, patience: Duration::from_secs(patience) }
    }
}

/// The socket to use: the one named, `$PAYQUEUED_SOCKET`, the user's own, the system's.
pub fn socket_path(named: Option<&str>) -> String {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(path) = named.map(str::to_string).or_else(|| variable("PAYQUEUED_SOCKET")) {
        return path;
    }
    if let Some(folder) = variable("XDG_RUNTIME_DIR") {
        let own = format!("{}/payqueued/payqueued.sock", folder);
        if Path::new(&own).exists() {
            return own;
        }
    }
    "/run/payqueued/payqueued.sock".to_string()
}

impl Client {
    /// Makes a client of the daemon at [`socket_path`]; nothing is sent yet. The name names its
    /// connections in the daemon's `status` and log.
    pub fn new(name: &str) -> Client {
        Client::at(&socket_path(None), name)
    }

    /// Makes a client of the daemon at a socket.
    pub fn at(socket: &str, name: &str) -> Client {
        Client {
            path: socket.to_string(),
            name: name.to_string(),
            timeout: Duration::from_secs(30),
            link: Mutex::default(),
        }
    }

    /// Changes how long to wait for an ordinary answer; 30 s at first.
    pub fn with_timeout(mut self, timeout: Duration) -> Client {
        self.timeout = timeout;
        self
    }

    /// Calls any method by its name, also one that this library does not know; once only.
    pub fn call(&self, method: &str, params: &Value) -> Result<Value, Error> {
        let deadline = Instant::now() + self.timeout;
        self.exchange(&mut self.link(), method, params, deadline)
    }

    pub(crate) fn invoke<R: DeserializeOwned>(
        &self,
        call: Call,
        params: &impl Serialize,
    ) -> Result<R, Error> {
        let deadline = Instant::now() + self.timeout + call.patience;
        let mut pause = Duration::from_millis(50);
        let mut was_sent = false;
        loop {
            let mut link = self.link();
            match self.exchange(&mut link, call.method, params, deadline) {
                Ok(result) => {
                    return serde_json::from_value(result).map_err(|error| {
                        Error::NotUnderstood(format!(
                            "an odd answer to '{}': {}",
                            call.method, error
                        ))
                    })
                }
                Err(error) => {
                    // A daemon that was never there is reported at once; one that goes away in the middle
                    // of a call is probably being restarted.
                    was_sent |= matches!(error, Error::ConnectionLost { .. });
                    let may_repeat = error.is_broken() && was_sent && call.is_repeatable;
                    if !may_repeat || Instant::now() + pause > deadline {
                        return Err(error);
                    }
                }
            }
            drop(link);
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        // A thread that panicked in a call has left a connection behind that is not used again.
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a call and waits for its answer. A connection on which something went wrong is closed: what
    /// still comes over it would be the answer to a call that was given up.
    fn exchange(
        &self,
        link: &mut Link,
        method: &str,
        params: &impl Serialize,
        deadline: Instant,
    ) -> Result<Value, Error> {
        link.last_id += 1;
        let id = link.last_id;
        let mut wire = match link.wire.take() {
            Some(wire) => wire,
            None => self.open()?,
        };
        wire.send(method, params, Some(id), deadline)?;
        loop {
            match wire.receive(deadline)? {
                None => return Err(Error::TimedOut { method: method.to_string() }),
                Some(Message::Reply { id: found, outcome }) if found == json!(id) => {
                    link.wire = Some(wire);
                    return outcome
                        .map_err(|error| Error::Server(ServerError::read(method, &error)));
                }
                Some(Message::Reply { id: Value::Null, outcome: Err(error) }) => {
                    return Err(Error::Server(ServerError::read("the connection", &error)));
                }
                Some(_) => {}
            }
        }
    }

    /// Connects and names the connection; no answer is wanted.
    pub(crate) fn open(&self) -> Result<Wire, Error> {
        let mut wire = Wire::open(&self.path)?;
        let who = json!({ "client": { "name": self.name, "version": crate::VERSION } });
        wire.send("hello", &who, None, Instant::now() + self.timeout)?;
        Ok(wire)
    }
}
