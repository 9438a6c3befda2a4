/**
 * The types of the contract, written from it by a test: do not edit.
 *
 * Later daemons may add members, states and kinds: read those you know and let the others pass.
 */

/** One of these words, or one of a later daemon. */
export type Open<Words extends string> = Words | (string & {});

export type TransactionState = "purchasing" | "purchased" | "restored" | "failed";
export type WaitingFor = "observer" | "login" | "gate" | "approval" | "store";
export type TransactionReason = "purchase" | "renewal" | "restore" | "external";
export type OfferKind = "introductory" | "alreadyOwned" | "scheduled";
export type RemovalReason =
  | "finished"
  | "withdrawn"
  | "discardedByGate"
  | "rejectedAfterLogin"
  | "deleted";
export type ProductType =
  | "consumable"
  | "nonConsumable"
  | "nonRenewingSubscription"
  | "autoRenewableSubscription";
export type PeriodUnit = "day" | "week" | "month" | "year";
export type EventKind =
  | "transactionsUpdated"
  | "transactionsRemoved"
  | "restoreCompleted"
  | "restoreFailed"
  | "storefrontChanged"
  | "entitlementsRevoked"
  | "productsChanged"
  | "questionOpened"
  | "questionClosed";
export type EventReason =
  | "finished"
  | "withdrawn"
  | "discardedByGate"
  | "rejectedAfterLogin"
  | "deleted"
  | "answered"
  | "timedOut"
  | "agentGone"
  | "sessionChanged"
  | "restarted";
export type QuestionType = "login" | "afterLogin" | "shouldContinue" | "payment";
export type EventCause = "storefront" | "price" | "sessionEnded";
export type TestSettingsFailureError =
  | "cancelled"
  | "declined"
  | "presentationFailed"
  | "unknown"
  | "invalidOfferIdentifier"
  | "invalidSignature"
  | "missingOfferParams"
  | "invalidOfferPrice";
export type SimulatedError =
  | "connectionError"
  | "serviceUnavailable"
  | "appNotRegistered"
  | "unknownAccount"
  | "badCredential"
  | "sessionRevoked"
  | "storageFailed"
  | "internalError";
export type OrderState = "deferred" | "purchased" | "failed" | "refunded";
export type OrderError = "cancelled" | "presentationFailed" | "internalError";
export type RestoreState = "running" | "completed" | "failed";
export type GapReason = "trimmed" | "damaged";
export type EndedReason = "trimmed" | "unreadable" | "roleWithdrawn";
export type ClosingReason = "shutdown";
export type HelloRole = "observe" | "buy" | "gate" | "admin";
export type DaemonState = "running" | "draining" | "degraded";
export type StatusStorageRoomShortage = "bytes" | "files" | "quota" | "fileSize";
export type StatusStoreState = "unknown" | "available" | "unavailable";
export type KeyKty = "RSA" | "EC";
export type KeyUse = "sig";
export type FinishDisposition = "removed" | "completing" | "ignoredInFlight" | "alreadyFinished";
export type TransactionFilter = "purchasing" | "purchased" | "restored" | "failed" | "finished";
export type WaitUntil = "purchasing" | "purchased" | "restored" | "failed" | "removed";
export type SubscribeAfter = "start" | "now";
export type SubscribeAgent = "login" | "payment";
export type SubscribeOnGap = "snapshot" | "error";
export type DelegateMode = "continue" | "stop" | "ask";
export type DelegateAfterLogin = "continue" | "ask";
export type QuestionCause = "storefront" | "price";
export type DecideOutcome = "approve" | "decline";
export type ClusterRole = "owner" | "follower";
export type SimulatedCatalogueError =
  | "connectionError"
  | "serviceUnavailable"
  | "appNotRegistered"
  | "internalError";
export type SimulatedStoreError =
  | "connectionError"
  | "serviceUnavailable"
  | "appNotRegistered"
  | "internalError"
  | "sessionRevoked";
export type SimulatedLoginError =
  | "connectionError"
  | "serviceUnavailable"
  | "appNotRegistered"
  | "internalError"
  | "unknownAccount"
  | "badCredential";
export type TestPriceIncreaseAnswer = "consent" | "decline" | "pending";

/** The queue's record of one payment. */
export interface Transaction {
  /** The identifier of the transaction; never changes and is never reused. */
  id: string;
  /** The identifier of the order at the store; absent until there is one. */
  transactionIdentifier?: string;
  /** The identifier of the first order of its chain of renewals. */
  originalTransactionIdentifier?: string;
  /** The product that was asked for, with the token that was sent. */
  payment: Payment;
  /** The state. */
  transactionState: Open<TransactionState>;
  /** The storefront in which it is charged, or was charged. */
  storefront: Storefront;
  /**
   * An object with one member, whose name is the error and whose value is empty; only in state
   * failed.
   */
  error?: Record<string, unknown>;
  /** The revision; grows with each record of this transaction. */
  revision: number;
  /** The time at which it was accepted. */
  createdAt: string;
  /** The time of its newest record. */
  updatedAt: string;
  /** What it waits for; only in state purchasing. */
  waitingFor?: Open<WaitingFor>;
  /** Whether finish was accepted and the store has not confirmed the completion yet. */
  completing?: boolean;
  /** The reason behind the error. */
  failureReason?: string;
  /** The origin of the transaction. */
  reason: Open<TransactionReason>;
  /** The amount that the store charged; absent until it did. */
  charged?: Charge;
  /** The reason why the charge is not the price of the product; absent where it is. */
  offer?: Open<OfferKind>;
  /** The time at which a scheduled change of subscription takes effect. */
  effectiveAt?: string;
  /** Present once the store has refunded or revoked the purchase: do not unlock what was bought. */
  revocation?: Revocation;
  /** The client that caused its newest record; absent if no client did. */
  by?: Origin;
  /** The time at which it left the queue. */
  finishedAt?: string;
  /** The reason for which it left the queue. */
  removalReason?: Open<RemovalReason>;
}

/** The payment that was requested. */
export interface Payment {
  /** The product, as it was sold. */
  product: Product;
  /** The application's own account identifier, as it was sent with the purchase. */
  appAccountToken?: string;
}

/** A product of the store. */
export interface Product {
  /** The identifier by which clients buy the product. */
  productIdentifier: string;
  /** The type of the product. */
  type: Open<ProductType>;
  /** The localized name. */
  localizedTitle: string;
  /** The localized description. */
  localizedDescription: string;
  /** The address of a picture. */
  iconUrl?: string;
  /** The price; of a subscription, the price of one period. */
  price: Price;
  /** Only for subscriptions. */
  subscriptionPeriod?: Period;
  /** Only for subscriptions. */
  subscriptionGroupIdentifier?: string;
  /** The introductory offer, for new subscribers. */
  introductoryPrice?: Offer;
  /**
   * Whether the account in session is eligible for the introductory offer: once per account and
   * subscription group.
   */
  introductoryOfferEligible?: boolean;
  /** A promotional offer. */
  discountedPrice?: Offer;
}

/** The price of a product. `amount` is exact, `value` is for display only. */
export interface Price {
  /** The amount in major units, as a number with the same digits. */
  value: number;
  /** The amount as text, for programs that must not round. */
  amount: string;
  /** ISO 4217. */
  currencyCode: string;
}

/** A span of time, in whole units. */
export interface Period {
  /** The unit. */
  unit: Open<PeriodUnit>;
  /** The number of units. */
  numberOfUnits: number;
}

/** A price for a first period, or a discount. */
export interface Offer {
  /** The amount that is charged; 0 is a free trial. */
  price: Price;
  /** The length of the offer. */
  period: Period;
}

/** The country whose prices apply. */
export interface Storefront {
  /** An opaque identifier; compare countryCode instead. */
  id: string;
  /** The country, as an ISO 3166-1 alpha-2 code. */
  countryCode: string;
}

/** The client that caused a record. */
export interface Origin {
  /** The user id of the peer, as the kernel reports it. */
  uid: number;
  /** The name that the client gave with hello. */
  client?: string;
}

