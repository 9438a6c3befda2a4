import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import StrictJSON

/// Runs the lines of all connections: finds the method of each request and writes its reply into the held
/// output of its connection.
final class RequestDispatcher {
    let methods = MethodTable()
    private let context: HandlerContext
    /// The scanner of the running line. Code that runs within a line must not scan another.
    private var scanner: RequestScanner

    init(_ context: HandlerContext) {
        self.context = context
        scanner = RequestScanner(limits: JSONLimits(context.limits))
    }

    /// Applies the limits of the context.
    func useLimits() {
        scanner = RequestScanner(limits: JSONLimits(context.limits))
    }

    /// Runs one line.
    func run(_ line: Span<UInt8>, of connection: Connection) {
        let start = connection.output.held.bytes.count
        connection.requests.beginLine(at: start)
        switch scanner.scan(line, batchLimit: context.limits.batchElements) {
        case .request(let envelope):
            switch run(envelope, line, ReplyPlace(start: start), of: connection) {
            case .answered: connection.endReply()
            case .silent: break
            case .holding(let call, let begin):
                connection.requests.hold(call, nil)
                begin(call)
            }
        case .batch(let elements):
            connection.output.held.bytes.append(UInt8(ascii: "["))
            run(elements, from: 0, line, start: start, of: connection)
        case .fault(let fault):
            connection.output.held.writeError(fault, in: line)
            connection.endReply()
        }
        connection.requests.endLine(&connection.output.held)
    }

    /// Runs the rest of a batch that waits for this slice, if there is one.
    func continueBatch(of connection: Connection) {
        let start = connection.output.held.bytes.count
        guard let batch = connection.requests.takeBatch(&connection.output.held) else { return }
        defer { connection.requests.endLine(&connection.output.held) }
        let line = batch.line.span
        switch scanner.scan(line, batchLimit: context.limits.batchElements) {
        case .batch(let elements):
            return run(elements, from: batch.next, line, start: start, of: connection)
        case .fault(let fault):
            // The limits were lowered meanwhile, so the rest of the batch is refused under the new
            // limits.
            if connection.output.held.bytes.count > start + 1 {
                connection.output.held.bytes.append(UInt8(ascii: ","))
            }
            connection.output.held.writeError(fault, in: line)
        case .request: assertionFailure("a line that was a batch is not one")
        }
        connection.output.held.bytes.append(UInt8(ascii: "]"))
        connection.endReply()
    }

    /// Runs the elements of a batch, beginning with the element `first`, into the reply that begins
    /// at `start`.
    private func run(
        _ elements: [BatchElement], from first: Int, _ line: Span<UInt8>, start: Int,
        of connection: Connection
    ) {
        for index in first..<elements.count {
            let mark = connection.output.held.bytes.count
            if index > first, let end = connection.sliceEnd, NIODeadline.now() >= end {
                connection.requests.yield(
                    setAside(line, from: index, of: elements.count, start..<mark, of: connection))
                return connection.offer()
            }
            if mark > start + 1 { connection.output.held.bytes.append(UInt8(ascii: ",")) }
            switch elements[index] {
            case .request(let envelope):
                let place = ReplyPlace(
                    start: start, isInBatch: true, elementsBehind: elements.count - index - 1)
                switch run(envelope, line, place, of: connection) {
                case .answered: break
                case .silent: connection.output.held.bytes.removeSubrange(mark...)
                case .holding(let call, let begin):
                    let batch = setAside(
                        line, from: index + 1, of: elements.count, start..<mark, of: connection)
                    connection.requests.hold(call, batch)
                    return begin(call)
                }
            case .fault(let fault):
                connection.output.held.writeError(fault, in: line)
            }
        }
        guard connection.output.held.bytes.count > start + 1 else {
            connection.output.held.bytes.removeSubrange(start...)
            // If the batch blocked the line, the line becomes free when the turn is committed.
            return connection.joinTurn()
        }
        connection.output.held.bytes.append(UInt8(ascii: "]"))
        connection.endReply()
    }

    /// Stores the rest of a batch for later. The changes of the elements that have run become durable
    /// meanwhile.
    private func setAside(
        _ line: Span<UInt8>, from next: Int, of count: Int, _ reply: Range<Int>,
        of connection: Connection
    ) -> RequestPipeline.HeldBatch {
        connection.joinTurn()
        return RequestPipeline.setAside(
            line, from: next, of: count, reply: reply, &connection.output.held)
    }

    /// Writes the answer of a waiting call, within a turn.
    func end(
        _ call: WaitingCall, of connection: Connection, _ write: (inout JSONWriter) -> Void
    ) {
        guard !connection.isClosing else { return }
        let answered = connection.requests.answer(
            call, into: &connection.output.held, limitBytes: context.limits.replyLineBytes, write)
        switch answered {
        case .joinTurn: connection.joinTurn()
        case .offer: connection.offer()
        case .closeIfDone: connection.closeIfDone()
        }
    }

