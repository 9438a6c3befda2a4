import { freshKey } from "./files.js";

/** The methods of the daemon: whether one may be sent twice, and seconds it may take at most. */
const methods = {
  add: { key: true, patience: 150 },
  restore: { key: true, patience: 150 },
  finish: {}, transactions: {}, ack: {}, observers: {}, storefront: {}, logout: {},
  delegate: {}, questions: {}, answer: {}, ping: {}, help: {}, check: {}, status: {}, metrics: {},
  wait: { patience: 60 },
  events: { patience: 60 },
  products: { patience: 30 },
  entitlements: { patience: 30 },
  signedHistory: { patience: 30 },
  keys: { patience: 30 },
  login: { patience: 150 },
  drain: { patience: 60 },
  reload: { patience: 60 },
  backup: { once: true, patience: 300 },
  decide: { once: true },
};

/** Gives a class one method for each of the daemon; its `send` decides how it is carried out. */
export function giveMethods(type) {
  for (const [name, { key, once, patience = 0 }] of Object.entries(methods)) {
    type.prototype[name] = function call(params = {}, options) {
      // With a key of its own even a purchase may be repeated on a new connection.
      const whole = key && !params.key ? { ...params, key: freshKey() } : params;
      return this.send({ method: name, params: whole, repeatable: !once, patience }, options);
    };
  }
}
