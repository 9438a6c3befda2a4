/** Client of payqueued, the payment queue daemon. The shapes are those of the wire; later daemons may
 * add members, states and kinds: read those you know and let the others pass. */

export interface Price { value: number; amount?: string; currencyCode: string }

export interface Product {
  productIdentifier: string;
  type?: string;
  localizedTitle: string;
  localizedDescription: string;
  price: Price;
  /** Whether the account in session is charged `introductoryPrice` first. */
  introductoryOfferEligible?: boolean;
  [member: string]: unknown;
}

export interface Storefront { id: string; countryCode: string }

export interface Transaction {
  id: string;
  payment: { product: Product; appAccountToken?: string };
  /** `purchasing`, `purchased`, `restored`, `failed`, or a state of later. */
  transactionState: string;
  /** What a purchasing one waits for; `approval` is what StoreKit calls deferred. */
  waitingFor?: string;
  transactionIdentifier?: string;
  originalTransactionIdentifier?: string;
  storefront?: Storefront;
  error?: Record<string, unknown>;
  failureReason?: string;
  revision?: number;
  completing?: boolean;
  reason?: string;
  /** What the store took, `0.00` for what was free; a refund does not change it. */
  charged?: { amount: string; currencyCode: string };
  /** Why that is not the price: `introductory`, `alreadyOwned`, `scheduled`, or an offer of later. */
  offer?: string;
  /** When a scheduled change of subscription takes effect. */
  effectiveAt?: string;
  /** The store took it back before it was finished: do not unlock it. */
  revocation?: { at: string; reason: string };
  createdAt?: string;
  updatedAt?: string;
  [member: string]: unknown;
}

/**
 * Whether what was bought may be unlocked; finish it in any case. It is paid or restored, the store
 * did not take it back, and it does not begin later. Unlock by `transactionIdentifier`: two
 * transactions may name the same order.
 */
export function mayUnlock(transaction: Transaction): boolean;

export interface Notification {
  /** `event`, `caughtUp`, `heartbeat`, `gap`, `ended`, `closing`; `opened` is this library's own. */
  method: string;
  params: {
    seq?: number;
    kind?: string;
    redelivery?: boolean;
    transactions?: Transaction[];
    /** Of `storefrontChanged`: who is in session, or whose session the store has ended. */
    account?: string | null;
    /** Of `storefrontChanged`: `sessionEnded` where the store does not know the session any more. */
    cause?: string;
    [member: string]: unknown;
  };
}

export interface Added {
  transaction: string;
  state: string;
  waitingFor?: string;
  seq: number;
  duplicate: boolean;
  removed?: { reason: string; at: string };
}

/** A page of the signed history: a JWS that is verified by itself; `next` if older payments follow. */
export interface HistoryPage { jws: string; kid: string; alg: string; next?: string }

type Answer = Promise<Record<string, any>>;
export interface CallOptions { timeoutMs?: number }
type Method<Params = Record<string, unknown>, Result = Record<string, any>> =
  (params?: Params, options?: CallOptions) => Promise<Result>;

export interface SubscribeOptions {
  after?: number | "start" | "now";
  epoch?: string;
  kinds?: string[];
  products?: string[];
  passive?: boolean;
  agent?: ("login" | "payment")[];
  name?: string;
  heartbeat?: number;
  onGap?: "snapshot" | "error";
  /** Where to go on, over restarts of the program. */
  cursor?: CursorFile;
  signal?: AbortSignal;
}

export interface ObserveOptions {
  states?: string[];
  products?: string[];
  /** How often to hand out again what is still unfinished; 180 000 if not given. */
  retryEveryMs?: number;
  onEvent?: (notification: Notification) => void | Promise<void>;
  /** Told what a handler threw, and what went wrong on the way; `console.error` if not given. */
  onError?: (error: unknown, transaction?: Transaction) => void;
  signal?: AbortSignal;
}

export class Subscription implements AsyncIterable<Notification> {
  open(): Promise<this>;
  close(): void;
  readonly isClosed: boolean;
  [Symbol.asyncIterator](): AsyncIterator<Notification>;
}

export class PaymentQueue {
  constructor(options?: { socket?: string; name?: string; timeoutMs?: number });
  readonly path: string;
  /**
   * Ends the connection and all subscriptions; calls under way reject with `ClientClosed`. The next
   * makes a new one.
   */
  close(): Promise<void>;
  /** Calls any method by its name, once only. */
  call(method: string, params?: Record<string, unknown>, options?: CallOptions): Promise<any>;
  /** Sandbox: a control by its name. */
  test(control: string, params?: Record<string, unknown>, options?: CallOptions): Answer;
  subscribe(options?: SubscribeOptions): Subscription;
  /** Finishes each settled transaction after the handler returned; hands it out again if it threw. */
  observe(
    handler: (transaction: Transaction) => void | Promise<void>, options?: ObserveOptions,
  ): Promise<void>;
  /** The signed history page by page, the newest payment first. */
  historyPages(options?: { limit?: number }): AsyncGenerator<HistoryPage, void>;
  /** Buys a product once per intent, whatever crashes in between. */
  buyOnce(
    keys: KeyFile, intent: string, product: string,
    options?: { appAccountToken?: string; timeoutMs?: number },
  ): Promise<Transaction>;

  add: Method<{ product: string; appAccountToken?: string; key?: string }, Added>;
  restore: Method<{ key?: string; appAccountToken?: string }>;
  finish: Method<
    { transaction: string }, { transaction: string; disposition: string; seq: number }
  >;
  transactions: Method<
    { ids?: string[]; states?: string[]; limit?: number; page?: string },
    { transactions: Transaction[]; seq: number; next?: string }
  >;
  wait: Method<
    { transaction?: string; restore?: string; until?: string[]; timeout?: number },
    { transaction?: Transaction; reached: boolean; [member: string]: any }
  >;
  products: Method<
    { ids?: string[]; limit?: number; page?: string },
    { products: Product[]; invalid: string[]; storefront?: Storefront; next?: string }
  >;
  events: Method;
  ack: Method<{ name: string; seq: number }>;
  observers: Method;
  entitlements: Method;
  login: Method<{ account?: string; credential?: string }>;
  logout: Method;
  storefront: Method<{ assume?: string }>;
  delegate: Method<{ mode?: string; timeout?: number; fallback?: boolean; afterLogin?: string }>;
  questions: Method;
  answer: Method<{ question: string; value: boolean; reason?: string }>;
  signedHistory: Method<{ limit?: number; page?: string }, HistoryPage>;
  keys: Method;
  ping: Method<{ payload?: string }>;
  help: Method<{ method?: string }>;
  check: Method<{ method: string; params?: Record<string, unknown> }>;
  status: Method;
  metrics: Method;
  drain: Method<{ on: boolean }>;
  reload: Method;
  backup: Method;
  decide: Method<{ transaction: string; outcome: "approve" | "decline" }>;
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
