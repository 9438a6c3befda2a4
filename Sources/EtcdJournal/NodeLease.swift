import Synchronization

/// A lease of this node in etcd. While it holds, the node counts as up and keeps what it owns.
final class NodeLease: Sendable {
    /// The identifier of the lease in etcd.
    let id: Int64
    /// The time for which each renewal holds, shorter than etcd's.
    private let span: Duration
    let time: ClusterTime
    /// Rings when it has ended.
    private let bell: Bell
    private let state: Mutex<State>

    private struct State {
        var end: Duration
        var isEnded = false
    }

    /// Creates a lease that was granted at a time.
    ///
    /// - Parameters:
    ///   - id: The number.
    ///   - span: The time after the request for the lease, or for its renewal, for which it surely holds.
    ///   - granted: The time of the request.
    ///   - time: The clock of that time.
    init(id: Int64, span: Duration, granted: Duration, time: ClusterTime) {
        self.id = id
        self.span = span
        self.time = time
        bell = Bell(time)
        state = Mutex(State(end: granted + span))
    }

    /// Whether it certainly holds in etcd.
    var holds: Bool { rest > .zero }

    /// The time for which it certainly holds; zero when it has ended.
    var rest: Duration {
        let now = time.now()
        return state.withLock { $0.isEnded ? .zero : max(.zero, $0.end - now) }
    }

    /// Whether so much of its time is left that a renewal can follow before it ends.
    var isFresh: Bool { rest >= span / 2 }

    /// Waits for a time, until ``end()`` is called, or until the task is cancelled.
    func wait(_ pause: Duration) async {
        await bell.wait(atMost: pause)
    }

    /// Returns when the time of the lease is over without a renewal, or the task is cancelled.
    func untilTimeIsOver() async {
        while case let rest = rest, rest > .zero {
            guard (try? await time.sleep(rest)) != nil else { return }
        }
    }

    /// Notes a renewal that was requested at a time.
    func renewed(requested: Duration) {
        state.withLock { $0.end = max($0.end, requested + span) }
    }

    /// Ends the lease at once for this process.
    func end() {
        state.withLock { $0.isEnded = true }
        bell.ring()
    }
}
