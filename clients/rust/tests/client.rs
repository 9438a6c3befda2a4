//! The client against a daemon that says what a test wants.

use std::cell::RefCell;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use payqueued::{
    code, AddParams, Client, CursorFile, DecideOutcome, DecideParams, Error, KeyFile, LoginParams,
    Notification, SubscribeParams, WaitParams, Worker,
};
use serde_json::{json, Value};

/// A folder of its own, which goes with the test.
struct Place(PathBuf);

impl Place {
    fn new() -> Place {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("payqueued-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let place = Place(env::temp_dir().join(name));
        fs::create_dir(&place.0).unwrap();
        place
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

struct Connection(UnixStream);

impl Connection {
    fn say(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let _ = self.0.write_all(format!("{}\n", message).as_bytes());
    }

    fn reply(&mut self, asked: &Value, result: Value) {
        self.say(json!({ "id": asked["id"], "result": result }));
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.say(json!({ "method": method, "params": params }));
    }

    fn end(&self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}

/// Answers each request but `hello`; the number of the request comes with it.
fn serve(
    place: &Place,
    answer: impl Fn(&mut Connection, &Value, usize) + Send + Sync + 'static,
) -> (Client, Receiver<Value>) {
    let path = place.0.join("pay.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let (asked, requests): (Sender<Value>, _) = channel();
    thread::spawn(move || {
        let state = Mutex::new((0, asked));
        let (answer, state) = (&answer, &state);
        thread::scope(|scope| {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                scope.spawn(move || {
                    let mut connection = Connection(stream.try_clone().unwrap());
                    for line in BufReader::new(stream).lines() {
                        let request: Value = match line {
                            Ok(line) => serde_json::from_str(&line).unwrap(),
                            Err(_) => return,
                        };
                        if request["method"] == "hello" {
                            continue;
                        }
                        let mut state = state.lock().unwrap();
                        state.0 += 1;
                        let _ = state.1.send(request.clone());
                        answer(&mut connection, &request, state.0);
                    }
                });
            }
        });
    });
    let client = Client::at(path.to_str().unwrap(), "test").with_timeout(Duration::from_secs(10));
    (client, requests)
}

fn bought(id: &str, more: Value) -> Value {
    let price = json!({ "value": 0.99, "amount": "0.99", "currencyCode": "USD" });
    let mut found = json!({
        "id": id, "transactionState": "purchased", "transactionIdentifier": format!("order-{}", id),
        "revision": 1, "reason": "purchase", "createdAt": "t", "updatedAt": "t",
        "storefront": { "id": "143441", "countryCode": "USA" },
        "payment": { "product": {
            "productIdentifier": "coins.100", "type": "ofLater", "localizedTitle": "Coins",
            "localizedDescription": "", "price": price,
        } },
    });
    for (name, value) in more.as_object().unwrap() {
        found[name] = value.clone();
    }
    found
}

fn event(seq: i64, kind: &str, transactions: &[Value]) -> Value {
    json!({
        "subscription": "s1", "seq": seq, "prev": seq - 1, "kind": kind, "time": "t",
        "transactions": transactions, "novelties": [1],
    })
}

fn opened() -> Value {
    json!({ "subscription": "s1", "epoch": "e", "oldest": 1, "head": 5 })
}

#[test]
fn a_lost_answer_is_asked_for_again_with_the_same_key() {
    let place = Place::new();
    let (client, asked) = serve(&place, |connection, request, number| {
        match number {
        1 => connection.end(),
        _ => connection.reply(
            request,
            json!({ "transaction": "t", "state": "pondered", "seq": 1, "duplicate": false, "new": 1 }),
        ),
    }
    });
    let wanted = AddParams { product: "coins.100".to_string(), ..AddParams::default() };
    let added = client.add(&wanted).unwrap();
    assert_eq!((added.transaction.as_str(), added.state.as_str()), ("t", "pondered"));
    let (first, second) = (asked.recv().unwrap(), asked.recv().unwrap());
    assert!(first["params"]["key"].is_string());
    assert_eq!(first["params"], second["params"]);
}

#[test]
fn what_may_not_be_repeated_is_not() {
    let place = Place::new();
    let (client, asked) = serve(&place, |connection, _, _| connection.end());
    let failure = client.decide(&DecideParams {
        transaction: "t".to_string(),
        outcome: DecideOutcome::Approve,
        trace: None,
    });
    assert!(matches!(failure, Err(Error::ConnectionLost { .. })), "{:?}", failure);
    assert_eq!(asked.try_iter().count(), 1);
}

#[test]
fn a_call_ends_in_time() {
    let place = Place::new();
    let (client, _asked) = serve(&place, |_, _, _| {});
    let client = client.with_timeout(Duration::from_millis(100));
    assert!(matches!(client.call("wait", &json!({})), Err(Error::TimedOut { .. })));
}

#[test]
fn an_error_keeps_all_that_came() {
    let place = Place::new();
    let (client, _asked) = serve(&place, |connection, request, _| {
        let data = json!({
            "kind": "draining", "retry": "later", "retryAfterMs": 1500, "effect": "none", "x": 1,
        });
        let error =
            json!({ "code": -32006, "message": "The daemon is being stopped", "data": data });
        connection.say(json!({ "id": request["id"], "error": error }));
    });
    let failure = client.login(&LoginParams::default()).unwrap_err();
    assert_eq!(failure.code(), Some(code::DRAINING));
    match failure {
        Error::Server(error) => {
            assert_eq!((error.kind.as_str(), error.retry.as_str()), ("draining", "later"));
            assert_eq!(error.retry_after, Some(Duration::from_millis(1500)));
            assert_eq!((error.effect.as_str(), &error.data["x"]), ("none", &json!(1)));
        }
        other => panic!("{:?}", other),
    }
}

#[test]
fn a_daemon_that_is_not_there_is_told_at_once() {
    let failure = Client::at("/nowhere/at/all", "test").wait(&WaitParams::default()).unwrap_err();
    assert_eq!(failure.to_string(), "cannot connect to '/nowhere/at/all': there is no such file");
}

#[test]
fn a_subscription_goes_on_behind_what_was_handled_and_says_what_is_lost() {
    let place = Place::new();
    let (client, asked) = serve(&place, |connection, request, number| {
        if number == 2 {
            let error = json!({ "code": 1302, "data": { "kind": "cursorAhead" } });
            connection.say(json!({ "id": request["id"], "error": error }));
            return;
        }
        connection.reply(request, opened());
        connection.notify("perhaps", json!({ "seq": 4 }));
        connection.notify("event", event(5, "somethingOfLater", &[]));
        if number == 1 {
            connection.end();
        }
    });
    let cursor = || CursorFile::new(place.0.join("cursor.json"));
    let found = client.subscribe(SubscribeParams::default(), Some(cursor())).take(6);
    let words: Vec<String> = found
        .map(|found| match found.unwrap() {
            Notification::Opened(_) => "opened".to_string(),
            Notification::Event(event) => event.kind.to_string(),
            Notification::Gap(gap) => gap.reason.to_string(),
            Notification::Other { method, .. } => method,
            other => format!("{:?}", other),
        })
        .collect();
    let wanted = ["opened", "perhaps", "somethingOfLater", "opened", "cursorAhead", "perhaps"];
    assert_eq!(words, wanted);
    assert_eq!(asked.recv().unwrap()["params"], json!({}));
    assert_eq!(asked.recv().unwrap()["params"], json!({ "after": 5, "epoch": "e" }));
    assert_eq!(asked.recv().unwrap()["params"], json!({}));
    assert_eq!(cursor().load().unwrap(), Some(("e".to_string(), 5)));
}

#[test]
fn a_worker_unlocks_what_it_may_and_finishes_all() {
    let place = Place::new();
    let (client, asked) = serve(&place, |connection, request, _| {
        if request["method"] == "finish" {
            let id = &request["params"]["transaction"];
            let answer = json!({ "transaction": id, "disposition": "completing", "seq": 9 });
            return connection.reply(request, answer);
        }
        connection.reply(request, opened());
        let found = [
            bought("finished before", json!({})),
            bought("of later", json!({ "transactionState": "pondered" })),
            bought("paid", json!({ "gift": true })),
            bought("refunded", json!({ "revocation": { "at": "t", "reason": "refund" } })),
            bought("begins later", json!({ "offer": "scheduled" })),
            bought("failed", json!({ "transactionState": "failed" })),
            bought("completing", json!({ "completing": true })),
        ];
        connection.notify("event", event(1, "transactionsUpdated", &found));
        connection.notify("event", event(2, "ofLater", &[]));
        connection.notify("event", event(3, "transactionsRemoved", &found[..1]));
        connection.notify("caughtUp", json!({ "subscription": "s1", "seq": 3 }));
    });
    let (unlocked, refused) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let worker = Worker::new(|found| {
        unlocked.borrow_mut().push(found.id.clone());
        Ok(())
    })
    .refuse(|found| {
        refused.borrow_mut().push(found.id.clone());
        Ok(())
    })
    .until(|| unlocked.borrow().len() + refused.borrow().len() >= 4);
    client.work(worker).unwrap();
    assert_eq!(*unlocked.borrow(), ["paid"]);
    assert_eq!(*refused.borrow(), ["refunded", "begins later", "failed"]);
    let finished: Vec<Value> = asked
        .try_iter()
        .filter(|request| request["method"] == "finish")
        .map(|request| request["params"]["transaction"].clone())
        .collect();
    assert_eq!(finished, ["paid", "refunded", "begins later", "failed"]);
}

#[test]
fn a_failed_delivery_is_handed_out_again_and_not_finished() {
    let place = Place::new();
    let (client, asked) = serve(&place, |connection, request, _| {
        let found = bought("t", json!({}));
        match request["method"].as_str() {
            Some("transactions") => {
                connection.reply(request, json!({ "transactions": [found], "seq": 1 }));
            }
            Some("finish") => connection
                .reply(request, json!({ "transaction": "t", "disposition": "removed", "seq": 2 })),
            _ => {
                connection.reply(request, opened());
                connection.notify("event", event(1, "transactionsUpdated", &[found]));
                connection.notify("caughtUp", json!({ "subscription": "s1", "seq": 1 }));
            }
        }
    });
    let tries = RefCell::new(0);
    let worker = Worker::new(|_| {
        *tries.borrow_mut() += 1;
        if *tries.borrow() < 3 {
            return Err("the shop is closed".into());
        }
        Ok(())
    })
    .report(|error| assert_eq!(error.to_string(), "the shop is closed"))
    .retry_every(Duration::from_millis(10))
    .until(|| *tries.borrow() >= 3);
    client.work(worker).unwrap();
    assert_eq!(*tries.borrow(), 3);
    // On a busy machine the time to look again can be up twice before the third try.
    let mut methods: Vec<Value> =
        asked.try_iter().map(|request| request["method"].clone()).collect();
    methods.dedup();
    assert_eq!(methods, ["subscribe", "transactions", "finish"]);
}

#[test]
fn a_key_is_kept_until_it_is_forgotten() {
    let place = Place::new();
    let keys = || KeyFile::new(place.0.join("keys.json"));
    let first = keys().key("order-1").unwrap();
    assert_eq!(keys().key("order-1").unwrap(), first);
    assert_ne!(keys().key("order-2").unwrap(), first);
    keys().forget("order-1").unwrap();
    assert_ne!(keys().key("order-1").unwrap(), first);
}

#[test]
fn those_who_share_a_key_file_lose_no_key() {
    let place = Place::new();
    let path = place.0.join("keys.json");
    let asked: Vec<_> = (0..16)
        .map(|number| {
            let keys = KeyFile::new(&path);
            std::thread::spawn(move || keys.key(&format!("order-{}", number / 2)).unwrap())
        })
        .collect();
    for (number, thread) in asked.into_iter().enumerate() {
        let key = thread.join().unwrap();
        assert_eq!(KeyFile::new(&path).key(&format!("order-{}", number / 2)).unwrap(), key);
    }
}
