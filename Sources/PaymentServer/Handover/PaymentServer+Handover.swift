import NIOCore
import PaymentEngine
import PaymentAPI

/// The outcome for the connections that an earlier process left.
public struct KeptReport: Sendable, Hashable {
    /// The number of connections that continue.
    public var restored = 0
    /// The number of connections that were closed. Something of them was in progress when that process died, or
    /// they belong to another log, or they cannot be read.
    public var closed = 0
    /// The number of closed connections whose image is not whole, because something was in progress.
    public var writing = 0

    /// Creates a report of no connections.
    public init() {}
}

extension PaymentServer {
    /// Continues the connections of an earlier process. To be called when the engine has started,
    /// before any other connection is served.
    ///
    /// A connection that was in the middle of a request or of an event when that process died is closed
    /// without another byte: its client must not receive half a line, or the same line twice.
    public func resumeKept() async throws -> KeptReport {
        let core = core
        let (openings, begun) = try await core.eventLoop.submit { core.value.beginResuming() }.get()
        var report = begun
        for opening in openings {
            if try await opening.get() { report.restored += 1 } else { report.closed += 1 }
        }
        return report
    }

    /// Stops reading; bytes that arrive wait for the next process. Connections that cannot be kept are
    /// answered and closed. Must be called on the loop.
    public func hold(graceMs: Int) {
        core.value.engine.questions.prepareStop()
        core.value.hold(graceMs: graceMs)
    }

    /// The number of connections that will not be kept. Must be called on the loop.
    public var unkeptCount: Int { core.value.unkeptCount }

    /// The number of waiting calls that the next process cannot repeat, and of batches that are half answered.
    /// Must be called on the loop.
    public var uniqueCallCount: Int { core.value.uniqueCallCount }

    /// Ends the calls that the next process cannot repeat, with an error. Must be called on the loop.
    public func interruptUniqueCalls() {
        core.value.interruptUniqueCalls()
    }

    /// Closes connections that are not kept, such as those of other nodes, whose clients continue at another owner.
    /// Called when the engine has stopped. Must be called on the loop.
    public func closeUnkept() {
        let line = core.value.closingLine(.shutdown, graceMs: 0)
        for connection in core.value.connections.values where !connection.handover.isEnabled {
            connection.close(saying: line)
        }
    }

    /// Leaves all connections to the next process. To be called right after the engine has stopped. Must
    /// be called on the loop.
    ///
    /// - Returns: The number of connections left to it.
    public func handOver() -> Int {
        core.value.handOver()
    }
}
