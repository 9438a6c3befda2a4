public import PaymentCore
import StrictJSON

/// The result of `status`.
public struct StatusReport: WireResult, Hashable {
    /// The state of the daemon.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The daemon works normally.
        case running
        /// The daemon accepts no new work or is stopping.
        case draining
        /// The daemon works, but the other members report a problem.
        case degraded
    }

    /// The availability of the store.
    public enum StoreState: String, Sendable, Hashable, CaseIterable {
        /// No request has been sent to the store yet.
        case unknown
        /// The store answered the last request.
        case available
        /// The store did not answer the last request.
        case unavailable
    }

    /// The part of the queue that the session sees, and the work of an account whose session the
    /// store has ended.
    public struct Queue: Sendable, Hashable {
        /// The number of transactions by state.
        public var counts: StateCounts
        /// The number of purchasing transactions by the condition that they wait for.
        public var waitingFor: [WaitingFor: Int]

        /// Creates the part.
        public init(counts: StateCounts, waitingFor: [WaitingFor: Int]) {
            self.counts = counts
            self.waitingFor = waitingFor
        }
    }

    /// The event log.
    public struct Log: Sendable, Hashable {
        /// The oldest kept sequence number.
        public var oldest: SequenceNumber
        /// The newest sequence number.
        public var head: SequenceNumber
        /// The size on disk, in bytes.
        public var bytes: Int

        /// Creates the part.
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
        /// The client name from `hello`.
        public var client: OpaqueText?
        /// The number of its subscriptions.
        public var subscriptions: Int
        /// The largest number of records by which one of its subscriptions is behind.
        public var lag: UInt64
        /// The buffered bytes in both directions.
        public var bufferedBytes: Int
        /// True if sending pauses because the peer reads too slowly.
        public var isPaused: Bool

        /// Creates the part.
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

    /// The state of the storage.
    public struct Persistence: Sendable, Hashable {
        /// The time of the last commit to stable storage; nil if there was none.
        public var lastCommit: Timestamp?
        /// True if the state directory is lost with the machine or container.
        public var isVolatile: Bool
        /// The last failure of the storage.
        public var lastError: String?

        /// Creates the part.
        public init(lastCommit: Timestamp?, isVolatile: Bool, lastError: String?) {
            self.lastCommit = lastCommit
            self.isVolatile = isVolatile
            self.lastError = lastError
        }
    }

    /// The store.
    public struct Store: Sendable, Hashable {
        /// The name of the store.
        public var name: String
        /// The availability of the store.
        public var state: StoreState
        /// The time since which it is in that state.
        public var since: Timestamp
        /// The last error of the store.
        public var lastError: String?
        /// The time of the next attempt; nil if it is unknown.
        public var nextTryAt: Timestamp?

        /// Creates the part.
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

    /// The permission of the account to make payments.
    public struct CanMakePayments: Sendable, Hashable {
        /// True if a new payment would be accepted.
        public var value: Bool
        /// The reason why not; nil if payments are accepted.
        public var reason: String?

        /// Creates the part.
        public init(value: Bool, reason: String?) {
            self.value = value
            self.reason = reason
        }
    }

    /// The state of the daemon.
    public var state: State
    /// The time since which it is in that state.
    public var since: Timestamp
    /// The account in session and its country; nil without one.
    public var session: Session?
    /// The session that the store has ended, where no login has followed.
    public var endedSession: EndedSession?
    /// The queue.
    public var queue: Queue
    /// The event log.
    public var log: Log
    /// The connections that the caller may see.
    public var connections: [Connection]
    /// The number of open questions.
    public var questions: Int
    /// The state of the storage.
    public var persistence: Persistence
    /// The files and the room for them.
    public var storage: Storage
    /// The state of the store.
    public var store: Store
    /// The running restores.
    public var restores: [RestoreRecord]
    /// The permission of the account to make payments.
    public var canMakePayments: CanMakePayments
    /// The users that hold any of what users share, by user id; nil if the caller may not see them.
    public var shares: [Holder]?

    /// Creates a report.
    public init(
        state: State, since: Timestamp, session: Session?, endedSession: EndedSession? = nil,
        queue: Queue, log: Log,
        connections: [Connection], questions: Int = 0, persistence: Persistence,
        storage: Storage = Storage(), store: Store,
        restores: [RestoreRecord] = [], canMakePayments: CanMakePayments, shares: [Holder]? = nil
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
        self.storage = storage
        self.store = store
        self.restores = restores
        self.canMakePayments = canMakePayments
        self.shares = shares
    }
}
