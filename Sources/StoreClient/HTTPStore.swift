import AsyncHTTPClient
public import NIOCore
public import PaymentCore
public import StoreMessages
import Synchronization

/// A client for a store server that speaks the Store API.
///
/// Requests are idempotent. The transaction is the server's idempotency key, and an order with a
/// lost answer is queried before it is sent again. Retries are few, limited by a budget, and
/// jittered. A store counts as down after several failures in a row. Calls then fail at once, and
/// one probe at a time detects its return. Listeners are notified of both.
public final class HTTPStore: RemoteStore {
    /// The address of the server.
    public let name: String

    struct State {
        var breaker: CircuitBreaker
        var budget = RetryBudget()
        var sessions = SessionTable()
        var catalogues: [CountryCode: KnownCatalogue] = [:]
        var asking: Set<CountryCode> = []
        var defaultCountry: CountryCode?
        /// The orders whose answer was lost. They are queried before they are sent again.
        var unknown: Set<TransactionID> = []
        var listeners: [@Sendable (StoreChange) -> Void] = []
        /// The events not yet sent to listeners, oldest first.
        var untold: [StoreChange] = []
        var feed: (account: AccountName, task: Task<Void, Never>)?
        var probe: Task<Void, Never>?
        /// The time of the next probe; nil while none is scheduled.
        var nextProbe: ContinuousClock.Instant?
        /// The last failure that counted against the store.
        var lastFailure = StoreFailure(.connectionError, "the store has not answered yet")
        var isClosed = false
    }

    let options: HTTPStoreOptions
    let link: StoreLink
    let memory: any StoreMemory
    let state: Mutex<State>
    private let telling = Mutex(())
    let orders: RequestGate
    let others: RequestGate
    /// The gate of read-only client calls. It is separate, so that the work of the queue does not
    /// wait for them.
    let questions: RequestGate

    /// Creates a client and restores its saved state. It sends no request.
    ///
    /// - Parameters:
    ///   - options: The address of the server, the timeouts and the limits.
    ///   - memory: The storage of tokens and catalogues across restarts.
    ///   - group: The event loops of the connections. They must not include a loop that has to stay
    ///     responsive.
    /// - Throws: The file of trusted certificates cannot be used.
    public init(
        options: HTTPStoreOptions, memory: any StoreMemory, group: any EventLoopGroup
    ) throws {
        self.options = options
        self.memory = memory
        name = options.address.description
        link = try StoreLink(options, on: group)
        orders = RequestGate(width: options.ordersInFlight)
        others = RequestGate(width: options.ordersInFlight)
        questions = RequestGate(
            width: HTTPStoreOptions.questionsInFlight, patience: HTTPStoreOptions.questionsWaiting)
        state = Mutex(State(breaker: CircuitBreaker(threshold: options.failuresUntilDown)))
        recall()
    }

    /// Follows the feed of the account that was in session when the last process ended, if there
    /// was one.
    public func start() {
        guard let account = state.withLock({ $0.sessions.current }) else { return }
        follow(account)
    }

    /// True after ``close()`` was called.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Cancels the feed and the probe, closes the connections and flushes the memory. Later calls
    /// fail.
    public func close() async {
        let tasks = state.withLock { state in
            state.isClosed = true
            return [state.feed?.task, state.probe].compactMap { $0 }
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await link.close()
        memory.flush()
    }

    /// Registers a listener for changes: the feed of the current account, catalogues, and the
    /// availability of the store. Changes arrive one at a time, in order. A listener must not call
    /// the store before it returns.
    public func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    func tell(_ changes: [StoreChange]) {
        state.withLock { $0.untold += changes }
        tellAll()
    }

    /// Sends the pending events to the listeners. Each event is appended under the same lock as its
    /// change of state, so that `down` and `up` arrive in order from any thread.
    func tellAll() {
        telling.withLock { _ in
            let (changes, listeners) = state.withLock { state in
                defer { state.untold = [] }
                return (state.untold, state.listeners)
            }
            for change in changes {
                for listener in listeners { listener(change) }
            }
        }
    }
}