/** A record of the log. Which members it has depends on `kind`. */
export interface Event {
  /** The sequence number of its record in the log. */
  seq: number;
  /** The kind of event; it decides which further members are present. */
  kind: Open<EventKind>;
  /** The time of its record. */
  time: string;
  /** Whether this is a redelivery: nothing changed, unfinished transactions are sent again. */
  redelivery?: boolean;
  /** The transactions, as full snapshots; of removed transactions the last snapshot. */
  transactions?: Transaction[];
  /** The reason for which transactions left the queue, or a question ended without an answer. */
  reason?: Open<EventReason>;
  /** The client that caused it; absent if no client did. */
  by?: Origin;
  /** The trace context of the call that caused it. */
  trace?: string;
  /** The storefront before the change; null if no account was in session. */
  from?: Storefront | null;
  /** The storefront after the change; null if no account is in session. */
  to?: Storefront | null;
  /** The account that is now in session, or whose session the store has ended. */
  account?: string | null;
  /** The restore that ended. */
  restore?: string;
  /** The number of transactions that the restore returned. */
  count?: number;
  /**
   * An object with one member, whose name is the reason for which the restore failed and whose
   * value is empty.
   */
  error?: Record<string, unknown>;
  /** The products whose entitlements were revoked. */
  products?: string[];
  /** The orders that were refunded or revoked. */
  orders?: string[];
  /** The revision of the store's catalogue; grows with each change. */
  revision?: number;
  /** The identifier of the question. */
  question?: string;
  /** The type of question. */
  type?: Open<QuestionType>;
  /** The transaction that waits for the answer. */
  transaction?: string;
  /** The cause of the question, or of a storefront change that no client requested. */
  cause?: Open<EventCause>;
  /** The product that would be bought. */
  product?: Product;
  /** The price that would be charged. */
  price?: Price;
  /** Where. */
  storefront?: Storefront;
  /** The answer that applies if none is given in time. */
  fallback?: boolean;
  /**
   * The time at which the fallback applies; for the agent that is asked, the end of its turn; null
   * until the question has reached an agent.
   */
  deadline?: string | null;
  /** The answer; null if the question ended without one. */
  value?: boolean | null;
  /** The reason that was given with the answer. */
  note?: string;
}

/** Part of `TestSettings`. */
export interface TestSettingsTimeRate {
  /** The length of a month, in seconds. */
  monthSeconds: number;
}

/** Part of `TestSettings`. */
export interface TestSettingsSimulatedErrors {
  /** The error with which the call fails. */
  products: Open<SimulatedError> | null;
  /** The error with which the call fails. */
  purchase: Open<SimulatedError> | null;
  /** The error with which the call fails. */
  completion: Open<SimulatedError> | null;
  /** The error with which the call fails. */
  restore: Open<SimulatedError> | null;
  /** The error with which the call fails. */
  reconciliation: Open<SimulatedError> | null;
  /** The error with which the call fails. */
  history: Open<SimulatedError> | null;
  /** The error with which the call fails. */
  login: Open<SimulatedError> | null;
}

/** The settings of the sandbox. */
export interface TestSettings {
  /** New orders fail with failureError. */
  failTransactionsEnabled: boolean;
  /** The error with which new orders fail. */
  failureError: Open<TestSettingsFailureError>;
  /** New orders wait for an approval. */
  askToBuyEnabled: boolean;
  /** Every purchase is interrupted and fails. */
  interruptedPurchasesEnabled: boolean;
  /** The speed of the sandbox's clock for subscriptions. */
  timeRate: number | TestSettingsTimeRate;
  /** The country of every account; absent if none was set. */
  storefront?: string;
  /** Whether accounts may make payments. */
  paymentsAllowed: boolean;
  /** The locale of product texts; absent if none was set. */
  locale?: string;
  /** A subscription whose renewal was not paid stays active for a grace period. */
  billingGracePeriodIsEnabled: boolean;
  /** Renewals are not paid until resolved. */
  shouldEnterBillingRetryOnRenewal: boolean;
  /** The simulated error of each call, or null. */
  simulatedErrors: TestSettingsSimulatedErrors;
  /** The delay of every answer, in milliseconds. */
  latencyMs: number;
  /** The store does not answer. */
  storeDown: boolean;
}

/** The sandbox's record of a payment. */
export interface Order {
  /** The identifier of the order. */
  order: string;
  /** The transaction that asked for the order. */
  transaction?: string;
  /** The identifier of the first order of its chain of renewals. */
  original: string;
  /** The account that pays. */
  account: string;
  /** The product that was bought. */
  product: string;
  /** The price in that country; of a subscription, the price of one period. */
  price: Price;
  /** The amount that the store charged; absent until it did. */
  charged?: Charge;
  /** The reason why the charge is not the price of the product; absent where it is. */
  offer?: Open<OfferKind>;
  /** The time at which a scheduled change of subscription takes effect. */
  effectiveAt?: string;
  /** Present once the store has refunded or revoked the purchase: do not unlock what was bought. */
  revocation?: Revocation;
  /** The country of the order. */
  countryCode: string;
  /** The application's own account identifier, as it was sent with the purchase. */
  appAccountToken?: string;
  /** The state. */
  state: Open<OrderState>;
  /** The error with which the order failed. */
  error?: Open<OrderError>;
  /** The reason behind the error. */
  failureReason?: string;
  /** Whether the order was completed: the store knows that it was delivered. */
  completed: boolean;
  /** The time at which the order was placed. */
  placedAt: string;
  /** Whether the order renews an earlier one. */
  renewal?: boolean;
  /** The time at which the period ends; only for subscriptions. */
  expiresAt?: string;
  /** The time at which the order was refunded or revoked. */
  revokedAt?: string;
}

/** A restore and its state. */
export interface Restore {
  /** The identifier of the restore. */
  id: string;
  /** The state. */
  state: Open<RestoreState>;
  /** What it waits for; only in state running. */
  waitingFor?: Open<WaitingFor>;
  /** The number of transactions that it returned; only in state completed. */
  count?: number;
  /**
   * An object with one member, whose name is the error and whose value is empty; only in state
   * failed.
   */
  error?: Record<string, unknown>;
}

/** The sandbox's clock. */
export interface TestClock {
  /** The time on the sandbox's clock. */
  now: string;
  /** The time at which the next event is due; absent if none is. */
  nextEventAt?: string;
}

/** The exact amount that the store charged; `0.00` if it was free. */
export interface Charge {
  /** The amount in major units, with the digits of the currency; 0.00 if it was free. */
  amount: string;
  /** ISO 4217. */
  currencyCode: string;
}

/** The time and reason of a refund or revocation. */
export interface Revocation {
  /** When. */
  at: string;
  /** The reason, such as refund. */
  reason: string;
}

/** An event of the queue. */
export interface EventNotice {
  /** The identifier of the subscription. */
  subscription: string;
  /** The seq of the event sent before on this subscription. */
  prev: number;
  /** The sequence number of its record in the log. */
  seq: number;
  /** The kind of event; it decides which further members are present. */
  kind: Open<EventKind>;
  /** The time of its record. */
  time: string;
  /** Whether this is a redelivery: nothing changed, unfinished transactions are sent again. */
  redelivery?: boolean;
  /** The transactions, as full snapshots; of removed transactions the last snapshot. */
  transactions?: Transaction[];
  /** The reason for which transactions left the queue, or a question ended without an answer. */
  reason?: Open<EventReason>;
  /** The client that caused it; absent if no client did. */
  by?: Origin;
  /** The trace context of the call that caused it. */
  trace?: string;
  /** The storefront before the change; null if no account was in session. */
  from?: Storefront | null;
  /** The storefront after the change; null if no account is in session. */
  to?: Storefront | null;
  /** The account that is now in session, or whose session the store has ended. */
  account?: string | null;
  /** The restore that ended. */
  restore?: string;
  /** The number of transactions that the restore returned. */
  count?: number;
  /**
   * An object with one member, whose name is the reason for which the restore failed and whose
   * value is empty.
   */
  error?: Record<string, unknown>;
  /** The products whose entitlements were revoked. */
  products?: string[];
  /** The orders that were refunded or revoked. */
  orders?: string[];
  /** The revision of the store's catalogue; grows with each change. */
  revision?: number;
  /** The identifier of the question. */
  question?: string;
  /** The type of question. */
  type?: Open<QuestionType>;
  /** The transaction that waits for the answer. */
  transaction?: string;
  /** The cause of the question, or of a storefront change that no client requested. */
  cause?: Open<EventCause>;
  /** The product that would be bought. */
  product?: Product;
  /** The price that would be charged. */
  price?: Price;
  /** Where. */
  storefront?: Storefront;
  /** The answer that applies if none is given in time. */
  fallback?: boolean;
  /**
   * The time at which the fallback applies; for the agent that is asked, the end of its turn; null
   * until the question has reached an agent.
   */
  deadline?: string | null;
  /** The answer; null if the question ended without one. */
  value?: boolean | null;
  /** The reason that was given with the answer. */
  note?: string;
}

