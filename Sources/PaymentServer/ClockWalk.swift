import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import SandboxControl

/// Moves the sandbox's clock on from event to event: each one happens at the store, reaches the
/// queue and its observers, and only then the next one is due.
///
/// Lives on the server's loop; the store answers elsewhere. A walk whose call has ended takes no
/// further step.
final class ClockWalk {
    /// How long the queue may take to hear of one event from a store that does not answer it, before
    /// the clock goes on all the same; the queue hears of it later then.
    private static let patience = TimeAmount.seconds(5)

    private let core: ServerCore
    private let control: any StoreTestControl
    private let span: Duration
    private let call: WaitingCall
    private var target = Timestamp(milliseconds: 0)
    private var events = 0
    private var step = 0
    private var timer: Scheduled<Void>?

    init(_ core: ServerCore, _ control: any StoreTestControl, _ span: Duration, _ call: WaitingCall)
    {
        self.core = core
        self.control = control
        self.span = span
        self.call = call
    }

    /// Reads the clock and takes the first step.
    func begin() {
        core.feed.beginControl()
        ask { control throws(TestFailure) in
            await control.testClock()
        } then: { walk, clock in
            walk.target = Timestamp(
                milliseconds: clock.now.milliseconds + walk.span.wholeMilliseconds)
            walk.goOn(from: clock)
        }
    }

    private func goOn(from clock: TestClock) {
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
        } then: { walk, clock in
            walk.letQueueHear(clock)
        }
    }

    /// Waits until the queue has been told what the event came to, and the turn is over.
    private func letQueueHear(_ clock: TestClock) {
        step += 1
        core.feed.release()
        let walk = NIOLoopBound(self, eventLoop: core.eventLoop)
        let loop = core.eventLoop
        let step = step
        core.engine.reconcile {
            loop.execute { walk.value.queueHasHeard(clock, of: step) }
        }
        timer = core.loop.scheduleTask(in: Self.patience) { [self] in
            queueHasHeard(clock, of: step)
        }
    }

    private func queueHasHeard(_ clock: TestClock, of step: Int) {
        guard step == self.step, timer != nil else { return }
        timer?.cancel()
        timer = nil
        goOn(from: clock)
    }

    private func ask(
        _ question:
            @escaping @Sendable (any StoreTestControl) async throws(TestFailure) ->
            TestClock,
        then: @escaping @Sendable (ClockWalk, TestClock) -> Void
    ) {
        let walk = NIOLoopBound(self, eventLoop: core.eventLoop)
        let loop = core.eventLoop
        let control = control
        // Unstructured because the turn must not wait; it ends with the store's answer.
        Task.immediate {
            do throws(TestFailure) {
                let clock = try await question(control)
                loop.execute { then(walk.value, clock) }
            } catch {
                loop.execute { walk.value.fail(error) }
            }
        }
    }

    private func fail(_ failure: TestFailure) {
        call.fail(failure.errorObject())
        end()
    }

    private func end() {
        core.feed.endControl()
    }
}
