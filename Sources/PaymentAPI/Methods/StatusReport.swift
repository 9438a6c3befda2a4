public import PaymentCore
import StrictJSON

/// The result of `status`.
public struct StatusReport: WireResult, Hashable {
    /// The state of the daemon.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// All is well.
        case running
        /// It takes no new work, or is being stopped.
        case draining
        /// It works, but something is wrong; the other members say what.
        case degraded
    }

    /// Whether the store answers.
    public enum StoreState: String, Sendable, Hashable, CaseIterable {
        /// It was not asked yet.
        case unknown
        /// It answered the last time.
        case available
        /// It did not.
        case unavailable
    }

    /// The queue as the session sees it, with the work of an account whose session the store has ended.
    public struct Queue: Sendable, Hashable {
        /// How many transactions are in which state.
        public var counts: StateCounts
        /// How many wait for what.
        public var waitingFor: [WaitingFor: Int]

        /// Describes the part.
        public init(counts: StateCounts, waitingFor: [WaitingFor: Int]) {
            self.counts = counts
            self.waitingFor = waitingFor
        }
    }

    /// The event log.
    public struct Log: Sendable, Hashable {
        /// The oldest sequence number that is kept.
        public var oldest: SequenceNumber
        /// The newest one.
        public var head: SequenceNumber
        /// Its size on disk.
        public var bytes: Int

        /// Describes the part.
        public init(oldest: SequenceNumber, head: SequenceNumber, bytes: Int) {
            self.oldest = oldest
            self.head = head
            self.bytes = bytes
        }
    }

    /// A connection.
    public struct Connection: Sendable, Hashable {
        /// The user id of the peer.
        public var uid: UInt32
        /// The name that it gave with `hello`.
        public var client: OpaqueText?
        /// How many subscriptions it has.
        public var subscriptions: Int
        /// The most records that one of them is behind.
        public var lag: UInt64
        /// How many bytes are held for it, on their way in or out.
        public var bufferedBytes: Int
        /// Whether it reads so slowly that sending pauses.
        public var isPaused: Bool

        /// Describes the part.
        public init(
            uid: UInt32, client: OpaqueText?, subscriptions: Int, lag: UInt64, bufferedBytes: Int,
            isPaused: Bool
        ) {
            self.uid = uid
            self.client = client
            self.subscriptions = subscriptions
            self.lag = lag
            self.bufferedBytes = bufferedBytes
            self.isPaused = isPaused
        }
    }

    /// The disk.
    public struct Persistence: Sendable, Hashable {
        /// When something was last put on stable storage.
        public var lastCommit: Timestamp?
        /// Whether the state directory is lost with the machine.
        public var isVolatile: Bool
        /// The last failure.
        public var lastError: String?

        /// Describes the part.
        public init(lastCommit: Timestamp?, isVolatile: Bool, lastError: String?) {
            self.lastCommit = lastCommit
            self.isVolatile = isVolatile
            self.lastError = lastError
        }
    }

    /// The store.
    public struct Store: Sendable, Hashable {
        /// Which one.
        public var name: String
        /// Whether it answers.
        public var state: StoreState
        /// Since when.
        public var since: Timestamp
        /// The last error.
        public var lastError: String?
        /// When it is tried again.
        public var nextTryAt: Timestamp?

        /// Describes the part.
        public init(
            name: String, state: StoreState, since: Timestamp, lastError: String?,
            nextTryAt: Timestamp?
        ) {
            self.name = name
            self.state = state
            self.since = since
            self.lastError = lastError
            self.nextTryAt = nextTryAt
        }
    }

    /// Whether the account may buy.
    public struct CanMakePayments: Sendable, Hashable {
        /// Whether a new payment would be accepted.
        public var value: Bool
        /// Why not.
        public var reason: String?

        /// Describes the part.
        public init(value: Bool, reason: String?) {
            self.value = value
            self.reason = reason
        }
    }

    /// The state of the daemon.
    public var state: State
    /// Since when.
    public var since: Timestamp
    /// The account in session and its country.
    public var session: Session?
    /// The session that the store has ended, where no login has followed.
    public var endedSession: EndedSession?
    /// The queue.
    public var queue: Queue
    /// The event log.
    public var log: Log
    /// The connections that the caller may see.
    public var connections: [Connection]
    /// How many questions are open.
    public var questions: Int
    /// The disk.
    public var persistence: Persistence
    /// The store.
    public var store: Store
    /// The restores that have not ended.
    public var restores: [RestoreRecord]
    /// Whether the account may buy.
    public var canMakePayments: CanMakePayments

    /// Describes the daemon.
    public init(
        state: State, since: Timestamp, session: Session?, endedSession: EndedSession? = nil,
        queue: Queue, log: Log,
        connections: [Connection], questions: Int = 0, persistence: Persistence, store: Store,
        restores: [RestoreRecord] = [], canMakePayments: CanMakePayments
    ) {
        self.state = state
        self.since = since
        self.session = session
        self.endedSession = endedSession
        self.queue = queue
        self.log = log
        self.connections = connections
        self.questions = questions
        self.persistence = persistence
        self.store = store
        self.restores = restores
        self.canMakePayments = canMakePayments
    }
}
