import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// Calls that name a position which the copy of this node has not reached yet: their client has read it at another
/// node.
extension HandlerContext {
    /// The time for which such a call waits.
    private static let patience = TimeAmount.seconds(5)

    /// The position of a cursor if this node follows and will have it soon; nil if the call need not wait.
    func missingPosition(_ cursor: Cursor?, epoch: OpaqueText?) -> SequenceNumber? {
        guard engine.isFollowing, case .after(let position)? = cursor,
            position > engine.durableHead, epoch == nil || epoch?.string == engine.log.epoch
        else { return nil }
        return position
    }

    /// Runs a call when the copy has reached a position. If it does not in time, the call fails and may be repeated.
    func whenReached<Result>(
        _ position: SequenceNumber, _ run: @escaping () throws(ErrorObject) -> Answer<Result>
    ) -> Answer<Result> {
        .later { [self] call in
            let limit = loop.scheduleTask(in: Self.patience) {
                guard !call.isDone else { return }
                call.stopWaiting()
                call.fail(Failures.notCaughtUp)
            }
            wait(for: position, call) {
                limit.cancel()
                do throws(ErrorObject) {
                    switch try run() {
                    case .now(let result): call.succeed(result)
                    case .later(let begin): begin(call)
                    }
                } catch {
                    call.fail(error)
                }
            }
        }
    }

    private func wait(
        for position: SequenceNumber, _ call: WaitingCall, _ run: @escaping () -> Void
    ) {
        guard engine.isFollowing, engine.durableHead < position else { return run() }
        let waiter = engine.reader.waitForRecord(after: engine.durableHead) { [self] in
            call.onAbandon = nil
            wait(for: position, call, run)
        }
        call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
    }
}
