/** The same as `index.cjs`, for programs that import: one library for both. */

import library from "./index.cjs";

export const {
  CallTimedOut, ClientClosed, ConnectionFailure, ConnectionLost, CursorFile, ErrorCode, KeyFile,
  LeftTheQueue, mayUnlock, NotConnected, NotUnderstood, PaymentQueue, ServerError, socketPath,
  StillWaiting, version,
} = library;
