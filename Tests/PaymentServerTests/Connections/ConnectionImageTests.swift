import Foundation
import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@testable import PaymentServer

@Suite struct ConnectionImageTests {
    private static var full: ConnectionImage {
        var state = ConnectionImage(epoch: "e-1", number: 1 << 33 | 7)
        state.requests = 42
        state.isDropping = true
        state.client = "client/1"
        state.subscriptions = [
            SubscriptionPlace(
                number: 3,
                request: SubscriptionRequest(
                    after: 9, kinds: [.transactionsUpdated, .questionOpened],
                    products: ["b", "a", ""], isPassive: true, heartbeat: .milliseconds(1500),
                    onGap: .end, name: "näme", agents: [.login, .payment], mayAnswer: true),
                began: 8, scanned: 20, previous: 19, baseline: 9, questionsShown: 4,
                skipsRedelivery: true, stage: .live),
            SubscriptionPlace(
                number: 5, request: SubscriptionRequest(), began: 8, scanned: 9, previous: 9,
                baseline: 9, questionsShown: 0, skipsRedelivery: false, stage: .redelivering),
        ]
        state.calls = [.again(line: [1, 2]), .interrupted(id: []), .interrupted(id: [34])]
        state.input = [0, 255, 10]
        state.unsent = [7]
        return state
    }

    /// The full image as a daemon of an earlier version wrote it, in base64.
    private static let recorded = """
        AQEqAAAAAAAAAAIAAAAAAAAAFAAAAAAAAAATAAAAAAAAAAkAAAAAAAAABAAAAAAAAAACAQkAAAAAAAAACQAAAAAA
        AAAJAAAAAAAAAAAAAAAAAAAAAQADAAAAAAAAAGUtMQcAAAACAAAAAQgAAAAAAAAAY2xpZW50LzEDAAAAAAAAAAgA
        AAAAAAAAAQkAAAAAAAAAAQIAAAAAAAAADgAAAAAAAABxdWVzdGlvbk9wZW5lZBMAAAAAAAAAdHJhbnNhY3Rpb25z
        VXBkYXRlZAEDAAAAAAAAAAAAAAAAAAAAAQAAAAAAAABhAQAAAAAAAABiAQHcBQAAAAAAAAEBBQAAAAAAAABuw6Rt
        ZQIAAAAAAAAABQAAAAAAAABsb2dpbgcAAAAAAAAAcGF5bWVudAEFAAAAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAMAAAAAAAAAAAIAAAAAAAAAAQIBAAAAAAAAAAABAQAAAAAAAAAiAwAAAAAAAAAA/woBAAAAAAAAAAc=
        """

    @Test func `its input begins with the calls that are repeated`() {
        #expect(Self.full.linesToRepeat == 1)
        #expect(Self.full.pendingInput(limitBytes: 4).starts(with: [1, 2, 10]))
    }

    @Test func `the image of an earlier version is read and written as it was`() throws {
        let bytes = try #require(
            Data(base64Encoded: Self.recorded, options: .ignoreUnknownCharacters))
        #expect(Self.full.head + Self.full.rest == Array(bytes))
        #expect(ConnectionImage(Array(bytes)) != nil)
    }

    @Test(arguments: [ConnectionImage(epoch: "", number: 0), full])
    func `what is written is read`(state: ConnectionImage) throws {
        let bytes = state.head + state.rest
        let read = try #require(ConnectionImage(bytes))
        #expect(read.head + read.rest == bytes)
        #expect(read.number == state.number && read.epoch == state.epoch)
        #expect(read.calls == state.calls && read.input == state.input)
        let (before, after) = (
            state.subscriptions.first?.request, read.subscriptions.first?.request
        )
        #expect(after?.kinds == before?.kinds && after?.products == before?.products)
        #expect(after?.heartbeat == before?.heartbeat && after?.agents == before?.agents)
        #expect(after?.name == before?.name && after?.after == before?.after)
    }

    @Test func `a piece of it, or more than it, is nothing`() {
        let bytes = Self.full.head + Self.full.rest
        for count in 0..<bytes.count { #expect(ConnectionImage(Array(bytes[..<count])) == nil) }
        #expect(ConnectionImage(bytes + [0]) == nil)
    }

    @Test func `no change of a byte is a trap`() {
        var generator = SeededGenerator(seed: 20)
        let bytes = Self.full.head + Self.full.rest
        for index in bytes.indices {
            var changed = bytes
            changed[index] = UInt8.random(in: 0...255, using: &generator)
            // Whatever comes of it can be written again.
            if let state = ConnectionImage(changed) { #expect(!(state.head + state.rest).isEmpty) }
        }
    }

    @Test(arguments: [0, 2, 3, 255] as [UInt8])
    func `another version of the layout is not understood`(version: UInt8) {
        var bytes = Self.full.head + Self.full.rest
        bytes[0] = version
        #expect(ConnectionImage(bytes) == nil)
    }
}
