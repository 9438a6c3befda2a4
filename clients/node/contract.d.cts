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
export type GapReason = "trimmed";
export type EndedReason = "trimmed" | "unreadable" | "roleWithdrawn" | "epochChanged";
export type ClosingReason = "shutdown" | "restart" | "stalled" | "incompleteLine";
export type HelloRole = "observe" | "buy" | "gate" | "admin";
export type DaemonState = "running" | "draining" | "degraded";
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
  /** Names the transaction for ever. */
  id: string;
  /** The order at the store, once there is one. */
  transactionIdentifier?: string;
  /** The first order of its chain. */
  originalTransactionIdentifier?: string;
  /** What was asked for. */
  payment: Payment;
  /** Where it stands. */
  transactionState: Open<TransactionState>;
  /** Where it is charged, or was. */
  storefront: Storefront;
  /** One case name with an empty object; only while failed. */
  error?: Record<string, unknown>;
  /** Grows with each record of this transaction. */
  revision: number;
  /** When it was accepted. */
  createdAt: string;
  /** When its last record was made. */
  updatedAt: string;
  /** What it waits for; only while purchasing. */
  waitingFor?: Open<WaitingFor>;
  /** Finished, the store not yet told. */
  completing?: boolean;
  /** What is behind the error. */
  failureReason?: string;
  /** Why there is a transaction at all. */
  reason: Open<TransactionReason>;
  /** What the store took; absent until it did. */
  charged?: Charge;
  /** Why that is not the price of the product, where it is not. */
  offer?: Open<OfferKind>;
  /** When a scheduled change of subscription takes effect. */
  effectiveAt?: string;
  /** The store took it back: what was bought must not be unlocked any more. */
  revocation?: Revocation;
  /** Who caused its last record, if a client did. */
  by?: Origin;
  /** When it left the queue. */
  finishedAt?: string;
  /** Why it left the queue. */
  removalReason?: Open<RemovalReason>;
}

/** What was asked for. */
export interface Payment {
  /** The product as it was sold. */
  product: Product;
  /** The application's own account. */
  appAccountToken?: string;
}

/** Something that is sold. */
export interface Product {
  /** What clients buy by. */
  productIdentifier: string;
  /** How it is consumed. */
  type: Open<ProductType>;
  /** The name to show. */
  localizedTitle: string;
  /** The description to show. */
  localizedDescription: string;
  /** Where a picture is. */
  iconUrl?: string;
  /** The price, or the charge of one period. */
  price: Price;
  /** Only on subscriptions. */
  subscriptionPeriod?: Period;
  /** Only on subscriptions. */
  subscriptionGroupIdentifier?: string;
  /** The offer for new subscribers. */
  introductoryPrice?: Offer;
  /** Whether the account in session gets it: once per account and subscription group. */
  introductoryOfferEligible?: boolean;
  /** A promotional offer. */
  discountedPrice?: Offer;
}

/** What a product costs. `amount` is exact, `value` is for show only. */
export interface Price {
  /** Major units, digit by digit. */
  value: number;
  /** The same digits as text, for programs that must not round. */
  amount: string;
  /** ISO 4217. */
  currencyCode: string;
}

/** A span of time, in whole units. */
export interface Period {
  /** The unit. */
  unit: Open<PeriodUnit>;
  /** How many of them. */
  numberOfUnits: number;
}

/** A price for a first period, or a discount. */
export interface Offer {
  /** What is charged; 0 is a free trial. */
  price: Price;
  /** For how long. */
  period: Period;
}

/** The country that counts. */
export interface Storefront {
  /** Opaque; compare the country. */
  id: string;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
}

/** Who caused something. */
export interface Origin {
  /** The user id that the kernel reported. */
  uid: number;
  /** The name that the client gave with hello. */
  client?: string;
}

/** A record of the log. Which members it has depends on `kind`. */
export interface Event {
  /** The place of its record in the log. */
  seq: number;
  /** Which further members it has. */
  kind: Open<EventKind>;
  /** When its record was made. */
  time: string;
  /** Nothing changed: what is unfinished is shown again. */
  redelivery?: boolean;
  /** Full snapshots; of removed ones the last. */
  transactions?: Transaction[];
  /** Why transactions left the queue, or a question ended unanswered. */
  reason?: Open<EventReason>;
  /** Who caused it, if a client did. */
  by?: Origin;
  /** The trace that came with the call that caused it. */
  trace?: string;
  /** The storefront before. */
  from?: Storefront | null;
  /** The storefront now. */
  to?: Storefront | null;
  /** The account now in session, or the one whose session the store has ended. */
  account?: string | null;
  /** The restore that ended. */
  restore?: string;
  /** How many transactions a restore gave back. */
  count?: number;
  /** Why a restore failed: one case name with an empty object. */
  error?: Record<string, unknown>;
  /** The products that were taken back. */
  products?: string[];
  /** Their orders. */
  orders?: string[];
  /** Counts the catalogues of the store. */
  revision?: number;
  /** The question. */
  question?: string;
  /** What is asked. */
  type?: Open<QuestionType>;
  /** The transaction that waits for the answer. */
  transaction?: string;
  /** Why it is asked, or why a storefront changed that no client asked to change. */
  cause?: Open<EventCause>;
  /** What would be bought. */
  product?: Product;
  /** For how much. */
  price?: Price;
  /** Where. */
  storefront?: Storefront;
  /** What silence means. */
  fallback?: boolean;
  /** When silence answers; null until somebody was asked. */
  deadline?: string | null;
  /** What the question came to; null if to nothing. */
  value?: boolean | null;
  /** What the one who answered said about it. */
  note?: string;
}

/** Part of `TestSettings`. */
export interface TestSettingsTimeRate {
  /** How many seconds a month lasts. */
  monthSeconds: number;
}

