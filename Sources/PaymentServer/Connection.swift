import JSONRPC
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// One peer: its lines, its replies, its subscriptions.
///
/// Requests are run as they are read, in order. What they answer is held until the turn is on stable
/// storage; what subscriptions deliver is durable already and leaves at once. So a reply is never
/// seen before its sync, and never after an event that the call caused.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let server: ServerCore
    let number: UInt64
    let peer: PeerCredentials
    var roles: Set<Role>
    /// The name that the client gave with `hello`.
    var clientName: OpaqueText?
    var subscriptions: [Subscription] = []
    var calls: [WaitingCall] = []

    /// Replies of the running turn.
    var held = JSONWriter()
    /// How many requests the replies in `held` belong to.
    var heldRequests = 0
    /// What may leave.
    private var outgoing = JSONWriter()

    private var context: ChannelHandlerContext?
    private var splitter: LineSplitter
    private var input = ByteBuffer()
    private var requests: UInt64 = 0
    private var inputHasEnded = false
    private var isReadingPaused = false
    private var hasJoinedTurn = false
    private var isClosing = false
    private let stall = StallWatch()
    private var lineTimer: Scheduled<Void>?

    init(server: ServerCore, number: UInt64, peer: PeerCredentials) {
        self.server = server
        self.number = number
        self.peer = peer
        roles = server.access.roles(of: peer)
        splitter = LineSplitter(limitBytes: server.limits.requestLineBytes)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if input.readableBytes == 0 {
            input = bytes
        } else {
            input.writeBuffer(&bytes)
        }
        readLines()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            inputHasEnded = true
            readLines()
            closeIfDone()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            stall.end()
            for subscription in subscriptions { server.engine.resume(subscription) }
            readLines()
        } else {
            watchStall()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        stall.end()
        lineTimer?.cancel()
        for subscription in subscriptions { server.engine.unsubscribe(subscription) }
        subscriptions.removeAll()
        for call in calls { call.abandon() }
        calls.removeAll()
        server.remove(self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The peer is gone; what it asked for stands.
        context.close(promise: nil)
    }

    // MARK: Requests

    /// Runs the lines that are there, until the turn holds enough replies of this connection or the
    /// peer does not read them.
    func readLines() {
        guard !isClosing else { return }
        let limit = server.limits.requestsInFlight
        reading: while heldRequests < limit, hasRoom {
            // A second reference, so that a request may change the connection meanwhile.
            let buffer = input
            let bytes = buffer.readableBytesUInt8Span
            switch splitter.next(in: bytes, atEnd: inputHasEnded) {
            case .line(let range, let consumed):
                input.moveReaderIndex(forwardBy: consumed)
                run(bytes.extracting(range))
            case .tooLong(let consumed):
                input.moveReaderIndex(forwardBy: consumed)
                let error = Failures.limit(.lineTooLong, server.limits.requestLineBytes)
                held.writeError(error)
                endHeldLine()
            case .skip(let consumed):
                input.moveReaderIndex(forwardBy: consumed)
            case .needMore:
                break reading
            }
        }
        if input.readableBytes == 0 { input = ByteBuffer() }
        controlReading()
        armLineTimer()
    }

    /// Gives a call that has to wait its answer later, within a turn.
    func end(_ call: WaitingCall, _ write: (inout JSONWriter) -> Void) {
        calls.removeAll { $0 === call }
        guard !isClosing else { return }
        if call.idBytes != nil {
            write(&held)
            held.endLine()
            joinTurn()
        } else {
            closeIfDone()
        }
    }

    private func run(_ line: Span<UInt8>) {
        switch server.scanner.scan(line, batchLimit: server.limits.batchElements) {
        case .request(let envelope):
            if run(envelope, line, inBatch: false) { endHeldLine() }
        case .batch(let elements):
            runBatch(elements, line)
        case .fault(let fault):
            held.writeError(fault, in: line)
            endHeldLine()
        }
    }

    private func runBatch(_ elements: [BatchElement], _ line: Span<UInt8>) {
        let start = held.bytes.count
        held.bytes.append(UInt8(ascii: "["))
        var isEmpty = true
        // The scanner's tape serves one line at a time; nothing that runs here scans another.
        for element in elements {
            let mark = held.bytes.count
            if !isEmpty { held.bytes.append(UInt8(ascii: ",")) }
            let hasAnswered: Bool
            switch element {
            case .request(let envelope):
                hasAnswered = run(envelope, line, inBatch: true)
            case .fault(let fault):
                held.writeError(fault, in: line)
                hasAnswered = true
            }
            if hasAnswered { isEmpty = false } else { held.bytes.removeSubrange(mark...) }
        }
        guard !isEmpty else { return held.bytes.removeSubrange(start...) }
        held.bytes.append(UInt8(ascii: "]"))
        endHeldLine()
    }

    /// Runs one request and writes its answer, if it has one now.
    ///
    /// - Returns: Whether an answer was written.
    private func run(
        _ envelope: RequestEnvelope, _ line: Span<UInt8>, inBatch: Bool
    ) -> Bool {
        requests += 1
        let start = held.bytes.count
        do throws(ErrorObject) {
            let method = try server.methods.entry(envelope.method, server.scanner.tape, line)
            guard roles.contains(method.spec.role) else {
                throw Failures.forbidden(need: method.spec.role)
            }
            let request = Request(connection: self, number: requests, isInBatch: inBatch)
            let later = try method.run(request, server.scanner.tape, envelope, line)
            if let later {
                guard !inBatch else { throw Failures.waitInBatch }
                try begin(later, envelope, line)
                return false
            }
        } catch {
            held.bytes.removeSubrange(start...)
            if let id = envelope.id { held.writeError(error, idBytes: line.extracting(id)) }
        }
        if let id = envelope.id, held.bytes.count - start > server.limits.replyLineBytes {
            let error = Failures.resultTooLarge(
                size: held.bytes.count - start, limit: server.limits.replyLineBytes)
            held.bytes.removeSubrange(start...)
            held.writeError(error, idBytes: line.extracting(id))
        }
        if envelope.isNotification { joinTurn() }
        return !envelope.isNotification
    }

    private func begin(
        _ start: (WaitingCall) -> Void, _ envelope: RequestEnvelope, _ line: Span<UInt8>
    ) throws(ErrorObject) {
        guard calls.count < server.limits.waitingCalls else {
            throw Failures.limit(.tooManyInFlight, server.limits.waitingCalls)
        }
        let id = envelope.id.map { range in
            var bytes: [UInt8] = []
            let span = line.extracting(range)
            for index in span.indices { bytes.append(span[index]) }
            return bytes
        }
        let call = WaitingCall(connection: self, idBytes: id)
        calls.append(call)
        start(call)
    }

    private func endHeldLine() {
        held.endLine()
        heldRequests += 1
        joinTurn()
    }

    private func joinTurn() {
        guard !hasJoinedTurn else { return }
        hasJoinedTurn = true
        server.engine.join(self)
    }

    // MARK: Output

    private func flush() {
        guard let context, !outgoing.bytes.isEmpty, !isClosing else { return }
        let buffer = context.channel.allocator.buffer(bytes: outgoing.bytes)
        outgoing.removeAll()
        if outgoing.bytes.capacity > server.limits.outputBufferBytes { outgoing = JSONWriter() }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    /// Writes a last line and closes when it is out.
    func close(saying line: JSONWriter?) {
        guard let context, !isClosing else { return }
        if let line { outgoing.raw(line.bytes) }
        let buffer = context.channel.allocator.buffer(bytes: outgoing.bytes)
        outgoing.removeAll()
        isClosing = true
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: written)
    }

    /// A half-closed peer is served until nothing more can come for it.
    private func closeIfDone() {
        guard inputHasEnded, !isClosing, input.readableBytes == 0, calls.isEmpty,
            subscriptions.isEmpty, held.bytes.isEmpty, !hasJoinedTurn
        else { return }
        close(saying: nil)
    }

    // MARK: Limits

    private func controlReading() {
        let mustPause = input.readableBytes > server.limits.requestLineBytes * 2 || !hasRoom
        guard mustPause != isReadingPaused, let context else { return }
        isReadingPaused = mustPause
        try? context.channel.syncOptions?.setOption(.autoRead, value: !mustPause)
    }

    /// An unfinished line has a time to end, unless its sender cannot send any more or stays for
    /// the events.
    private func armLineTimer() {
        let isInsideLine =
            splitter.isInsideLine(remaining: input.readableBytes) && !inputHasEnded
            && subscriptions.isEmpty
        guard isInsideLine, heldRequests < server.limits.requestsInFlight else {
            lineTimer?.cancel()
            lineTimer = nil
            return
        }
        guard lineTimer == nil, let loop = context?.eventLoop.assumeIsolated() else { return }
        let patience = TimeAmount.seconds(Int64(server.limits.incompleteLineSeconds))
        lineTimer = loop.scheduleTask(in: patience) { [self] in
            lineTimer = nil
            var line = JSONWriter()
            line.writeError(Failures.timeout(afterMs: server.limits.incompleteLineSeconds * 1000))
            line.endLine()
            close(saying: line)
        }
    }

    private func watchStall() {
        guard let context else { return }
        stall.begin(context.channel, seconds: server.limits.stallSeconds) { [self] in
            server.countStalledClose()
            context.close(promise: nil)
        }
    }
}

extension Connection: TurnParticipant {
    func turnIsDurable() {
        hasJoinedTurn = false
        heldRequests = 0
        if outgoing.bytes.isEmpty {
            swap(&outgoing, &held)
        } else {
            outgoing.raw(held.bytes)
        }
        held.removeAll()
        flush()
        if input.readableBytes > 0 { server.continueReading(self) }
        closeIfDone()
    }
}

extension Connection: SubscriptionSink {
    var hasRoom: Bool {
        context?.channel.isWritable == true
            && outgoing.bytes.count < server.limits.outputBufferBytes
    }

    func deliver(_ delivery: Delivery, to subscription: Subscription) {
        server.deliveries.write(delivery, to: subscription, into: &outgoing)
        if case .ended = delivery { subscriptions.removeAll { $0 === subscription } }
    }

    func flushDeliveries() {
        flush()
    }
}
