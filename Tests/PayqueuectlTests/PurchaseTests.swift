import StrictJSON
import Testing

@testable import payqueuectl

/// A purchase as its buyer sees it.
@Suite("Where a purchase stands")
struct PurchaseTests {
    @Test(
        "A snapshot says where it stands; what is completing is not to be delivered again",
        arguments: [
            (#""transactionState":"purchasing","waitingFor":"login""#, .waiting(for: "login")),
            (#""transactionState":"purchased""#, .paid),
            (#""transactionState":"purchased","completing":false"#, .paid),
            (#""transactionState":"purchased","completing":true"#, .completing),
            (#""transactionState":"restored""#, .paid),
            (#""transactionState":"purchased","offer":"alreadyOwned""#, .paid),
            (
                #""transactionState":"purchased","revocation":{"at":"2026-01-06T10:00:00.000Z","#
                    + #""reason":"refund"}"#, .refunded("refunded 2026-01-06 10:00:00")
            ),
        ] as [(String, Purchase.Standing)])
    func snapshot(members: String, expected: Purchase.Standing) throws {
        var purchase = Purchase(
            answer: try JSONValue(parsing: #"{"transaction":"t1","state":"purchased"}"#))
        purchase.take(snapshot: try JSONValue(parsing: #"{"id":"t1",\#(members)}"#))
        #expect(purchase.standing == expected)
    }

    @Test("What is delivered was paid, and what failed stays failed")
    func delivered() throws {
        var paid = Purchase(
            answer: try JSONValue(parsing: #"{"transaction":"t1","state":"purchased"}"#))
        paid.delivered()
        #expect(paid.standing == .completing)
        #expect(paid.isSettled && !paid.isRemoved)
        var failed = Purchase(
            answer: try JSONValue(parsing: #"{"transaction":"t1","state":"failed"}"#))
        let before = failed.standing
        failed.delivered()
        #expect(failed.standing == before)
    }
}