/** Part of `TestSettings`. */
export interface TestSettingsSimulatedErrors {
  /** What it fails with. */
  products: Open<SimulatedError> | null;
  /** What it fails with. */
  purchase: Open<SimulatedError> | null;
  /** What it fails with. */
  completion: Open<SimulatedError> | null;
  /** What it fails with. */
  restore: Open<SimulatedError> | null;
  /** What it fails with. */
  reconciliation: Open<SimulatedError> | null;
  /** What it fails with. */
  history: Open<SimulatedError> | null;
  /** What it fails with. */
  login: Open<SimulatedError> | null;
}

/** The settings of the sandbox. */
export interface TestSettings {
  /** New orders fail with failureError. */
  failTransactionsEnabled: boolean;
  /** How they fail. */
  failureError: Open<TestSettingsFailureError>;
  /** New orders wait for an approval. */
  askToBuyEnabled: boolean;
  /** Every purchase is interrupted and fails. */
  interruptedPurchasesEnabled: boolean;
  /** How fast subscriptions live. */
  timeRate: number | TestSettingsTimeRate;
  /** The country of every account, if one was set. */
  storefront?: string;
  /** Whether the accounts may buy. */
  paymentsAllowed: boolean;
  /** Which texts products have, if one was set. */
  locale?: string;
  /** A subscription that was not renewed goes on for a while. */
  billingGracePeriodIsEnabled: boolean;
  /** Renewals are not paid until resolved. */
  shouldEnterBillingRetryOnRenewal: boolean;
  /** The error of each call, or null. */
  simulatedErrors: TestSettingsSimulatedErrors;
  /** How long every answer takes, in milliseconds. */
  latencyMs: number;
  /** Nothing is answered. */
  storeDown: boolean;
}

/** The sandbox's record of a payment. */
export interface Order {
  /** The order. */
  order: string;
  /** The transaction that asked for it. */
  transaction?: string;
  /** The first order of its chain. */
  original: string;
  /** Who pays. */
  account: string;
  /** What was bought. */
  product: string;
  /** What it costs there; each period, for a subscription. */
  price: Price;
  /** What the store took; absent until it did. */
  charged?: Charge;
  /** Why that is not the price of the product, where it is not. */
  offer?: Open<OfferKind>;
  /** When a scheduled change of subscription takes effect. */
  effectiveAt?: string;
  /** The store took it back: what was bought must not be unlocked any more. */
  revocation?: Revocation;
  /** In which country. */
  countryCode: string;
  /** The application's own account. */
  appAccountToken?: string;
  /** Where it stands. */
  state: Open<OrderState>;
  /** How it failed, if it did. */
  error?: Open<OrderError>;
  /** What is behind the error. */
  failureReason?: string;
  /** Whether the store knows that the goods were delivered. */
  completed: boolean;
  /** When it was placed. */
  placedAt: string;
  /** Whether it renews an order before it. */
  renewal?: boolean;
  /** When it ends, for a subscription. */
  expiresAt?: string;
  /** When it was taken back, if it was. */
  revokedAt?: string;
}

/** A restore and how far it is. */
export interface Restore {
  /** Names the restore. */
  id: string;
  /** Where it stands. */
  state: Open<RestoreState>;
  /** What it waits for; only while running. */
  waitingFor?: Open<WaitingFor>;
  /** How many transactions it gave back; only when completed. */
  count?: number;
  /** One case name with an empty object; only when failed. */
  error?: Record<string, unknown>;
}

/** The sandbox's clock. */
export interface TestClock {
  /** What the sandbox's clock shows. */
  now: string;
  /** When the next event is due, if any is. */
  nextEventAt?: string;
}

/** What the store took: an exact amount, `0.00` for what was free. */
export interface Charge {
  /** Major units, with the digits of the currency; 0.00 for what was free. */
  amount: string;
  /** ISO 4217. */
  currencyCode: string;
}

/** When and why the store took an order back. */
export interface Revocation {
  /** When. */
  at: string;
  /** Why, such as refund. */
  reason: string;
}

/** Something happened to the queue. */
export interface EventNotice {
  /** The subscription. */
  subscription: string;
  /** The seq sent before on it. */
  prev: number;
  /** The place of its record in the log. */
  seq: number;
  /** Which further members it has. */
  kind: Open<EventKind>;
  /** When its record was made. */
  time: string;
  /** Nothing changed: what is unfinished is shown again. */
  redelivery?: boolean;
  /** Full snapshots; of removed ones the last. */
  transactions?: Transaction[];
  /** Why transactions left the queue, or a question ended unanswered. */
  reason?: Open<EventReason>;
  /** Who caused it, if a client did. */
  by?: Origin;
  /** The trace that came with the call that caused it. */
  trace?: string;
  /** The storefront before. */
  from?: Storefront | null;
  /** The storefront now. */
  to?: Storefront | null;
  /** The account now in session, or the one whose session the store has ended. */
  account?: string | null;
  /** The restore that ended. */
  restore?: string;
  /** How many transactions a restore gave back. */
  count?: number;
  /** Why a restore failed: one case name with an empty object. */
  error?: Record<string, unknown>;
  /** The products that were taken back. */
  products?: string[];
  /** Their orders. */
  orders?: string[];
  /** Counts the catalogues of the store. */
  revision?: number;
  /** The question. */
  question?: string;
  /** What is asked. */
  type?: Open<QuestionType>;
  /** The transaction that waits for the answer. */
  transaction?: string;
  /** Why it is asked, or why a storefront changed that no client asked to change. */
  cause?: Open<EventCause>;
  /** What would be bought. */
  product?: Product;
  /** For how much. */
  price?: Price;
  /** Where. */
  storefront?: Storefront;
  /** What silence means. */
  fallback?: boolean;
  /** When silence answers; null until somebody was asked. */
  deadline?: string | null;
  /** What the question came to; null if to nothing. */
  value?: boolean | null;
  /** What the one who answered said about it. */
  note?: string;
}

/** Replay and redelivery are over; what follows is live. */
export interface CaughtUpNotice {
  /** The subscription. */
  subscription: string;
  /** How far the log was scanned. */
  seq: number;
}

/** Nothing happened for as long as the subscriber asked. */
export interface HeartbeatNotice {
  /** The subscription. */
  subscription: string;
  /** How far the log was scanned. */
  seq: number;
}

