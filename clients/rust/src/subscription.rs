use std::thread;
use std::time::{Duration, Instant};

use serde_json::{json, Value};

use crate::client::Client;
use crate::contract::{GapNotice, GapReason, Notification, SubscribeParams, SubscribeResult};
use crate::errors::{Error, ServerError};
use crate::files::CursorFile;
use crate::wire::{Message, Wire};

/// How long to wait before connecting again, at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The daemon's notifications, over restarts of the daemon and, with a cursor, of the program.
///
/// It is read as fast as they are taken: the daemon keeps the rest in its log. When the connection breaks
/// it connects again and continues after the last notification that was handled; when that place is no
/// longer in the log it brings everything that is unfinished, behind a [`Notification::Gap`].
/// [`Notification::Opened`] marks each new beginning. A notification counts as handled when the next is
/// asked for.
pub struct Subscription<'a> {
    client: &'a Client,
    wanted: SubscribeParams,
    cursor: Option<CursorFile>,
    wire: Option<Wire>,
    has_opened: bool,
    taken: Option<i64>,
    ready: Vec<Notification>,
    pause: Duration,
    rest_until: Option<Instant>,
}

impl Client {
    /// Makes a subscription; it is subscribed at [`Subscription::open`] or at the first notification. It
    /// begins behind `wanted.after`, else at the stored cursor, else with what is unfinished.
    pub fn subscribe(
        &self,
        wanted: SubscribeParams,
        cursor: Option<CursorFile>,
    ) -> Subscription<'_> {
        Subscription {
            client: self,
            wanted,
            cursor,
            wire: None,
            has_opened: false,
            taken: None,
            ready: Vec::new(),
            pause: Duration::from_millis(50),
            rest_until: None,
        }
    }
}

impl Subscription<'_> {
    /// Subscribes now instead of at the first notification.
    pub fn open(&mut self) -> Result<(), Error> {
        if self.wire.is_some() {
            return Ok(());
        }
        if let (Some(cursor), None) = (&self.cursor, &self.wanted.after) {
            if let Some((epoch, seq)) = cursor.load()? {
                self.wanted.epoch = Some(epoch);
                self.wanted.after = Some(json!(seq));
            }
        }
        let mut wire = self.client.open()?;
        let deadline = Instant::now() + self.client.timeout;
        let mut gap = None;
        let opened = match ask(&mut wire, &self.wanted, deadline) {
            Err(Error::Server(error)) if self.may_begin_anew(&error) => {
                // The old place is of another log; in this one it would skip what was never seen.
                self.wanted.after = None;
                self.wanted.epoch = None;
                gap = Some(GapNotice {
                    subscription: String::new(),
                    from: 0,
                    to: 0,
                    reason: GapReason::from(error.kind),
                });
                ask(&mut wire, &self.wanted, deadline)?
            }
            other => other?,
        };
        self.wanted.epoch = Some(opened.epoch.clone());
        self.ready.push(Notification::Opened(opened));
        self.ready.extend(gap.map(|gap| Notification::Gap(Box::new(gap))));
        self.wire = Some(wire);
        self.has_opened = true;
        self.pause = Duration::from_millis(50);
        Ok(())
    }

    /// Waits for the next notification, at most so long; none if the time ran out first.
    pub fn next_within(&mut self, time: Duration) -> Result<Option<Notification>, Error> {
        let deadline = Instant::now() + time;
        self.commit()?;
        loop {
            if !self.ready.is_empty() {
                return Ok(Some(self.ready.remove(0)));
            }
            if let Some(end) = self.rest_until {
                thread::sleep(end.min(deadline).saturating_duration_since(Instant::now()));
                if Instant::now() < end {
                    return Ok(None);
                }
                self.rest_until = None;
            }
            match self.step(deadline) {
                Ok(Step::Found(found)) => return Ok(Some(found)),
                Ok(Step::Nothing) => {}
                Ok(Step::TimeOver) => return Ok(None),
                Err(error) => {
                    self.wire = None;
                    if !self.is_passing(&error) {
                        return Err(error);
                    }
                    let asked = match &error {
                        Error::Server(error) => error.retry_after.unwrap_or_default(),
                        _ => Duration::default(),
                    };
                    self.rest_until = Some(Instant::now() + self.pause.max(asked));
                    self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    fn step(&mut self, deadline: Instant) -> Result<Step, Error> {
        let wire = match &mut self.wire {
            Some(wire) => wire,
            None => return self.open().map(|()| Step::Nothing),
        };
        let (method, params) = match wire.receive(deadline)? {
            None => return Ok(Step::TimeOver),
            Some(Message::Reply { .. }) => return Ok(Step::Nothing),
            Some(Message::Notification { method, params }) => (method, params),
        };
        let found = Notification::read(method, params)
            .map_err(|error| Error::NotUnderstood(format!("an odd notification: {}", error)))?;
        self.taken = match &found {
            Notification::Event(event) => Some(event.seq),
            Notification::CaughtUp(notice) => Some(notice.seq),
            Notification::Heartbeat(notice) => Some(notice.seq),
            _ => None,
        };
        if let Notification::Ended(_) = found {
            // The place was overtaken by trimming, or a role was withdrawn: begin anew, or learn the
            // reason from the refusal.
            self.wire = None;
        }
        Ok(Step::Found(found))
    }

    /// Moves the place behind the notification that was handled.
    fn commit(&mut self) -> Result<(), Error> {
        let seq = match self.taken.take() {
            Some(seq) => seq,
            None => return Ok(()),
        };
        self.wanted.after = Some(json!(seq));
        match (&self.cursor, &self.wanted.epoch) {
            (Some(cursor), Some(epoch)) => cursor.store(epoch, seq),
            _ => Ok(()),
        }
    }

    fn may_begin_anew(&self, error: &ServerError) -> bool {
        let is_unusable = (1301..=1303).contains(&error.code);
        is_unusable && self.wanted.after.is_some() && (self.has_opened || self.cursor.is_some())
    }

    /// Whether another try may go well. What fails before the first beginning is returned.
    fn is_passing(&self, error: &Error) -> bool {
        match error {
            Error::Server(error) => self.has_opened && error.retry == "later",
            Error::NotConnected { .. } | Error::TimedOut { .. } => self.has_opened,
            Error::ConnectionLost { .. } => true,
            _ => false,
        }
    }
}

/// Waits as long as it takes.
impl Iterator for Subscription<'_> {
    type Item = Result<Notification, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(found) = self.next_within(Duration::from_secs(3600)).transpose() {
                return Some(found);
            }
        }
    }
}

enum Step {
    Found(Notification),
    Nothing,
    TimeOver,
}

fn ask(
    wire: &mut Wire,
    wanted: &SubscribeParams,
    deadline: Instant,
) -> Result<SubscribeResult, Error> {
    let mut wanted = wanted.clone();
    if !wanted.after.as_ref().map_or(false, Value::is_number) {
        wanted.epoch = None; // an epoch goes with a number only
    }
    wire.send("subscribe", &wanted, Some(1), deadline)?;
    loop {
        match wire.receive(deadline)? {
            None => return Err(Error::TimedOut { method: "subscribe".to_string() }),
            Some(Message::Reply { outcome: Ok(result), .. }) => {
                return serde_json::from_value(result).map_err(|error| {
                    Error::NotUnderstood(format!("an odd answer to 'subscribe': {}", error))
                })
            }
            Some(Message::Reply { outcome: Err(error), .. }) => {
                return Err(Error::Server(ServerError::read("subscribe", &error)))
            }
            Some(Message::Notification { .. }) => {}
        }
    }
}
