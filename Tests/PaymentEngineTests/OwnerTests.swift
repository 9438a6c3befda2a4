import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentEngine

@Suite("Owners of the client's side")
struct OwnerTests {
    /// Notes the deadlines that have come.
    private final class Due: DeadlineHandler {
        var keys: [Deadlines.Key] = []

        func isDue(_ deadline: Deadlines.Key) { keys.append(deadline) }
    }

    @Test("Deadlines come in the order of their times, then of setting, on one timer")
    func deadlines() {
        let loop = ManualLoop()
        let deadlines = Deadlines(loop: loop)
        let due = Due()
        deadlines.handler = due
        deadlines.set(.heartbeat(3), after: .seconds(3))
        deadlines.set(.heartbeat(1), after: .seconds(1))
        deadlines.set(.heartbeat(2), after: .seconds(1))
        #expect(loop.timerCount == 1)
        loop.advance(by: .milliseconds(999))
        #expect(due.keys.isEmpty)
        loop.advance(by: .milliseconds(1))
        #expect(due.keys == [.heartbeat(1), .heartbeat(2)])
        #expect(!deadlines.isSet(.heartbeat(1)))
        #expect(deadlines.isSet(.heartbeat(3)))
        loop.advance(by: .seconds(2))
        #expect(due.keys.last == .heartbeat(3))
        #expect(loop.timerCount == 0)
    }

    @Test("A deadline that is cancelled does not come, and one that is set again comes once")
    func changedDeadlines() {
        let loop = ManualLoop()
        let deadlines = Deadlines(loop: loop)
        let due = Due()
        deadlines.handler = due
        deadlines.set(.idleMark, after: .seconds(1))
        deadlines.cancel(.idleMark)
        #expect(loop.timerCount == 0)
        for delay in 1...200 { deadlines.set(.heartbeat(1), after: .seconds(delay)) }
        loop.advance(by: .seconds(199))
        #expect(due.keys.isEmpty)
        loop.advance(by: .seconds(1))
        #expect(due.keys == [.heartbeat(1)])
    }

    private func caller(_ calls: inout LoginCalls) -> LoginCalls.Caller {
        LoginCalls.Caller(
            ticket: calls.issue(), origin: Samples.origin, work: .other({ _ in }))
    }

    @Test("One login question is open for all calls, and is withdrawn with the last of them")
    func loginCalls() {
        var calls = LoginCalls()
        let question = QuestionID(UniqueID(high: 0, low: 1))
        let (first, second) = (caller(&calls), caller(&calls))
        var mustOpen = [calls.wait(first)]
        calls.opened(question)
        mustOpen.append(calls.wait(second))
        #expect(mustOpen == [true, false])
        let withdrawn = [
            calls.cancel(first.ticket, keeping: nil),
            calls.cancel(second.ticket, keeping: question),
            calls.cancel(second.ticket, keeping: nil),
        ]
        #expect(withdrawn == [[], [], [question]])
        #expect(calls.question == nil)
    }

    @Test("Closing the login question takes all its callers; those after a login stay")
    func closedLoginCalls() {
        var calls = LoginCalls()
        let question = QuestionID(UniqueID(high: 0, low: 1))
        let other = QuestionID(UniqueID(high: 0, low: 2))
        let (first, second) = (caller(&calls), caller(&calls))
        _ = calls.wait(first)
        calls.opened(question)
        calls.wait(second, forAnswerTo: other)
        let closed = [calls.close(), calls.close()].map { $0.map(\.ticket) }
        #expect(closed == [[first.ticket], []])
        #expect(calls.undecidedQuestions == [other])
        let taken = calls.takeCallers(of: other).first?.ticket
        #expect(taken == second.ticket)
        #expect(calls.undecidedQuestions.isEmpty)
    }

    @Test("The last answers are known to the connections that gave them, up to a number")
    func recentAnswers() {
        var answers = RecentAnswers()
        func id(_ number: Int) -> QuestionID {
            QuestionID(UniqueID(high: 0, low: UInt64(number)))
        }
        for number in 0...RecentAnswers.limit {
            answers.add(id(number), true, by: 7, UInt64(number))
        }
        #expect(answers.sequence(of: id(0), true, by: 7) == nil)
        #expect(answers.sequence(of: id(1), true, by: 7) == 1)
        #expect(answers.sequence(of: id(1), false, by: 7) == nil)
        #expect(answers.sequence(of: id(1), true, by: 8) == nil)
        #expect(
            answers.sequence(of: id(RecentAnswers.limit), true, by: 7)
                == UInt64(RecentAnswers.limit))
    }

    private func subscription(
        _ number: UInt64, of user: UInt32 = 0, hasRoom: Bool = true
    ) -> Subscription {
        let target = RecordingTarget()
        target.user = user
        target.roomFor = hasRoom ? nil : 0
        return Subscription(
            number: number, request: SubscriptionRequest(), head: 0, turn: 1, target: target)
    }

    @Test("The catch-up queue asks for one slice, and holds a subscription once")
    func catchUpQueue() {
        var queue = CatchUpQueue()
        let (first, second) = (subscription(1), subscription(2))
        let ended = subscription(3)
        ended.isEnded = true
        let offered = [first, second, first, ended, subscription(4, hasRoom: false)]
        let schedules = offered.map { queue.append($0) }
        #expect(schedules == [true, false, false, false, false])
        #expect(queue.count == 2)
        var order: [UInt64?] = [queue.next()?.number]
        let isLeft = queue.endSlice()
        order.append(queue.next()?.number)
        let isLeftThen = queue.endSlice()
        order.append(queue.next()?.number)
        #expect(order == [1, 2, nil])
        #expect((isLeft, isLeftThen) == (true, false))
        let mustSchedule = queue.append(first)
        #expect(mustSchedule)
    }

    @Test("Users take turns at catching up, however many subscriptions one of them has")
    func catchUpTurns() {
        var queue = CatchUpQueue()
        for number in 1...4 { _ = queue.append(subscription(UInt64(number), of: 7)) }
        _ = queue.append(subscription(5, of: 8))
        let order = (1...5).map { _ in queue.next()?.number }
        #expect(order == [1, 5, 2, 3, 4])
        #expect(queue.count == 0)
    }
}