/** Replay and redelivery are complete; live events follow. */
export interface CaughtUpNotice {
  /** The identifier of the subscription. */
  subscription: string;
  /** The position up to which everything was sent. */
  seq: number;
}

/** There were no events for the interval that the subscriber asked for. */
export interface HeartbeatNotice {
  /** The identifier of the subscription. */
  subscription: string;
  /** The position up to which everything was sent. */
  seq: number;
}

/** Records were trimmed or damaged before they were sent; a redelivery follows. */
export interface GapNotice {
  /** The identifier of the subscription. */
  subscription: string;
  /** The sequence number of the first missed record. */
  from: number;
  /** The sequence number of the last missed record. */
  to: number;
  /** Why. */
  reason: Open<GapReason>;
}

/** The daemon ends a subscription. */
export interface EndedNotice {
  /** The identifier of the subscription. */
  subscription: string;
  /** Why. */
  reason: Open<EndedReason>;
  /** The sequence number of the last event that was sent. */
  last: number;
}

/** The daemon will close the connection. */
export interface ClosingNotice {
  /** Why. */
  reason: Open<ClosingReason>;
  /** The time for which requests are still accepted, in milliseconds. */
  graceMs: number;
  /** The position to pass as after when subscribing again. */
  head: number;
}

/** Part of `Hello`. */
export interface HelloClient {
  /** The name of the client. */
  name: string;
  /** The version of the client. */
  version?: string;
}

/** The parameters of `hello`. */
export interface HelloParams {
  /** The client: name, version?. */
  client?: HelloClient;
  /**
   * The version of the protocol that the client speaks; any other than the daemon's is an error.
   */
  api?: number;
}

/** Part of `Hello`. */
export interface HelloServer {
  /** Always payqueued. */
  name: string;
  /** The version of the daemon. */
  version: string;
}

/** Part of `Hello`. */
export interface HelloPeer {
  /** The user id. */
  uid: number;
  /** The group id. */
  gid: number;
}

/** The answer to `hello`. */
export interface HelloResult {
  /** The name and version of the daemon. */
  server: HelloServer;
  /** The version of the protocol. */
  api: number;
  /**
   * The epoch of the log; it changes only when the log was lost or reset, or a backup was restored.
   */
  epoch: string;
  /** The sequence number of the oldest record that is kept. */
  oldest: number;
  /** The sequence number of the newest record. */
  head: number;
  /** The client's credentials, as the kernel reports them. */
  peer: HelloPeer;
  /** The roles of the client. */
  roles: Open<HelloRole>[];
  /** The optional features of this daemon. */
  features: string[];
  /** The limits, by name. */
  limits: Record<string, unknown>;
}

/** The parameters of `ping`. */
export interface PingParams {
  /** A value that is returned unchanged. */
  payload?: unknown;
}

/** The answer to `ping`. */
export interface PingResult {
  /** The payload, or true without one. */
  pong: unknown;
}

/** The parameters of `help`. */
export interface HelpParams {
  /** The method; without it, all methods. */
  method?: string;
}

/** The answer to `help`. */
export interface HelpResult {
  /** The text, at most 80 columns wide. */
  text: string;
}

/** Part of `Status`. */
export interface StatusSessionEnded {
  /** The account that must log in again. */
  account: string;
  /** The storefront of the account. */
  storefront: Storefront;
  /** The time at which the daemon learned of it. */
  at: string;
}

/** Part of `StatusQueue`. */
export interface StatusQueueByState {
  /** The number of transactions. */
  purchasing: number;
  /** The number of transactions. */
  purchased: number;
  /** The number of transactions. */
  restored: number;
  /** The number of transactions. */
  failed: number;
}

/** Part of `StatusQueue`. */
export interface StatusQueueWaitingFor {
  /** The number of transactions. */
  observer?: number;
  /** The number of transactions. */
  login?: number;
  /** The number of transactions. */
  gate?: number;
  /** The number of transactions. */
  approval?: number;
  /** The number of transactions. */
  store?: number;
}

/** Part of `Status`. */
export interface StatusQueue {
  /** The number of unfinished transactions. */
  unfinished: number;
  /** The number of unfinished transactions by state. */
  byState: StatusQueueByState;
  /** The number of purchased transactions that are finished and not yet confirmed by the store. */
  completing: number;
  /** The number of purchasing transactions by what they wait for. */
  waitingFor: StatusQueueWaitingFor;
}

/** Part of `Status`. */
export interface StatusLog {
  /** The sequence number of the oldest record that is kept. */
  oldest: number;
  /** The sequence number of the newest record. */
  head: number;
  /** The size on disk, in bytes. */
  bytes: number;
}

/** Part of `Status`. */
export interface StatusConnection {
  /** The user id of the peer. */
  uid: number;
  /** The name that the client gave with hello. */
  client?: string;
  /** The number of its subscriptions. */
  subscriptions: number;
  /** The largest number of records by which one of its subscriptions is behind. */
  lag: number;
  /** The bytes that are buffered for it, in and out. */
  bufferedBytes: number;
  /** Whether it reads more slowly than events arrive. */
  paused: boolean;
}

/** Part of `Status`. */
export interface StatusPersistence {
  /** The time of the last sync to disk. */
  lastCommit?: string;
  /** Whether the state directory is volatile: it is lost with the machine or container. */
  volatile: boolean;
  /** The last error. */
  lastError?: string;
}

/** Part of `StatusStorage`. */
export interface StatusStorageRoom {
  /** The bytes that the file system has free. */
  free: number;
  /** The bytes that were written ahead and wait for records. */
  prefilled: number;
  /** The bytes of the files reserve. */
  reserve: number;
  /** The bytes that accepted transactions may still write. */
  claimed: number;
  /** The bytes that are left for new payments, at least 0. */
  available: number;
  /** Whether there is room for new payments. */
  accepting: boolean;
  /** What is missing if there is no room for new payments. */
  shortage?: Open<StatusStorageRoomShortage>;
  /** What to do about it. */
  advice?: string;
}

/** Part of `StatusStorage`. */
export interface StatusStorageDamage {
  /** The file in the state directory. */
  file: string;
  /** Where the damage begins, in bytes. */
  offset?: number;
  /** The first sequence number in doubt. */
  from?: number;
  /** The last sequence number in doubt. */
  to?: number;
  /** The problem, for people. */
  detail: string;
}

/** Part of `Status`. */
export interface StatusStorage {
  /** Whether the state is only read and nothing is taken. */
  readOnly: boolean;
  /** The number of files with finished transactions. */
  archiveFiles: number;
  /** Their size on disk, in bytes. */
  archiveBytes: number;
  /** The finished transactions that are not in such a file yet. */
  unarchived: number;
  /**
   * Whether finished transactions can be looked up. If not, an index is being built, or a damaged
   * file cannot be indexed.
   */
  indexed: boolean;
  /** The room on the disk. */
  room: StatusStorageRoom;
  /** The damage that readers or the regular check of all files have found. */
  damage: StatusStorageDamage[];
  /** The time of the last check of all files; absent if there was none since the start. */
  checkedAt?: string;
}

