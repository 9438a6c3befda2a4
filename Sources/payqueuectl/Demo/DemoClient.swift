import PaymentClient
import StrictJSON

/// A product of the store in the output of the demonstration.
struct DemoProduct: CustomStringConvertible {
    /// The product's identifier.
    let id: String
    /// The price with its currency.
    let price: String

    var description: String { "\(id) for \(price)" }
}

/// A client of the demonstration: a connection with a subscription to all events.
struct DemoClient {
    private let connection: PaymentConnection
    private var notifications: ServerNotifications.AsyncIterator
    /// The newest snapshot of each unfinished transaction, by id.
    private var known: [String: JSONValue] = [:]

    /// Connects and subscribes.
    init(_ name: String, socket: String) async throws {
        connection = try await PaymentConnection.connect(to: socket)
        notifications = connection.notifications.makeAsyncIterator()
        try await connection.introduce(as: name)
        _ = try await connection.call("subscribe")
    }

    func call(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        try await connection.call(method, params)
    }

    /// Closes the connection.
    func close() async {
        await connection.close()
    }

    /// Fetches a product.
    func product(_ id: String) async throws -> DemoProduct {
        let answer = try await call("products", ["ids": .array([.string(id)])])
        guard let product = answer["products"]?[0] else { throw Self.notUnderstood("products") }
        return DemoProduct(id: id, price: PriceText.price(product["price"]))
    }

    /// Adds a payment and returns the id of its transaction.
    func add(_ product: DemoProduct, key: String) async throws -> String {
        let answer = try await call(
            "add", ["product": .string(product.id), "key": .string(key)])
        guard let transaction = answer["transaction"]?.stringValue else {
            throw Self.notUnderstood("add")
        }
        return transaction
    }

    /// Waits for a purchase that is paid and not finished.
    @concurrent
    mutating func purchase(
        where isMeant: @Sendable (JSONValue) -> Bool
    ) async throws -> JSONValue {
        while true {
            let found = known.values.first {
                $0["transactionState"]?.stringValue == "purchased" && isMeant($0)
            }
            if let found { return found }
            _ = try await next()
        }
    }

    /// Finishes a transaction and waits until it has left the queue.
    @concurrent
    mutating func finish(_ transaction: JSONValue) async throws {
        guard let id = transaction["id"] else { throw Self.notUnderstood("subscribe") }
        _ = try await call("finish", ["transaction": id])
        while known[id.stringValue ?? ""] != nil { _ = try await next() }
    }

    /// Waits for the end of the replay and returns the unfinished transactions by id.
    @concurrent
    mutating func unfinished() async throws -> [String: JSONValue] {
        while try await next().method != "caughtUp" {}
        return known
    }

    /// Restores the purchases of the account, and returns the resulting transactions.
    @concurrent
    mutating func restore(key: String) async throws -> [JSONValue] {
        let restore = try await call("restore", ["key": .string(key)])["restore"]?.stringValue
        while true {
            let params = try await next().params
            guard params["restore"]?.stringValue == restore else { continue }
            return known.values.filter { $0["transactionState"]?.stringValue == "restored" }
        }
    }

    /// Waits for a refund and returns the revoked products.
    @concurrent
    mutating func revoked() async throws -> [String] {
        while true {
            let params = try await next().params
            guard params["kind"]?.stringValue == "entitlementsRevoked" else { continue }
            return params["products"]?.arrayValue?.compactMap(\.stringValue) ?? []
        }
    }

    /// All transactions of the queue, finished ones included.
    func allTransactions() async throws -> [JSONValue] {
        let waiting = try await call("transactions")["transactions"]?.arrayValue
        let finished = try await call("transactions", ["states": ["finished"]])
        return (waiting ?? []) + (finished["transactions"]?.arrayValue ?? [])
    }

    /// All orders of the store.
    func orders() async throws -> [JSONValue] {
        try await call("test.orders")["orders"]?.arrayValue ?? []
    }

    /// The number of a transaction's orders at the store.
    func charges(of transaction: String) async throws -> Int {
        try await orders().count { $0["transaction"]?.stringValue == transaction }
    }

    /// The product identifier of a transaction.
    static func productID(_ transaction: JSONValue) -> String {
        transaction["payment"]?["product"]?["productIdentifier"]?.stringValue ?? "?"
    }

    /// The failure for an answer without a member that every answer of this release has.
    static func notUnderstood(_ method: String) -> CommandFailure {
        CommandFailure(
            .refused, "cannot show the demo: the answer to '\(method)' is incomplete",
            advice: "check that '--daemon' names a payqueued of this release")
    }

    @concurrent
    private mutating func next() async throws -> ServerNotification {
        var current = notifications
        let taken = try await current.next()
        notifications = current
        guard let notification = taken else {
            throw CommandFailure(
                .noConnection, "cannot show the demo: the connection to its daemon ended",
                advice: "run it again")
        }
        let isRemoval = notification.params["kind"]?.stringValue == "transactionsRemoved"
        for transaction in notification.params["transactions"]?.arrayValue ?? [] {
            guard let id = transaction["id"]?.stringValue else { continue }
            if isRemoval { known.removeValue(forKey: id) } else { known[id] = transaction }
        }
        return notification
    }
}
