import JSONRPC
import PaymentAPI
import StrictJSON

/// The order of one connection's requests and of their replies.
///
/// Most requests are answered at once. Some wait for a person, the store or time, and later requests
/// run meanwhile. Others wait only for another part of the daemon, such as the embedded store, and
/// block the line: requests and events wait behind such a call. Replies therefore keep the order of
/// the requests, and the events of a call follow its reply.
struct RequestPipeline {
    /// Whether a call blocks the line, that is, all later requests and events.
    enum LineState {
        /// No call blocks the line. Next: held, continuing.
        case free
        /// The call has not been answered. Next: answered, or continuing if it belongs to a batch.
        case held(by: WaitingCall, HeldBatch?)
        /// A batch whose next elements run in the next slice. Next: held, continuing, answered.
        case continuing(HeldBatch)
        /// The reply leaves when the turn is committed. Next: free.
        case answered
    }

    /// A batch that waits for one of its elements or for another slice.
    struct HeldBatch {
        /// The whole line.
        var line: [UInt8]
        /// The element that runs next.
        var next: Int
        /// The beginning of the reply.
        var reply: [UInt8]
        /// The number of elements that have not run.
        var elementsBehind: Int
    }

    /// The next step of the connection when a call has been answered.
    enum Answered: Equatable {
        /// The connection joins the turn, which holds the reply.
        case joinTurn
        /// The connection runs the rest of the batch in another slice, because the code that answered
        /// the call may not have finished.
        case offer
        /// The connection closes if no work is left, because a notification has no reply.
        case closeIfDone
    }

    private(set) var line = LineState.free
    /// The calls that wait.
    private(set) var calls: [WaitingCall] = []
    /// The number of requests so far.
    var count: UInt64 = 0
    /// The number of next lines that repeat calls which the previous process had accepted.
    var linesToRepeat = 0
    /// Whether the running line repeats such a call. Shares of users do not refuse it.
    private(set) var isRepeated = false
    /// The number of requests whose replies wait for a commit.
    private(set) var heldRequests = 0
    private var sealedRequests = 0
    private var sealsLine = false
    /// The offset in the held output where the reply of the running line begins; nil if no line is
    /// running.
    private var runningLine: Int?
    private var earlyReplies = JSONWriter()
    private var deferredNotices = JSONWriter()
    /// The last line of the connection. It is sent when all received requests are answered.
    var closingLine: JSONWriter?

    /// Whether a call blocks the line, so that requests and events wait.
    var isHeldUp: Bool {
        if case .free = line { false } else { true }
    }

    /// The partly answered batch; nil if there is none.
    var heldBatch: HeldBatch? {
        switch line {
        case .held(_, let batch): batch
        case .continuing(let batch): batch
        case .free, .answered: nil
        }
    }

    /// The memory of the partly answered batch, in bytes.
    var heldBytes: Int { heldBatch.map { $0.line.count + $0.reply.count } ?? 0 }
}

extension RequestPipeline {
    /// Notes that a line begins to run, and that its reply begins at `start` in the held output.
    mutating func beginLine(at start: Int) {
        runningLine = start
        isRepeated = linesToRepeat > 0
        if isRepeated { linesToRepeat -= 1 }
    }

    /// Notes that a line has run. Replies to calls that the line has ended are inserted before its
    /// own reply.
    mutating func endLine(_ held: inout JSONWriter) {
        if let runningLine, !earlyReplies.bytes.isEmpty {
            held.bytes.insert(contentsOf: earlyReplies.bytes, at: runningLine)
            earlyReplies.removeAll()
        }
        runningLine = nil
    }

    /// Notes that the reply of a line is complete.
    mutating func endReply(_ held: inout JSONWriter) {
        held.endLine()
        heldRequests += 1
    }

    /// Notes that the turn was passed to a log that answers later.
    mutating func seal() {
        sealedRequests = heldRequests
        if case .answered = line { sealsLine = true }
    }

    /// Notes that the replies of a turn are committed.
    ///
    /// - Returns: Whether the line has become free by this commit.
    mutating func committed(_ commit: OutputBuffer.Commit) -> Bool {
        defer { (sealedRequests, sealsLine) = (0, false) }
        heldRequests = commit == .all ? 0 : heldRequests - sealedRequests
        guard case .answered = line, commit == .all || sealsLine else { return false }
        line = .free
        return true
    }
}

extension RequestPipeline {
    /// Adds a call that waits without blocking the line.
    mutating func wait(_ call: WaitingCall) {
        calls.append(call)
    }

    /// Adds a call that blocks the line, with the rest of the batch that it belongs to.
    mutating func hold(_ call: WaitingCall, _ batch: HeldBatch?) {
        calls.append(call)
        line = .held(by: call, batch)
    }

    /// Makes a call that blocks the line wait without blocking it.
    ///
    /// - Returns: Whether the call did block the line.
    mutating func release(_ call: WaitingCall) -> Bool {
        guard case .held(let holder, nil) = line, holder === call else { return false }
        line = .free
        return true
    }

    /// A call whose answer waits for memory; nil if there is none.
    var postponedCall: WaitingCall? { calls.first { $0.isPostponed } }

    /// Whether a batch or an answer may be waiting for memory.
    var waitsForMemory: Bool { heldBatch != nil || postponedCall != nil }

    /// Removes and returns all calls, because the connection is gone.
    mutating func takeCalls() -> [WaitingCall] {
        defer { calls = [] }
        return calls
    }

