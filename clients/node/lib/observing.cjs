"use strict";

const { ConnectionFailure, ServerError } = require("./errors.cjs");

/**
 * Decides what is handed out, and when. Does no input or output. What is replayed or delivered
 * again is held until the daemon says `caughtUp`: a record of a purchase may be followed by the one
 * that it was finished long ago.
 */
class Inbox {
  #states;
  #pending = new Map();
  #putOff = new Set();
  #done = new Set();
  #isHeld = true;

  constructor(states) {
    this.#states = new Set(states);
  }

  /** Takes in what the daemon sent. */
  take({ method, params }) {
    const transactions = Array.isArray(params.transactions) ? params.transactions : [];
    if (method === "opened") {
      // Whatever is unfinished comes again before the next caughtUp.
      this.#hold();
      this.#putOff.clear();
    } else if (method === "caughtUp") {
      this.#isHeld = false;
    } else if (method === "event" && params.kind === "storefrontChanged") {
      // Another account's transactions are hidden now; this one's come again.
      this.#hold();
    } else if (method === "event" && params.kind === "transactionsUpdated") {
      for (const transaction of transactions) this.put(transaction);
    } else if (method === "event" && params.kind === "transactionsRemoved") {
      for (const { id } of transactions) this.settle(id);
    }
  }

  /** Takes in a snapshot, unless a newer one is here. */
  put(transaction) {
    const { id, transactionState, revision = 0, completing } = transaction;
    const known = this.#pending.get(id);
    if (this.#done.has(id) || (known?.revision ?? 0) > revision) return;
    if (this.#states.has(transactionState) && !completing) this.#pending.set(id, transaction);
    else this.#pending.delete(id);
  }

  /** The next one to hand out, the same until it is settled, done or put off. */
  next() {
    if (this.#isHeld) return undefined;
    for (const [id, transaction] of this.#pending) if (!this.#putOff.has(id)) return transaction;
    return undefined;
  }

  /** It is finished and never comes back. */
  done(id) {
    this.settle(id);
    this.#done.add(id);
    if (this.#done.size > 10_000) this.#done.delete(this.#done.values().next().value);
  }

  /** It left the queue, or another observer handles it until it comes again. */
  settle(id) {
    this.#pending.delete(id);
    this.#putOff.delete(id);
  }

  /** It could not be handled now. */
  putOff(id) {
    this.#putOff.add(id);
  }

  /** Everything that is unfinished now, those put off included, is handed out again. */
  newRound(unfinished) {
    this.#putOff.clear();
    this.#pending.clear();
    for (const transaction of unfinished) this.put(transaction);
  }

  #hold() {
    this.#pending.clear();
    this.#isHeld = true;
  }
}

/** Runs a handler for every settled transaction; see `observe` of the client. */
class Observing {
  #queue;
  #handler;
  #options;
  #inbox;
  #unconfirmed = new Set();
  /**
   * When to look again for what was put off; counts from when a round is through, so that one that
   * takes long leaves time for what is new.
   */
  #nextRound;

  constructor(queue, handler, options) {
    const states = ["purchased", "restored", "failed"];
    this.#queue = queue;
    this.#handler = handler;
    this.#options = { states, retryEveryMs: 180_000, onError: console.error, ...options };
    this.#inbox = new Inbox(this.#options.states);
  }

  async run() {
    const { products, signal, onEvent } = this.#options;
    const subscription = this.#queue.subscribe({ products, signal });
    const notifications = subscription[Symbol.asyncIterator]();
    let reading;
    try {
      // What is left when it was closed waits for the next observer.
      while (!signal?.aborted && !subscription.isClosed) {
        const transaction = this.#inbox.next();
        if (transaction) {
          await this.#deliver(transaction);
          continue;
        }
        reading ??= notifications.next();
        const item = await this.#before(reading);
        if (!item) {
          await this.#lookAgain();
          continue;
        }
        reading = undefined;
        if (item.done) return;
        this.#inbox.take(item.value);
        await onEvent?.(item.value);
      }
    } finally {
      subscription.close();
      // It ends with the subscription; what it still brings is ignored.
      await reading?.catch(() => {});
      await notifications.return();
    }
  }

  /** What the promise brings, or nothing if it is time for another round. */
  async #before(promise) {
    const now = Date.now();
    this.#nextRound ??= now + this.#options.retryEveryMs;
    // Also when there always is something to read.
    if (this.#nextRound <= now) return undefined;
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#nextRound - now);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #deliver(transaction) {
    const { id } = transaction;
    const { closes } = this.#queue;
    // When only the finish is missing the handler must not run again for that.
    if (!this.#unconfirmed.has(id)) {
      try {
        await this.#handler(transaction);
      } catch (error) {
        this.#inbox.putOff(id);
        this.#options.onError(error, transaction);
        return;
      }
    }
    this.#unconfirmed.add(id);
    // Telling the daemon now would open what was closed meanwhile; it comes again.
    if (this.#queue.closes !== closes) return;
    try {
      const { disposition } = await this.#queue.finish({ transaction: id });
      this.#unconfirmed.delete(id);
      if (disposition === "ignoredInFlight") this.#inbox.settle(id);
      else this.#inbox.done(id);
    } catch (error) {
      this.#inbox.putOff(id);
      this.#options.onError(error, transaction);
    }
  }

  async #lookAgain() {
    const { states, products } = this.#options;
    this.#nextRound = undefined;
    const unfinished = [];
    try {
      let page;
      do {
        const answer = await this.#queue.transactions({ states, ...(page ? { page } : {}) });
        unfinished.push(...answer.transactions);
        page = answer.next;
      } while (page);
    } catch (error) {
      if (!(error instanceof ServerError || error instanceof ConnectionFailure)) throw error;
      this.#options.onError(error);
      return;
    }
    const isWanted = ({ payment }) =>
      !products || products.includes(payment.product.productIdentifier);
    this.#inbox.newRound(unfinished.filter(isWanted));
  }
}

module.exports = { Inbox, Observing };
