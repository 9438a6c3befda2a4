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
    /// The catalogues and facts from the store, and the requests for them in flight.
    struct Known {
        var catalogues: [CountryCode: KnownCatalogue] = [:]
        var asking: Set<CountryCode> = []
        var defaultCountry: CountryCode?
        /// Orders whose answer was lost. They are queried before they are sent again.
        var unknownOrders: Set<TransactionID> = []
    }

    let options: HTTPStoreOptions
    let caller: StoreCaller
    let sessions: StoreSessions
    let feed: StoreFeed
    let memory: any StoreMemory
    let known: Mutex<Known>
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
        caller = try StoreCaller(options, on: group)
        sessions = StoreSessions(caller, memory: memory)
        feed = StoreFeed(caller, sessions)
        orders = RequestGate(width: options.ordersInFlight)
        others = RequestGate(width: options.ordersInFlight)
        questions = RequestGate(
            width: HTTPStoreOptions.questionsInFlight, patience: HTTPStoreOptions.questionsWaiting)
        known = Mutex(Known(recalledFrom: memory, of: caller.name))
    }

    /// The address of the server.
    public var name: String { caller.name }

    /// Begins to listen to the account in session, if one is.
    public func start() {
        if let account = sessions.current { feed.follow(account, isNew: true) }
    }

    /// Takes over the sessions of another node.
    public func takeOver(_ sessions: [UInt8]?, inSession account: AccountName?) {
        self.sessions.takeOver(sessions, inSession: account)
    }

    /// Whether ``close()`` was called.
    public var isClosed: Bool { caller.isClosed }

    /// The time until the next probe; nil while a probe is in flight or the store is not down.
    public var timeUntilProbe: Duration? { caller.timeUntilProbe }

    /// Cancels the feed and the probe, closes the connections and flushes the memory. Later calls
    /// fail.
    public func close() async {
        await caller.close()
        await feed.close()
        await caller.link.close()
        memory.flush()
    }

    /// Registers a listener for changes: the feed of the current account, catalogues, and the
    /// availability of the store. Changes arrive one at a time, in order. A listener must not call
    /// the store before it returns.
    public func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        caller.listen(listener)
    }

    /// Opens a session, and follows the feed of that account from then on.
    ///
    /// Without a credential the session that the account has here already continues. With one, that
    /// session is ended at the store: the new one takes its place.
    public func logIn(
        account: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        let (session, isNew) = try await sessions.logIn(account, credential: credential)
        feed.follow(account, isNew: isNew)
        return session
    }

    /// Discards the session of an account before this returns, and asks the store to end it. If the
    /// store does not answer, the request is repeated for some minutes.
    public func logOut(account: AccountName) {
        sessions.logOut(account)
        feed.end(account)
    }
}
