"use strict";

/** Client of payqueued, the payment queue daemon. Needs nothing but Node 18. */

const { PaymentQueue } = require("./lib/client.cjs");
const { ErrorCode, version } = require("./lib/contract.cjs");
const { socketPath } = require("./lib/discovery.cjs");
const {
  CallTimedOut, ClientClosed, ConnectionFailure, ConnectionLost, NotConnected, NotUnderstood,
  ServerError,
} = require("./lib/errors.cjs");
const { CursorFile, KeyFile } = require("./lib/files.cjs");
const { LeftTheQueue, mayUnlock, StillWaiting } = require("./lib/purchase.cjs");

module.exports = {
  CallTimedOut, ClientClosed, ConnectionFailure, ConnectionLost, CursorFile, ErrorCode, KeyFile,
  LeftTheQueue, mayUnlock, NotConnected, NotUnderstood, PaymentQueue, ServerError, socketPath,
  StillWaiting, version,
};