/** Records were trimmed unread; a redelivery follows. */
export interface GapNotice {
  /** The subscription. */
  subscription: string;
  /** The first one missed. */
  from: number;
  /** The last one missed. */
  to: number;
  /** Why. */
  reason: Open<GapReason>;
}

/** The daemon ends a subscription. */
export interface EndedNotice {
  /** The subscription. */
  subscription: string;
  /** Why. */
  reason: Open<EndedReason>;
  /** The last one sent. */
  last: number;
}

/** The daemon closes the connection soon. */
export interface ClosingNotice {
  /** Why. */
  reason: Open<ClosingReason>;
  /** For how long requests are still taken. */
  graceMs: number;
  /** Subscribe after this. */
  head: number;
}

/** Part of `Hello`. */
export interface HelloClient {
  /** The name of the client. */
  name: string;
  /** Its version. */
  version?: string;
}

/** The parameters of `hello`. */
export interface HelloParams {
  /** Who calls: name, version?. */
  client?: HelloClient;
  /** The version of the interface wanted; another one than ours is an error. */
  api?: number;
}

/** Part of `Hello`. */
export interface HelloServer {
  /** Always the same. */
  name: string;
  /** The release. */
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
  /** What answers. */
  server: HelloServer;
  /** The version of the interface. */
  api: number;
  /** Changes only when the event log was lost or reset. */
  epoch: string;
  /** The oldest record kept. */
  oldest: number;
  /** The newest record. */
  head: number;
  /** Who you are to the kernel. */
  peer: HelloPeer;
  /** What you may do. */
  roles: Open<HelloRole>[];
  /** What not every daemon of this version has. */
  features: string[];
  /** The limits in force, by name. */
  limits: Record<string, unknown>;
}

/** The parameters of `ping`. */
export interface PingParams {
  /** Comes back byte by byte. */
  payload?: unknown;
}

/** The answer to `ping`. */
export interface PingResult {
  /** The payload, or true without one. */
  pong: unknown;
}

/** The parameters of `help`. */
export interface HelpParams {
  /** The method; without it, all of them. */
  method?: string;
}

/** The answer to `help`. */
export interface HelpResult {
  /** For a terminal of 80 columns. */
  text: string;
}

/** Part of `Status`. */
export interface StatusSessionEnded {
  /** The account that has to log in again. */
  account: string;
  /** Its storefront. */
  storefront: Storefront;
  /** When the queue learnt of it. */
  at: string;
}

/** Part of `StatusQueue`. */
export interface StatusQueueByState {
  /** So many. */
  purchasing: number;
  /** So many. */
  purchased: number;
  /** So many. */
  restored: number;
  /** So many. */
  failed: number;
}

/** Part of `StatusQueue`. */
export interface StatusQueueWaitingFor {
  /** So many. */
  observer?: number;
  /** So many. */
  login?: number;
  /** So many. */
  gate?: number;
  /** So many. */
  approval?: number;
  /** So many. */
  store?: number;
}

/** Part of `Status`. */
export interface StatusQueue {
  /** All that is not finished. */
  unfinished: number;
  /** By state. */
  byState: StatusQueueByState;
  /** Of the purchased: finished, store not told. */
  completing: number;
  /** Of the purchasing: what they wait for. */
  waitingFor: StatusQueueWaitingFor;
}

/** Part of `Status`. */
export interface StatusLog {
  /** The oldest record kept. */
  oldest: number;
  /** The newest record. */
  head: number;
  /** Its size on disk. */
  bytes: number;
}

/** Part of `Status`. */
export interface StatusConnection {
  /** The user id of the peer. */
  uid: number;
  /** The name that it gave with hello. */
  client?: string;
  /** How many it has. */
  subscriptions: number;
  /** The most records that one of them is behind. */
  lag: number;
  /** What is held for it, on its way in or out. */
  bufferedBytes: number;
  /** Whether it reads too slowly. */
  paused: boolean;
}

/** Part of `Status`. */
export interface StatusPersistence {
  /** When something was last put on disk. */
  lastCommit?: string;
  /** Whether the state is lost with the machine. */
  volatile: boolean;
  /** What last went wrong. */
  lastError?: string;
}

/** Part of `Status`. */
export interface StatusStore {
  /** Which store. */
  name: string;
  /** Its state. */
  state: Open<StatusStoreState>;
  /** Since when. */
  since: string;
  /** What it last failed with. */
  lastError?: string;
  /** When it is tried again, if that is known. */
  nextTryAt?: string;
}

/** Part of `Status`. */
export interface StatusCanMakePayments {
  /** Whether a new payment would be accepted. */
  value: boolean;
  /** Why not. */
  reason?: string;
}

/** The answer to `status`. */
export interface StatusResult {
  /** The daemon's. */
  state: Open<DaemonState>;
  /** When it got into that state. */
  since: string;
  /** The account in session. */
  account: string | null;
  /** Its storefront. */
  storefront: Storefront | null;
  /** The session that the store has ended; there until somebody logs in. */
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
  /** Decisions that are open. */
  questions: number;
  /** The disk. */
  persistence: StatusPersistence;
  /** The store. */
  store: StatusStore;
  /** Restores that run. */
  restores: Restore[];
  /** Whether the account may buy. */
  canMakePayments: StatusCanMakePayments;
}

/** The answer to `metrics`. */
export interface MetricsResult {
  /** The content type of the text. */
  format: string;
  /** One metric per line. */
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
  /** What would be sent as its parameters. */
  params?: unknown;
}

/** The answer to `check`. */
export interface CheckResult {
  /** Always true; anything else is an error. */
  ok: boolean;
}

/** The parameters of `products`. */
export interface ProductsParams {
  /** Only these products. */
  ids?: string[];
  /** The most entries of a page; 100 without it. */
  limit?: number;
  /** The page that next of an earlier answer named. */
  page?: string;
}

