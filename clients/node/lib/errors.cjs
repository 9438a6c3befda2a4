"use strict";

/** No answer came. Whether the call had an effect is not known. */
class ConnectionFailure extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Nothing answered at the socket; nothing was sent. The `cause` is the system's error, if any. */
class NotConnected extends ConnectionFailure {}

/** The connection ended before the answer came. Repeat the call with the same key. */
class ConnectionLost extends ConnectionFailure {}

/** The queue was closed, by you, before the answer came. It is not repeated. */
class ClientClosed extends ConnectionLost {
  constructor() {
    super("the client was closed before the answer came");
  }
}

/** The time that the caller allowed ran out. Repeat the call with the same key. */
class CallTimedOut extends ConnectionFailure {}

/** What came over the connection is not the daemon's language. */
class NotUnderstood extends ConnectionFailure {}

/**
 * The daemon answered with an error. `code` alone says which failure it is, `kind` is its word;
 * `retry` is `no`, `same` or `later`, `effect` is `none`, `done` or `unknown`.
 */
class ServerError extends Error {
  constructor(method, error) {
    const data = typeof error?.data === "object" && error.data !== null ? error.data : {};
    super(`cannot call '${method}': ${error?.message ?? "no reason given"} (code ${error?.code})`);
    this.name = "ServerError";
    this.method = method;
    this.code = typeof error?.code === "number" ? error.code : 0;
    this.data = data;
    this.kind = data.kind ?? "";
    this.retry = data.retry ?? "no";
    this.retryAfterMs = data.retryAfterMs;
    this.effect = data.effect ?? "unknown";
  }
}

module.exports = { CallTimedOut, ClientClosed, ConnectionFailure, ConnectionLost, NotConnected, NotUnderstood, ServerError };
