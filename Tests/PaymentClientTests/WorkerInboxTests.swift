import StrictJSON
import Testing

@testable import PaymentClient

/// What a worker hands out, and when.
@Suite("The inbox of a worker")
struct WorkerInboxTests {
    private var inbox: WorkerInbox

    init() {
        inbox = WorkerInbox(states: [.purchased, .restored, .failed])
        inbox.opened()
    }

    private static func transaction(
        _ id: String, _ state: String, _ revision: Int = 1, _ more: [JSONMember] = []
    ) -> JSONValue {
        .object(
            [
                JSONMember(name: "id", value: .string(id)),
                JSONMember(name: "transactionState", value: .string(state)),
                JSONMember(name: "revision", value: .integer(revision)),
            ] + more)
    }

    private mutating func event(_ kind: String, _ transactions: JSONValue...) {
        let params: JSONValue = ["kind": .string(kind), "transactions": .array(transactions)]
        inbox.take(ServerNotification(method: "event", params: params, line: ""))
    }

    private mutating func catchUp() {
        inbox.take(ServerNotification(method: "caughtUp", params: ["seq": 1], line: ""))
    }

    @Test("hands nothing out before the daemon says caughtUp")
    mutating func held() {
        event("transactionsUpdated", Self.transaction("a", "purchased"))
        #expect(inbox.next() == nil)
        catchUp()
        #expect(inbox.next()?.id == "a")
    }

    @Test("never hands out what was finished in the replay")
    mutating func finishedLongAgo() {
        event("transactionsUpdated", Self.transaction("a", "purchased"))
        event("transactionsRemoved", Self.transaction("a", "purchased"))
        catchUp()
        #expect(inbox.next() == nil)
    }

    @Test("lets what is put off wait for the next round without holding the others up")
    mutating func putOff() throws {
        event(
            "transactionsUpdated", Self.transaction("a", "purchased"),
            Self.transaction("b", "failed"))
        catchUp()
        inbox.putOff("a")
        #expect(inbox.next()?.id == "b")
        inbox.done("b")
        #expect(inbox.next() == nil)
        inbox.newRound([try #require(ObservedTransaction(Self.transaction("a", "purchased")))])
        #expect(inbox.next()?.id == "a")
    }

    @Test("does not hand out again what was finished, from what was on its way")
    mutating func onItsWay() {
        event("transactionsUpdated", Self.transaction("a", "purchased"))
        catchUp()
        inbox.done("a")
        event("transactionsUpdated", Self.transaction("a", "purchased"))
        #expect(inbox.next() == nil)
    }

    @Test("lets pass completing ones, unknown states, unknown kinds and unknown notifications")
    mutating func unknown() {
        catchUp()
        event(
            "transactionsUpdated",
            Self.transaction("a", "purchased", 1, [JSONMember(name: "completing", value: true)]),
            Self.transaction("b", "dancing", 1, [JSONMember(name: "moon", value: [1])]))
        event("moonPhaseChanged", Self.transaction("c", "purchased"))
        inbox.take(ServerNotification(method: "somethingNew", params: .null, line: ""))
        #expect(inbox.next() == nil)
    }

    @Test("is not changed by an older snapshot")
    mutating func older() {
        catchUp()
        event("transactionsUpdated", Self.transaction("a", "purchased", 3))
        event("transactionsUpdated", Self.transaction("a", "purchasing", 2))
        #expect(inbox.next()?.id == "a")
    }

    @Test("hides what was pending when another account logs in, until it comes again")
    mutating func otherAccount() {
        catchUp()
        event("transactionsUpdated", Self.transaction("a", "purchased"))
        event("storefrontChanged")
        #expect(inbox.next() == nil)
        event("transactionsUpdated", Self.transaction("b", "purchased"))
        #expect(inbox.next() == nil)
        catchUp()
        #expect(inbox.next()?.id == "b")
    }
}