/** Part of `Status`. */
export interface StatusStore {
  /** The name of the store. */
  name: string;
  /** Its state. */
  state: Open<StatusStoreState>;
  /** The time since which it is in that state. */
  since: string;
  /** The error of the store's last answer; absent after a success. */
  lastError?: string;
  /** The time of the next attempt; absent if it is not known. */
  nextTryAt?: string;
}

/** Part of `Status`. */
export interface StatusCanMakePayments {
  /** Whether a new payment would be accepted. */
  value: boolean;
  /** The reason why not. */
  reason?: string;
}

/** The answer to `status`. */
export interface StatusResult {
  /** The state of the daemon. */
  state: Open<DaemonState>;
  /** The time since which it is in that state. */
  since: string;
  /** The account in session. */
  account: string | null;
  /** The storefront of the account. */
  storefront: Storefront | null;
  /** The session that the store has ended; present until the next login. */
  sessionEnded?: StatusSessionEnded;
  /**
   * What the account in session may see, and what waits for an account whose session the store has
   * ended.
   */
  queue: StatusQueue;
  /** The event log. */
  log: StatusLog;
  /** Oldest first. */
  connections: StatusConnection[];
  /** The open questions. */
  questions: number;
  /** The disk. */
  persistence: StatusPersistence;
  /** The files and the room for them. */
  storage: StatusStorage;
  /** The store. */
  store: StatusStore;
  /** The running restores. */
  restores: Restore[];
  /** Whether the account may make payments. */
  canMakePayments: StatusCanMakePayments;
  /**
   * What each user holds of the limits that users share, by user id; present with the role admin.
   */
  shares?: Record<string, unknown>;
}

/** The answer to `metrics`. */
export interface MetricsResult {
  /** The content type of the text. */
  format: string;
  /** The metrics, one per line. */
  text: string;
}

/** The answer to `rpc.discover`. */
export interface RpcDiscoverResult {
  /** `openrpc`, as OpenRPC defines it. */
  openrpc: string;
  /** `info`, as OpenRPC defines it. */
  info: Record<string, unknown>;
  /** `methods`, as OpenRPC defines it. */
  methods: unknown[];
  /** `components`, as OpenRPC defines it. */
  components?: Record<string, unknown>;
  /** `x-notifications`, as OpenRPC defines it. */
  "x-notifications"?: unknown[];
  /** `x-limits`, as OpenRPC defines it. */
  "x-limits"?: Record<string, unknown>;
}

/** The parameters of `check`. */
export interface CheckParams {
  /** The method. */
  method: string;
  /** The parameters to check. */
  params?: unknown;
}

/** The answer to `check`. */
export interface CheckResult {
  /** Always true; a refusal is an error. */
  ok: boolean;
}

/** The parameters of `products`. */
export interface ProductsParams {
  /** Only these products. */
  ids?: string[];
  /** The largest number of entries on the page; default 100. */
  limit?: number;
  /** The page token: the member next of an earlier result. */
  page?: string;
}

/** The answer to `products`. */
export interface ProductsResult {
  /** The products. */
  products: Product[];
  /** Identifiers that were asked for and are not sold there. */
  invalid: string[];
  /** The storefront of the prices. */
  storefront: Storefront;
  /** The token of the next page; absent on the last page. */
  next?: string;
}

/** Part of `Entitlements`. */
export interface Entitlement {
  /** The identifier of the order. */
  transactionIdentifier: string;
  /** The identifier of the first order of its chain of renewals. */
  originalTransactionIdentifier: string;
  /** The transaction that asked for the order. */
  transaction?: string;
  /** The identifier by which clients buy the product. */
  productIdentifier: string;
  /** The product, as it was sold. */
  product: Product;
  /** The storefront in which it was charged. */
  storefront: Storefront;
  /** The application's own account identifier, as it was sent with the purchase. */
  appAccountToken?: string;
  /** The amount that the store charged; absent until it did. */
  charged?: Charge;
  /** The reason why the charge is not the price of the product; absent where it is. */
  offer?: Open<OfferKind>;
  /** The time at which a scheduled change of subscription takes effect. */
  effectiveAt?: string;
  /** Present once the store has refunded or revoked the purchase: do not unlock what was bought. */
  revocation?: Revocation;
  /** Whether the order renews an earlier one. */
  renewal: boolean;
  /** Whether the order was completed: the store knows that it was delivered. */
  completed: boolean;
  /** The time at which it was paid. */
  purchasedAt: string;
  /** The time at which the period ends; only for subscriptions. */
  expiresAt?: string;
}

/** The answer to `entitlements`. */
export interface EntitlementsResult {
  /** Oldest first. */
  entitlements: Entitlement[];
}

/** The parameters of `signedHistory`. */
export interface SignedHistoryParams {
  /**
   * The most purchases of the page; without it, and at most, as many as a reply line has room for.
   */
  limit?: number;
  /** The page token: the member next of an earlier result. */
  page?: string;
}

/** The answer to `signedHistory`. */
export interface SignedHistoryResult {
  /** The compact JWS. */
  jws: string;
  /** The identifier of the key that signed it. */
  kid: string;
  /** The signature algorithm: RS256 or ES256. */
  alg: string;
  /** The token of the next page; absent on the last page. */
  next?: string;
}

/** Part of `Keys`. */
export interface Key {
  /** The type of key. */
  kty: Open<KeyKty>;
  /** The use of the key. */
  use: Open<KeyUse>;
  /** The algorithm: RS256 or ES256. */
  alg: string;
  /** The identifier of the key in signatures. */
  kid: string;
  /** The modulus of an RSA key. */
  n?: string;
  /** The exponent of an RSA key. */
  e?: string;
  /** The curve of an EC key: P-256. */
  crv?: string;
  /** The first coordinate of an EC key. */
  x?: string;
  /** The second coordinate of an EC key. */
  y?: string;
}

/** The answer to `keys`. */
export interface KeysResult {
  /** The JSON Web Keys, the current one first. */
  keys: Key[];
}

