import StrictJSON
import Testing

/// Something that happens in the life of a purchase: what led to it, and what is looked at.
struct LifeCycleCase: Sendable, CustomTestStringConvertible {
    /// Its name in the table.
    let name: String
    /// Brings it about. What a client hears before ``LifeCycleBuyer/begin()`` is only the way there.
    let play: @Sendable (LifeCycleBuyer) async throws -> Void

    init(_ name: String, play: @escaping @Sendable (LifeCycleBuyer) async throws -> Void) {
        self.name = name
        self.play = play
    }

    var testDescription: String { name }

    /// Every case, in the order of the table.
    static let all = purchases + subscriptions + changes + revocations
}

/// A client that is logged in and watches, in a shop that nothing has happened in.
final class LifeCycleBuyer {
    let client: Client
    /// How much was heard before the case began.
    private var start = 0

    init(_ client: Client) {
        self.client = client
    }

    /// What was heard since the case began.
    var events: [JSONValue] {
        client.heard.dropFirst(start).compactMap { $0.params(of: "event") }
    }

    /// Begins the case: what was heard up to here counts no more.
    func begin() async throws {
        try await hearAll()
        start = client.heard.count
    }

    /// Lets the queue ask the store what is new, and hears what comes of it.
    func settle() async throws {
        try await client.call("test.clock.advance", ["seconds": 1]).get()
        try await hearAll()
    }

    /// Adds a payment and names its transaction.
    func add(_ product: String, _ token: String) async throws -> JSONValue {
        let params: JSONValue = ["product": .string(product), "appAccountToken": .string(token)]
        let reply = try await client.call("add", params).get()
        guard let id = reply["transaction"] else { throw Unexpected("no transaction: \(reply)") }
        return id
    }

    /// Buys something and waits until it is paid.
    @discardableResult
    func buy(_ product: String, _ token: String) async throws -> JSONValue {
        let id = try await add(product, token)
        try await client.call("wait", ["transaction": id, "until": ["purchased"]]).get()
        return id
    }

    /// Buys something, finishes it and waits until it is gone.
    @discardableResult
    func buyAndFinish(_ product: String, _ token: String) async throws -> JSONValue {
        let id = try await buy(product, token)
        try await finish(id)
        return id
    }

    /// Finishes something and waits until it is gone.
    func finish(_ id: JSONValue) async throws {
        try await client.call("finish", ["transaction": id]).get()
        try await client.call("wait", ["transaction": id, "until": ["removed"]]).get()
    }

    /// Uses a control of the store.
    func control(_ name: String, _ params: JSONValue) async throws {
        try await client.call("test.\(name)", params).get()
    }

    /// Waits until an event of a kind was heard that fulfils a condition.
    func hear(
        _ kind: String, where isMeant: (JSONValue) -> Bool = { _ in true }
    ) async throws {
        while !events.contains(where: { $0["kind"] == .string(kind) && isMeant($0) }) {
            _ = try await client.notification()
        }
    }

    /// Waits until a transaction was heard of that fulfils a condition.
    func hearTransaction(where isMeant: (JSONValue) -> Bool) async throws {
        try await hear("transactionsUpdated") { event in
            event["transactions"]?.arrayValue?.contains(where: isMeant) == true
        }
    }

    /// Waits until a renewal was heard of.
    func hearRenewal() async throws {
        try await hearTransaction { $0["reason"] == "renewal" }
    }

    /// Everything that is on its way is before the answer to a call.
    private func hearAll() async throws {
        try await client.call("transactions").get()
    }
}
