use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::contract::{
    AddParams, AddResult, RemovalReason, SubscribeParams, Transaction, TransactionState, WaitParams,
};
use crate::errors::Error;
use crate::files::KeyFile;
use crate::subscription::Subscription;

impl Client {
    /// Buys a product once per intent and returns the transaction in the state in which it settled, which
    /// may be `failed`.
    ///
    /// The key of the intent is on disk before anything is sent, so that calling this again after any crash,
    /// of the program, the daemon or the machine, continues with the same purchase. It is neither delivered
    /// nor finished by this: a worker does that, or you. `token` is the application's own account. Fails with
    /// [`Error::StillWaiting`] when the time is over, [`Error::LeftTheQueue`] if the purchase left the queue.
    pub fn buy_once(
        &self,
        keys: &KeyFile,
        intent: &str,
        product: &str,
        token: Option<&str>,
        time: Duration,
    ) -> Result<Transaction, Error> {
        let deadline = Instant::now() + time;
        let wanted = AddParams {
            product: product.to_string(),
            app_account_token: token.map(str::to_string),
            key: Some(keys.key(intent)?),
            ..AddParams::default()
        };
        // The queue makes progress only while a client observes.
        let products = Some(vec![product.to_string()]);
        let mut observer =
            self.subscribe(SubscribeParams { products, ..SubscribeParams::default() }, None);
        observer.open()?;
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| drain(&mut observer, &is_over));
            let bought = self.add_until(&wanted, deadline).and_then(|added| match added.removed {
                Some(removed) => Err(Error::LeftTheQueue {
                    transaction: added.transaction,
                    reason: removed.reason,
                    state: added.state,
                }),
                None => self.settled(added.transaction, deadline),
            });
            is_over.store(true, Ordering::SeqCst);
            bought
        })
    }

    /// Repeats the call, with the same key, as long as that can help.
    fn add_until(&self, wanted: &AddParams, deadline: Instant) -> Result<AddResult, Error> {
        loop {
            let error = match self.add(wanted) {
                Ok(added) => return Ok(added),
                Err(error) => error,
            };
            let mut pause = Duration::from_secs(1);
            let can_help = match &error {
                Error::Server(refused) => {
                    pause = refused.retry_after.unwrap_or(pause);
                    refused.retry != "no" || refused.effect == "unknown"
                }
                error => error.is_broken(),
            };
            if !can_help || Instant::now() + pause > deadline {
                return Err(error);
            }
            thread::sleep(pause);
        }
    }

    fn settled(&self, id: String, deadline: Instant) -> Result<Transaction, Error> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = self.wait(&WaitParams {
                transaction: Some(id.clone()),
                timeout: Some(left.as_secs_f64().min(60.0)),
                ..WaitParams::default()
            })?;
            let mut waiting_for = None;
            if let Some(found) = answer.transaction {
                let state = found.transaction_state.clone();
                if state != TransactionState::Purchasing {
                    return Ok(found);
                }
                if answer.reached {
                    let reason = RemovalReason::Other("removed".to_string());
                    return Err(Error::LeftTheQueue { transaction: id, reason, state });
                }
                waiting_for = found.waiting_for;
            }
            if Instant::now() >= deadline {
                return Err(Error::StillWaiting { transaction: id, waiting_for });
            }
        }
    }
}

/// Reads what comes until the purchase is over. Its own end shows in the purchase, which is not observed any
/// more then.
fn drain(observer: &mut Subscription<'_>, is_over: &AtomicBool) {
    while !is_over.load(Ordering::SeqCst) {
        if observer.next_within(Duration::from_millis(100)).is_err() {
            return;
        }
    }
}
