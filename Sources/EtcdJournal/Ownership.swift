import Synchronization

/// The right to append to the log, which ends with a lease.
///
/// The lease decides who should append and who may send orders. That a former owner appends nothing is
/// decided by etcd in each transaction, and needs no clock.
public final class Ownership: Sendable {
    /// The term: the create revision of the owner's key.
    public let term: UInt64
    let lease: Int64
    /// The time for which each renewal holds, shorter than etcd's.
    private let span: Duration
    let time: ClusterTime
    private let state: Mutex<State>

    private struct State {
        var end: Duration
        var isEnded = false
    }

    /// Creates a right that was granted at a time.
    ///
    /// - Parameters:
    ///   - term: The term.
    ///   - lease: The lease.
    ///   - span: The time after the request for the lease, or for its renewal, for which it surely holds.
    ///   - granted: The time of the request.
    ///   - time: The clock of that time.
    init(
        term: UInt64, lease: Int64, span: Duration, granted: Duration, time: ClusterTime
    ) {
        self.term = term
        self.lease = lease
        self.span = span
        self.time = time
        state = Mutex(State(end: granted + span))
    }

    /// Whether the lease holds for sure. A process that was stopped for longer finds it out here.
    public var holds: Bool { rest > .zero }

    /// The time for which the lease holds for sure; zero when it has ended.
    var rest: Duration {
        let now = time.now()
        return state.withLock { $0.isEnded ? .zero : max(.zero, $0.end - now) }
    }

    /// Returns when the time of the lease is over, unless it is renewed, or the task is cancelled.
    func untilTimeIsOver() async {
        while case let rest = rest, rest > .zero {
            guard (try? await time.sleep(rest)) != nil else { return }
        }
    }

    /// Notes a renewal that was requested at a time.
    func renewed(requested: Duration) {
        state.withLock { $0.end = max($0.end, requested + span) }
    }

    /// Notes that the lease has ended, or another owner has appended.
    public func end() {
        state.withLock { $0.isEnded = true }
    }
}
