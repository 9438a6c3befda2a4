import StrictJSON
import Testing

@testable import payqueuectl

/// What the demonstration counts at its end.
@Suite("The count of the demo")
struct DemoTallyTests {
    private static let t1 = DemoTally.Acknowledged.transaction("t1")
    private static let o2 = DemoTally.Acknowledged.order("o2")

    @Test(
        "Each acknowledged purchase is found once, lost, or doubled",
        arguments: [
            (
                ["t1 o1 purchased", "t2 o2 purchased"], ["o1 t1 purchased", "o2 - refunded"],
                "found 2, lost 0, doubled 0"
            ),
            // A restore is no second purchase, and an order that failed is no charge.
            (
                ["t1 o1 purchased", "t2 o2 purchased", "t3 o1 restored"],
                ["o1 t1 purchased", "o2 - purchased", "o3 t1 failed"], "found 2, lost 0, doubled 0"
            ),
            // The queue has lost one.
            (
                ["t2 o2 purchased"], ["o1 t1 purchased", "o2 - purchased"],
                "found 1, lost 1, doubled 0"
            ),
            // It was never charged, or not paid yet.
            (
                ["t1 o1 purchased", "t2 o2 purchased"], ["o2 - purchased"],
                "found 1, lost 1, doubled 0"
            ),
            (
                ["t1 o1 purchasing", "t2 o2 purchased"], ["o1 t1 purchased", "o2 - purchased"],
                "found 1, lost 1, doubled 0"
            ),
            // The store has charged twice for one.
            (
                ["t1 o1 purchased", "t2 o2 purchased"],
                ["o1 t1 purchased", "o4 t1 purchased", "o2 - purchased"],
                "found 2, lost 0, doubled 1"
            ),
            // One order was delivered as two transactions.
            (
                ["t1 o1 purchased", "t2 o2 purchased", "t3 o2 purchased"],
                ["o1 t1 purchased", "o2 - purchased"], "found 2, lost 0, doubled 1"
            ),
            // A purchase that nobody was told of counts once, though both sides show it.
            (
                ["t1 o1 purchased", "t2 o2 purchased", "t5 o5 purchased"],
                ["o1 t1 purchased", "o2 - purchased", "o5 - purchased"],
                "found 2, lost 0, doubled 1"
            ),
            ([], [], "found 0, lost 2, doubled 0"),
        ] as [([String], [String], String)])
    func counts(transactions: [String], orders: [String], expected: String) {
        let tally = DemoTally(
            acknowledged: [Self.t1, Self.o2],
            transactions: transactions.map {
                Self.object($0, ["id", "transactionIdentifier", "transactionState"])
            },
            orders: orders.map { Self.object($0, ["order", "transaction", "state"]) })
        #expect(tally.description == "acknowledged 2, \(expected)")
        #expect(tally.isSound == (expected == "found 2, lost 0, doubled 0"))
    }

    private static func object(_ words: String, _ names: [String]) -> JSONValue {
        .object(
            zip(names, words.split(separator: " ")).filter { $1 != "-" }
                .map { JSONMember(name: $0, value: .string(String($1))) })
    }
}
