public import PaymentCore

/// The engine's way to the store: every request is answered once, by a call back on the loop.
///
/// The simulator answers in an order of its own choosing; ``StoreDispatcher`` asks a real back end.
public protocol StoreGateway: Sendable {
    /// A short word for logs and `status`.
    var name: String { get }

    /// See ``StoreBackend/timeUntilProbe``.
    var timeUntilProbe: Duration? { get }

    /// Sends a request. Orders reach the store in the order of these calls.
    func send(_ request: StoreRequest)

    /// See ``StoreBackend/logOut(account:)``.
    func logOut(account: AccountName)

    /// See ``StoreBackend/knownCatalogue(of:)``.
    func knownCatalogue(of country: CountryCode) -> Catalogue?

    /// See ``StoreBackend/knownFacts(of:)``.
    func knownFacts(of account: AccountName) -> AccountFacts?
}

extension StoreGateway {
    /// The default schedules no probe.
    public var timeUntilProbe: Duration? { nil }

    /// The default has no session to discard.
    public func logOut(account: AccountName) {}

    /// The default has no catalogue without a request.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? { nil }

    /// The default has no facts without a request.
    public func knownFacts(of account: AccountName) -> AccountFacts? { nil }
}

/// Sends requests to a ``StoreBackend`` in tasks of their own and brings the answers back to the loop.
public struct StoreDispatcher: StoreGateway {
    private let backend: any StoreBackend
    private let loop: any EngineLoop
    private let meter = StoreMeter()
    private let onOrder: (@Sendable (TransactionID, Duration) -> Void)?

    /// Connects a back end with a loop.
    ///
    /// - Parameters:
    ///   - backend: The store.
    ///   - loop: The engine's loop, which gets the answers.
    ///   - onOrder: Receives, on the loop, the time that the store took to answer an order.
    public init(
        backend: any StoreBackend, loop: any EngineLoop,
        onOrder: (@Sendable (TransactionID, Duration) -> Void)? = nil
    ) {
        self.backend = backend
        self.loop = loop
        self.onOrder = onOrder
    }

    /// The back end's name.
    public var name: String { backend.name }

    /// The time until the back end checks whether the store is available again.
    public var timeUntilProbe: Duration? { backend.timeUntilProbe }

    /// Sends a request to the back end.
    public func send(_ request: StoreRequest) {
        // Unstructured, because the caller is a turn of the loop and must not wait. Each task ends
        // with the store's answer, which every back end gives within its own deadline. The task
        // starts at once, so that requests reach the store in the order of these calls.
        Task.immediate { [backend, loop, meter, onOrder] in
            let began = loop.now
            let answer = await request.send(to: backend)
            let duration = loop.now - began
            meter.end(duration)
            loop.execute {
                if case .submit(let order, _) = request { onOrder?(order.transaction, duration) }
                answer()
            }
        }
    }

    /// Discards a session at the back end.
    public func logOut(account: AccountName) {
        backend.logOut(account: account)
    }

    /// The catalogue that the back end provides without a request.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? {
        backend.knownCatalogue(of: country)
    }

    /// The facts about an account that the back end provides without a request.
    public func knownFacts(of account: AccountName) -> AccountFacts? {
        backend.knownFacts(of: account)
    }
}
