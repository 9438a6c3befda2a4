public import PaymentCore

/// Handles the answer of the store to a request. Called once, on the engine's loop.
public typealias StoreAnswer<Value> = @Sendable (Result<Value, StoreFailure>) -> Void

/// A request to the store, with the handler of its answer. ``StoreBackend`` describes each request.
public enum StoreRequest: Sendable {
    /// Opens a session.
    case logIn(AccountName, credential: OpaqueText?, StoreAnswer<Session>)
    /// Asks for the catalogue of a country.
    case catalogue(CountryCode, StoreAnswer<Catalogue>)
    /// Places an order.
    case submit(OrderRequest, StoreAnswer<OrderOutcome>)
    /// Confirms a delivery.
    case complete(OrderID, AccountName, StoreAnswer<Void>)
    /// Asks for the facts of an account.
    case facts(AccountName, StoreAnswer<AccountFacts>)
    /// Asks for a page of purchases.
    case purchases(PurchaseSelection, AccountName, page: OpaqueText?, StoreAnswer<PurchasePage>)
    /// Asks for a page of the signed history.
    case signedHistory(AccountName, HistoryQuery, StoreAnswer<SignedHistory?>)
    /// Asks for the keys of signed histories.
    case keys(StoreAnswer<[StoreKey]>)

    /// Sends the request to a back end.
    ///
    /// - Returns: A closure that passes the answer to its handler. It must be called on the
    ///   engine's loop.
    public func send(to store: any StoreBackend) async -> @Sendable () -> Void {
        switch self {
        case .logIn(let account, let credential, let answer):
            await Self.call(answer) { () throws(StoreFailure) in
                try await store.logIn(account: account, credential: credential)
            }
        case .catalogue(let country, let answer):
            await Self.call(answer) { () throws(StoreFailure) in
                try await store.catalogue(of: country)
            }
        case .submit(let order, let answer):
            await Self.call(answer) { () throws(StoreFailure) in try await store.submit(order) }
        case .complete(let order, let account, let answer):
            await Self.call(answer) { () throws(StoreFailure) in
                try await store.complete(order: order, account: account)
            }
        case .facts(let account, let answer):
            await Self.call(answer) { () throws(StoreFailure) in
                try await store.facts(of: account)
            }
        case .purchases(let selection, let account, let page, let answer):
            await Self.call(answer) { () throws(StoreFailure) in
                try await store.purchases(selection, of: account, page: page)
            }
        case .signedHistory(let account, let query, let answer):
            await Self.call(answer) { () throws(StoreFailure) in
                try await store.signedHistory(of: account, query)
            }
        case .keys(let answer):
            await Self.call(answer) { () throws(StoreFailure) in try await store.keys() }
        }
    }

    private static func call<Value: Sendable>(
        _ answer: @escaping StoreAnswer<Value>, _ body: () async throws(StoreFailure) -> Value
    ) async -> @Sendable () -> Void {
        let result: Result<Value, StoreFailure>
        do throws(StoreFailure) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        return { answer(result) }
    }
}
