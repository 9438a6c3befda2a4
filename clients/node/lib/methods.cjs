"use strict";

const { methods } = require("./contract.cjs");
const { freshKey } = require("./files.cjs");

/** What a call by its name is carried out with; one that the contract does not know is sent once. */
function request(name, params) {
  const { key, once, patience = 0 } = methods[name] ?? { once: true };
  // With a key of its own even a purchase may be repeated on a new connection.
  const whole = key && !params.key ? { ...params, key: freshKey() } : params;
  return { method: name, params: whole, repeatable: !once, patience };
}

/** Gives a class one method for each of the daemon; its `send` decides how it is carried out. */
function giveMethods(type) {
  for (const name of Object.keys(methods).filter((each) => !each.startsWith("test."))) {
    type.prototype[name === "rpc.discover" ? "discover" : name] = function call(params = {}, options) {
      return this.send(request(name, params), options);
    };
  }
}

module.exports = { giveMethods, request };
