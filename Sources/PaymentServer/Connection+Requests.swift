import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import StrictJSON

/// How the lines of a connection are run.
///
/// Most requests are answered at once. Some have to wait for a person, the store or time: they give up
/// their place, and the requests behind them run. The rest only ask another part of the daemon, such as
/// the embedded store: they hold up the line, so that replies keep the order of the requests and what
/// such a call causes is told behind its reply.
extension Connection {
    /// Runs one line.
    func run(_ bytes: Span<UInt8>) {
        let start = held.bytes.count
        isRunningLine = true
        begin(bytes)
        endLine(from: start)
    }

    /// Puts the replies to calls that a line has ended before its own.
    private func endLine(from start: Int) {
        isRunningLine = false
        guard !aside.bytes.isEmpty else { return }
        held.bytes.insert(contentsOf: aside.bytes, at: start)
        aside.removeAll()
    }

    private func begin(_ bytes: Span<UInt8>) {
        switch server.scanner.scan(bytes, batchLimit: server.limits.batchElements) {
        case .request(let envelope):
            let place = ReplyPlace(start: held.bytes.count)
            switch run(envelope, bytes, place) {
            case .answered: endHeldLine()
            case .silent: break
            case .holding(let call, let start): hold(call, start, nil)
            }
        case .batch(let elements):
            held.bytes.append(UInt8(ascii: "["))
            runBatch(elements, from: 0, bytes, start: held.bytes.count - 1)
        case .fault(let fault):
            held.writeError(fault, in: bytes)
            endHeldLine()
        }
    }

    /// Gives a call that has to wait its answer later, within a turn.
    func end(_ call: WaitingCall, _ write: (inout JSONWriter) -> Void) {
        calls.removeAll { $0 === call }
        guard !isClosing else { return }
        if case .held(let holder, let batch) = line, holder === call {
            return endHolding(call, batch, write)
        }
        guard call.idBytes != nil else { return closeIfDone() }
        if isRunningLine {
            self.write(write, of: call, into: &aside)
            aside.endLine()
        } else {
            self.write(write, of: call, into: &held)
            held.endLine()
        }
        joinTurn()
    }

    /// Writes the answer of a call that has a line of its own.
    private func write(
        _ write: (inout JSONWriter) -> Void, of call: WaitingCall, into writer: inout JSONWriter
    ) {
        let start = writer.bytes.count
        write(&writer)
        guard let id = call.idBytes else { return }
        let end = ReplyPlace(start: start).end(limit: server.limits.replyLineBytes)
        replace(&writer, from: start, beyond: end, id: id.span)
    }

    /// Puts the error that says so in place of an answer which ends behind the room that it has.
    private func replace(
        _ writer: inout JSONWriter, from start: Int, beyond end: Int, id: Span<UInt8>
    ) {
        guard writer.bytes.count > end else { return }
        let error = resultTooLarge(writer.bytes.count - start)
        writer.bytes.removeSubrange(start...)
        writer.writeError(error, idBytes: id)
    }

    /// Goes on with the elements of a batch behind one that has held it up.
    func goOnWithBatch() {
        guard case .goingOn(let batch) = line else { return }
        keeping?.beginRunning()
        defer { keeping?.endRunning() }
        line = .answered
        let start = held.bytes.count
        isRunningLine = true
        defer { endLine(from: start) }
        held.bytes += batch.reply
        let bytes = batch.line.span
        switch server.scanner.scan(bytes, batchLimit: server.limits.batchElements) {
        case .batch(let elements):
            return runBatch(elements, from: batch.next, bytes, start: start)
        case .fault(let fault):
            // The limits were lowered meanwhile; what is left of it is refused as it would be now.
            if batch.reply.count > 1 { held.bytes.append(UInt8(ascii: ",")) }
            held.writeError(fault, in: bytes)
        case .request: assertionFailure("a line that was a batch is not one")
        }
        held.bytes.append(UInt8(ascii: "]"))
        endHeldLine()
    }

    /// Whether requests and events wait for a call.
    var isHeldUp: Bool {
        if case .free = line { false } else { true }
    }

    /// The batch that is half answered, if one is.
    var heldBatch: HeldBatch? {
        switch line {
        case .free, .answered: nil
        case .held(_, let batch): batch
        case .goingOn(let batch): batch
        }
    }

    /// Runs the elements of a batch from one on, into the reply that begins at `start`.
    private func runBatch(
        _ elements: [BatchElement], from first: Int, _ bytes: Span<UInt8>, start: Int
    ) {
        // The scanner's tape serves one line at a time; nothing that runs here scans another.
        for index in first..<elements.count {
            if index > first, NIODeadline.now() >= sliceEnd {
                // The rest of it comes with the next slice.
                line = .goingOn(
                    setAside(bytes, from: index, of: elements.count, start, held.bytes.count))
                return offer()
            }
            let mark = held.bytes.count
            if mark > start + 1 { held.bytes.append(UInt8(ascii: ",")) }
            switch elements[index] {
            case .request(let envelope):
                let rest = elements.count - index - 1
                let place = ReplyPlace(start: start, isInBatch: true, elementsBehind: rest)
                switch run(envelope, bytes, place) {
                case .answered: break
                case .silent: held.bytes.removeSubrange(mark...)
                case .holding(let call, let begin):
                    let batch = setAside(bytes, from: index + 1, of: elements.count, start, mark)
                    return hold(call, begin, batch)
                }
            case .fault(let fault):
                held.writeError(fault, in: bytes)
            }
        }
        guard held.bytes.count > start + 1 else {
            held.bytes.removeSubrange(start...)
            // Whoever waits behind it is let go on by the end of the turn.
            return joinTurn()
        }
        held.bytes.append(UInt8(ascii: "]"))
        endHeldLine()
    }

