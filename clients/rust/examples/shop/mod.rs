//! The application of these examples: a file of unlocked products, a line for each order,
//! and how the examples end.

#![allow(dead_code)] // each example uses a part of it

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicBool, Ordering};

use payqueued::{Error, EventNotice, RemovalReason, Transaction};

/// The path of a file that outlives the program: what a variable names, or one in the user's state
/// directory, never in the directory that the program is started from.
pub fn kept(variable: &str, name: &str) -> io::Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(named) = set(variable) {
        return Ok(named);
    }
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")));
    let folder = state.ok_or(io::ErrorKind::NotFound)?.join("payqueued-examples");
    fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}

/// Unlocks what may be unlocked and takes back what was refunded. It is on disk before this returns,
/// because the finish comes next. Two transactions of one order are unlocked once.
pub fn settle(transaction: &Transaction) -> io::Result<()> {
    let order = transaction.transaction_identifier.as_deref().unwrap_or_default();
    if transaction.may_unlock() {
        write(order, Some(&transaction.payment.product.product_identifier))
    } else if transaction.revocation.is_some() {
        write(order, None)
    } else {
        Ok(())
    }
}

/// Takes back what was refunded after it was finished.
pub fn hear(event: &EventNotice) -> io::Result<()> {
    if event.kind != payqueued::EventKind::EntitlementsRevoked {
        return Ok(());
    }
    event.orders.iter().flatten().try_for_each(|order| write(order, None))
}

/// Makes a product that of an order; none removes it. Programs take turns.
fn write(order: &str, product: Option<&str>) -> io::Result<()> {
    let path = kept("GOODS", "goods.txt")?;
    let _lock = lock(&path)?;
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        other => other?,
    };
    let is_of_order = |line: &&str| line.split(' ').next() == Some(order);
    let mut lines: Vec<String> =
        text.lines().filter(|line| !is_of_order(line)).map(str::to_string).collect();
    lines.extend(product.map(|product| format!("{} {}", order, product)));
    let changed: String = lines.iter().map(|line| format!("{}\n", line)).collect();
    if changed == text {
        return Ok(());
    }
    payqueued::replace_file(&path, changed.as_bytes(), true)
}

/// Keeps other programs away as long as the file is open. Rust's library cannot lock files; flock (of
/// util-linux) locks the one that it inherits. The system gives the lock of a killed program back.
fn lock(path: &Path) -> io::Result<File> {
    let mut name = path.as_os_str().to_os_string();
    name.push(".lock");
    let file = OpenOptions::new().create(true).append(true).open(name)?;
    let locked = Command::new("flock").arg("0").stdin(file.try_clone()?).status()?;
    if locked.success() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::Other, "cannot lock the file of goods"))
    }
}

/// A transaction in a few words: what was bought, for whom or by whom, and where it stands.
pub fn describe(transaction: &Transaction) -> String {
    let mut words = vec![
        transaction.payment.product.product_identifier.clone(),
        transaction.transaction_state.to_string(),
    ];
    let client = transaction.by.as_ref().and_then(|by| by.client.as_ref());
    if let Some(token) = &transaction.payment.app_account_token {
        words.push(format!("for {}", token));
    } else if let Some(client) = client {
        words.push(format!("by {}", client));
    }
    words.extend(transaction.waiting_for.as_ref().map(|what| format!("waits for {}", what)));
    words.extend(transaction.offer.as_ref().map(|offer| offer.to_string()));
    words.extend(transaction.revocation.as_ref().map(|_| "refunded".to_string()));
    words.extend(transaction.failure_reason.clone());
    words.join(" ")
}

static IS_OVER: AtomicBool = AtomicBool::new(false);

extern "C" fn end(_: i32) {
    IS_OVER.store(true, Ordering::SeqCst);
}

extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
}

/// Lets SIGINT (Ctrl-C) and SIGTERM end the program in order; [`is_over`] says then that they came. Rust's
/// library knows no signals; this is the C function that it is linked with anyway.
pub fn end_at_signals() {
    // Sound: the handler does nothing but store into an atomic.
    unsafe {
        signal(2, end);
        signal(15, end);
    }
}

/// Whether the program was asked to end.
pub fn is_over() -> bool {
    IS_OVER.load(Ordering::SeqCst)
}

/// Ends the program because it was not called like this.
pub fn usage(words: &str) -> ! {
    eprintln!("usage: {}", words);
    process::exit(3)
}

/// Ends the program: 0 done, 1 refused by the daemon, 2 no answer, 4 still waiting.
pub fn finish(result: Result<(), Error>) -> ! {
    let error = match result {
        Ok(()) => process::exit(0),
        Err(error) => error,
    };
    eprintln!("{}", error);
    process::exit(match error {
        Error::LeftTheQueue { reason: RemovalReason::Finished, .. } => 0,
        Error::StillWaiting { .. } => 4,
        Error::Server(_) | Error::LeftTheQueue { .. } => 1,
        _ => 2,
    })
}
