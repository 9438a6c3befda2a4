import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@testable import PaymentServer

/// A search through many transactions is cut into calls that hold nobody up.
@Suite struct SearchTests {
    /// A server with so many transactions, each with a token of its own.
    private static func peer(_ count: Int) throws -> SteppedPeer {
        let peer = try SteppedServer().connect()
        for first in stride(from: 0, to: count, by: 100) {
            let adds = (first..<min(first + 100, count)).map { number in
                Ask.line(
                    number, "add",
                    ["product": "coins", "appAccountToken": .string("user-\(number).")])
            }
            try peer.send("[" + adds.joined(separator: ",") + "]")
        }
        _ = try peer.lines()
        return peer
    }

    private static func tokens(_ reply: JSONValue) -> [String]? {
        reply["result"]?["transactions"]?.arrayValue?.compactMap {
            $0["payment"]?["appAccountToken"]?.stringValue
        }
    }

    @Test func `a call looks at no more than its share, and the next goes on behind it`() throws {
        let share = TransactionPager.longestScan
        let peer = try Self.peer(share + 2)
        for (word, isFirst) in [("user-\(share - 1).", true), ("user-\(share).", false)] {
            let first = try peer.ask(
                Ask.line(1, "transactions", ["search": .string(word)]))
            #expect(Self.tokens(first) == (isFirst ? [word] : []))
            let next = try #require(first["result"]?["next"])
            let second = try peer.ask(
                Ask.line(2, "transactions", ["search": .string(word), "page": next]))
            #expect(Self.tokens(second) == (isFirst ? [] : [word]))
            #expect(second["result"]?["next"] == nil)
        }
    }

    @Test func `a search goes on among what has left the queue`() throws {
        let share = TransactionPager.longestScan
        let peer = try Self.peer(share)
        let reply = try peer.ask(Ask.line(1, "transactions", ["search": "user-7."]))
        let id = try #require(reply["result"]?["transactions"]?[0]?["id"])
        #expect(reply["result"]?["next"] == nil, "it ends where the share does")
        _ = try peer.ask(Ask.line(2, "finish", ["transaction": id]))
        _ = try peer.ask(Ask.line(3, "add", ["product": "coins"]))
        let conditions: [JSONMember] = [
            JSONMember(name: "search", value: "user-7."),
            JSONMember(name: "states", value: ["purchasing", "finished"]),
        ]
        let first = try peer.ask(Ask.line(4, "transactions", .object(conditions)))
        #expect(Self.tokens(first) == [])
        let next = try #require(first["result"]?["next"])
        let second = try peer.ask(
            Ask.line(
                5, "transactions", .object(conditions + [JSONMember(name: "page", value: next)])))
        #expect(Self.tokens(second) == ["user-7."])
        #expect(second["result"]?["next"] == nil)
        let finished = try peer.ask(Ask.line(6, "transactions", ["states": ["finished"]]))
        #expect(Self.tokens(finished) == ["user-7."], "what is unfinished is not looked at")
    }
}
