import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// A call of `events` that reads the log slice by slice.
///
/// It is answered when it has reached the end of the log with at least one record or gap, or has
/// found its maximum. With `wait` it stays at the end of the log until a record comes or its time
/// is over.
final class EventRead: SlicedWork {
    let user: UInt32
    private let context: HandlerContext
    private let params: Events.Params
    private var scan: LogScan
    private var call: WaitingCall?

    /// Creates a read; nothing is read yet.
    ///
    /// - Parameters:
    ///   - params: The parameters of the call.
    ///   - position: The record before the first one.
    ///   - user: The user that the slices are charged to.
    ///   - context: The engine and its limits.
    init(
        _ params: Events.Params, after position: SequenceNumber, by user: UInt32,
        in context: HandlerContext
    ) {
        self.params = params
        self.user = user
        self.context = context
        scan = LogScan(
            after: position, limit: params.limit, kinds: params.filter.kinds,
            // Escaping may make a text six times as long; an eighth fits in any case.
            bytes: context.limits.replyLineBytes / 8)
    }

    /// Whether the call can be answered now.
    var isAnswered: Bool {
        guard context.engine.reader.isDone(scan) else { return false }
        return !scan.records.isEmpty || scan.gap != nil || (params.wait ?? .zero) <= .zero
    }

    /// The result with the records found so far.
    var page: Events.Result {
        let engine = context.engine
        return Events.Result(
            entries: scan.records.map {
                Events.Result.Entry(
                    record: $0, waitingFor: engine.waitingFor($0),
                    deadline: engine.questions.deadline(of: $0))
            },
            gap: scan.gap.map { Events.Result.Gap($0) }, next: scan.position,
            head: engine.durableHead, epoch: engine.log.epoch)
    }

    /// Reads one page of the log.
    ///
    /// - Throws: The error that the call is answered with.
    func advance() throws(ErrorObject) {
        let isTrimmed = scan.position + 1 < context.engine.log.oldest
        guard !isTrimmed || !scan.records.isEmpty || scan.gap != nil else {
            throw context.fault(.tooOld, at: scan.position)
        }
        // The records found so far are the answer; the next call gets the error.
        guard !isTrimmed else { return scan.close() }
        do throws(JournalFailure) {
            try context.engine.reader.advance(&scan)
        } catch {
            throw Failures.internalError(incident: "the event log cannot be read")
        }
    }

    /// Continues until the call can be answered.
    func begin(for call: WaitingCall) {
        self.call = call
        if let patience = params.wait, patience > .zero {
            call.schedule(after: patience, on: context.loop) { [self] in
                call.stopWaiting()
                call.succeed(page)
            }
        }
        proceed()
    }

    func runSlice(until end: NIODeadline) {
        guard let call, !call.isDone else { return }
        repeat {
            do throws(ErrorObject) {
                try advance()
            } catch {
                return call.fail(error)
            }
        } while !context.engine.reader.isDone(scan) && NIODeadline.now() < end
        proceed()
    }

    /// Answers, waits for the next record, or asks for another slice.
    private func proceed() {
        guard let call, !call.isDone else { return }
        guard context.engine.reader.isDone(scan) else { return context.admission.offer(self) }
        guard !isAnswered else {
            call.onAbandon = nil
            return call.succeed(page)
        }
        let waiter = context.engine.reader.waitForRecord(after: scan.position) { [self] in
            call.onAbandon = nil
            context.admission.offer(self)
        }
        call.onAbandon = { [engine = context.engine] in engine.reader.cancel(waiter) }
    }
}
