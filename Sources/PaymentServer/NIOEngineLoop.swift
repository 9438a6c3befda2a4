public import NIOCore
public import PaymentEngine

/// The event loop that owns the sockets, as the engine's thread.
public struct NIOEngineLoop: EngineLoop {
    private let loop: any EventLoop

    /// Uses a loop.
    public init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// The loop's own clock.
    public var now: Duration {
        .nanoseconds(Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
    }

    /// Runs work behind everything that is ready now.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        loop.execute(body)
    }

    /// Runs work behind what the next look at the sockets brings.
    ///
    /// The loop runs everything that is ready before it looks, also what is handed over meanwhile;
    /// only work that is not due yet lets it look.
    public func executeAfterInput(_ body: @escaping @Sendable () -> Void) {
        loop.scheduleTask(in: .microseconds(100), body)
    }

    /// Runs work later.
    public func schedule(
        after delay: Duration, _ body: @escaping @Sendable () -> Void
    ) -> any EngineTimer {
        ScheduledTimer(task: loop.scheduleTask(in: TimeAmount(delay), body))
    }

    /// Traps outside the loop.
    public func preconditionOnLoop() {
        loop.preconditionInEventLoop()
    }

    private struct ScheduledTimer: EngineTimer {
        let task: Scheduled<Void>

        func cancel() {
            task.cancel()
        }
    }
}
