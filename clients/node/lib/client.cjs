"use strict";

const { socketPath } = require("./discovery.cjs");
const { CallTimedOut, ClientClosed, ConnectionLost, NotConnected, ServerError } = require("./errors.cjs");
const { version } = require("./contract.cjs");
const { giveMethods, request } = require("./methods.cjs");
const { Observing } = require("./observing.cjs");
const { buyOnce } = require("./purchase.cjs");
const { Subscription } = require("./subscription.cjs");
const { resultOf, Wire } = require("./wire.cjs");

const sleep = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/**
 * A client. Calls share one connection, which is made at the first call and again after it broke;
 * calls that may be repeated safely are repeated then. Subscriptions have connections of their own,
 * so that a slow reader holds nothing up.
 */
class PaymentQueue {
  #wire;
  #waiting = new Map();
  #lastId = 0;
  /** Counted, for what began before a close must not outlive it, and what begins later may. */
  #closes = 0;
  #subscriptions = new Set();

  constructor({ socket, name = "node", timeoutMs = 30_000 } = {}) {
    this.path = socketPath(socket);
    this.name = name;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Ends the connection and all subscriptions; calls under way reject with `ClientClosed`. The next
   * makes a new one.
   */
  async close() {
    this.#closes += 1;
    for (const subscription of [...this.#subscriptions]) subscription.close();
    const opening = this.#wire;
    this.#wire = undefined;
    (await opening?.catch(() => undefined))?.close();
  }

  /** How often it was closed; what began at another count is not to go on. */
  get closes() {
    return this.#closes;
  }

  /** Calls any method by its name, also one that this library does not know; once only. */
  call(method, params = {}, options) {
    return this.send({ method, params, repeatable: false, patience: 0 }, options);
  }

  /** Carries a request out; throws `ServerError` or `ConnectionFailure`. */
  async send({ method, params, repeatable, patience }, { timeoutMs = this.timeoutMs } = {}) {
    const deadline = Date.now() + timeoutMs + patience * 1000;
    const closes = this.#closes;
    let wasSent = false;
    for (let pause = 50; ; pause = Math.min(2000, pause * 2)) {
      try {
        const wire = await this.#connected();
        if (this.#closes !== closes) throw new ClientClosed();
        wasSent = true;
        return resultOf(method, await this.#exchange(wire, method, params, deadline, patience));
      } catch (error) {
        const isBroken = error instanceof ConnectionLost || error instanceof NotConnected;
        if (isBroken && this.#closes !== closes) throw new ClientClosed();
        // A daemon that was never there is reported at once; one that goes away in the middle of
        // a call is probably being restarted.
        if (!isBroken || !wasSent || !repeatable || Date.now() + pause > deadline) throw error;
      }
      await sleep(pause);
      if (this.#closes !== closes) throw new ClientClosed();
    }
  }

  /** Sandbox: a control by its name, as in `test("set", {askToBuyEnabled: true})`. */
  test(control, params = {}, options) {
    return this.send(request(`test.${control}`, params), options);
  }

  /** The daemon's notifications as an async iterable that survives restarts. */
  subscribe(options = {}) {
    const isOver = (subscription) => this.#subscriptions.delete(subscription);
    const subscription = new Subscription(this.path, this.name, this.timeoutMs, options, isOver);
    if (!subscription.isClosed) this.#subscriptions.add(subscription);
    return subscription;
  }

  /**
   * Hands every settled transaction to the handler and finishes it after that returned; hands it
   * out again later if it threw. So a handler must not mind to see one twice. Runs until the
   * signal is aborted.
   */
  observe(handler, options = {}) {
    return new Observing(this, handler, options).run();
  }

  /**
   * The signed history page by page, the newest payment first. What is paid for meanwhile moves no
   * page: each payment that was there at the first page comes once.
   */
  async *historyPages({ limit } = {}) {
    let page;
    do {
      const answer = await this.signedHistory({ ...(limit && { limit }), ...(page && { page }) });
      yield answer;
      page = answer.next;
    } while (page);
  }

  /** Buys a product once per intent, whatever crashes in between. */
  buyOnce(keys, intent, product, options = {}) {
    return buyOnce(this, keys, intent, product, options);
  }

  #connected() {
    if (!this.#wire) {
      const waiting = new Map();
      const opening = Wire.open(this.path).then((wire) => {
        this.#read(wire, waiting);
        wire.send("hello", { client: { name: this.name, version } });
        return wire;
      });
      this.#wire = opening;
      this.#waiting = waiting;
      opening.catch(() => {
        if (this.#wire === opening) this.#wire = undefined;
      });
    }
    return this.#wire;
  }

  #exchange(wire, method, params, deadline, patience) {
    const id = ++this.#lastId;
    const waiting = this.#waiting;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (patience) wire.send("cancel", { id });
        waiting.get(id)?.reject(new CallTimedOut(`no answer to '${method}' came in time`));
      }, Math.max(0, deadline - Date.now()));
      const settle = (end) => (value) => {
        clearTimeout(timer);
        waiting.delete(id);
        end(value);
      };
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      wire.send(method, params, id);
    });
  }

  /** Hands out the answers until the connection ends, then fails the calls that still wait. */
  async #read(wire, waiting) {
    try {
      for (;;) {
        const { reply } = await wire.receive();
        if (!reply) continue;
        if (reply.id === null && reply.error) throw new ServerError("the connection", reply.error);
        waiting.get(reply.id)?.resolve(reply);
      }
    } catch (error) {
      wire.close();
      if (this.#waiting === waiting) this.#wire = undefined;
      for (const call of [...waiting.values()]) call.reject(error);
    }
  }
}

giveMethods(PaymentQueue);

module.exports = { PaymentQueue, sleep };
