import NIOHTTP1
public import PaymentCore
import StoreMessages
import Synchronization

/// Orders and purchases.
extension HTTPStore {
    /// The limit of orders remembered as unknown. An order beyond it is sent again without a query;
    /// the server recognizes its idempotency key.
    private static let unknownLimit = 10_000

    /// Places an order, or reads its outcome if it was placed before. An order with a lost answer
    /// is queried first. It is sent again, with the same idempotency key, only if the store does
    /// not have it.
    ///
    /// - Throws: The store is unavailable, or refuses the request for now.
    public func submit(_ order: OrderRequest) async throws(StoreFailure) -> OrderOutcome {
        try await orders.pass { () async throws(StoreFailure) in
            try await settle(order)
        }
    }

    private func settle(_ order: OrderRequest) async throws(StoreFailure) -> OrderOutcome {
        let path = StoreAPI.prefix + "/orders/\(order.transaction)"
        let body = OrderBody(order).bytes
        var isUnknown = known.withLock { $0.unknownOrders.contains(order.transaction) }
        var isRefused = false
        var pace = RetryPace(options)
        while true {
            // An attempt may come long after the order was given.
            let request = try owned(
                isUnknown ? StoreRequest(.GET, path) : StoreRequest(.PUT, path, body: body))
            let result = await sessions.attempt(
                request, as: order.account, timeout: pace.timeout
            ) { reply throws(MessageFault) in
                try OrderOutcome(try MessageFields(parsing: reply.body))
            }
            switch result {
            case .answered(let outcome):
                known.withLock { _ = $0.unknownOrders.remove(order.transaction) }
                return outcome
            case .refused(let message) where isUnknown && message.kind == .notFound:
                // It never arrived.
                known.withLock { _ = $0.unknownOrders.remove(order.transaction) }
                // Waiting would hide it from the operator.
                if isRefused { return .failed(.paymentInvalid, order: nil) }
                isUnknown = false
            case .refused(let message) where !isUnknown && message.refusesOrderForGood:
                // An earlier attempt may have succeeded although this one is refused. The order has
                // failed only if the store does not have it.
                isRefused = true
                isUnknown = true
            case .refused(let message): throw message.failure
            case .unsent(let failure): throw failure
            case .unknown(let failure):
                isUnknown = true
                known.withLock { known in
                    guard known.unknownOrders.count < Self.unknownLimit else { return }
                    known.unknownOrders.insert(order.transaction)
                }
                try await caller.pause(&pace, after: failure)
            }
        }
    }

    /// Adds the term of the owner to a request about an order.
    ///
    /// - Throws: Another node owns the queue.
    private func owned(_ request: StoreRequest) throws(StoreFailure) -> StoreRequest {
        var request = request
        switch options.orderRight() {
        case .sole: break
        case .owner(let queue, let term):
            request.headers.append((StoreAPI.queueHeader, queue))
            request.headers.append((StoreAPI.termHeader, String(term)))
        case .lost: throw StoreFailure(.serviceUnavailable, "another node owns the queue now")
        }
        return request
    }

    /// Reports to the store that the goods of an order were delivered.
    ///
    /// - Throws: The store is unavailable or refuses the request.
    public func complete(order: OrderID, account: AccountName) async throws(StoreFailure) {
        try await others.pass { () async throws(StoreFailure) in
            let request = try owned(
                StoreRequest(.PUT, StoreAPI.prefix + "/completions/\(order)", body: []))
            try await sessions.call(request, as: account) { reply throws(MessageFault) in
                guard reply.status == 204 else {
                    throw MessageFault("a completion was answered with status \(reply.status)")
                }
            }
        }
    }

    /// A page of the purchases of an account.
    ///
    /// - Throws: The store is unavailable or refuses the request.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage {
        var path = StoreAPI.prefix + "/purchases?selection=\(selection.rawValue)"
        if let page { path += "&page=" + StoreAddress.encoded(page.string) }
        let request = StoreRequest(.GET, path)
        let gate = selection == .entitlements ? questions : others
        return try await gate.pass { () async throws(StoreFailure) in
            try await sessions.call(request, as: account) { reply throws(MessageFault) in
                try PurchasePage(try MessageFields(parsing: reply.body))
            }
        }
    }

    /// The current facts about an account, from the store.
    ///
    /// - Throws: The store is unavailable or refuses the request.
    public func facts(of account: AccountName) async throws(StoreFailure) -> AccountFacts {
        try await others.pass { () async throws(StoreFailure) in
            try await sessions.call(StoreRequest(.GET, StoreAPI.prefix + "/account"), as: account) {
                reply throws(MessageFault) in
                try AccountFacts(try MessageFields(parsing: reply.body))
            }
        }
    }
}