    /// Runs one request and writes its answer, if it has one now.
    private func run(
        _ envelope: RequestEnvelope, _ line: Span<UInt8>, _ place: ReplyPlace,
        of connection: Connection
    ) -> RequestOutcome {
        connection.requests.count += 1
        let limitBytes = context.limits.replyLineBytes
        let start = connection.output.held.bytes.count
        let end = place.end(limit: limitBytes)
        var effect = ErrorCode.Effect.none
        var spec: MethodSpec?
        do throws(ErrorObject) {
            let method = try methods.entry(envelope.method, scanner.tape, line)
            spec = method.spec
            method.calls += 1
            if place.isInBatch, !envelope.isNotification, method.spec.hasEffect,
                start > end - ReplyPlace.roomForChange
            {
                // The check comes before the effect. Otherwise the error for a reply that is too long
                // could replace an answer about a change that was made.
                throw Failures.resultTooLarge(
                    size: start - place.start + ReplyPlace.roomForChange, limit: limitBytes)
            }
            guard connection.caller.roles.contains(method.spec.role) else {
                throw Failures.forbidden(need: method.spec.role)
            }
            guard !method.spec.isForChanges || !context.isReadOnly else {
                throw context.refusalOfChanges
            }
            let request = Request(
                connection: connection, number: connection.requests.count,
                isInBatch: place.isInBatch)
            if let begin = try method.run(request, scanner.tape, envelope, line) {
                return try wait(envelope, line, place, of: method.spec, begin, connection)
            }
            if method.spec.hasEffect { effect = .done }
        } catch {
            if error.code == ErrorCode.noOwner.rawValue, let spec,
                let outcome = forward(envelope, line, place, of: spec, connection)
            {
                connection.output.held.bytes.removeSubrange(start...)
                return outcome
            }
            context.counters.errorReplies += 1
            connection.server.note(
                error, of: connection.user, method: scanner.tape.text(envelope.method, in: line))
            connection.output.held.bytes.removeSubrange(start...)
            if let id = envelope.id {
                connection.output.held.writeError(error, idBytes: line.extracting(id))
            }
        }
        guard let id = envelope.id else {
            connection.joinTurn()
            return .silent
        }
        connection.output.held.limit(
            from: start, to: end, limitBytes: limitBytes, effect, id: line.extracting(id))
        return .answered
    }

    /// Forwards a request that this node refuses to the owner of the queue.
    ///
    /// - Returns: The call that blocks the line; nil if no owner is reachable.
    private func forward(
        _ envelope: RequestEnvelope, _ line: Span<UInt8>, _ place: ReplyPlace,
        of method: MethodSpec, _ connection: Connection
    ) -> RequestOutcome? {
        guard let forwarder = context.forwarder, forwarder.isOpen(for: connection) else {
            return nil
        }
        let call = WaitingCall(
            connection: connection,
            idBytes: envelope.id.map { Array(copying: line.extracting($0)) },
            onlyAsks: method.role == .observe,
            answerMayWait: method.role == .observe && !method.hasEffect)
        let params = envelope.params.map { scanner.tape.value($0, in: line) }
        return .holding(call) { call in
            forwarder.forward(
                "\(method.name)", params, call, isInBatch: place.isInBatch, of: connection)
        }
    }

    /// Turns a request into a call that is answered later.
    private func wait(
        _ envelope: RequestEnvelope, _ line: Span<UInt8>, _ place: ReplyPlace,
        of method: MethodSpec, _ begin: @escaping (WaitingCall) -> Void, _ connection: Connection
    ) throws(ErrorObject) -> RequestOutcome {
        let call = WaitingCall(
            connection: connection,
            idBytes: envelope.id.map { Array(copying: line.extracting($0)) },
            onlyAsks: method.role == .observe,
            answerMayWait: method.role == .observe && !method.hasEffect)
        // The process that continues the connection may repeat a call that only reads. It must not
        // repeat a batch, which may contain changes.
        if connection.handover.isPossible, call.onlyAsks, !place.isInBatch {
            call.line = Array(copying: line)
        }
        guard method.waits else { return .holding(call, begin) }
        guard !place.isInBatch else { throw Failures.waitInBatch }
        guard connection.requests.calls.count < context.limits.waitingCalls else {
            throw Failures.limit(.tooManyInFlight, context.limits.waitingCalls)
        }
        if !connection.requests.isRepeated {
            try context.require(.waitingCallsInAll, for: connection.user, full: .tooManyInFlight)
        }
        call.charge()
        connection.requests.wait(call)
        if connection.caller.isRemote, let id = call.idBytes {
            connection.output.held.waiting(id)
            connection.joinTurn()
        }
        begin(call)
        return .silent
    }
}

extension JSONLimits {
    fileprivate init(_ limits: Limits) {
        self.init(maximumDepth: limits.depth, maximumTokens: limits.tokens)
    }
}

/// The outcome of a request that was run.
private enum RequestOutcome {
    /// Its answer was written.
    case answered
    /// It has no answer, or gets one later on a line of its own.
    case silent
    /// The call blocks the line until it is answered; the closure begins it.
    case holding(WaitingCall, (WaitingCall) -> Void)
}
