use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::contract::{
    FinishDisposition, FinishParams, Notification, OfferKind, SubscribeParams, Transaction,
    TransactionFilter, TransactionState, TransactionsParams,
};
use crate::errors::Error;
use crate::inbox::Inbox;

/// How often a worker looks whether it is over.
const END_INTERVAL: Duration = Duration::from_millis(250);

/// The failure of a handler.
pub type HandlerError = Box<dyn std::error::Error + Send + Sync>;

type Handler<'a> = Box<dyn FnMut(&Transaction) -> Result<(), HandlerError> + 'a>;

impl Transaction {
    /// Whether what was bought may be unlocked; finish it in any case.
    ///
    /// It is paid or restored, the store did not revoke it, and it does not begin later: of a scheduled
    /// change of subscription the renewal brings the goods. Unlock by `transaction_identifier`: two
    /// transactions may name the same order.
    pub fn may_unlock(&self) -> bool {
        let is_paid = matches!(
            self.transaction_state,
            TransactionState::Purchased | TransactionState::Restored
        );
        is_paid && self.revocation.is_none() && self.offer != Some(OfferKind::Scheduled)
    }
}

/// Delivers what is bought. Each function may be called twice for the same transaction, after a crash or a
/// broken connection. While one runs nothing else is read.
pub struct Worker<'a> {
    unlock: Handler<'a>,
    refuse: Handler<'a>,
    notify: Box<dyn FnMut(&Notification) + 'a>,
    report: Box<dyn FnMut(&dyn std::error::Error) + 'a>,
    products: Option<Vec<String>>,
    retry_every: Duration,
    is_over: Box<dyn Fn() -> bool + 'a>,
}

impl<'a> Worker<'a> {
    /// Makes a worker of the function that delivers what may be unlocked. The transaction is finished after
    /// it returned `Ok`, and handed out again later if it did not.
    pub fn new(unlock: impl FnMut(&Transaction) -> Result<(), HandlerError> + 'a) -> Worker<'a> {
        Worker {
            unlock: Box::new(unlock),
            refuse: Box::new(|_| Ok(())),
            notify: Box::new(|_| {}),
            report: Box::new(|error| eprintln!("{}", error)),
            products: None,
            retry_every: Duration::from_secs(180),
            is_over: Box::new(|| false),
        }
    }

    /// Is called for what must not be unlocked, before it is finished: what failed, what the store took back
    /// meanwhile (it has a `revocation`), and what begins later.
    pub fn refuse(
        mut self,
        refuse: impl FnMut(&Transaction) -> Result<(), HandlerError> + 'a,
    ) -> Worker<'a> {
        self.refuse = Box::new(refuse);
        self
    }

    /// Is called with every notification.
    pub fn notify(mut self, notify: impl FnMut(&Notification) + 'a) -> Worker<'a> {
        self.notify = Box::new(notify);
        self
    }

    /// Is called with what went wrong on the way; otherwise it goes to standard error.
    pub fn report(mut self, report: impl FnMut(&dyn std::error::Error) + 'a) -> Worker<'a> {
        self.report = Box::new(report);
        self
    }

    /// Narrows the work to some products.
    pub fn products(mut self, products: &[&str]) -> Worker<'a> {
        self.products = Some(products.iter().map(|product| product.to_string()).collect());
        self
    }

    /// How often to look again for what is still unfinished; every 180 s at first.
    pub fn retry_every(mut self, time: Duration) -> Worker<'a> {
        self.retry_every = time;
        self
    }

    /// Ends soon after this says so, when the handler that runs is through; asked four times a second.
    pub fn until(mut self, is_over: impl Fn() -> bool + 'a) -> Worker<'a> {
        self.is_over = Box::new(is_over);
        self
    }
}

impl Client {
    /// Hands every settled transaction to a worker, and finishes it then. Returns when
    /// [`Worker::until`] says so.
    pub fn work(&self, worker: Worker<'_>) -> Result<(), Error> {
        let mut run =
            Run { client: self, worker, inbox: Inbox::default(), unconfirmed: HashSet::new() };
        run.all()
    }
}

struct Run<'a> {
    client: &'a Client,
    worker: Worker<'a>,
    inbox: Inbox,
    /// Handled, but the daemon did not answer the finish.
    unconfirmed: HashSet<String>,
}

impl Run<'_> {
    fn all(&mut self) -> Result<(), Error> {
        let wanted = SubscribeParams {
            products: self.worker.products.clone(),
            ..SubscribeParams::default()
        };
        let client = self.client;
        let mut subscription = client.subscribe(wanted, None);
        // Begins to count when a round is through, so that one that takes long leaves time for what is new.
        let mut next_round: Option<Instant> = None;
        while !(self.worker.is_over)() {
            if let Some(transaction) = self.inbox.next() {
                self.deliver(&transaction);
                continue;
            }
            let round = *next_round.get_or_insert_with(|| Instant::now() + self.worker.retry_every);
            let left = round.saturating_duration_since(Instant::now());
            if left.is_zero() {
                next_round = None;
                if let Err(error) = self.look_again() {
                    (self.worker.report)(&error);
                }
                continue;
            }
            if let Some(found) = subscription.next_within(left.min(END_INTERVAL))? {
                self.inbox.take(&found);
                (self.worker.notify)(&found);
            }
        }
        Ok(())
    }

    fn deliver(&mut self, transaction: &Transaction) {
        let id = &transaction.id;
        // When only the finish is missing nothing must be delivered again for that.
        if !self.unconfirmed.contains(id) {
            let handled = if transaction.may_unlock() {
                (self.worker.unlock)(transaction)
            } else {
                (self.worker.refuse)(transaction)
            };
            if let Err(error) = handled {
                self.inbox.put_off(id);
                (self.worker.report)(error.as_ref());
                return;
            }
            self.unconfirmed.insert(id.clone());
        }
        match self.client.finish(&FinishParams { transaction: id.clone(), ..Default::default() }) {
            Ok(answer) => {
                self.unconfirmed.remove(id);
                match answer.disposition {
                    FinishDisposition::IgnoredInFlight => self.inbox.settle(id),
                    _ => self.inbox.finished(id),
                }
            }
            Err(error) => {
                self.inbox.put_off(id);
                (self.worker.report)(&error);
            }
        }
    }

    fn look_again(&mut self) -> Result<(), Error> {
        let mut unfinished = Vec::new();
        let mut wanted = TransactionsParams {
            states: Some(vec![
                TransactionFilter::Purchased,
                TransactionFilter::Restored,
                TransactionFilter::Failed,
            ]),
            ..TransactionsParams::default()
        };
        loop {
            let answer = self.client.transactions(&wanted)?;
            let products = &self.worker.products;
            unfinished.extend(answer.transactions.into_iter().filter(|transaction| {
                let product = &transaction.payment.product.product_identifier;
                products.as_ref().map_or(true, |products| products.contains(product))
            }));
            if answer.next.is_none() {
                break;
            }
            wanted.page = answer.next;
        }
        self.inbox.new_round(unfinished);
        Ok(())
    }
}
