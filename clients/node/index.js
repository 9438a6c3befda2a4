/** Client of payqueued, the payment queue daemon. Needs nothing but Node 18. */

export { PaymentQueue } from "./lib/client.js";
export {
  CallTimedOut, ClientClosed, ConnectionFailure, ConnectionLost, NotConnected, NotUnderstood,
  ServerError,
} from "./lib/errors.js";
export { CursorFile, KeyFile } from "./lib/files.js";
export { LeftTheQueue, mayUnlock, StillWaiting } from "./lib/purchase.js";
export { socketPath } from "./lib/discovery.js";
