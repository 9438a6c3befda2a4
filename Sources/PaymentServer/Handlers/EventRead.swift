import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// A call of `events` on its way through the log, slice by slice.
///
/// It is answered as soon as it has found something and come to the end, or found as much as it may. With
/// `wait` it stays at the end of the log until something comes or its time is over.
final class EventRead: SlicedWork {
    let user: UInt32
    private let server: ServerCore
    private let params: Events.Params
    private var scan: LogScan
    private var call: WaitingCall?

    /// Begins to read; nothing is read yet.
    ///
    /// - Parameters:
    ///   - params: What is wanted.
    ///   - position: Where to begin.
    ///   - user: The user that the slices are charged to.
    ///   - server: The server.
    init(
        _ params: Events.Params, after position: SequenceNumber, by user: UInt32,
        in server: ServerCore
    ) {
        self.params = params
        self.user = user
        self.server = server
        scan = LogScan(
            after: position, limit: params.limit, kinds: params.filter.kinds,
            // Escaping may make a text six times as long; an eighth fits in any case.
            bytes: server.limits.replyLineBytes / 8)
    }

    /// Whether the call has its answer.
    var isAnswered: Bool {
        guard server.engine.reader.isDone(scan) else { return false }
        return !scan.records.isEmpty || (params.wait ?? .zero) <= .zero
    }

    /// The result with the records found so far.
    var page: Events.Result {
        let engine = server.engine
        return Events.Result(
            entries: scan.records.map {
                Events.Result.Entry(
                    record: $0, waitingFor: engine.waitingFor($0),
                    deadline: engine.questions.deadline(of: $0))
            },
            next: scan.position, head: engine.durableHead, epoch: engine.log.epoch)
    }

    /// Reads one page of the log.
    ///
    /// - Throws: What the call is answered instead.
    func advance() throws(ErrorObject) {
        let isTrimmed = scan.position + 1 < server.engine.log.oldest
        guard !isTrimmed || !scan.records.isEmpty else {
            throw server.fault(.tooOld, at: scan.position)
        }
        // The records found so far are the answer; the next call gets the error.
        guard !isTrimmed else { return scan.close() }
        do throws(JournalFailure) {
            try server.engine.reader.advance(&scan)
        } catch {
            throw Failures.internalError(incident: "the event log cannot be read")
        }
    }

    /// Goes on until the call can be answered.
    func begin(for call: WaitingCall) {
        self.call = call
        if let patience = params.wait, patience > .zero {
            call.schedule(after: patience, on: server.loop) { [self] in
                call.stopWaiting()
                call.succeed(page)
            }
        }
        goOn()
    }

    func runSlice(until end: NIODeadline) {
        guard let call, !call.isDone else { return }
        repeat {
            do throws(ErrorObject) {
                try advance()
            } catch {
                return call.fail(error)
            }
        } while !server.engine.reader.isDone(scan) && NIODeadline.now() < end
        goOn()
    }

    /// Answers, waits for the next record, or asks for another slice.
    private func goOn() {
        guard let call, !call.isDone else { return }
        guard server.engine.reader.isDone(scan) else { return server.admission.offer(self) }
        guard !isAnswered else {
            call.onAbandon = nil
            return call.succeed(page)
        }
        let waiter = server.engine.reader.waitForRecord(after: scan.position) { [self] in
            call.onAbandon = nil
            server.admission.offer(self)
        }
        call.onAbandon = { [engine = server.engine] in engine.reader.cancel(waiter) }
    }
}
