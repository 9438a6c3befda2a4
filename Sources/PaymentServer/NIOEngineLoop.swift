public import NIOCore
public import PaymentEngine

/// The event loop that owns the sockets, as the engine's thread.
public struct NIOEngineLoop: EngineLoop {
    let loop: any EventLoop
    let doorbell: Doorbell

    /// Uses a loop, which must be one of a `MultiThreadedEventLoopGroup`.
    public init(_ loop: any EventLoop) {
        self.loop = loop
        doorbell = Doorbell(on: loop)
    }

    /// The loop's own clock.
    public var now: Duration {
        .nanoseconds(Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds))
    }

    /// Runs work behind everything that is ready now.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        loop.execute(body)
    }

    /// Runs work behind the input of the next poll of the sockets.
    public func executeAfterInput(_ body: @escaping @Sendable () -> Void) {
        if loop.inEventLoop {
            doorbell.ring(body)
        } else {
            loop.execute { doorbell.ring(body) }
        }
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
