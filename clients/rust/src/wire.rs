use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use crate::errors::Error;

/// The daemon pages what would be longer than 4 MiB.
const LINE_LIMIT: usize = 16 << 20;

/// A line of the daemon.
pub(crate) enum Message {
    Reply { id: Value, outcome: Result<Value, Value> },
    Notification { method: String, params: Value },
}

/// One connection: lines out, lines in.
pub(crate) struct Wire {
    path: String,
    stream: UnixStream,
    /// What was read and is no whole line yet, and how far it was searched for an end.
    unread: Vec<u8>,
    searched: usize,
}

impl Wire {
    pub fn open(path: &str) -> Result<Wire, Error> {
        let stream = UnixStream::connect(path).map_err(|error| Error::NotConnected {
            path: path.to_string(),
            reason: match error.kind() {
                ErrorKind::NotFound => "there is no such file".to_string(),
                ErrorKind::ConnectionRefused => {
                    "no program listens there; a daemon that ended may have left the file behind"
                        .to_string()
                }
                ErrorKind::PermissionDenied => {
                    "permission denied; this user may not use the socket".to_string()
                }
                _ => error.to_string(),
            },
        })?;
        Ok(Wire { path: path.to_string(), stream, unread: Vec::new(), searched: 0 })
    }

    /// Writes a request; one without an id is not answered.
    pub fn send(
        &mut self,
        method: &str,
        params: &impl Serialize,
        id: Option<u64>,
        deadline: Instant,
    ) -> Result<(), Error> {
        let params = serde_json::to_value(params)
            .map_err(|error| Error::NotUnderstood(format!("what JSON cannot say: {}", error)))?;
        let mut request =
            serde_json::json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if let Some(id) = id {
            request["id"] = id.into();
        }
        let line = format!("{}\n", request);
        let left = until(deadline).unwrap_or(Duration::from_millis(1));
        let written = self
            .stream
            .set_write_timeout(Some(left))
            .and_then(|()| self.stream.write_all(line.as_bytes()));
        written.map_err(|_| self.lost())
    }

    /// Waits for the next line; none if the time runs out first, and nothing is lost then.
    pub fn receive(&mut self, deadline: Instant) -> Result<Option<Message>, Error> {
        loop {
            if let Some(end) = self.unread[self.searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.unread.split_off(self.searched + end + 1);
                let line = std::mem::replace(&mut self.unread, rest);
                self.searched = 0;
                return parse(&line).map(Some);
            }
            self.searched = self.unread.len();
            if self.searched > LINE_LIMIT {
                return Err(Error::NotUnderstood(format!(
                    "more than {} bytes in a line",
                    LINE_LIMIT
                )));
            }
            let left = match until(deadline) {
                Some(left) => left,
                None => return Ok(None),
            };
            self.stream.set_read_timeout(Some(left)).map_err(|_| self.lost())?;
            let mut chunk = [0; 64 << 10];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(self.lost()),
                Ok(count) => self.unread.extend_from_slice(&chunk[..count]),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {}
                    _ => return Err(self.lost()),
                },
            }
        }
    }

    pub fn lost(&self) -> Error {
        Error::ConnectionLost { path: self.path.clone() }
    }
}

/// The time that is left; none if it is over.
fn until(deadline: Instant) -> Option<Duration> {
    deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}

fn parse(line: &[u8]) -> Result<Message, Error> {
    let mut found: Value = serde_json::from_slice(line)
        .map_err(|_| Error::NotUnderstood("a line that is not JSON".to_string()))?;
    let members = found.as_object_mut();
    let members = members
        .ok_or_else(|| Error::NotUnderstood("a line that is not a JSON object".to_string()))?;
    let params = members.remove("params").unwrap_or(Value::Null);
    let (result, error) = (members.remove("result"), members.remove("error"));
    match (members.remove("id"), members.get("method"), result, error) {
        (None, Some(Value::String(method)), _, _) => {
            Ok(Message::Notification { method: method.clone(), params })
        }
        (Some(id), _, _, Some(error)) => Ok(Message::Reply { id, outcome: Err(error) }),
        (Some(id), _, Some(result), None) => Ok(Message::Reply { id, outcome: Ok(result) }),
        _ => Err(Error::NotUnderstood(
            "a line that is neither an answer nor a notification".to_string(),
        )),
    }
}