/** The answer to `products`. */
export interface ProductsResult {
  /** What is sold. */
  products: Product[];
  /** Asked for and not sold here. */
  invalid: string[];
  /** Where the prices are of. */
  storefront: Storefront;
  /** The next page, if there is one. */
  next?: string;
}

/** Part of `Entitlements`. */
export interface Entitlement {
  /** The order. */
  transactionIdentifier: string;
  /** The first order of its chain. */
  originalTransactionIdentifier: string;
  /** The transaction that asked for it. */
  transaction?: string;
  /** What clients buy it by. */
  productIdentifier: string;
  /** The product as it was sold. */
  product: Product;
  /** Where it was charged. */
  storefront: Storefront;
  /** The application's own account. */
  appAccountToken?: string;
  /** What the store took; absent until it did. */
  charged?: Charge;
  /** Why that is not the price of the product, where it is not. */
  offer?: Open<OfferKind>;
  /** When a scheduled change of subscription takes effect. */
  effectiveAt?: string;
  /** The store took it back: what was bought must not be unlocked any more. */
  revocation?: Revocation;
  /** Whether it renews an order before it. */
  renewal: boolean;
  /** Whether the store knows that the goods were delivered. */
  completed: boolean;
  /** When it was paid. */
  purchasedAt: string;
  /** When it ends, for a subscription. */
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
  /** The page that next of an earlier answer named. */
  page?: string;
}

/** The answer to `signedHistory`. */
export interface SignedHistoryResult {
  /** The compact JWS. */
  jws: string;
  /** The key that signed it. */
  kid: string;
  /** How it was signed: RS256 or ES256. */
  alg: string;
  /** The next page, if there is one. */
  next?: string;
}

/** Part of `Keys`. */
export interface Key {
  /** The kind of key. */
  kty: Open<KeyKty>;
  /** What it is for. */
  use: Open<KeyUse>;
  /** What it is used with: RS256 or ES256. */
  alg: string;
  /** What signatures name it by. */
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
  /** JSON Web Keys, the one in use first. */
  keys: Key[];
}

