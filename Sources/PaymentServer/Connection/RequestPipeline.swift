import JSONRPC
import PaymentAPI
import StrictJSON

/// The order of one connection's requests and of their replies.
///
/// Most requests are answered at once. Some wait for a person, the store or time: they give up their
/// place, and the requests behind them run. The rest only ask another part of the daemon, such as the
/// embedded store: they hold up the line. Requests and events wait behind such a call, so that replies keep
/// the order of the requests and the events of a call follow its reply.
struct RequestPipeline {
    /// Whether a call holds up everything behind it, requests and events.
    enum LineState {
        /// None does. Next: held, continuing.
        case free
        /// The call has not been answered. Next: answered, or continuing if it belongs to a batch.
        case held(by: WaitingCall, HeldBatch?)
        /// A batch whose further elements run with the next slice. Next: held, continuing, answered.
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
        /// How many elements are still to be run.
        var elementsBehind: Int
    }

    /// The next step of the connection when a call has been answered.
    enum Answered: Equatable {
        /// It joins the turn: the reply is held.
        case joinTurn
        /// It runs the rest of the batch in another slice, because whatever answered the call may be at
        /// work on something of its own.
        case offer
        /// It closes if this was all: a notification has no reply.
        case closeIfDone
    }

    private(set) var line = LineState.free
    /// The calls that wait.
    private(set) var calls: [WaitingCall] = []
    /// How many requests were made.
    var count: UInt64 = 0
    /// How many of the next lines are calls that the process before had accepted.
    var linesToRepeat = 0
    /// Whether the running line is such a call. It is not refused for what its user holds by now.
    private(set) var isRepeated = false
    /// How many requests have replies that wait for a commit.
    private(set) var heldRequests = 0
    private var sealedRequests = 0
    private var sealsLine = false
    /// Where the reply of the running line begins in the held output.
    private var runningLine: Int?
    private var earlyReplies = JSONWriter()
    private var deferredNotices = JSONWriter()
    /// The last line, sent when everything that was received is answered.
    var closingLine: JSONWriter?

    /// Whether requests and events wait for a call.
    var isHeldUp: Bool {
        if case .free = line { false } else { true }
    }

    /// The batch that is half answered, if one is.
    var heldBatch: HeldBatch? {
        switch line {
        case .held(_, let batch): batch
        case .continuing(let batch): batch
        case .free, .answered: nil
        }
    }

    /// The memory of a batch that is half answered, in bytes.
    var heldBytes: Int { heldBatch.map { $0.line.count + $0.reply.count } ?? 0 }
}

extension RequestPipeline {
    /// A line begins to run; its reply begins there in the held output.
    mutating func beginLine(at start: Int) {
        runningLine = start
        isRepeated = linesToRepeat > 0
        if isRepeated { linesToRepeat -= 1 }
    }

    /// A line has run. Replies to calls that it has ended come before its own.
    mutating func endLine(_ held: inout JSONWriter) {
        if let runningLine, !earlyReplies.bytes.isEmpty {
            held.bytes.insert(contentsOf: earlyReplies.bytes, at: runningLine)
            earlyReplies.removeAll()
        }
        runningLine = nil
    }

    /// The reply of a line is complete.
    mutating func endReply(_ held: inout JSONWriter) {
        held.endLine()
        heldRequests += 1
    }

    /// The turn was handed to a log that answers later.
    mutating func seal() {
        sealedRequests = heldRequests
        if case .answered = line { sealsLine = true }
    }

    /// The replies of a turn were committed.
    ///
    /// - Returns: Whether nothing holds up the line any more, and a call did so before.
    mutating func committed(_ commit: OutputBuffer.Commit) -> Bool {
        defer { (sealedRequests, sealsLine) = (0, false) }
        heldRequests = commit == .all ? 0 : heldRequests - sealedRequests
        guard case .answered = line, commit == .all || sealsLine else { return false }
        line = .free
        return true
    }
}

extension RequestPipeline {
    /// Begins a call that gives up its place.
    mutating func wait(_ call: WaitingCall) {
        calls.append(call)
    }

    /// Begins a call that holds up the line, and the batch that it belongs to.
    mutating func hold(_ call: WaitingCall, _ batch: HeldBatch?) {
        calls.append(call)
        line = .held(by: call, batch)
    }

    /// Has a call that holds up the line give up its place.
    ///
    /// - Returns: Whether it did hold it up.
    mutating func release(_ call: WaitingCall) -> Bool {
        guard case .held(let holder, nil) = line, holder === call else { return false }
        line = .free
        return true
    }

    /// Takes all calls, because the connection is gone.
    mutating func takeCalls() -> [WaitingCall] {
        defer { calls = [] }
        return calls
    }

    /// Answers a call that waits or holds up the line.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - held: The replies of the connection that wait for a commit.
    ///   - limitBytes: The longest reply line.
    ///   - write: Writes the reply.
    /// - Returns: What the connection does.
    mutating func answer(
        _ call: WaitingCall, into held: inout JSONWriter, limitBytes: Int,
        _ write: (inout JSONWriter) -> Void
    ) -> Answered {
        calls.removeAll { $0 === call }
        if case .held(let holder, let batch) = line, holder === call {
            if var batch {
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

    /// Keeps a notice until no call holds up the line any more: behind the reply to the call that it is
    /// about.
    mutating func deferNotice(_ write: (inout JSONWriter) -> Void) {
        write(&deferredNotices)
    }

    /// Takes the notices that may be sent, because no call holds up the line.
    mutating func takeNotices() -> JSONWriter {
        defer { deferredNotices = JSONWriter() }
        return deferredNotices
    }
}

extension RequestPipeline {
    /// Takes the reply of a batch that is not finished out of the held output, because what its elements
    /// changed so far becomes durable meanwhile.
    ///
    /// - Parameters:
    ///   - line: The batch.
    ///   - next: The element that runs next.
    ///   - count: How many elements there are.
    ///   - reply: The place of the reply so far; what is behind it is dropped.
    ///   - held: The held output.
    /// - Returns: The rest of the batch, with the reply so far.
    static func setAside(
        _ line: Span<UInt8>, from next: Int, of count: Int, reply: Range<Int>,
        _ held: inout JSONWriter
    ) -> HeldBatch {
        defer { held.bytes.removeSubrange(reply.lowerBound...) }
        return HeldBatch(
            line: Array(copying: line), next: next, reply: Array(held.bytes[reply]),
            elementsBehind: count - next)
    }

    /// The rest of a batch runs with the next slice.
    mutating func yield(_ batch: HeldBatch) {
        line = .continuing(batch)
    }

    /// Continues the batch that waits for this slice, if one does; its reply is held again.
    mutating func takeBatch(_ held: inout JSONWriter) -> HeldBatch? {
        guard case .continuing(let batch) = line else { return nil }
        line = .answered
        beginLine(at: held.bytes.count)
        held.bytes += batch.reply
        return batch
    }
}

extension RequestPipeline.HeldBatch {
    /// Adds the answer of the element that held up the batch.
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
    /// The effect that an error in place of the result names.
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

    /// Puts the error for a result that is too large in place of a reply that ends behind its room.
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
