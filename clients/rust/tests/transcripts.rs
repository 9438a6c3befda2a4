//! The golden conversations: what a daemon sends fits the types.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use payqueued::*;
use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::{json, Value};

/// Reads a value into a type and writes it again: every member must have been known.
fn fits<T: DeserializeOwned + Serialize>(value: &Value) -> Result<(), String> {
    let read: T = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let written = serde_json::to_value(read).map_err(|error| error.to_string())?;
    // An optional member that is null may be left out.
    if without_nulls(&written) == without_nulls(value) {
        return Ok(());
    }
    Err(format!("it became {}", written))
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        other => other.clone(),
    }
}

fn result_fits(method: &str, value: &Value) -> Result<(), String> {
    match method {
        "add" => fits::<AddResult>(value),
        "check" => fits::<CheckResult>(value),
        "events" => fits::<EventsResult>(value),
        "finish" => fits::<FinishResult>(value),
        "hello" => fits::<HelloResult>(value),
        "help" => fits::<HelpResult>(value),
        "keys" => fits::<KeysResult>(value),
        "login" => fits::<LoginResult>(value),
        "logout" => fits::<LogoutResult>(value),
        "observers" => fits::<ObserversResult>(value),
        "ping" => fits::<PingResult>(value),
        "products" => fits::<ProductsResult>(value),
        "signedHistory" => fits::<SignedHistoryResult>(value),
        "storefront" => fits::<StorefrontResult>(value),
        "subscribe" => fits::<SubscribeResult>(value),
        "test.get" | "test.set" => fits::<TestSettings>(value),
        "test.orders" => fits::<TestOrdersResult>(value),
        "transactions" => fits::<TransactionsResult>(value),
        "unsubscribe" => fits::<UnsubscribeResult>(value),
        "wait" => fits::<WaitResult>(value),
        _ => Err("it has no type in this test".to_string()),
    }
}

fn notice_fits(method: &str, value: &Value) -> Result<(), String> {
    match method {
        "event" => fits::<EventNotice>(value),
        "caughtUp" => fits::<CaughtUpNotice>(value),
        "gap" => fits::<GapNotice>(value),
        "ended" => fits::<EndedNotice>(value),
        _ => Err("it has no type in this test".to_string()),
    }
}

/// Puts numbers in the place of their placeholders.
fn plain(value: &mut Value) {
    match value {
        Value::String(text) if ["$n", "$uid", "$gid"].iter().any(|name| text.starts_with(name)) => {
            *value = json!(7);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Object(members) => members.values_mut().for_each(plain),
        _ => {}
    }
}

#[test]
fn what_a_daemon_sends_fits_the_types() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../transcripts");
    let files = match fs::read_dir(folder) {
        Ok(files) => files,
        Err(_) => return eprintln!("skipped: the golden conversations are not in {}", folder),
    };
    let mut checked: BTreeMap<String, usize> = BTreeMap::new();
    let mut troubles = Vec::new();
    for file in files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some()) {
        let mut methods: HashMap<String, String> = HashMap::new();
        for line in fs::read_to_string(&file).unwrap().lines() {
            let mut step: Value = match serde_json::from_str(line) {
                Ok(step) => step,
                Err(_) => continue,
            };
            plain(&mut step);
            if let Some(method) = step[">"]["method"].as_str() {
                methods.insert(step[">"]["id"].to_string(), method.to_string());
            }
            let came = &step["<"];
            let (name, outcome) = match (came["method"].as_str(), came.get("result")) {
                (Some(method), _) => (method.to_string(), notice_fits(method, &came["params"])),
                (None, Some(result)) => match methods.get(&came["id"].to_string()) {
                    Some(method) => (method.clone(), result_fits(method, result)),
                    None => continue, // typed by hand, as no client would
                },
                _ => continue,
            };
            if let Err(trouble) = outcome {
                troubles.push(format!("{}: '{}': {} from {}", file.display(), name, trouble, came));
            }
            *checked.entry(name).or_default() += 1;
        }
    }
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
    assert!(checked["event"] >= 20 && checked["add"] >= 10 && checked.len() >= 15, "{:?}", checked);
}
