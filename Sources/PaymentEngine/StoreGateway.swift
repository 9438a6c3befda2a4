public import PaymentCore

/// The engine's way to the store: calls that answer by calling back on the loop, exactly once.
///
/// The simulator answers in an order of its own choosing; ``BackendGateway`` asks a real back end.
public protocol StoreGateway: Sendable {
    /// A short word for logs and `status`.
    var name: String { get }

    /// See ``StoreBackend/timeUntilProbe``.
    var timeUntilProbe: Duration? { get }

    /// See ``StoreBackend/logIn(account:credential:)``.
    func logIn(
        account: AccountName, credential: OpaqueText?,
        answer: @escaping @Sendable (Result<Session, StoreFailure>) -> Void)

    /// See ``StoreBackend/logOut(account:)``.
    func logOut(account: AccountName)

    /// See ``StoreBackend/knownCatalogue(of:)``.
    func knownCatalogue(of country: CountryCode) -> Catalogue?

    /// See ``StoreBackend/catalogue(of:)``.
    func catalogue(
        of country: CountryCode,
        answer: @escaping @Sendable (Result<Catalogue, StoreFailure>) -> Void
    )

    /// See ``StoreBackend/submit(_:)``.
    func submit(
        _ order: OrderRequest,
        answer: @escaping @Sendable (Result<OrderOutcome, StoreFailure>) -> Void)

    /// See ``StoreBackend/complete(order:account:)``.
    func complete(
        order: OrderID, account: AccountName,
        answer: @escaping @Sendable (Result<Void, StoreFailure>) -> Void)

    /// See ``StoreBackend/facts(of:)``.
    func facts(
        of account: AccountName,
        answer: @escaping @Sendable (Result<AccountFacts, StoreFailure>) -> Void)

    /// See ``StoreBackend/knownFacts(of:)``.
    func knownFacts(of account: AccountName) -> AccountFacts?

    /// See ``StoreBackend/purchases(_:of:page:)``.
    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        answer: @escaping @Sendable (Result<PurchasePage, StoreFailure>) -> Void)

    /// See ``StoreBackend/signedHistory(of:_:)``.
    func signedHistory(
        of account: AccountName, _ query: HistoryQuery,
        answer: @escaping @Sendable (Result<SignedHistory?, StoreFailure>) -> Void)

    /// See ``StoreBackend/keys()``.
    func keys(answer: @escaping @Sendable (Result<[StoreKey], StoreFailure>) -> Void)
}

extension StoreGateway {
    /// No client observes.
    public var timeUntilProbe: Duration? { nil }

    /// There is no session to forget.
    public func logOut(account: AccountName) {}

    /// Nothing is signed.
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery,
        answer: @escaping @Sendable (Result<SignedHistory?, StoreFailure>) -> Void
    ) {
        answer(.failure(StoreFailure(.internalError, "this store does not sign histories")))
    }

    /// There are no keys.
    public func keys(answer: @escaping @Sendable (Result<[StoreKey], StoreFailure>) -> Void) {
        answer(.failure(StoreFailure(.internalError, "this store does not sign histories")))
    }

    /// No catalogue without asking.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? { nil }

    /// Nothing without asking.
    public func knownFacts(of account: AccountName) -> AccountFacts? { nil }
}

/// Asks a ``StoreBackend`` in tasks of its own and brings the answers back to the loop.
public struct BackendGateway: StoreGateway {
    private let backend: any StoreBackend
    private let loop: any EngineLoop
    private let meter = StoreMeter()
    private let onOrder: (@Sendable (TransactionID, Duration) -> Void)?

    /// Connects a back end with a loop.
    ///
    /// - Parameters:
    ///   - backend: The store.
    ///   - loop: The engine's loop, which gets the answers.
    ///   - onOrder: Is told, on the loop, how long the store took to answer an order.
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

    /// How long it is until the back end looks whether the store is back.
    public var timeUntilProbe: Duration? { backend.timeUntilProbe }

    /// Opens a session.
    public func logIn(
        account: AccountName, credential: OpaqueText?,
        answer: @escaping @Sendable (Result<Session, StoreFailure>) -> Void
    ) {
        run(answer) { backend throws(StoreFailure) in
            try await backend.logIn(account: account, credential: credential)
        }
    }

    /// Has the back end forget a session.
    public func logOut(account: AccountName) {
        backend.logOut(account: account)
    }

    /// The catalogue that the back end knows.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? {
        backend.knownCatalogue(of: country)
    }

    /// Reads a catalogue.
    public func catalogue(
        of country: CountryCode,
        answer: @escaping @Sendable (Result<Catalogue, StoreFailure>) -> Void
    ) {
        run(answer) { backend throws(StoreFailure) in try await backend.catalogue(of: country) }
    }

    /// Asks for an order.
    public func submit(
        _ order: OrderRequest,
        answer: @escaping @Sendable (Result<OrderOutcome, StoreFailure>) -> Void
    ) {
        run(answer, for: order.transaction) { backend throws(StoreFailure) in
            try await backend.submit(order)
        }
    }

    /// Reports a delivery.
    public func complete(
        order: OrderID, account: AccountName,
        answer: @escaping @Sendable (Result<Void, StoreFailure>) -> Void
    ) {
        run(answer) { backend throws(StoreFailure) in
            try await backend.complete(order: order, account: account)
        }
    }

    /// Asks about an account.
    public func facts(
        of account: AccountName,
        answer: @escaping @Sendable (Result<AccountFacts, StoreFailure>) -> Void
    ) {
        run(answer) { backend throws(StoreFailure) in try await backend.facts(of: account) }
    }

    /// Facts that the back end knows of an account.
    public func knownFacts(of account: AccountName) -> AccountFacts? {
        backend.knownFacts(of: account)
    }

    /// Reads a page of purchases.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        answer: @escaping @Sendable (Result<PurchasePage, StoreFailure>) -> Void
    ) {
        run(answer) { backend throws(StoreFailure) in
            try await backend.purchases(selection, of: account, page: page)
        }
    }

    /// Asks for a page of a signed history.
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery,
        answer: @escaping @Sendable (Result<SignedHistory?, StoreFailure>) -> Void
    ) {
        run(answer) { backend throws(StoreFailure) in
            try await backend.signedHistory(of: account, query)
        }
    }

    /// Asks for the keys.
    public func keys(answer: @escaping @Sendable (Result<[StoreKey], StoreFailure>) -> Void) {
        run(answer) { backend throws(StoreFailure) in try await backend.keys() }
    }

    private func run<Answer: Sendable>(
        _ answer: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        for transaction: TransactionID? = nil,
        _ call: @escaping @Sendable (any StoreBackend) async throws(StoreFailure) -> Answer
    ) {
        // Unstructured, because the caller is a turn of the loop and must not wait. Each task ends
        // with the store's answer, which every back end gives within its own deadline.
        // Begun at once, so that calls reach the store in the order they were made in.
        Task.immediate { [backend, loop, meter, onOrder] in
            let began = loop.now
            let result: Result<Answer, StoreFailure>
            do throws(StoreFailure) {
                result = .success(try await call(backend))
            } catch {
                result = .failure(error)
            }
            let duration = loop.now - began
            meter.end(duration)
            loop.execute {
                if let transaction { onOrder?(transaction, duration) }
                answer(result)
            }
        }
    }
}
