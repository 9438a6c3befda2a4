import AsyncHTTPClient
public import NIOCore
public import PaymentCore
public import StoreMessages
import Synchronization

/// A store server that speaks the Store API.
///
/// Asking twice never charges twice: the transaction is the server's idempotency key, and an order
/// whose answer was lost is asked about before it is sent again. Repetitions are few, paid from a
/// budget and spread by chance. A store that fails again and again counts as down: then calls fail at
/// once, one probe at a time looks whether it is back, and listeners hear of both.
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
        /// Orders whose answer was lost, to be asked about before they are sent again.
        var unknown: Set<TransactionID> = []
        var listeners: [@Sendable (StoreChange) -> Void] = []
        /// The events not yet sent to listeners, in the order in which they happened.
        var untold: [StoreChange] = []
        var feed: (account: AccountName, task: Task<Void, Never>)?
        var probe: Task<Void, Never>?
        /// When the next probe is sent; nil while none waits.
        var nextProbe: ContinuousClock.Instant?
        /// The last sign that the store is down.
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
    /// Calls that only read: however many there are, the work of the queue does not wait for them.
    let questions: RequestGate

    /// Makes a client; asks nothing yet.
    ///
    /// - Parameters:
    ///   - options: Where the server is and how to deal with it.
    ///   - memory: Keeps tokens and catalogues over restarts.
    ///   - group: Where connections live. Not the loop of anything that must stay responsive.
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

    /// Begins to listen to the account that was in session when the process ended, if one was.
    public func start() {
        guard let account = state.withLock({ $0.sessions.current }) else { return }
        follow(account)
    }

    /// Whether ``close()`` was called.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends what is under way and closes the connections. Later calls fail.
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

    /// Asks to be told of changes: of the feed of the account that logged in last, of catalogues, and
    /// of the store going and coming. One change is told at a time; a listener must not call the store
    /// back before it returns.
    public func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    func tell(_ changes: [StoreChange]) {
        state.withLock { $0.untold += changes }
        tellAll()
    }

    /// Tells what there is to tell. Whoever changes the state appends to it under the same lock, so
    /// that down and up are told in the order in which they happened, whoever gets here first.
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