/** The parameters of `login`. */
export interface LoginParams {
  /** The account at the store; without it the login agents are asked. */
  account?: string;
  /** What proves it; never logged. */
  credential?: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `login`. */
export interface LoginResult {
  /** The account in session. */
  account: string;
  /** Its storefront. */
  storefront: Storefront;
  /** The record of the change, or the newest. */
  seq: number;
}

/** The parameters of `logout`. */
export interface LogoutParams {
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `logout`. */
export interface LogoutResult {
  /** The record of the change, or the newest. */
  seq: number;
}

/** The parameters of `storefront`. */
export interface StorefrontParams {
  /** The country to assume while nobody is logged in; "" takes it back. */
  assume?: string;
}

/** The answer to `storefront`. */
export interface StorefrontResult {
  /** Where the account in session is; null without one. */
  storefront: Storefront | null;
  /** The account in session. */
  account: string | null;
  /** The country assumed while nobody is logged in. */
  assumed?: string;
}

/** The parameters of `add`. */
export interface AddParams {
  /** The identifier of the product. */
  product: string;
  /** Ties the purchase to the application's own account; carried and echoed. */
  appAccountToken?: string;
  /** The idempotency key; kept for at least 90 days, compared by bytes. */
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
  /** Where it stands. */
  state: Open<TransactionState>;
  /** What it waits for. */
  waitingFor?: Open<WaitingFor>;
  /** The record of acceptance. */
  seq: number;
  /** Whether the key was used before. */
  duplicate: boolean;
  /** How a transaction left the queue that a duplicate names. */
  removed?: AddRemoved;
}

/** The parameters of `restore`. */
export interface RestoreParams {
  /** The idempotency key; kept for at least 90 days, compared by bytes. */
  key?: string;
  /** Only purchases that carry this token. */
  appAccountToken?: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `restore`. */
export interface RestoreResult {
  /** The restore. */
  restore: string;
  /** Where it stands. */
  state: Open<RestoreState>;
  /** What it waits for. */
  waitingFor?: Open<WaitingFor>;
  /** The record of acceptance, or the newest. */
  seq: number;
  /** Whether it was there already. */
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
  /** What the call came to. */
  disposition: Open<FinishDisposition>;
  /** The record that the call made, or the newest. */
  seq: number;
}

/** The parameters of `transactions`. */
export interface TransactionsParams {
  /** Only these transactions; unknown ones are left out. */
  ids?: string[];
  /** Only these states. finished lists what left the queue. */
  states?: TransactionFilter[];
  /** The most entries of a page; 100 without it. */
  limit?: number;
  /** The page that next of an earlier answer named. */
  page?: string;
}

/** The answer to `transactions`. */
export interface TransactionsResult {
  /** In the order of acceptance. */
  transactions: Transaction[];
  /** The position as of which this is true. */
  seq: number;
  /** The next page, if there is one. */
  next?: string;
}

/** The parameters of `wait`. */
export interface WaitParams {
  /** The transaction. */
  transaction?: string;
  /** The restore, instead. */
  restore?: string;
  /**
   * What to wait for; without it any state but purchasing, or the removal. For transactions only.
   */
  until?: WaitUntil[];
  /** Seconds to wait at most; 60 without it. */
  timeout?: number;
}

/** The answer to `wait`. */
export interface WaitResult {
  /** As it is now. */
  transaction?: Transaction;
  /** As it is now. */
  restore?: Restore;
  /** False if the time ran out first. */
  reached: boolean;
  /** The position as of which this is true. */
  seq: number;
}

/** The parameters of `subscribe`. */
export interface SubscribeParams {
  /** Records behind this place; start is the oldest, now the newest. */
  after?: number | SubscribeAfter;
  /** The epoch that after belongs to. */
  epoch?: string;
  /** Only these kinds. */
  kinds?: EventKind[];
  /** Only transactions for these products. */
  products?: string[];
  /** Only watch; do not make transactions proceed. */
  passive?: boolean;
  /** Questions that you can put to a person; it takes the roles to answer them. */
  agent?: SubscribeAgent[];
  /** Names a durable observer; begins at its ack unless after says otherwise. */
  name?: string;
  /** Seconds of silence after which a heartbeat comes. */
  heartbeat?: number;
  /** When records were trimmed unread: snapshot (the default) redelivers, error ends. */
  onGap?: SubscribeOnGap;
}

/** The answer to `subscribe`. */
export interface SubscribeResult {
  /** Names it in every event. */
  subscription: string;
  /** Store it with your cursor. */
  epoch: string;
  /** The oldest record kept. */
  oldest: number;
  /** The newest record. */
  head: number;
}

/** The parameters of `unsubscribe`. */
export interface UnsubscribeParams {
  /** The subscription. */
  subscription: string;
}

/** The answer to `unsubscribe`. */
export interface UnsubscribeResult {
  /** Whether there was such a subscription. */
  unsubscribed: boolean;
  /** Where it had got to. */
  last?: number;
}

/** The parameters of `events`. */
export interface EventsParams {
  /** Records behind this place. */
  after: number | SubscribeAfter;
  /** The most entries of a page; 100 without it. */
  limit?: number;
  /** Seconds to wait for the first event if there is none yet. */
  wait?: number;
  /** Only these kinds. */
  kinds?: EventKind[];
  /** The epoch that after belongs to. */
  epoch?: string;
}

/** The answer to `events`. */
export interface EventsResult {
  /** In the order of the log. */
  events: Event[];
  /** The cursor for the next call. */
  next: number;
  /** The newest record. */
  head: number;
  /** Store it with your cursor. */
  epoch: string;
}

/** The parameters of `ack`. */
export interface AckParams {
  /** The observer. */
  name: string;
  /** The last record it has dealt with. */
  seq: number;
}

/** The answer to `ack`. */
export interface AckResult {
  /** Up to where everything is dealt with. */
  acked: number;
}

/** Part of `Observers`. */
export interface Observer {
  /** The subscription, while there is one. */
  subscription?: string;
  /** The user id of the peer. */
  uid?: number;
  /** The name that the client gave with hello. */
  client?: string;
  /** The durable name. */
  name?: string;
  /** Whether it only watches. */
  passive?: boolean;
  /** Only these kinds. */
  kinds?: Open<EventKind>[];
  /** Only these products. */
  products?: string[];
  /** What it can ask a person for. */
  agent?: Open<SubscribeAgent>[];
  /** Up to where the name has dealt with everything. */
  acked?: number;
  /** How far the log has gone on behind it. */
  lag: number;
  /** Whether its peer is there. */
  connected: boolean;
}

/** The answer to `observers`. */
export interface ObserversResult {
  /** In the order of subscribing, then by name. */
  observers: Observer[];
}

/** The parameters of `delegate`. */
export interface DelegateParams {
  /** What happens when country or price changed. */
  mode?: DelegateMode;
  /** Seconds that silence is waited for once somebody was asked. */
  timeout?: number;
  /** What silence means: true goes on, false does not. */
  fallback?: boolean;
  /** What happens after a login that add had asked for. */
  afterLogin?: DelegateAfterLogin;
}

/** The answer to `delegate`. */
export interface DelegateResult {
  /** In force. */
  mode: Open<DelegateMode>;
  /** In seconds. */
  timeout: number;
  /** What silence means. */
  fallback: boolean;
  /** After a login that add had asked for. */
  afterLogin: Open<DelegateAfterLogin>;
  /** The record of the change, or the newest. */
  seq: number;
}

/** Part of `Questions`. */
export interface Question {
  /** Names the question. */
  question: string;
  /** What is asked. */
  type: Open<QuestionType>;
  /** What waits for the answer. */
  transaction?: string;
  /** Why it is asked. */
  cause?: Open<QuestionCause>;
  /** What would be charged for. */
  product?: Product;
  /** What would be charged. */
  price?: Price;
  /** Where. */
  storefront?: Storefront;
  /** What silence means. */
  fallback: boolean;
  /** When silence counts; not before somebody was asked. */
  deadline?: string;
  /** When it was asked first. */
  openedAt: string;
}

/** The answer to `questions`. */
export interface QuestionsResult {
  /** In the order of asking. */
  questions: Question[];
}

/** The parameters of `answer`. */
export interface AnswerParams {
  /** The question. */
  question: string;
  /** Whether to go on. */
  value: boolean;
  /** Why; shown with questionClosed. */
  reason?: string;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `answer`. */
export interface AnswerResult {
  /** Always true; anything else is an error. */
  accepted: boolean;
  /** The record of the answer. */
  seq: number;
}

/** The parameters of `cancel`. */
export interface CancelParams {
  /** The id of the call, written as it was written there. */
  id: unknown;
}

/** The answer to `cancel`. */
export interface CancelResult {
  /** Whether the call was waiting. */
  cancelled: boolean;
}

/** The parameters of `decide`. */
export interface DecideParams {
  /** The transaction. */
  transaction: string;
  /** What becomes of it. */
  outcome: DecideOutcome;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `decide`. */
export interface DecideResult {
  /** The transaction. */
  transaction: string;
  /** Where it stands. */
  state: Open<TransactionState>;
  /** The position as of which this is true. */
  seq: number;
}

/** The parameters of `drain`. */
export interface DrainParams {
  /** Whether new work is refused. */
  on: boolean;
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `drain`. */
export interface DrainResult {
  /** What the daemon does now. */
  state: Open<DaemonState>;
}

/** The parameters of `reload`. */
export interface ReloadParams {
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `reload`. */
export interface ReloadResult {
  /** The settings that changed, by key. */
  changed: string[];
}

/** The parameters of `backup`. */
export interface BackupParams {
  /** A trace context, echoed in the records that the call causes. */
  trace?: string;
}

/** The answer to `backup`. */
export interface BackupResult {
  /** Where the copy is. */
  path: string;
  /** The position as of which it is true. */
  seq: number;
  /** Its size. */
  bytes: number;
}

/** Part of `TestSet`. */
export interface TestSetTimeRate {
  /** How many seconds a month lasts. */
  monthSeconds: number;
}

/** Part of `TestSet`. */
export interface TestSetSimulatedErrors {
  /** What it fails with; null for none. */
  products?: SimulatedCatalogueError | null;
  /** What it fails with; null for none. */
  purchase?: SimulatedStoreError | null;
  /** What it fails with; null for none. */
  completion?: SimulatedStoreError | null;
  /** What it fails with; null for none. */
  restore?: SimulatedStoreError | null;
  /** What it fails with; null for none. */
  reconciliation?: SimulatedStoreError | null;
  /** What it fails with; null for none. */
  history?: SimulatedStoreError | null;
  /** What it fails with; null for none. */
  login?: SimulatedLoginError | null;
}

/** The parameters of `test.set`. */
export interface TestSetParams {
  /** New orders fail with failureError. */
  failTransactionsEnabled?: boolean;
  /** How they fail. */
  failureError?: TestSettingsFailureError;
  /** New orders wait for an approval. */
  askToBuyEnabled?: boolean;
  /** Every purchase fails until test.resolve, which makes it a new one. */
  interruptedPurchasesEnabled?: boolean;
  /** How fast subscriptions live: Apple's number, or how long a month lasts. */
  timeRate?: number | TestSetTimeRate;
  /** The country of every account. */
  storefront?: string;
  /** Whether the accounts may buy. */
  paymentsAllowed?: boolean;
  /** Which texts products have, such as en_US. */
  locale?: string;
  /** A subscription that was not renewed goes on for a while. */
  billingGracePeriodIsEnabled?: boolean;
  /** Renewals are not paid until test.resolve. */
  shouldEnterBillingRetryOnRenewal?: boolean;
  /** The calls that fail, and how. */
  simulatedErrors?: TestSetSimulatedErrors;
  /** Milliseconds that every answer takes. */
  latencyMs?: number;
  /** Nothing is answered. */
  storeDown?: boolean;
}

/** The parameters of `test.orders`. */
export interface TestOrdersParams {
  /** The most entries of a page; 100 without it. */
  limit?: number;
  /** The page that next of an earlier answer named. */
  page?: string;
}

/** The answer to `test.orders`. */
export interface TestOrdersResult {
  /** Oldest first. */
  orders: Order[];
  /** The next page, if there is one. */
  next?: string;
}

/** The parameters of `test.buy`. */
export interface TestBuyParams {
  /** The identifier of the product. */
  product: string;
  /** Ties the purchase to the application's own account. */
  appAccountToken?: string;
}

/** The parameters of `test.refund`. */
export interface TestRefundParams {
  /** The transaction that asked for it. */
  transaction?: string;
  /** The order itself, instead. */
  order?: string;
}

/** The parameters of `test.resolve`. */
export interface TestResolveParams {
  /** The transaction that asked for it. */
  transaction?: string;
  /** The order itself, instead. */
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
  /** Whether it renews itself. */
  enabled: boolean;
}

/** The parameters of `test.priceIncrease`. */
export interface TestPriceIncreaseParams {
  /** The subscription of the account. */
  product: string;
  /** What the subscriber says. */
  answer: TestPriceIncreaseAnswer;
}

/** The parameters of `test.deleteOrder`. */
export interface TestDeleteOrderParams {
  /** The transaction that asked for it. */
  transaction?: string;
  /** The order itself, instead. */
  order?: string;
}

/** The parameters of `test.clock.advance`. */
export interface TestClockAdvanceParams {
  /** How far. */
  seconds: number;
}

/** The answer to `test.clock.advance`. */
export interface TestClockAdvanceResult {
  /** What the sandbox's clock shows. */
  now: string;
  /** When the next event is due, if any is. */
  nextEventAt?: string;
  /** How many events happened. */
  events: number;
}

/** How a call is made; see `PaymentQueue`. */
export interface CallOptions { timeoutMs?: number }

/** One method for each of the daemon. */
export interface Methods {
  /**
   * Ask whether the daemon is there. Answered by the part that owns the queue; never waits for the
   * store.
   */
  ping(params?: PingParams, options?: CallOptions): Promise<PingResult>;
  /**
   * Explain a method, or list all of them. Text for people, made from the same source as
   * rpc.discover.
   */
  help(params?: HelpParams, options?: CallOptions): Promise<HelpResult>;
  /**
   * Show what the daemon is doing, and why nothing moves. The account, the queue and what its
   * transactions wait for, the store, the log, the disk, and the connections: your own, or all of
   * them for an administrator.
   */
  status(params?: Record<string, never>, options?: CallOptions): Promise<StatusResult>;
  /**
   * Show what is counted, as OpenMetrics text. Connections, subscriptions, turns of the queue,
   * records, transactions by state, the store's health. The text can be handed to a collector as it
   * is.
   */
  metrics(params?: Record<string, never>, options?: CallOptions): Promise<MetricsResult>;
  /**
   * Describe the interface as an OpenRPC document. OpenRPC 1.4, made from the very types that read
   * requests. Notifications are under x-notifications, limits under x-limits.
   */
  discover(params?: Record<string, never>, options?: CallOptions): Promise<RpcDiscoverResult>;
  /**
   * Check a call without making it. Reads the parameters as the method itself would and answers
   * with the same error if they are wrong, or if the queue would refuse an add, a restore or a
   * finish now. It changes nothing and does not ask the store.
   */
  check(params: CheckParams, options?: CallOptions): Promise<CheckResult>;
  /**
   * List products and their prices. With the prices of the account's country; logged out, of the
   * country assumed with storefront, else of the store's default. Without ids the whole catalogue,
   * page by page. What is not sold here is listed under invalid; an identifier that no product can
   * have, empty or longer than 256 bytes, is an error.
   */
  products(params?: ProductsParams, options?: CallOptions): Promise<ProductsResult>;
  /**
   * List what the account may use now. The latest live order of each non-consumable and of each
   * subscription that is active, as the store tells it; nothing that was refunded, no consumables.
   * Whether a transaction is unfinished does not matter here.
   */
  entitlements(params?: Record<string, never>, options?: CallOptions): Promise<EntitlementsResult>;
  /**
   * Fetch what the account has paid for, signed by the store. A page of what the account in session
   * has paid for, the newest payment first: a compact JWS whose payload is a TransactionHistory of
   * purchases and renewals, refunded ones with their revocation, as the store knows them now. Each
   * page can be verified by itself, with the keys of the store, which the method keys returns; kid
   * and alg repeat what its header says. Repeat the call with the page that next gave for what was
   * paid before: what is paid for meanwhile moves no page, so that following next gives each
   * payment once. Nobody is asked to log in: without an account in session the call fails.
   */
  signedHistory(params?: SignedHistoryParams, options?: CallOptions): Promise<SignedHistoryResult>;
  /**
   * Fetch the public keys that the store signs with. A JSON Web Key Set as any library reads it:
   * the key in use first, then those that have signed before, so that older histories can still be
   * verified. A kid is the thumbprint of RFC 7638. It takes no account in session.
   */
  keys(params?: Record<string, never>, options?: CallOptions): Promise<KeysResult>;
  /**
   * Open a session for an account. What was added while nobody was logged in becomes this account's
   * and is sent to the store. Another account replaces the one in session; the same again changes
   * nothing. A logout while it is under way cancels it. The session survives restarts. Without
   * account those are asked who are subscribed as login agents, and the answer waits for them.
   */
  login(params?: LoginParams, options?: CallOptions): Promise<LoginResult>;
  /**
   * Close the session. The account's transactions are hidden until it logs in again; what is under
   * way at the store goes on there. The session at the store ends as well if the store can be
   * reached; its tokens are forgotten in any case. Logging out twice is no error.
   */
  logout(params?: LogoutParams, options?: CallOptions): Promise<LogoutResult>;
  /**
   * Show the account's storefront, or assume a country. The storefront of the account in session;
   * null while nobody is logged in. With assume, the country whose prices are shown while nobody is
   * logged in; it is kept over restarts and shown as assumed.
   */
  storefront(params?: StorefrontParams, options?: CallOptions): Promise<StorefrontResult>;
  /**
   * Buy a product. Accepts a payment: when the reply comes, the transaction is on stable storage.
   * What becomes of it comes as events. It is sent to the store once an account is in session and
   * somebody is subscribed; until then waitingFor says what is missing. Send a fresh key with every
   * intent to buy: repeating the call with the same key and the same parameters answers with the
   * first transaction and never charges twice. While nobody is logged in and somebody is subscribed
   * as a login agent, the answer waits for the login.
   */
  add(params: AddParams, options?: CallOptions): Promise<AddResult>;
  /**
   * Be given again what the account owns. Accepts a restore; when the reply comes, it is on stable
   * storage. What the account owns comes as transactions in state restored, then exactly one
   * restoreCompleted or restoreFailed ends it, also over a restart. It needs an account in session
   * and somebody who is subscribed. A call for the same purchases joins the restore that runs;
   * another one waits its turn.
   */
  restore(params?: RestoreParams, options?: CallOptions): Promise<RestoreResult>;
  /**
   * Take a delivered transaction out of the queue. Call it after the goods are delivered, not
   * before: until then every new subscription gets the transaction again. Repeat it freely. A
   * purchase is completed with the store first (completing) and leaves the queue with
   * transactionsRemoved. What was never sent is withdrawn (removed). What is under way stays
   * (ignoredInFlight).
   */
  finish(params: FinishParams, options?: CallOptions): Promise<FinishResult>;
  /**
   * List transactions. Without parameters everything unfinished that the account in session may
   * see. A list that does not fit comes in pages: repeat the call with the page that next gave.
   */
  transactions(params?: TransactionsParams, options?: CallOptions): Promise<TransactionsResult>;
  /**
   * Wait until a transaction is decided, or a restore has ended. For scripts: answers as soon as
   * the transaction is in one of the wanted states, or the restore has ended, at once if it is so
   * already. When the time runs out the answer is normal, with reached false. Requests behind it on
   * the same connection are answered meanwhile.
   */
  wait(params?: WaitParams, options?: CallOptions): Promise<WaitResult>;
  /**
   * Read the event log page by page. The pull form of subscribe, for shells: call it again with
   * after set to next. It redelivers nothing and makes no transaction proceed.
   */
  events(params: EventsParams, options?: CallOptions): Promise<EventsResult>;
  /**
   * Say up to where a named observer has dealt with everything. Kept durably: subscribe with the
   * name begins behind it. Everything up to seq counts; a smaller seq than before changes nothing.
   * It finishes no transaction, finish does.
   */
  ack(params: AckParams, options?: CallOptions): Promise<AckResult>;
  /**
   * List who watches, and the durable names. Who watches, what each is shown, and how far behind it
   * is; then the durable names whose observers are away.
   */
  observers(params?: Record<string, never>, options?: CallOptions): Promise<ObserversResult>;
  /**
   * Show or set what happens when country or price changed. One durable policy for the whole queue.
   * A transaction that would be charged in another country, or at another price, than was shown at
   * add goes on (continue), leaves the queue with discardedByGate (stop), or waits for an answer
   * (ask). Without parameters the policy is only shown; what is not given stays as it is.
   */
  delegate(params?: DelegateParams, options?: CallOptions): Promise<DelegateResult>;
  /**
   * List what waits for an answer. Every question that is open and that the account in session may
   * see. Answer one with answer; the first answer wins.
   */
  questions(params?: Record<string, never>, options?: CallOptions): Promise<QuestionsResult>;
  /**
   * Answer a question. Anybody who may may answer, whoever was asked; the first answer wins, and
   * whoever gave it may repeat it while the daemon runs. It is true or false, nothing else. A login
   * question is answered true by a login; answered true without one, the calls behind it go on and
   * what they ask for waits for a login.
   */
  answer(params: AnswerParams, options?: CallOptions): Promise<AnswerResult>;
  /**
   * Approve or decline what waits for an approval. Plays the person whose approval a transaction
   * waits for (waitingFor approval). Answers when the queue has learned of the outcome from the
   * store. Only a sandbox lets you.
   */
  decide(params: DecideParams, options?: CallOptions): Promise<DecideResult>;
  /**
   * Take no new work. With on true, add and restore are refused with error -32006 and everything
   * else goes on; the answer comes when no order is under way at the store any more. A call that is
   * cancelled meanwhile leaves it on. With on false, new work is taken again. A restart takes it
   * back.
   */
  drain(params: DrainParams, options?: CallOptions): Promise<DrainResult>;
  /**
   * Read the configuration again. Reads the configuration file and the catalogue again and puts
   * into force what can change while the daemon runs. All of it or nothing: a file that is refused
   * leaves everything as it was.
   */
  reload(params?: ReloadParams, options?: CallOptions): Promise<ReloadResult>;
  /**
   * Keep a copy of the whole state. Copies snapshot and journal to a directory of its own below
   * backups, reads the copy back and proves it before it answers. The queue works on meanwhile.
   */
  backup(params?: BackupParams, options?: CallOptions): Promise<BackupResult>;
}

/** The controls of the sandbox: parameters and result of each. */
export interface Controls {
  /** Show how the sandbox behaves. */
  "get": { params: Record<string, never>; result: TestSettings };
  /** Change how the sandbox behaves. */
  "set": { params: TestSetParams; result: TestSettings };
  /** List every order that the sandbox knows. */
  "orders": { params: TestOrdersParams; result: TestOrdersResult };
  /** Buy something outside of the queue. */
  "buy": { params: TestBuyParams; result: Order };
  /** Let the sandbox take a purchase back. */
  "refund": { params: TestRefundParams; result: Order };
  /** Solve what kept an order from being paid. */
  "resolve": { params: TestResolveParams; result: Order };
  /** Renew a subscription now. */
  "renew": { params: TestRenewParams; result: Record<string, unknown> };
  /** End a subscription now. */
  "expire": { params: TestExpireParams; result: Record<string, unknown> };
  /** Switch the renewal of a subscription on or off. */
  "autoRenew": { params: TestAutoRenewParams; result: Record<string, unknown> };
  /** Raise the price of a subscription. */
  "priceIncrease": { params: TestPriceIncreaseParams; result: Record<string, unknown> };
  /** Let the sandbox forget an order. */
  "deleteOrder": { params: TestDeleteOrderParams; result: Record<string, unknown> };
  /** Let the sandbox forget every order. */
  "clear": { params: Record<string, never>; result: Record<string, unknown> };
  /** Put every setting of the sandbox back. */
  "reset": { params: Record<string, never>; result: Record<string, unknown> };
  /** Show the sandbox's clock. */
  "clock.get": { params: Record<string, never>; result: TestClock };
  /** Move the sandbox's clock on. */
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
  /** The store has no such order. */
  readonly noSuchOrder: 1602;
  /** The store does not offer this. */
  readonly notSupportedByStore: 1601;
  /** No account is in session. */
  readonly notLoggedIn: 1504;
  /** The credential is wrong. */
  readonly badCredential: 1502;
  /** The store has no such account. */
  readonly unknownAccount: 1501;
  /** The question was answered before. */
  readonly questionClosed: 1402;
  /** There is no such question. */
  readonly unknownQuestion: 1401;
  /** There is no observer of this name. */
  readonly unknownObserver: 1305;
  /** A live subscription has this name. */
  readonly nameInUse: 1304;
  /** The cursor belongs to another event log. */
  readonly otherEpoch: 1303;
  /** The cursor is ahead of the event log. */
  readonly cursorAhead: 1302;
  /** The records behind the cursor are no longer kept. */
  readonly cursorTooOld: 1301;
  /** There is nothing to decide about this transaction. */
  readonly notDecidable: 1204;
  /** The page is gone; start with the first one again. */
  readonly pageExpired: 1203;
  /** There is no such transaction. */
  readonly unknownTransaction: 1201;
  /** No product has such an identifier. */
  readonly invalidProductIdentifier: 1109;
  /** A transaction for this product is not finished yet. */
  readonly alreadyLive: 1107;
  /** The work was turned down after the login. */
  readonly rejectedAfterLogin: 1106;
  /** The queue holds as many transactions as it may. */
  readonly queueFull: 1105;
  /** Nobody logged in. */
  readonly loginDiscarded: 1104;
  /** The account in session may not buy. */
  readonly paymentsNotAllowed: 1103;
  /** The key was used for another call. */
  readonly keyReuse: 1102;
  /** The store does not sell this product here. */
  readonly unknownProduct: 1101;
  /** This daemon speaks another version. */
  readonly unsupportedVersion: 1002;
  /** Too many calls of this connection are waiting. */
  readonly tooManyInFlight: -32000;
  /** The line is too long. */
  readonly lineTooLong: -32001;
  /** The line was not ended in time. */
  readonly timeout: -32002;
  /** The result does not fit into a line; ask for less. */
  readonly resultTooLarge: -32003;
  /** Too many subscriptions. */
  readonly tooManySubscriptions: -32004;
  /** Too many connections. */
  readonly tooManyConnections: -32005;
  /** The daemon is drained or stopped and takes no new work. */
  readonly draining: -32006;
  /** Your user lacks the role that this call needs. */
  readonly forbidden: -32007;
  /** The change could not be put on stable storage. */
  readonly notDurable: -32008;
  /** The store cannot serve now. */
  readonly storeUnavailable: -32009;
  /** The call was cancelled. */
  readonly cancelled: -32010;
  /** The store does not answer. */
  readonly connectionError: -32011;
  /** There is no room for more until something ends. */
  readonly shareExceeded: -32013;
  /** Invalid Request. */
  readonly invalidRequest: -32600;
  /** Method not found. */
  readonly methodNotFound: -32601;
  /** Invalid params. */
  readonly invalidParams: -32602;
  /** Internal error. */
  readonly internal: -32603;
};
