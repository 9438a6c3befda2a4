"use strict";

const { CallTimedOut, ClientClosed, ConnectionFailure, ServerError } = require("./errors.cjs");

/**
 * Whether what was bought may be unlocked; finish it in any case. It is paid or restored, the store
 * did not revoke it, and it does not begin later: of a scheduled change the renewal brings the
 * goods. Two transactions may name the same `transactionIdentifier`, when an order was restored or
 * bought again: unlock by that, and nothing is unlocked twice.
 */
function mayUnlock({ transactionState, revocation, offer }) {
  const isPaid = transactionState === "purchased" || transactionState === "restored";
  return isPaid && revocation === undefined && offer !== "scheduled";
}

/** The time ran out and the purchase continues; `waitingFor` says what it needs. */
class StillWaiting extends Error {
  constructor(transaction, waitingFor) {
    super(`'${transaction}' is not decided yet: it waits for ${waitingFor}`);
    this.name = "StillWaiting";
    this.transaction = transaction;
    this.waitingFor = waitingFor;
  }
}

/** The transaction is gone: finished earlier, or discarded; `reason` says which. */
class LeftTheQueue extends Error {
  constructor(transaction, reason, state) {
    super(`'${transaction}' has left the queue: ${reason}`);
    this.name = "LeftTheQueue";
    this.transaction = transaction;
    this.reason = reason;
    this.state = state;
  }
}

/**
 * Buys a product and returns the transaction in the state in which it settled, which may be
 * `failed`. The key of the intent is on disk before anything is sent, so calling this again after
 * any crash continues with the same purchase. It is not finished by this: an observer does that, or
 * you, when the goods are delivered.
 */
async function buyOnce(queue, keys, intent, product, options) {
  const { appAccountToken, timeoutMs = 60_000 } = options;
  const deadline = Date.now() + timeoutMs;
  const params = { product, key: keys.key(intent) };
  if (appAccountToken !== undefined) params.appAccountToken = appAccountToken;
  // The queue makes progress only while a client observes.
  const { closes } = queue;
  const observer = queue.subscribe({ products: [product] });
  try {
    await observer.open();
  } catch (error) {
    observer.close();
    throw queue.closes === closes ? error : new ClientClosed();
  }
  const draining = drain(observer);
  try {
    const added = await add(queue, params, deadline, closes);
    if (added.removed) throw new LeftTheQueue(added.transaction, added.removed.reason, added.state);
    return await settled(queue, added.transaction, deadline);
  } finally {
    observer.close();
    await draining;
  }
}

async function drain(notifications) {
  try {
    for await (const _ of notifications);
  } catch {
    // Its end shows in the purchase, which is not observed any more.
  }
}

/** Repeats the call, with the same key, as long as that can help. */
async function add(queue, params, deadline, closes) {
  for (;;) {
    if (queue.closes !== closes) throw new ClientClosed();
    let pause = 1000;
    try {
      return await queue.add(params);
    } catch (error) {
      pause = error.retryAfterMs ?? pause;
      const isRefused =
        error instanceof ClientClosed
        || (error instanceof ServerError && error.retry === "no" && error.effect !== "unknown");
      const isKnown = error instanceof ServerError || error instanceof ConnectionFailure;
      if (isRefused || !isKnown || Date.now() + pause > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function settled(queue, id, deadline) {
  for (;;) {
    const left = Math.max(0, deadline - Date.now());
    let answer = {};
    try {
      answer = await queue.wait({ transaction: id, timeout: Math.min(60, left / 1000) });
    } catch (error) {
      if (!(error instanceof CallTimedOut)) throw error;
    }
    const { transaction, reached } = answer;
    if (transaction && transaction.transactionState !== "purchasing") return transaction;
    if (transaction && reached) {
      throw new LeftTheQueue(id, "removed", transaction.transactionState);
    }
    if (Date.now() >= deadline) throw new StillWaiting(id, transaction?.waitingFor);
  }
}

module.exports = { buyOnce, LeftTheQueue, mayUnlock, StillWaiting };
