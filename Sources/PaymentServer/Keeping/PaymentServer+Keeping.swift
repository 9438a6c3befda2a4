import NIOCore

/// The outcome for the connections that an earlier process left.
public struct KeptReport: Sendable, Hashable {
    /// They go on.
    public var restored = 0
    /// They were closed: something of them was under way when that process died, or they belong to
    /// another log, or they cannot be read.
    public var closed = 0
    /// How many of those that were closed had something under way: what lies beside them says that it is
    /// not whole.
    public var writing = 0

    /// Nothing was left.
    public init() {}
}

extension PaymentServer {
    /// Goes on with the connections of an earlier process. To be called when the engine has started,
    /// before anybody else is served.
    ///
    /// One that was in the middle of a request or of an event when that process died is closed without
    /// another byte: its client cannot be left with half a line or with the same line twice.
    public func resumeKept() async throws -> KeptReport {
        let core = core
        let (openings, begun) = try await core.eventLoop.submit { core.value.beginResuming() }.get()
        var report = begun
        for opening in openings {
            if try await opening.get() { report.restored += 1 } else { report.closed += 1 }
        }
        return report
    }

    /// Stops reading, so that what was read can be ended; what comes waits for the next process. Those
    /// who cannot be kept are told that the daemon goes away. Must be called on the loop.
    public func hold(graceMs: Int) {
        core.value.hold(graceMs: graceMs)
    }

    /// How many connections there are that will not be kept. Must be called on the loop.
    public var unkeptCount: Int { core.value.unkeptCount }

    /// How many calls wait that nobody could run again. Must be called on the loop.
    public var uniqueCallCount: Int { core.value.uniqueCallCount }

    /// Ends those calls with an error. Must be called on the loop.
    public func interruptUniqueCalls() {
        core.value.interruptUniqueCalls()
    }

    /// Lets go of all connections; they go on in the next process. To be called when the engine has
    /// stopped, right behind that. Must be called on the loop.
    ///
    /// - Returns: How many.
    public func handOver() -> Int {
        core.value.handOver()
    }
}
