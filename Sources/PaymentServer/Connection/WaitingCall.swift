import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import StrictJSON

/// A call that is answered later, at most once. It waits for a person, the store, time, records, or
/// another part of the daemon.
final class WaitingCall {
    /// The id as it was sent; nil for a notification, which is not answered.
    let idBytes: [UInt8]?
    /// The line of a call that the next process may repeat; nil if it must not, or if connections
    /// are not kept.
    var line: [UInt8]?
    /// Undoes the wait when the call ends early.
    var onAbandon: (() -> Void)?
    /// Cancels the call at another node, whose answer then ends it; nil for a call of this node.
    var onCancel: (() -> Void)?
    /// Whether the call only reads and changes nothing.
    let onlyAsks: Bool
    /// Whether its answer waits until the memory of its user permits it: many calls may wait for one page of
    /// megabytes, which they share until then.
    let answerMayWait: Bool
    /// Whether the call waits for a person, and has changed nothing yet.
    var waitsForPerson: Bool { !onlyAsks && onAbandon != nil }

    /// Whether it was answered, needs no answer any more, or has an answer that waits for memory.
    private(set) var isDone = false { didSet { giveBack() } }
    /// Whether it counts among the waiting calls of its user.
    private var isCharged = false
    /// Whether its client has cancelled it.
    private(set) var isCancelled = false

    /// The answer that waits for memory.
    private var postponed: ((inout JSONWriter, [UInt8]) -> Void)?

    // A store may answer after the connection has closed.
    private weak var connection: Connection?
    private var timer: Scheduled<Void>?

    init(
        connection: Connection?, idBytes: [UInt8]?, onlyAsks: Bool, answerMayWait: Bool = false
    ) {
        self.connection = connection
        self.idBytes = idBytes
        self.onlyAsks = onlyAsks
        self.answerMayWait = answerMayWait && idBytes != nil
    }

    /// Whether it has an answer that waits for memory.
    var isPostponed: Bool { postponed != nil }

    /// Answers with a result.
    func succeed(_ result: some WireResult) {
        end { writer, id in
            writer.beginReply(idBytes: id.span)
            result.write(into: &writer)
            writer.endReply()
        }
    }

    /// Answers with the result of another node.
    func relay(_ result: JSONValue) {
        end { writer, id in
            writer.beginReply(idBytes: id.span)
            writer.value(result)
            writer.endReply()
        }
    }

    /// Answers with an error.
    func fail(_ error: ErrorObject) {
        if !isDone, let connection {
            connection.server.note(error, of: connection.user, method: nil)
        }
        end(isSmall: true) { writer, id in writer.writeError(error, idBytes: id.span) }
    }

    /// Sends one of the postponed answers of a connection, if the memory of its user permits it now. Others
    /// follow in the next slices.
    static func answerPostponed(of connection: Connection) {
        guard let call = connection.requests.postponedCall else { return }
        call.sendPostponed()
        guard connection.requests.postponedCall != nil, connection.server.hasMemory(for: connection)
        else { return }
        connection.offer()
    }

    /// Ends the call without an answer, because its connection has closed.
    func abandon() {
        guard !isDone else { return }
        isDone = true
        timer?.cancel()
        onAbandon?()
        onAbandon = nil
    }

    /// Ends the call here, because another process repeats or answers it.
    func handOver() {
        isDone = true
        timer?.cancel()
    }

    /// Ends the call because its client cancels it. For a call at another node, the answer of that
    /// node ends it.
    func cancelForClient() {
        if let onCancel { onCancel() } else { cancel(ErrorCode.cancelled.object()) }
    }

    /// Ends the call with an error, and undoes its wait.
    func cancel(_ error: ErrorObject) {
        isCancelled = true
        stopWaiting()
        fail(error)
    }

    /// Stops waiting, because the call is answered now.
    func stopWaiting() {
        onAbandon?()
        onAbandon = nil
    }

    /// Calls back after a time unless the call has ended by then.
    func schedule(
        after delay: Duration, on loop: NIOIsolatedEventLoop, _ body: @escaping () -> Void
    ) {
        timer = loop.scheduleTask(in: TimeAmount(delay)) { [self] in
            if !isDone { body() }
        }
    }

    /// Counts it among the waiting calls of its user until it is done.
    func charge() {
        guard !isDone, let connection else { return }
        isCharged = true
        connection.server.context.shares.waitingCalls.take(for: connection.user)
    }

    private func giveBack() {
        // Without a connection there is nothing to give back: the end of the connection has already
        // ended the call.
        guard isCharged, isDone, let connection else { return }
        isCharged = false
        connection.server.context.shares.waitingCalls.giveBack(of: connection.user)
    }

    private func end(
        isSmall: Bool = false, _ write: @escaping (inout JSONWriter, [UInt8]) -> Void
    ) {
        guard !isDone else { return }
        isDone = true
        timer?.cancel()
        guard answerMayWait, !isSmall else { return send(write) }
        postponed = write
        sendPostponed()
    }

    private func sendPostponed() {
        guard let connection, let answer = postponed, connection.server.hasMemory(for: connection)
        else { return }
        postponed = nil
        send(answer)
    }

    private func send(_ write: (inout JSONWriter, [UInt8]) -> Void) {
        guard let connection else { return }
        connection.server.dispatcher.end(self, of: connection) { writer in
            if let idBytes { write(&writer, idBytes) }
        }
    }
}
