import PaymentCore
import PaymentHistory
import StoreMessages
import StrictJSON

/// The answers of a store server. What was accepted is written again, and then reads as itself.
///
/// The first line of an input names the kind of the answer; the rest is its body.
enum Answers {
    private typealias Check = @Sendable ([UInt8]) throws(Violation) -> Void

    private static let kinds: [(name: String, check: Check)] = [
        ("catalogue", same(Catalogue.init) { $0.storeCatalogue($1) }),
        ("outcome", same(OrderOutcome.init) { $0.storeOutcome($1) }),
        ("page", same(PurchasePage.init) { $0.storePage($1) }),
        ("account", same(AccountFacts.init) { $0.storeFacts($1, of: "anna") }),
        ("history", same(SignedHistory.init) { $0.storeHistory($1) }),
        ("grant", same(SessionGrant.init) { $0.raw($1.bytes) }),
        ("store", same(StoreFacts.init) { $0.raw($1.bytes) }),
        ("order", same(OrderBody.init) { $0.raw($1.bytes) }),
        ("failure", checkFailure),
        ("keys", checkKeys),
        ("payload", checkPayload),
        ("feed", checkFeed),
    ]

    static func check(_ input: [UInt8]) throws(Violation) {
        let end = input.firstIndex(of: 10) ?? input.count
        let name = input[..<end]
        let place =
            kinds.firstIndex { $0.name.utf8.elementsEqual(name) }
            ?? name.reduce(0) { ($0 * 31 + Int($1)) & 0xFFFF } % kinds.count
        try kinds[place].check(Array(input[min(input.count, end + 1)...]))
    }

    private static func same<Message: Equatable & Sendable>(
        _ read: @escaping @Sendable (MessageFields) throws(MessageFault) -> Message,
        _ write: @escaping @Sendable (inout JSONWriter, Message) -> Void
    ) -> Check {
        { body throws(Violation) in
            func parse(_ body: [UInt8]) -> Message? {
                guard let fields = try? MessageFields(parsing: body) else { return nil }
                return try? read(fields)
            }
            guard let message = parse(body) else { return }
            var writer = JSONWriter(capacity: body.count)
            write(&writer, message)
            let again = parse(writer.bytes)
            try require(again == message, "written again, \(message) is \(again as Any)")
        }
    }

    private static func checkFailure(_ body: [UInt8]) throws(Violation) {
        guard let failure = FailureMessage(parsing: body, status: 503) else { return }
        try require(
            FailureMessage(parsing: failure.bytes, status: 503) == failure, "another failure")
        _ = failure.failure
    }

    private static func checkKeys(_ body: [UInt8]) throws(Violation) {
        guard let keys = try? KeySet(parsing: body) else { return }
        try require((try? KeySet(parsing: keys.jsonBytes)) == keys, "other keys")
    }

    private static func checkPayload(_ body: [UInt8]) throws(Violation) {
        guard let history = try? TransactionHistory(parsing: body) else { return }
        try require(
            (try? TransactionHistory(parsing: history.jsonBytes)) == history, "another history")
    }

    /// A feed says the same whatever pieces it arrives in.
    private static func checkFeed(_ body: [UInt8]) throws(Violation) {
        var whole = FeedParser()
        let events = try? whole.take(body)
        var parser = FeedParser()
        var found: [FeedParser.Found]? = []
        for piece in body.indices.map({ body[$0...$0] }) {
            guard let next = try? parser.take(piece) else {
                found = nil
                break
            }
            found? += next
        }
        try require(found == events, "in pieces \(found as Any), as a whole \(events as Any)")
    }
}
