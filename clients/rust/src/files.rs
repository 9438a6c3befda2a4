use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::raw::c_int;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::io::AsRawFd;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::errors::Error;

extern "C" {
    fn flock(descriptor: c_int, operation: c_int) -> c_int;
}

const LOCK_EX: c_int = 2;

/// An idempotency key that no other program has.
pub fn fresh_key() -> String {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .expect("the system gives no random numbers");
    bytes.iter().map(|byte| format!("{:02x}", byte)).collect()
}

/// Idempotency keys by intent, on disk before they are used.
///
/// An intent is your own name for one wish to buy, such as the number of an order: as long as the file is
/// there, the same intent has the same key and is never paid twice. Threads and processes may share a file; a
/// file `.lock` beside it orders their changes.
pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    pub fn new(path: impl Into<PathBuf>) -> KeyFile {
        KeyFile { path: path.into() }
    }

    /// The key of an intent; a new one is on stable storage before this returns.
    pub fn key(&self, intent: &str) -> Result<String, Error> {
        let _lock = self.lock()?;
        let mut keys = self.keys()?;
        if let Some(key) = keys.get(intent) {
            return Ok(key.clone());
        }
        let key = fresh_key();
        keys.insert(intent.to_string(), key.clone());
        self.store(&keys)?;
        Ok(key)
    }

    /// Drops an intent whose goods are delivered; the same name may buy again.
    pub fn forget(&self, intent: &str) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut keys = self.keys()?;
        match keys.remove(intent) {
            Some(_) => self.store(&keys),
            None => Ok(()),
        }
    }

    /// Keeps all others away from the file until it is dropped; the system gives back the lock of a killed process.
    #[allow(unsafe_code)]
    fn lock(&self) -> Result<File, Error> {
        let mut path = self.path.clone().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| failure(&path, error))?;
        // SAFETY: the descriptor is open, and flock(2) touches no memory of this process.
        while unsafe { flock(file.as_raw_fd(), LOCK_EX) } != 0 {
            let error = io::Error::last_os_error();
            if error.kind() != ErrorKind::Interrupted {
                return Err(failure(&path, error));
            }
        }
        Ok(file)
    }

    fn keys(&self) -> Result<BTreeMap<String, String>, Error> {
        Ok(read(&self.path)?.unwrap_or_default())
    }

    fn store(&self, keys: &BTreeMap<String, String>) -> Result<(), Error> {
        let text = format!("{}\n", json!(keys));
        replace_file(&self.path, text.as_bytes(), true).map_err(|error| failure(&self.path, error))
    }
}

/// How far a reader of the log has come, on disk.
pub struct CursorFile {
    path: PathBuf,
}

impl CursorFile {
    pub fn new(path: impl Into<PathBuf>) -> CursorFile {
        CursorFile { path: path.into() }
    }

    /// The epoch and the position; none if none was stored.
    pub fn load(&self) -> Result<Option<(String, i64)>, Error> {
        let found: Option<serde_json::Value> = read(&self.path)?;
        Ok(found
            .and_then(|found| Some((found["epoch"].as_str()?.to_string(), found["seq"].as_i64()?))))
    }

    /// Remembers a position. What a crash of the machine forgets comes again.
    pub fn store(&self, epoch: &str, seq: i64) -> Result<(), Error> {
        let text = format!("{}\n", json!({ "epoch": epoch, "seq": seq }));
        replace_file(&self.path, text.as_bytes(), false).map_err(|error| failure(&self.path, error))
    }
}

/// Replaces a file as a whole, so that it is never seen half written; durable if it has to survive a
/// crash of the machine.
pub fn replace_file(path: &Path, text: &[u8], durable: bool) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut aside = path.as_os_str().to_os_string();
    aside.push(format!(".{}.{}.new", process::id(), number));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&aside)?;
    file.write_all(text)?;
    if durable {
        file.sync_all()?;
    }
    fs::rename(&aside, path)?;
    if durable {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    match fs::read(path) {
        Ok(text) => {
            serde_json::from_slice(&text).map(Some).map_err(|error| failure(path, error.into()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failure(path, error)),
    }
}

fn failure(path: &Path, error: io::Error) -> Error {
    Error::File { path: path.display().to_string(), error }
}
