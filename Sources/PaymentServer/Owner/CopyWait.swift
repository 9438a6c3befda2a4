import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The calls that name a position which the copy of this node has not reached. Either their client has read the
/// position at another node, or the position does not exist.
final class CopyWaits {
    private let engine: PaymentEngine
    private let daemon: (any DaemonControl)?
    private let loop: NIOIsolatedEventLoop
    private let eventLoop: any EventLoop
    /// The waits that began since the last call of `reachEnd()`.
    private var new: [CopyWait] = []
    private var isAsking = false

    /// The time for which such a call waits.
    private static let patience = TimeAmount.seconds(5)

    init(_ engine: PaymentEngine, _ daemon: (any DaemonControl)?, _ loop: any EventLoop) {
        self.engine = engine
        self.daemon = daemon
        self.loop = loop.assumeIsolated()
        eventLoop = loop
    }

    /// Whether this node follows and does not have the position of a cursor.
    func isMissing(_ cursor: Cursor?, epoch: OpaqueText?) -> Bool {
        missingPosition(cursor, epoch: epoch) != nil
    }

    /// Runs a call when the copy has reached a cursor, or when it is certain that the log ends before the
    /// cursor. A node that does not follow runs the call at once. If the copy does not reach the cursor in
    /// time, the call fails and may be repeated.
    func whenReached<Result>(
        _ cursor: Cursor?, epoch: OpaqueText?,
        _ run: @escaping () throws(ErrorObject) -> Answer<Result>
    ) throws(ErrorObject) -> Answer<Result> {
        guard let position = missingPosition(cursor, epoch: epoch) else { return try run() }
        return .later { [self] call in
            let wait = CopyWait(for: position, call, engine) {
                do throws(ErrorObject) {
                    switch try run() {
                    case .now(let result): call.succeed(result)
                    case .later(let begin): begin(call)
                    }
                } catch {
                    call.fail(error)
                }
            }
            wait.limit = loop.scheduleTask(in: Self.patience) {
                guard wait.end() else { return }
                call.fail(Failures.notCaughtUp)
            }
            wait.begin()
            new.append(wait)
            ask()
        }
    }

    private func missingPosition(_ cursor: Cursor?, epoch: OpaqueText?) -> SequenceNumber? {
        guard engine.isFollowing, case .after(let position)? = cursor,
            position > engine.durableHead, epoch == nil || epoch?.string == engine.log.epoch
        else { return nil }
        return position
    }

    /// Waits until the copy has the present end of the log, then runs the calls that began before. There is one
    /// such wait at a time, so that calls with wrong positions do not keep this node from following.
    private func ask() {
        guard let daemon, !isAsking, !new.isEmpty else { return }
        isAsking = true
        let bound = NIOLoopBound((waits: self, asked: new), eventLoop: eventLoop)
        new = []
        Task.immediate { [eventLoop] in
            let hasAll = await daemon.reachEnd()
            eventLoop.execute {
                let (waits, asked) = bound.value
                waits.isAsking = false
                if hasAll { for wait in asked { wait.run() } }
                waits.ask()
            }
        }
    }
}

/// The wait of one call for a position.
private final class CopyWait {
    private let position: SequenceNumber
    private let call: WaitingCall
    private let engine: PaymentEngine
    private let body: () -> Void
    private var isOver = false
    /// The timer that fails the call after ``CopyWaits/patience``.
    var limit: Scheduled<Void>?

    init(
        for position: SequenceNumber, _ call: WaitingCall, _ engine: PaymentEngine,
        _ body: @escaping () -> Void
    ) {
        self.position = position
        self.call = call
        self.engine = engine
        self.body = body
    }

    /// Waits for the next record, until the position is reached.
    func begin() {
        guard engine.isFollowing, engine.durableHead < position else { return run() }
        let waiter = engine.reader.waitForRecord(after: engine.durableHead) { [self] in
            call.onAbandon = nil
            begin()
        }
        call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
    }

    /// Runs the call, unless the wait is over.
    func run() {
        if end() { body() }
    }

    /// Ends the wait; false if it is over, or the call is done.
    func end() -> Bool {
        guard !isOver, !call.isDone else { return false }
        isOver = true
        call.stopWaiting()
        limit?.cancel()
        return true
    }
}
