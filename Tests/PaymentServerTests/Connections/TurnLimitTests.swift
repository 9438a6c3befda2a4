import NIOCore
import Testing

@testable import PaymentServer

/// When slices end, so that their replies leave.
@Suite struct TurnLimitTests {
    private static let begin = NIODeadline.uptimeNanoseconds(5_000_000_000)

    private func isOver(_ limit: TurnLimit, after time: TimeAmount, waitingUsers: Int = 1) -> Bool {
        limit.isOver(since: Self.begin, at: Self.begin + time, waitingUsers: waitingUsers)
    }

    @Test func `a user alone has the longest turn`() {
        var limit = TurnLimit()
        for _ in 1...3 { limit.served(1, at: Self.begin) }
        #expect(!isOver(limit, after: TurnLimit.longest - .microseconds(1)))
        #expect(isOver(limit, after: TurnLimit.longest))
        #expect(limit.slice(at: Self.begin) == TurnLimit.slice)
    }

    @Test func `a turn in which others were served does not wait for the last user`() {
        var limit = TurnLimit()
        limit.served(1, at: Self.begin)
        limit.served(2, at: Self.begin)
        #expect(!isOver(limit, after: TurnLimit.shared - .microseconds(1)))
        #expect(isOver(limit, after: TurnLimit.shared))
    }

    @Test func `slices and turns stay short for a while after another user was served`() {
        var limit = TurnLimit()
        limit.served(1, at: Self.begin - TurnLimit.memory - .milliseconds(2))
        limit.served(2, at: Self.begin - TurnLimit.memory + .milliseconds(2))
        #expect(limit.slice(at: Self.begin) == TurnLimit.shared)
        #expect(isOver(limit, after: TurnLimit.shared))
        #expect(limit.slice(at: Self.begin + .milliseconds(2)) == TurnLimit.slice)
        #expect(!isOver(limit, after: .milliseconds(2)))
    }

    @Test func `a turn ends soon if a subscription of another user waits for it`() {
        var limit = TurnLimit()
        limit.served(1, at: Self.begin)
        limit.share(at: Self.begin)
        #expect(!isOver(limit, after: TurnLimit.shared - .microseconds(1)))
        #expect(isOver(limit, after: TurnLimit.shared))
    }

    @Test func `a turn continues while two users wait for slices`() {
        var limit = TurnLimit()
        limit.served(1, at: Self.begin)
        limit.served(2, at: Self.begin)
        #expect(!isOver(limit, after: TurnLimit.shared, waitingUsers: 2))
        #expect(isOver(limit, after: TurnLimit.longest, waitingUsers: 2))
    }
}