    /// Takes the reply of a batch that is not finished out of what leaves with the turn. What its
    /// elements changed so far becomes durable meanwhile.
    private func setAside(
        _ bytes: Span<UInt8>, from next: Int, of count: Int, _ start: Int, _ end: Int
    ) -> HeldBatch {
        let batch = HeldBatch(
            line: Array(copying: bytes), next: next, reply: Array(held.bytes[start..<end]),
            elementsBehind: count - next)
        held.bytes.removeSubrange(start...)
        joinTurn()
        return batch
    }

    /// Runs one request and writes its answer, if it has one now.
    private func run(
        _ envelope: RequestEnvelope, _ bytes: Span<UInt8>, _ place: ReplyPlace
    ) -> RequestOutcome {
        requests += 1
        let start = held.bytes.count
        let end = place.end(limit: server.limits.replyLineBytes)
        do throws(ErrorObject) {
            if place.isInBatch, !envelope.isNotification, start > end - ReplyPlace.roomForChange {
                // Before it has an effect: an answer that says what was done must never be
                // replaced by one that says that it is too long.
                throw resultTooLarge(held.bytes.count - place.start)
            }
            let method = try server.methods.entry(envelope.method, server.scanner.tape, bytes)
            method.calls += 1
            guard heldRoles.contains(method.spec.role) else {
                throw Failures.forbidden(need: method.spec.role)
            }
            let request = Request(
                connection: self, number: requests, isInBatch: place.isInBatch)
            if let later = try method.run(request, server.scanner.tape, envelope, bytes) {
                let call = waitingCall(envelope, bytes, place, of: method.spec)
                guard method.spec.waits else { return .holding(call, later) }
                guard !place.isInBatch else { throw Failures.waitInBatch }
                guard calls.count < server.limits.waitingCalls else {
                    throw Failures.limit(.tooManyInFlight, server.limits.waitingCalls)
                }
                calls.append(call)
                later(call)
                return .silent
            }
        } catch {
            server.errorReplies += 1
            held.bytes.removeSubrange(start...)
            if let id = envelope.id { held.writeError(error, idBytes: bytes.extracting(id)) }
        }
        if let id = envelope.id {
            replace(&held, from: start, beyond: end, id: bytes.extracting(id))
        }
        if envelope.isNotification { joinTurn() }
        return envelope.isNotification ? .silent : .answered
    }

    private func resultTooLarge(_ size: Int) -> ErrorObject {
        Failures.resultTooLarge(size: size, limit: server.limits.replyLineBytes)
    }

    private func waitingCall(
        _ envelope: RequestEnvelope, _ bytes: Span<UInt8>, _ place: ReplyPlace,
        of method: MethodSpec
    ) -> WaitingCall {
        let call = WaitingCall(
            connection: self, idBytes: envelope.id.map { Array(copying: bytes.extracting($0)) },
            onlyAsks: method.role == .observe)
        // What only asks may be asked again by whoever goes on with the connection. A batch may have
        // done more than that.
        if keeping != nil, call.onlyAsks, !place.isInBatch {
            call.line = Array(copying: bytes)
        }
        return call
    }

    /// Begins a call that holds up the line.
    private func hold(
        _ call: WaitingCall, _ begin: (WaitingCall) -> Void, _ batch: HeldBatch?
    ) {
        calls.append(call)
        line = .held(by: call, batch)
        begin(call)
    }

    /// Answers the call that holds up the line.
    private func endHolding(
        _ call: WaitingCall, _ batch: HeldBatch?, _ write: (inout JSONWriter) -> Void
    ) {
        guard var batch else {
            line = .answered
            self.write(write, of: call, into: &held)
            if call.idBytes != nil { held.endLine() }
            return joinTurn()
        }
        if let id = call.idBytes {
            var answer = JSONWriter()
            write(&answer)
            let place = ReplyPlace(start: 0, isInBatch: true, elementsBehind: batch.elementsBehind)
            let end = place.end(limit: server.limits.replyLineBytes) - batch.reply.count - 1
            replace(&answer, from: 0, beyond: end, id: id.span)
            if batch.reply.count > 1 { batch.reply.append(UInt8(ascii: ",")) }
            batch.reply += answer.bytes
        }
        line = .goingOn(batch)
        // Not here: whatever answered the call may be at work on something of its own.
        offer()
    }
}

/// Whether a call holds up everything behind it on its connection, requests and events.
enum LineState {
    /// None does. Next: held.
    case free
    /// Its answer is awaited. Next: answered, or goingOn if it belongs to a batch.
    case held(by: WaitingCall, HeldBatch?)
    /// A batch whose further elements come with the next slice. Next: goingOn, held, answered.
    case goingOn(HeldBatch)
    /// Its reply leaves when the turn is durable. Next: free.
    case answered
}

/// A batch that one of its elements holds up.
struct HeldBatch {
    /// The whole line.
    var line: [UInt8]
    /// Which element comes next.
    var next: Int
    /// The beginning of the reply.
    var reply: [UInt8]
    /// How many elements are still to be run.
    var elementsBehind: Int
    /// How much room it takes.
    var bytes: Int { line.count + reply.count }
}

/// The outcome of a request that was run.
private enum RequestOutcome {
    /// Its answer was written.
    case answered
    /// It is not answered, or later and somewhere else.
    case silent
    /// It has to be begun, and holds up the line until it is answered.
    case holding(WaitingCall, (WaitingCall) -> Void)
}
