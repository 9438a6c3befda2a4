import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import SandboxControl

/// Advances the sandbox's clock from event to event. Each event happens at the store, and reaches
/// the queue and its observers, before the clock advances to the next one.
///
/// Lives on the server's loop, while the store answers elsewhere. It stops when its call has ended.
final class ClockAdvance {
    /// The maximum time in which the queue receives one event from a store that does not answer.
    /// After it the clock advances all the same, and the queue receives the event later.
    private static let patience = TimeAmount.seconds(5)

    private let context: HandlerContext
    private let feed: StoreFeed
    private let control: any StoreTestControl
    private let span: Duration
    private let call: WaitingCall
    private var target = Timestamp(milliseconds: 0)
    private var events = 0
    private var step = 0
    private var timer: Scheduled<Void>?

    init(
        _ context: HandlerContext, _ feed: StoreFeed, _ control: any StoreTestControl,
        _ span: Duration, _ call: WaitingCall
    ) {
        self.context = context
        self.feed = feed
        self.control = control
        self.span = span
        self.call = call
    }

    /// Reads the clock and takes the first step.
    func begin() {
        feed.beginControl()
        ask { control throws(TestFailure) in
            await control.testClock()
        } then: { advance, clock in
            advance.target = Timestamp(
                milliseconds: clock.now.milliseconds + advance.span.wholeMilliseconds)
            advance.proceed(from: clock)
        }
    }

    private func proceed(from clock: TestClock) {
        guard !call.isDone else { return end() }
        let isDue = clock.nextEventAt.map { $0 <= target } ?? false
        guard isDue || clock.now < target else {
            call.succeed(TestClockAdvance.Result(clock: clock, events: events))
            return end()
        }
        guard !isDue || events < TestClockAdvance.largestCount else {
            call.fail(Failures.clockStopped(clock, events: events))
            return end()
        }
        if isDue { events += 1 }
        let limit = target
        ask { control throws(TestFailure) in
            try await control.advanceTestClock(to: limit)
        } then: { advance, clock in
            advance.notifyQueue(clock)
        }
    }

    /// Waits until the queue has the outcome of the event, and the turn has ended.
    private func notifyQueue(_ clock: TestClock) {
        step += 1
        feed.release()
        let advance = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let step = step
        context.engine.store.reconciliation.want {
            loop.execute { advance.value.queueNotified(clock, of: step) }
        }
        timer = context.loop.scheduleTask(in: Self.patience) { [self] in
            queueNotified(clock, of: step)
        }
    }

    private func queueNotified(_ clock: TestClock, of step: Int) {
        guard step == self.step, timer != nil else { return }
        timer?.cancel()
        timer = nil
        proceed(from: clock)
    }

    private func ask(
        _ question:
            @escaping @Sendable (any StoreTestControl) async throws(TestFailure) ->
            TestClock,
        then: @escaping @Sendable (ClockAdvance, TestClock) -> Void
    ) {
        let advance = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let control = control
        // Unstructured because the turn must not wait; it ends with the store's answer.
        Task.immediate {
            do throws(TestFailure) {
                let clock = try await question(control)
                loop.execute { then(advance.value, clock) }
            } catch {
                loop.execute { advance.value.fail(error) }
            }
        }
    }

    private func fail(_ failure: TestFailure) {
        call.fail(failure.errorObject())
        end()
    }

    private func end() {
        feed.endControl()
    }
}
