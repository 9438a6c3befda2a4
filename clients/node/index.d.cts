/** Client of payqueued, the payment queue daemon. `contract.d.cts` has the types of every method. */

import type {
  CallOptions, CaughtUpNotice, ClosingNotice, Controls, EndedNotice, EventNotice, GapNotice,
  HeartbeatNotice, Methods, SignedHistoryResult, SubscribeParams, SubscribeResult, Transaction,
  TransactionState,
} from "./contract.cjs";

export * from "./contract.cjs";

/**
 * Whether what was bought may be unlocked; finish it in any case. It is paid or restored, the store
 * did not revoke it, and it does not begin later. Unlock by `transactionIdentifier`: two
 * transactions may name the same order.
 */
export function mayUnlock(transaction: Transaction): boolean;

/** A notification of the daemon; `opened` is this library's own. */
export type Notification =
  | { method: "opened"; params: SubscribeResult }
  | { method: "event"; params: EventNotice }
  | { method: "caughtUp"; params: CaughtUpNotice }
  | { method: "heartbeat"; params: HeartbeatNotice }
  | { method: "gap"; params: GapNotice & { error?: Record<string, unknown> } }
  | { method: "ended"; params: EndedNotice }
  | { method: "closing"; params: ClosingNotice };

export interface SubscribeOptions extends SubscribeParams {
  /** Where to go on, over restarts of the program. */
  cursor?: CursorFile;
  signal?: AbortSignal;
}

export interface ObserveOptions {
  states?: TransactionState[];
  products?: string[];
  /** How often to hand out again what is still unfinished; 180 000 if not given. */
  retryEveryMs?: number;
  onEvent?: (notification: Notification) => void | Promise<void>;
  /** Called with what a handler threw, and with what went wrong on the way; `console.error` if not given. */
  onError?: (error: unknown, transaction?: Transaction) => void;
  signal?: AbortSignal;
}

export class Subscription implements AsyncIterable<Notification> {
  open(): Promise<this>;
  close(): void;
  readonly isClosed: boolean;
  [Symbol.asyncIterator](): AsyncIterator<Notification>;
}

/** A client; it has one method for each of the daemon. */
export interface PaymentQueue extends Methods {}
export class PaymentQueue {
  constructor(options?: { socket?: string; name?: string; timeoutMs?: number });
  readonly path: string;
  /**
   * Ends the connection and all subscriptions; calls under way reject with `ClientClosed`. The next
   * makes a new one.
   */
  close(): Promise<void>;
  /** Calls any method by its name, once only; also one that this library does not know. */
  call(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** Sandbox: a control by its name, as in `test("set", {askToBuyEnabled: true})`. */
  test<Name extends keyof Controls>(
    control: Name, params?: Controls[Name]["params"], options?: CallOptions,
  ): Promise<Controls[Name]["result"]>;
  subscribe(options?: SubscribeOptions): Subscription;
  /** Finishes each settled transaction after the handler returned; hands it out again if it threw. */
  observe(
    handler: (transaction: Transaction) => void | Promise<void>, options?: ObserveOptions,
  ): Promise<void>;
  /** The signed history page by page, the newest payment first. */
  historyPages(options?: { limit?: number }): AsyncGenerator<SignedHistoryResult, void>;
  /** Buys a product once per intent, whatever crashes in between. */
  buyOnce(
    keys: KeyFile, intent: string, product: string,
    options?: { appAccountToken?: string; timeoutMs?: number },
  ): Promise<Transaction>;
}

/** Idempotency keys by intent, on disk before they are used. */
export class KeyFile {
  constructor(path: string);
  key(intent: string): string;
  forget(intent: string): void;
}

/** How far a reader of the log has come, on disk. */
export class CursorFile {
  constructor(path: string);
  load(): { epoch: string; seq: number } | undefined;
  store(epoch: string, seq: number): void;
}

export class ConnectionFailure extends Error {}
export class NotConnected extends ConnectionFailure {
  /** The system's error, if there was one; its `code` is for example `ENOENT`. */
  readonly cause?: Error & { code?: string };
}
export class ConnectionLost extends ConnectionFailure {}
/** The queue was closed, by you, before the answer came. */
export class ClientClosed extends ConnectionLost {}
export class CallTimedOut extends ConnectionFailure {}
export class NotUnderstood extends ConnectionFailure {}

/** `code` alone says which failure it is. */
export class ServerError extends Error {
  readonly method: string;
  readonly code: number;
  readonly kind: string;
  readonly retry: "no" | "same" | "later" | string;
  readonly retryAfterMs?: number;
  readonly effect: "none" | "done" | "unknown" | string;
  readonly data: Record<string, unknown>;
}

export class StillWaiting extends Error {
  readonly transaction: string;
  readonly waitingFor?: string;
}

export class LeftTheQueue extends Error {
  readonly transaction: string;
  readonly reason: string;
  readonly state: string;
}

export function socketPath(named?: string, environment?: Record<string, string | undefined>): string;
