"use strict";

const { version } = require("./contract.cjs");
const { CallTimedOut, ConnectionLost, NotConnected, ServerError } = require("./errors.cjs");
const { resultOf, Wire } = require("./wire.cjs");

const LONGEST_PAUSE_MS = 5_000;
const CURSOR_UNUSABLE = new Set([1301, 1302, 1303]);

/** Whether another try may go well; a refusal such as too many connections is over some time. */
const isPassing = (error) =>
  error instanceof ServerError
    ? error.retry === "later"
    : [CallTimedOut, ConnectionLost, NotConnected].some((kind) => error instanceof kind);

/**
 * An async iterable of the daemon's notifications, on a connection of its own. It is read as fast
 * as it is taken. When the connection breaks it connects again, also when the daemon asks it to come later,
 * and continues after the last one taken; when that place is gone it takes everything that is
 * unfinished and says so by a notification `gap`. `opened` marks each new beginning. The cursor is
 * stored when the next one is asked for, so one that was not fully handled comes again.
 */
class Subscription {
  #path;
  #name;
  #wanted;
  #cursor;
  #after;
  #epoch;
  #timeoutMs;
  /** Also while it is being subscribed; `#isOpen` then tells. */
  #wire;
  #isOpen = false;
  #hasOpened = false;
  #isClosed = false;
  #ready = [];
  #wake = () => {};
  #onClose;

  constructor(path, name, timeoutMs, { after, epoch, cursor, signal, ...wanted }, onClose) {
    this.#onClose = onClose;
    this.#path = path;
    this.#name = name;
    this.#timeoutMs = timeoutMs;
    this.#wanted = Object.fromEntries(Object.entries(wanted).filter(([, v]) => v !== undefined));
    this.#cursor = cursor;
    const stored = after === undefined ? cursor?.load() : undefined;
    this.#after = after ?? stored?.seq;
    this.#epoch = epoch ?? stored?.epoch;
    if (signal?.aborted) this.close();
    signal?.addEventListener("abort", () => this.close(), { once: true });
  }

  /** Subscribes now instead of at the first notification; throws what goes wrong. */
  async open() {
    if (!this.#isOpen && !this.#isClosed) await this.#subscribe();
    return this;
  }

  get isClosed() {
    return this.#isClosed;
  }

  /** Ends the subscription; the iteration ends. */
  close() {
    this.#isClosed = true;
    this.#onClose?.(this);
    this.#wire?.close();
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    let pause = 50;
    try {
      while (!this.#isClosed) {
        try {
          if (!this.#isOpen) await this.#subscribe();
          pause = 50;
          while (this.#ready.length > 0) yield this.#ready.shift();
          const { notification } = await this.#wire.receive();
          if (!notification) continue;
          yield notification;
          this.#commit(notification);
          if (notification.method === "ended") this.#drop();
        } catch (error) {
          this.#drop();
          if (this.#isClosed) return;
          if (!this.#hasOpened || !isPassing(error)) throw error;
          await this.#rest(Math.max(pause, error.retryAfterMs ?? 0));
          pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
        }
      }
    } finally {
      this.close();
      this.#drop();
    }
  }

  #commit({ method, params }) {
    if (!["event", "caughtUp", "heartbeat"].includes(method)) return;
    if (!Number.isInteger(params.seq)) return;
    this.#after = params.seq;
    this.#cursor?.store(this.#epoch, params.seq);
  }

  #drop() {
    this.#isOpen = false;
    this.#wire?.close();
    this.#wire = undefined;
  }

  #rest(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => (clearTimeout(timer), resolve());
    });
  }

  async #subscribe() {
    const wire = await Wire.open(this.#path);
    // Known from here on to a close in the meantime.
    this.#wire = wire;
    if (this.#isClosed) wire.close();
    let isLate = false;
    const timer = setTimeout(() => ((isLate = true), wire.close()), this.#timeoutMs);
    try {
      wire.send("hello", { client: { name: this.#name, version } });
      const opened = await this.#asked(wire);
      this.#epoch = opened.epoch ?? this.#epoch;
      this.#ready.unshift({ method: "opened", params: opened });
      this.#hasOpened = this.#isOpen = true;
    } catch (error) {
      this.#drop();
      throw isLate ? new CallTimedOut("no answer to 'subscribe' came in time") : error;
    } finally {
      clearTimeout(timer);
    }
    if (this.#isClosed) wire.close();
  }

  async #asked(wire) {
    const place = this.#after === undefined ? {} : { after: this.#after };
    if (this.#epoch !== undefined && Number.isInteger(this.#after)) place.epoch = this.#epoch;
    try {
      return await this.#ask(wire, place);
    } catch (error) {
      const mayBeginAnew = this.#after !== undefined && (this.#hasOpened || this.#cursor);
      const isUnusable = error instanceof ServerError && CURSOR_UNUSABLE.has(error.code);
      if (!isUnusable || !mayBeginAnew) throw error;
      const opened = await this.#ask(wire, {});
      // The old place is of another log; in this one it would skip what was never seen.
      this.#after = this.#epoch = undefined;
      this.#ready.push({ method: "gap", params: { reason: error.kind, error: error.data } });
      return opened;
    }
  }

  async #ask(wire, place) {
    wire.send("subscribe", { ...this.#wanted, ...place }, 1);
    for (;;) {
      const { reply } = await wire.receive();
      if (reply) return resultOf("subscribe", reply);
    }
  }
}

module.exports = { Subscription };
