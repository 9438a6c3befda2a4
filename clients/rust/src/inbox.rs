use std::collections::{HashMap, HashSet, VecDeque};

use crate::contract::{EventKind, Notification, Transaction, TransactionState};

/// Decides what is handed out, and when. Does no input or output.
///
/// What is replayed or delivered again is held until the daemon says `caughtUp`: a record of a purchase may
/// be followed by the one that it was finished long ago.
#[derive(Default)]
pub(crate) struct Inbox {
    pending: HashMap<String, Transaction>,
    order: VecDeque<String>,
    is_caught_up: bool,
    /// Handlers failed for these; they wait for the next round.
    put_off: HashSet<String>,
    /// Finished lately, the oldest first: what was on its way meanwhile is old news.
    done: HashSet<String>,
    done_order: VecDeque<String>,
}

impl Inbox {
    /// Takes in what the daemon sent. Kinds that are not known pass.
    pub fn take(&mut self, found: &Notification) {
        match found {
            Notification::Opened(_) => {
                // Whatever is unfinished comes again before the next caughtUp.
                self.hold();
                self.put_off.clear();
            }
            Notification::CaughtUp(_) => self.is_caught_up = true,
            Notification::Event(event) => match event.kind {
                // Another account's transactions are hidden now; this one's come again.
                EventKind::StorefrontChanged => self.hold(),
                EventKind::TransactionsUpdated => {
                    for transaction in event.transactions.iter().flatten() {
                        self.put(transaction.clone());
                    }
                }
                EventKind::TransactionsRemoved => {
                    for transaction in event.transactions.iter().flatten() {
                        self.settle(&transaction.id);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Takes in a snapshot, unless a newer one is here.
    pub fn put(&mut self, transaction: Transaction) {
        let id = &transaction.id;
        let known = self.pending.get(id);
        let is_old = known.map_or(false, |known| known.revision > transaction.revision);
        if is_old || self.done.contains(id) {
            return;
        }
        if !is_settled(&transaction) || transaction.completing == Some(true) {
            self.pending.remove(id);
            return;
        }
        if known.is_none() {
            self.order.push_back(id.clone());
        }
        self.pending.insert(transaction.id.clone(), transaction);
    }

    /// The next one to hand out, the same until it is settled, finished or put off.
    pub fn next(&mut self) -> Option<Transaction> {
        if !self.is_caught_up {
            return None;
        }
        while let Some(id) = self.order.front() {
            match self.pending.get(id) {
                Some(transaction) if !self.put_off.contains(id) => {
                    return Some(transaction.clone())
                }
                _ => self.order.pop_front(),
            };
        }
        None
    }

    /// It is finished and never comes back.
    pub fn finished(&mut self, id: &str) {
        self.settle(id);
        self.done.insert(id.to_string());
        self.done_order.push_back(id.to_string());
        if self.done_order.len() > 10_000 {
            if let Some(oldest) = self.done_order.pop_front() {
                self.done.remove(&oldest);
            }
        }
    }

    /// It left the queue, or is another program's until it comes again.
    pub fn settle(&mut self, id: &str) {
        self.pending.remove(id);
        self.put_off.remove(id);
    }

    /// It could not be handled now.
    pub fn put_off(&mut self, id: &str) {
        self.put_off.insert(id.to_string());
    }

    /// Everything that is unfinished now, those put off included, is handed out again.
    pub fn new_round(&mut self, unfinished: Vec<Transaction>) {
        self.put_off.clear();
        self.pending.clear();
        self.order.clear();
        for transaction in unfinished {
            self.put(transaction);
        }
    }

    fn hold(&mut self) {
        self.pending.clear();
        self.order.clear();
        self.is_caught_up = false;
    }
}

/// Whether a transaction waits to be finished. One in a state of a later daemon does not.
fn is_settled(transaction: &Transaction) -> bool {
    matches!(
        transaction.transaction_state,
        TransactionState::Purchased | TransactionState::Restored | TransactionState::Failed
    )
}
