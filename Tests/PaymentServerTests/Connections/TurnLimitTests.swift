import NIOCore
import Testing

@testable import PaymentServer

/// When slices end, so that their replies leave.
@Suite struct TurnLimitTests {
    private static let begin = NIODeadline.uptimeNanoseconds(5_000_000_000)

    @Test func `a user alone has the longest turn`() {
        var limit = TurnLimit(begin: Self.begin)
        for _ in 1...3 { limit.served(1) }
        #expect(!limit.isOver(at: Self.begin + .microseconds(2_999), waitingUsers: 1))
        #expect(limit.isOver(at: Self.begin + TurnLimit.longest, waitingUsers: 1))
    }

    @Test func `a turn in which others were served does not wait for the last user`() {
        var limit = TurnLimit(begin: Self.begin)
        limit.served(1)
        limit.served(2)
        #expect(!limit.isOver(at: Self.begin + .microseconds(999), waitingUsers: 1))
        #expect(limit.isOver(at: Self.begin + TurnLimit.shared, waitingUsers: 1))
    }

    @Test func `a turn ends soon if a subscription of another user waits for it`() {
        var limit = TurnLimit(begin: Self.begin)
        limit.served(1)
        limit.share()
        #expect(!limit.isOver(at: Self.begin + .microseconds(999), waitingUsers: 1))
        #expect(limit.isOver(at: Self.begin + TurnLimit.shared, waitingUsers: 1))
    }

    @Test func `a turn continues while two users wait for slices`() {
        var limit = TurnLimit(begin: Self.begin)
        limit.served(1)
        limit.served(2)
        #expect(!limit.isOver(at: Self.begin + TurnLimit.shared, waitingUsers: 2))
        #expect(limit.isOver(at: Self.begin + TurnLimit.longest, waitingUsers: 2))
    }
}