    /// Answers a call that waits, whether or not it blocks the line.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - held: The replies of the connection that wait for a commit.
    ///   - limitBytes: The maximum length of a reply line.
    ///   - write: Writes the reply.
    /// - Returns: The next step of the connection.
    mutating func answer(
        _ call: WaitingCall, into held: inout JSONWriter, limitBytes: Int,
        _ write: (inout JSONWriter) -> Void
    ) -> Answered {
        calls.removeAll { $0 === call }
        if case .held(let holder, let batch) = line, holder === call {
            if var batch {
                // The line no longer holds the batch, so that its reply is extended in place.
                line = .answered
                batch.answer(call, limitBytes: limitBytes, write)
                line = .continuing(batch)
                return .offer
            }
            line = .answered
        } else if call.idBytes == nil {
            return .closeIfDone
        } else if runningLine != nil {
            earlyReplies.reply(to: call, limitBytes: limitBytes, write)
            return .joinTurn
        }
        held.reply(to: call, limitBytes: limitBytes, write)
        return .joinTurn
    }

    /// Keeps a notice until no call blocks the line, so that it follows the reply to the call that it
    /// concerns.
    mutating func deferNotice(_ write: (inout JSONWriter) -> Void) {
        write(&deferredNotices)
    }

    /// Removes and returns the notices, because no call blocks the line.
    mutating func takeNotices() -> JSONWriter {
        defer { deferredNotices = JSONWriter() }
        return deferredNotices
    }
}

extension RequestPipeline {
    /// Moves the partial reply of a batch out of the held output, because the changes of the elements
    /// so far become durable meanwhile.
    ///
    /// - Parameters:
    ///   - line: The batch.
    ///   - next: The element that runs next.
    ///   - count: The number of elements.
    ///   - reply: The range of the partial reply in the held output. Everything after its end is
    ///     dropped.
    ///   - held: The held output.
    /// - Returns: The rest of the batch, with the reply so far.
    static func setAside(
        _ line: Span<UInt8>, from next: Int, of count: Int, reply: Range<Int>,
        _ held: inout JSONWriter
    ) -> HeldBatch {
        HeldBatch(
            line: Array(copying: line), next: next, reply: take(reply, &held),
            elementsBehind: count - next)
    }

    private static func take(_ reply: Range<Int>, _ held: inout JSONWriter) -> [UInt8] {
        // A reply of megabytes is not copied for each slice of its batch.
        if reply.lowerBound == 0 {
            defer { held = JSONWriter() }
            held.bytes.removeSubrange(reply.upperBound...)
            return held.bytes
        }
        defer { held.bytes.removeSubrange(reply.lowerBound...) }
        return Array(held.bytes[reply])
    }

    /// Schedules the rest of a batch for the next slice.
    mutating func yield(_ batch: HeldBatch) {
        line = .continuing(batch)
    }

    /// Returns the batch that waits for this slice, and moves its partial reply back into the held
    /// output; nil if there is none.
    mutating func takeBatch(_ held: inout JSONWriter) -> HeldBatch? {
        guard case .continuing(var batch) = line else { return nil }
        line = .answered
        beginLine(at: held.bytes.count)
        if held.bytes.isEmpty {
            swap(&held.bytes, &batch.reply)
        } else {
            held.bytes += batch.reply
        }
        batch.reply = []
        return batch
    }
}

extension RequestPipeline.HeldBatch {
    /// Adds the answer of the element that blocked the batch.
    fileprivate mutating func answer(
        _ call: WaitingCall, limitBytes: Int, _ write: (inout JSONWriter) -> Void
    ) {
        guard let id = call.idBytes else { return }
        var answer = JSONWriter()
        write(&answer)
        let place = ReplyPlace(start: 0, isInBatch: true, elementsBehind: elementsBehind)
        let end = place.end(limit: limitBytes) - reply.count - 1
        answer.limit(
            from: 0, to: end, limitBytes: limitBytes, call.effectIfUnanswered, id: id.span)
        if reply.count > 1 { reply.append(UInt8(ascii: ",")) }
        reply += answer.bytes
    }
}

extension WaitingCall {
    /// The effect that an error states if it replaces the result.
    fileprivate var effectIfUnanswered: ErrorCode.Effect { onlyAsks ? .none : .unknown }
}

extension JSONWriter {
    /// Writes the reply of a call on a line of its own; a notification has none.
    fileprivate mutating func reply(
        to call: WaitingCall, limitBytes: Int, _ write: (inout JSONWriter) -> Void
    ) {
        let start = bytes.count
        write(&self)
        guard let id = call.idBytes else { return }
        let end = ReplyPlace(start: start).end(limit: limitBytes)
        limit(
            from: start, to: end, limitBytes: limitBytes, call.effectIfUnanswered, id: id.span)
        endLine()
    }

    /// Replaces a reply that exceeds its room by the error for a result that is too large.
    mutating func limit(
        from start: Int, to end: Int, limitBytes: Int, _ effect: ErrorCode.Effect,
        id: Span<UInt8>
    ) {
        guard bytes.count > end else { return }
        let error = Failures.resultTooLarge(
            size: bytes.count - start, limit: limitBytes, effect: effect)
        bytes.removeSubrange(start...)
        writeError(error, idBytes: id)
    }
}

extension Array where Element == UInt8 {
    /// Copies bytes.
    init(copying span: Span<UInt8>) {
        self.init(unsafeUninitializedCapacity: span.count) { room, count in
            for index in span.indices { room.initializeElement(at: index, to: span[index]) }
            count = span.count
        }
    }
}