/** The parameters of `login`. */
export interface LoginParams {
  /** The account at the store; without it, the login agents are asked in turn. */
  account?: string;
  /** The credential of the account; never logged. */
  credential?: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `login`. */
export interface LoginResult {
  /** The account in session. */
  account: string;
  /** The storefront of the account. */
  storefront: Storefront;
  /** The sequence number of the record of the change; the newest record if nothing changed. */
  seq: number;
}

/** The parameters of `logout`. */
export interface LogoutParams {
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `logout`. */
export interface LogoutResult {
  /** The sequence number of the record of the change; the newest record if nothing changed. */
  seq: number;
}

/** The parameters of `storefront`. */
export interface StorefrontParams {
  /** The country to assume while no account is in session; "" clears it. */
  assume?: string;
}

/** Part of `Storefront`. */
export interface StorefrontSessionEnded {
  /** The account that must log in again. */
  account: string;
  /** The storefront of the account. */
  storefront: Storefront;
  /** The time at which the daemon learned of it. */
  at: string;
}

/** The answer to `storefront`. */
export interface StorefrontResult {
  /** The storefront of the account in session; null without one. */
  storefront: Storefront | null;
  /** The account in session. */
  account: string | null;
  /** The country that is assumed while no account is in session. */
  assumed?: string;
  /** The session that the store has ended; present until the next login. */
  sessionEnded?: StorefrontSessionEnded;
}

/** The parameters of `add`. */
export interface AddParams {
  /** The identifier of the product. */
  product: string;
  /**
   * The application's own account identifier; it is stored with the purchase and returned with it.
   */
  appAccountToken?: string;
  /** The idempotency key; kept for at least 90 days and compared byte by byte. */
  key?: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** Part of `Add`. */
export interface AddRemoved {
  /** Why. */
  reason: Open<RemovalReason>;
  /** When. */
  at: string;
}

/** The answer to `add`. */
export interface AddResult {
  /** The transaction. */
  transaction: string;
  /** The state. */
  state: Open<TransactionState>;
  /** What it waits for. */
  waitingFor?: Open<WaitingFor>;
  /**
   * The sequence number of the record of acceptance; for a duplicate, the position in the log that
   * this result reflects.
   */
  seq: number;
  /** Whether the key was used before and this is the earlier transaction. */
  duplicate: boolean;
  /** For a duplicate: how and when its transaction left the queue. */
  removed?: AddRemoved;
}

/** The parameters of `restore`. */
export interface RestoreParams {
  /** The idempotency key; kept for at least 90 days and compared byte by byte. */
  key?: string;
  /** Only purchases with this token. */
  appAccountToken?: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `restore`. */
export interface RestoreResult {
  /** The restore. */
  restore: string;
  /** The state. */
  state: Open<RestoreState>;
  /** What it waits for. */
  waitingFor?: Open<WaitingFor>;
  /**
   * The sequence number of the record of acceptance; the newest record for a restore that was
   * joined.
   */
  seq: number;
  /** Whether the call joined an earlier restore. */
  duplicate: boolean;
}

/** The parameters of `finish`. */
export interface FinishParams {
  /** The transaction. */
  transaction: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `finish`. */
export interface FinishResult {
  /** The transaction. */
  transaction: string;
  /** The effect of the call. */
  disposition: Open<FinishDisposition>;
  /** The sequence number of the record that the call made; the newest record if it made none. */
  seq: number;
}

/** The parameters of `transactions`. */
export interface TransactionsParams {
  /**
   * Only these transactions, in one reply: limit and page do not apply. Unknown identifiers are
   * left out.
   */
  ids?: string[];
  /** Only these states; finished lists transactions that have left the queue. */
  states?: TransactionFilter[];
  /** Only transactions that wait for one of these. */
  waitingFor?: WaitingFor[];
  /**
   * Only transactions whose identifier or order identifier begins with this text (4 digits or
   * more), or whose product identifier or account token contains it. The case of ASCII letters does
   * not matter.
   */
  search?: string;
  /** The largest number of entries on the page; default 100. */
  limit?: number;
  /** The page token: the member next of an earlier result. */
  page?: string;
}

/** The answer to `transactions`. */
export interface TransactionsResult {
  /** The transactions, in the order of acceptance. */
  transactions: Transaction[];
  /** The position in the log that this result reflects. */
  seq: number;
  /** The token of the next page; absent on the last page. */
  next?: string;
}

/** The parameters of `wait`. */
export interface WaitParams {
  /** The transaction. */
  transaction?: string;
  /** The restore, instead of a transaction. */
  restore?: string;
  /**
   * The states to wait for; default: any state but purchasing, or the removal. For transactions
   * only.
   */
  until?: WaitUntil[];
  /** The longest time to wait, in seconds; default 60. */
  timeout?: number;
}

/** The answer to `wait`. */
export interface WaitResult {
  /** The current state of it. */
  transaction?: Transaction;
  /** The current state of it. */
  restore?: Restore;
  /** Whether it was reached before the time ran out. */
  reached: boolean;
  /** The position in the log that this result reflects. */
  seq: number;
}

/** The parameters of `subscribe`. */
export interface SubscribeParams {
  /** Only records after this position; start is the oldest record, now the newest. */
  after?: number | SubscribeAfter;
  /** The epoch to which after belongs. */
  epoch?: string;
  /** Only events of these kinds. */
  kinds?: EventKind[];
  /** Only transactions for these products. */
  products?: string[];
  /** Only watch; do not make transactions proceed. */
  passive?: boolean;
  /**
   * The questions that this client can put to a person; needs the role gate. One agent is asked at
   * a time.
   */
  agent?: SubscribeAgent[];
  /**
   * The name of a durable observer; the subscription starts after its last ack unless after is
   * given. It belongs to the user who used it first.
   */
  name?: string;
  /** The interval of heartbeats while there are no events, in seconds. */
  heartbeat?: number;
  /**
   * What happens if records were trimmed or damaged before they were sent: snapshot (the default)
   * redelivers unfinished transactions, error ends the subscription.
   */
  onGap?: SubscribeOnGap;
}

/** The answer to `subscribe`. */
export interface SubscribeResult {
  /** The identifier of the subscription, repeated in every event. */
  subscription: string;
  /** The epoch of the log; store it with your cursor. */
  epoch: string;
  /** The sequence number of the oldest record that is kept. */
  oldest: number;
  /** The sequence number of the newest record. */
  head: number;
}

/** The parameters of `unsubscribe`. */
export interface UnsubscribeParams {
  /** The identifier of the subscription. */
  subscription: string;
}

/** The answer to `unsubscribe`. */
export interface UnsubscribeResult {
  /** Whether there was such a subscription. */
  unsubscribed: boolean;
  /** The sequence number of the last event that was sent. */
  last?: number;
}

/** The parameters of `events`. */
export interface EventsParams {
  /** Only records after this position. */
  after: number | SubscribeAfter;
  /** The largest number of entries on the page; default 100. */
  limit?: number;
  /** The time to wait for a first event if there is none yet, in seconds. */
  wait?: number;
  /** Only events of these kinds. */
  kinds?: EventKind[];
  /** The epoch to which after belongs. */
  epoch?: string;
}

/** Part of `Events`. */
export interface EventsGap {
  /** The sequence number of the first missed record. */
  from: number;
  /** The sequence number of the last missed record. */
  to: number;
}

/** The answer to `events`. */
export interface EventsResult {
  /** The events, in the order of the log. */
  events: Event[];
  /**
   * Records that this page should have and that cannot be read, because their file is damaged. The
   * events behind them follow.
   */
  gap?: EventsGap;
  /** The cursor for the next call. */
  next: number;
  /** The sequence number of the newest record. */
  head: number;
  /** The epoch of the log; store it with your cursor. */
  epoch: string;
}

/** The parameters of `ack`. */
export interface AckParams {
  /** The name of the observer. */
  name: string;
  /** The sequence number of the last record that the observer has handled. */
  seq?: number;
  /** Give the name up, instead of seq: its position is forgotten, and any user may use it. */
  forget?: boolean;
}

/** The answer to `ack`. */
export interface AckResult {
  /** The position that is acknowledged now. */
  acked: number;
  /** True if the name was given up; acked was its last position. */
  forgotten?: boolean;
}

/** Part of `Observers`. */
export interface Observer {
  /** The identifier of the subscription; absent without a live one. */
  subscription?: string;
  /** The user id of the peer; without a live subscription, that of the user the name belongs to. */
  uid?: number;
  /** The name that the client gave with hello. */
  client?: string;
  /** The durable name. */
  name?: string;
  /** Whether it is passive: it makes no transaction proceed. */
  passive?: boolean;
  /** Only events of these kinds. */
  kinds?: Open<EventKind>[];
  /** Only transactions for these products. */
  products?: string[];
  /** The questions that it can put to a person. */
  agent?: Open<SubscribeAgent>[];
  /** The position that the observer has acknowledged. */
  acked?: number;
  /** The number of records between its position and the newest record. */
  lag: number;
  /** Whether it is connected. */
  connected: boolean;
}

/** The answer to `observers`. */
export interface ObserversResult {
  /** In the order of subscribing, then by name. */
  observers: Observer[];
}

/** The parameters of `delegate`. */
export interface DelegateParams {
  /** The policy for a changed country or price. */
  mode?: DelegateMode;
  /** The time to answer, in seconds, from the moment the question reached an agent. */
  timeout?: number;
  /** The answer that applies if none is given in time: true proceeds, false stops. */
  fallback?: boolean;
  /** The policy after a login that an add asked for. */
  afterLogin?: DelegateAfterLogin;
}

/** The answer to `delegate`. */
export interface DelegateResult {
  /** The current policy. */
  mode: Open<DelegateMode>;
  /** The time to answer, in seconds. */
  timeout: number;
  /** The answer that applies if none is given in time. */
  fallback: boolean;
  /** The policy after a login that an add asked for. */
  afterLogin: Open<DelegateAfterLogin>;
  /** The sequence number of the record of the change; the newest record if nothing changed. */
  seq: number;
}

/** Part of `Questions`. */
export interface Question {
  /** The identifier of the question. */
  question: string;
  /** The type of question. */
  type: Open<QuestionType>;
  /** The transaction that waits for the answer. */
  transaction?: string;
  /** The cause of the question. */
  cause?: Open<QuestionCause>;
  /** The product that would be charged. */
  product?: Product;
  /** The price that would be charged. */
  price?: Price;
  /** Where. */
  storefront?: Storefront;
  /** The answer that applies if none is given in time. */
  fallback: boolean;
  /** The time at which the fallback applies; null until the question has reached an agent. */
  deadline?: string;
  /** The time at which the question was opened. */
  openedAt: string;
}

/** The answer to `questions`. */
export interface QuestionsResult {
  /** The questions, oldest first. */
  questions: Question[];
}

/** The parameters of `answer`. */
export interface AnswerParams {
  /** The identifier of the question. */
  question: string;
  /** Whether to proceed. */
  value: boolean;
  /** The reason; sent with questionClosed. */
  reason?: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `answer`. */
export interface AnswerResult {
  /** Always true; a refusal is an error. */
  accepted: boolean;
  /** The sequence number of the record of the answer. */
  seq: number;
}

/** The parameters of `cancel`. */
export interface CancelParams {
  /** The id of the waiting call, exactly as it was sent. */
  id: unknown;
}

/** The answer to `cancel`. */
export interface CancelResult {
  /** Whether a waiting call was cancelled. */
  cancelled: boolean;
}

/** The parameters of `decide`. */
export interface DecideParams {
  /** The transaction. */
  transaction: string;
  /** The decision. */
  outcome: DecideOutcome;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `decide`. */
export interface DecideResult {
  /** The transaction. */
  transaction: string;
  /** The state. */
  state: Open<TransactionState>;
  /** The position in the log that this result reflects. */
  seq: number;
}

/** The parameters of `drain`. */
export interface DrainParams {
  /** Whether new payments are refused. */
  on: boolean;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `drain`. */
export interface DrainResult {
  /** The state of the daemon. */
  state: Open<DaemonState>;
}

/** The parameters of `reload`. */
export interface ReloadParams {
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `reload`. */
export interface ReloadResult {
  /** The keys of the settings that changed. */
  changed: string[];
}

/** The parameters of `backup`. */
export interface BackupParams {
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `backup`. */
export interface BackupResult {
  /** The directory of the backup. */
  path: string;
  /** The position in the log that the backup reflects. */
  seq: number;
  /** The size in bytes. */
  bytes: number;
}

/** Part of `Cluster`. */
export interface ClusterNode {
  /** The name. */
  node: string;
  /** Whether its lease in etcd lasts, which it renews while it runs. */
  up: boolean;
  /** The version of its program. */
  version: string;
  /** Host and port where other nodes reach it. */
  peer?: string;
  /** The last line of the log in its files when it reported last. */
  line: number;
}

/** Part of `Cluster`. */
export interface ClusterMember {
  /** Host and port. */
  address: string;
  /** Whether it answers. */
  up: boolean;
  /** The version of etcd, if it answers. */
  version?: string;
  /** Whether it is the leader of the members. */
  leader: boolean;
  /** The bytes in use in its files. */
  bytes?: number;
}

/** The answer to `cluster`. */
export interface ClusterResult {
  /** The name of the node that answers. */
  node: string;
  /** Whether that node owns the queue. */
  role: Open<ClusterRole>;
  /** The node that owns the queue, if one is known to. */
  owner?: string;
  /** The term of the owner, greater than that of every owner before. */
  term?: number;
  /** The beginning of all keys of the queue in etcd. */
  prefix: string;
  /** The last line of the log, if etcd answers. */
  line?: number;
  /** The nodes by name, if etcd answers. */
  nodes: ClusterNode[];
  /** The members of etcd, in the order of the configuration. */
  members: ClusterMember[];
}

/** The parameters of `handover`. */
export interface HandoverParams {
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `handover`. */
export interface HandoverResult {
  /** The node that gives the queue away. */
  node: string;
  /** Its term. That of the next owner is greater. */
  term: number;
}

/** Part of `TestSet`. */
export interface TestSetTimeRate {
  /** The length of a month, in seconds. */
  monthSeconds: number;
}

/** Part of `TestSet`. */
export interface TestSetSimulatedErrors {
  /** The error with which the call fails; null for none. */
  products?: SimulatedCatalogueError | null;
  /** The error with which the call fails; null for none. */
  purchase?: SimulatedStoreError | null;
  /** The error with which the call fails; null for none. */
  completion?: SimulatedStoreError | null;
  /** The error with which the call fails; null for none. */
  restore?: SimulatedStoreError | null;
  /** The error with which the call fails; null for none. */
  reconciliation?: SimulatedStoreError | null;
  /** The error with which the call fails; null for none. */
  history?: SimulatedStoreError | null;
  /** The error with which the call fails; null for none. */
  login?: SimulatedLoginError | null;
}

/** The parameters of `test.set`. */
export interface TestSetParams {
  /** New orders fail with failureError. */
  failTransactionsEnabled?: boolean;
  /** The error with which new orders fail. */
  failureError?: TestSettingsFailureError;
  /** New orders wait for an approval. */
  askToBuyEnabled?: boolean;
  /** Every purchase is interrupted and fails; test.resolve completes it as a new transaction. */
  interruptedPurchasesEnabled?: boolean;
  /**
   * The speed of the sandbox's clock for subscriptions: Apple's number, or the length of a month.
   */
  timeRate?: number | TestSetTimeRate;
  /** The country of every account. */
  storefront?: string;
  /** Whether accounts may make payments. */
  paymentsAllowed?: boolean;
  /** The locale of product texts, such as en_US. */
  locale?: string;
  /** A subscription whose renewal was not paid stays active for a grace period. */
  billingGracePeriodIsEnabled?: boolean;
  /** Renewals are not paid until test.resolve. */
  shouldEnterBillingRetryOnRenewal?: boolean;
  /** The simulated error of each call. */
  simulatedErrors?: TestSetSimulatedErrors;
  /** The delay of every answer, in milliseconds. */
  latencyMs?: number;
  /** The store does not answer. */
  storeDown?: boolean;
}

/** The parameters of `test.orders`. */
export interface TestOrdersParams {
  /** The largest number of entries on the page; default 100. */
  limit?: number;
  /** The page token: the member next of an earlier result. */
  page?: string;
}

/** The answer to `test.orders`. */
export interface TestOrdersResult {
  /** Oldest first. */
  orders: Order[];
  /** The token of the next page; absent on the last page. */
  next?: string;
}

/** The parameters of `test.buy`. */
export interface TestBuyParams {
  /** The identifier of the product. */
  product: string;
  /** The application's own account identifier. */
  appAccountToken?: string;
}

/** The parameters of `test.refund`. */
export interface TestRefundParams {
  /** The transaction that asked for the order. */
  transaction?: string;
  /** The order, instead of the transaction. */
  order?: string;
}

/** The parameters of `test.resolve`. */
export interface TestResolveParams {
  /** The transaction that asked for the order. */
  transaction?: string;
  /** The order, instead of the transaction. */
  order?: string;
}

/** The parameters of `test.renew`. */
export interface TestRenewParams {
  /** The subscription of the account. */
  product: string;
}

/** The parameters of `test.expire`. */
export interface TestExpireParams {
  /** The subscription of the account. */
  product: string;
}

/** The parameters of `test.autoRenew`. */
export interface TestAutoRenewParams {
  /** The subscription of the account. */
  product: string;
  /** Whether it renews automatically. */
  enabled: boolean;
}

/** The parameters of `test.priceIncrease`. */
export interface TestPriceIncreaseParams {
  /** The subscription of the account. */
  product: string;
  /** The answer of the subscriber. */
  answer: TestPriceIncreaseAnswer;
}

/** The parameters of `test.deleteOrder`. */
export interface TestDeleteOrderParams {
  /** The transaction that asked for the order. */
  transaction?: string;
  /** The order, instead of the transaction. */
  order?: string;
}

/** The parameters of `test.clock.advance`. */
export interface TestClockAdvanceParams {
  /** The number of seconds. */
  seconds: number;
}

/** The answer to `test.clock.advance`. */
export interface TestClockAdvanceResult {
  /** The time on the sandbox's clock. */
  now: string;
  /** The time at which the next event is due; absent if none is. */
  nextEventAt?: string;
  /** The number of events that happened. */
  events: number;
}

/** How a call is made; see `PaymentQueue`. */
export interface CallOptions { timeoutMs?: number }

/** One method for each of the daemon. */
export interface Methods {
  /**
   * Check that the daemon answers. The reply comes from the event loop that owns the queue, and
   * never waits for the store.
   */
  ping(params?: PingParams, options?: CallOptions): Promise<PingResult>;
  /**
   * Explain a method, or list all of them. Returns text for a terminal, generated from the same
   * source as rpc.discover.
   */
  help(params?: HelpParams, options?: CallOptions): Promise<HelpResult>;
  /**
   * Show daemon status and what transactions are waiting for. Shows the account in session, the
   * queue and what its transactions wait for, the store, the log, the disk, and connections: the
   * caller's own, or all of them with the role admin. With that role it also shows what each user
   * holds of the limits that users share.
   */
  status(params?: Record<string, never>, options?: CallOptions): Promise<StatusResult>;
  /**
   * Show metrics, as OpenMetrics text. Connections, subscriptions, turns of the queue, records,
   * transactions by state, health of the store. A collector can read the text as it is.
   */
  metrics(params?: Record<string, never>, options?: CallOptions): Promise<MetricsResult>;
  /**
   * Describe the interface as an OpenRPC document. Returns an OpenRPC 1.4 document, generated from
   * the types that decode requests. Notifications are under x-notifications, limits under x-limits.
   */
  discover(params?: Record<string, never>, options?: CallOptions): Promise<RpcDiscoverResult>;
  /**
   * Check a call without executing it. Decodes the parameters as the method itself does, and
   * returns the same error if they are wrong, or if the daemon knows without the store that it
   * would refuse the call now. It changes nothing and sends nothing to the store.
   */
  check(params: CheckParams, options?: CallOptions): Promise<CheckResult>;
  /**
   * List products and their prices. Prices are those of the account's country; without an account
   * in session, of the country assumed with storefront, else of the store's default country.
   * Without ids the whole catalogue is returned, page by page. Products that are not sold there are
   * listed under invalid; an identifier that is empty or longer than 256 bytes is an error.
   */
  products(params?: ProductsParams, options?: CallOptions): Promise<ProductsResult>;
  /**
   * List what the account is entitled to now. Returns the latest live order of each non-consumable
   * and of each active subscription, as the store reports it. Refunded orders and consumables are
   * not listed. Whether the transaction is finished makes no difference.
   */
  entitlements(params?: Record<string, never>, options?: CallOptions): Promise<EntitlementsResult>;
  /**
   * Fetch the account's signed purchase history. Returns one page of what the account in session
   * has paid for, newest first, as a compact JWS. Its payload is a TransactionHistory of purchases
   * and renewals, refunded ones with their revocation. Each page can be verified by itself with the
   * keys of the store, which the method keys returns; kid and alg repeat its header. To read on,
   * repeat the call with page set to next. New payments do not move pages, so following next
   * returns each payment once. Without an account in session the call fails; login agents are not
   * asked.
   */
  signedHistory(params?: SignedHistoryParams, options?: CallOptions): Promise<SignedHistoryResult>;
  /**
   * Fetch the public keys of the store. Returns a JSON Web Key Set: the current signing key first,
   * then earlier keys, so that older histories can still be verified. A kid is the thumbprint of
   * RFC 7638. No account needs to be in session.
   */
  keys(params?: Record<string, never>, options?: CallOptions): Promise<KeysResult>;
  /**
   * Open a session for an account. Payments that were added while no account was in session become
   * this account's and are sent to the store. Another account replaces the one in session; the same
   * account again changes nothing. A logout while the login is in progress cancels it. The session
   * survives restarts. Without account, the login agents are asked in turn, and the reply waits for
   * them.
   */
  login(params?: LoginParams, options?: CallOptions): Promise<LoginResult>;
  /**
   * Close the session. The account's transactions are hidden until it logs in again; orders that
   * are in flight at the store continue there. The session at the store ends too if the store can
   * be reached; its tokens are deleted in any case. Logging out twice is not an error.
   */
  logout(params?: LogoutParams, options?: CallOptions): Promise<LogoutResult>;
  /**
   * Show the storefront, or assume a country while logged out. Returns the storefront of the
   * account in session; null without one. With assume, sets the country whose prices are shown
   * while no account is in session; it survives restarts and is returned as assumed.
   */
  storefront(params?: StorefrontParams, options?: CallOptions): Promise<StorefrontResult>;
  /**
   * Buy a product. Accepts a payment. When the reply arrives, the transaction is on stable storage;
   * its progress is sent as events. It is sent to the store once an account is in session and an
   * observer is subscribed; until then waitingFor names what is missing. Send a fresh key with
   * every intent to buy: repeating the call with the same key and parameters returns the first
   * transaction and never charges twice. If no account is in session and a login agent is
   * subscribed, the reply waits for the login.
   */
  add(params: AddParams, options?: CallOptions): Promise<AddResult>;
  /**
   * Restore what the account owns. Accepts a restore. When the reply arrives, it is on stable
   * storage. What the account owns is sent as transactions in state restored, then exactly one
   * restoreCompleted or restoreFailed ends it, even across a restart. It needs an account in
   * session and a subscribed observer. A call with the same filter joins the running restore; a
   * call with another filter waits its turn.
   */
  restore(params?: RestoreParams, options?: CallOptions): Promise<RestoreResult>;
  /**
   * Finish a delivered transaction. Call it after the purchase is delivered, not before: until then
   * every new subscription gets the transaction again. The call can be repeated safely. A purchase
   * is first completed at the store (completing), then leaves the queue with transactionsRemoved. A
   * transaction that was never sent to the store is withdrawn (removed). A transaction that is in
   * flight stays (ignoredInFlight).
   */
  finish(params: FinishParams, options?: CallOptions): Promise<FinishResult>;
  /**
   * List transactions. Without parameters, lists all unfinished transactions that are visible to
   * the account in session; with several conditions, only those that meet all of them. A list that
   * does not fit in one reply comes in pages: repeat the call with page set to next. One call
   * examines a limited number of transactions, so a page can be short or empty and still have next.
   */
  transactions(params?: TransactionsParams, options?: CallOptions): Promise<TransactionsResult>;
  /**
   * Wait until a transaction is settled, or a restore has ended. For scripts: replies as soon as
   * the transaction is in one of the wanted states, or the restore has ended; immediately if it
   * already is. If the time runs out, the reply is normal, with reached false. Later requests on
   * the same connection are answered meanwhile.
   */
  wait(params?: WaitParams, options?: CallOptions): Promise<WaitResult>;
  /**
   * Read the event log page by page. Polls for events, for scripts: call it again with after set to
   * next. It does not redeliver unfinished transactions and does not count as an observer.
   */
  events(params: EventsParams, options?: CallOptions): Promise<EventsResult>;
  /**
   * Acknowledge events on behalf of a named observer. Stores the position durably: a later
   * subscribe with the name starts after it. The acknowledgement covers everything up to seq; a
   * smaller seq than before changes nothing. It does not finish transactions; finish does. With
   * forget the name is given up; a live subscription with it continues without a name. A name of
   * another user needs role admin.
   */
  ack(params: AckParams, options?: CallOptions): Promise<AckResult>;
  /**
   * List subscriptions and durable observer names. Lists live subscriptions with their filters and
   * their lag, then durable names without a live subscription.
   */
  observers(params?: Record<string, never>, options?: CallOptions): Promise<ObserversResult>;
  /**
   * Show or set the policy for a changed country or price. One durable policy for the whole queue.
   * If a transaction would be charged in another country, or at another price, than was shown at
   * add, it proceeds (continue), leaves the queue with discardedByGate (stop), or waits for an
   * answer (ask). Without parameters the policy is only shown; parameters that are absent stay as
   * they are.
   */
  delegate(params?: DelegateParams, options?: CallOptions): Promise<DelegateResult>;
  /**
   * List open questions. Lists every open question that is visible to the account in session. Use
   * answer to answer one; the first answer wins.
   */
  questions(params?: Record<string, never>, options?: CallOptions): Promise<QuestionsResult>;
  /**
   * Answer a question. Any client with the role gate may answer, whichever agent is asked. The
   * first answer wins; the client that gave it may repeat it while the daemon runs. A login closes
   * a login question with true; if it is answered true without a login, the waiting calls proceed
   * and their work waits for a login.
   */
  answer(params: AnswerParams, options?: CallOptions): Promise<AnswerResult>;
  /**
   * Approve or decline a transaction that waits for approval. Acts for the person who must approve
   * a transaction (waitingFor approval). The reply comes when the store has reported the outcome to
   * the queue. Only for the sandbox.
   */
  decide(params: DecideParams, options?: CallOptions): Promise<DecideResult>;
  /**
   * Stop accepting new payments, or resume. With on true, add and restore fail with error -32006
   * and everything else continues; the reply comes when no order is in flight at the store. If the
   * call is cancelled meanwhile, draining stays on. With on false, new payments are accepted again.
   * A restart also ends draining.
   */
  drain(params: DrainParams, options?: CallOptions): Promise<DrainResult>;
  /**
   * Reload the configuration. Reads the configuration file and the catalogue again, and applies
   * what can change while the daemon runs. If a file is refused, nothing changes.
   */
  reload(params?: ReloadParams, options?: CallOptions): Promise<ReloadResult>;
  /**
   * Write a backup of the whole state. Copies snapshot and journal into a new directory below
   * backups, and verifies the copy before it replies. The queue keeps working meanwhile. Calls
   * during a backup are answered by one more backup, which begins when the running one ends.
   */
  backup(params?: BackupParams, options?: CallOptions): Promise<BackupResult>;
  /**
   * Show the nodes that share the queue. Asks etcd for the owner and the nodes, and each member of
   * etcd for its state. Nodes report every five seconds. A daemon with its log in local files only
   * refuses the call with error -32600.
   */
  cluster(params?: Record<string, never>, options?: CallOptions): Promise<ClusterResult>;
  /**
   * Give the queue to another node. The owner replies, commits what it has taken, and gives its
   * right back, so that another node owns the queue a moment later. Then its program starts again
   * and follows; its clients stay connected. Without another node that is up it refuses with error
   * -32014. A daemon with its log in local files only refuses the call with error -32600.
   */
  handover(params?: HandoverParams, options?: CallOptions): Promise<HandoverResult>;
}

/** The controls of the sandbox: parameters and result of each. */
export interface Controls {
  /** Show the settings of the sandbox. */
  "get": { params: Record<string, never>; result: TestSettings };
  /** Change the settings of the sandbox. */
  "set": { params: TestSetParams; result: TestSettings };
  /** List all orders of the sandbox. */
  "orders": { params: TestOrdersParams; result: TestOrdersResult };
  /** Buy a product as if on another device. */
  "buy": { params: TestBuyParams; result: Order };
  /** Refund an order of the sandbox. */
  "refund": { params: TestRefundParams; result: Order };
  /** Resolve an interrupted purchase or a failed renewal. */
  "resolve": { params: TestResolveParams; result: Order };
  /** Renew a subscription now. */
  "renew": { params: TestRenewParams; result: Record<string, unknown> };
  /** Expire a subscription now. */
  "expire": { params: TestExpireParams; result: Record<string, unknown> };
  /** Turn auto-renewal of a subscription on or off. */
  "autoRenew": { params: TestAutoRenewParams; result: Record<string, unknown> };
  /** Raise the price of a subscription. */
  "priceIncrease": { params: TestPriceIncreaseParams; result: Record<string, unknown> };
  /** Delete an order of the sandbox. */
  "deleteOrder": { params: TestDeleteOrderParams; result: Record<string, unknown> };
  /** Delete all orders of the sandbox. */
  "clear": { params: Record<string, never>; result: Record<string, unknown> };
  /** Reset all settings of the sandbox. */
  "reset": { params: Record<string, never>; result: Record<string, unknown> };
  /** Show the sandbox's clock. */
  "clock.get": { params: Record<string, never>; result: TestClock };
  /** Advance the sandbox's clock. */
  "clock.advance": { params: TestClockAdvanceParams; result: TestClockAdvanceResult };
}

/** The release of the product that this is of. */
export const version: string;

/** The codes of errors by their kinds. An error may also have a code of later. */
export const ErrorCode: {
  /** The configuration was refused. */
  readonly configurationRefused: 1701;
  /** The store does not know this application. */
  readonly appNotRegistered: 1603;
  /** The store does not know this order. */
  readonly noSuchOrder: 1602;
  /** The store does not support this call. */
  readonly notSupportedByStore: 1601;
  /** No account is in session. */
  readonly notLoggedIn: 1504;
  /** The credential is wrong. */
  readonly badCredential: 1502;
  /** The store does not know this account. */
  readonly unknownAccount: 1501;
  /** The question is already closed. */
  readonly questionClosed: 1402;
  /** Unknown question. */
  readonly unknownQuestion: 1401;
  /** Unknown observer name. */
  readonly unknownObserver: 1305;
  /** A live subscription already uses this name. */
  readonly nameInUse: 1304;
  /** The cursor belongs to another event log. */
  readonly otherEpoch: 1303;
  /** The cursor is ahead of the event log. */
  readonly cursorAhead: 1302;
  /** Records after the cursor are no longer kept. */
  readonly cursorTooOld: 1301;
  /** The transaction or order is not in a state that allows this. */
  readonly notDecidable: 1204;
  /** The page has expired; start again from the first page. */
  readonly pageExpired: 1203;
  /** Unknown transaction. */
  readonly unknownTransaction: 1201;
  /** The text cannot be a product identifier. */
  readonly invalidProductIdentifier: 1109;
  /** An unfinished transaction for this product already exists. */
  readonly alreadyLive: 1107;
  /** The payment was rejected after the login. */
  readonly rejectedAfterLogin: 1106;
  /** The queue has reached its limit of unfinished transactions. */
  readonly queueFull: 1105;
  /** The login was dismissed or timed out. */
  readonly loginDiscarded: 1104;
  /** The account in session is not allowed to make payments. */
  readonly paymentsNotAllowed: 1103;
  /** The idempotency key was used for a different call. */
  readonly keyReuse: 1102;
  /** The store does not sell this product in this storefront. */
  readonly unknownProduct: 1101;
  /** This daemon speaks another version of the protocol. */
  readonly unsupportedVersion: 1002;
  /** Too many calls are waiting. */
  readonly tooManyInFlight: -32000;
  /** The line is too long. */
  readonly lineTooLong: -32001;
  /** The line was not completed in time. */
  readonly timeout: -32002;
  /** The result does not fit in one line; ask for less. */
  readonly resultTooLarge: -32003;
  /** Too many subscriptions. */
  readonly tooManySubscriptions: -32004;
  /** Too many connections. */
  readonly tooManyConnections: -32005;
  /** The daemon is draining or stopping and accepts no new work. */
  readonly draining: -32006;
  /** Your user lacks the role that this call needs. */
  readonly forbidden: -32007;
  /** The change could not be written to stable storage. */
  readonly notDurable: -32008;
  /** The store is not available now. */
  readonly storeUnavailable: -32009;
  /** The call was cancelled. */
  readonly cancelled: -32010;
  /** The store does not answer. */
  readonly connectionError: -32011;
  /** Too many wrong logins of your user; wait, then try again. */
  readonly tooManyAttempts: -32012;
  /** Your share of the limit, or the whole limit, is in use; end something before you ask for more. */
  readonly shareExceeded: -32013;
  /** No node of the cluster owns the queue now. */
  readonly noOwner: -32014;
  /** Finished transactions cannot be looked up now. */
  readonly indexRebuilding: -32015;
  /** Invalid Request. */
  readonly invalidRequest: -32600;
  /** Method not found. */
  readonly methodNotFound: -32601;
  /** Invalid params. */
  readonly invalidParams: -32602;
  /** Internal error. */
  readonly internal: -32603;
};
