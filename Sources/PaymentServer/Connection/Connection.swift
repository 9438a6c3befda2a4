import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Moves the bytes of one peer between its socket and the values that hold its lines, requests and output.
///
/// Requests run in order, in the slices that ``Admission`` gives. Replies are held until their turn is on stable
/// storage. Deliveries to subscriptions are already durable and leave at once. A reply is therefore never visible
/// before its sync, and never after an event that the call caused.
final class Connection: ChannelInboundHandler, SlicedWork {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let server: ServerCore
    var caller: Caller
    var subscriptions: [Subscription] = [] {
        didSet {
            let growth = subscriptions.count - oldValue.count
            server.context.subscriptionsChanged(of: self, by: growth)
        }
    }
    /// The received lines.
    var reader: LineReader
    /// The order of requests and replies.
    var requests = RequestPipeline()
    /// The bytes on their way out.
    var output = OutputBuffer()
    /// The way in which the connection outlives the process.
    var handover: any Handover = NoHandover.shared
    /// The direct output to the socket, while the channel has one.
    var socket: SocketOutput?
    /// The end of the running slice; nil between slices.
    private(set) var sliceEnd: NIODeadline?
    private(set) var context: ChannelHandlerContext?
    private(set) var isClosing = false
    private var isOffered = false
    /// Its part of the memory that its user may use.
    var memory = MemoryPart()
    private var deadlines = PeerDeadlines()
    private var timers = PeerTimers()

    init(server: ServerCore, _ caller: Caller) {
        (self.server, self.caller) = (server, caller)
        reader = LineReader(limitBytes: server.limits.requestLineBytes)
    }

    /// The user that its work is charged to.
    var user: UInt32 { caller.peer.uid }

    /// The number of bytes that the connection holds, incoming and outgoing.
    var bufferedBytes: Int {
        reader.unreadBytes + requests.heldBytes + output.held.bytes.count
            + output.outgoing.bytes.count + waitingBytes
    }

    /// Whether the unsent events have reached their limit.
    var isFullOfEvents: Bool { output.isFullOfEvents(limitBytes: server.limits.outputBufferBytes) }

    /// The number of bytes that wait for the peer to read.
    var waitingBytes: Int { output.behindChannel + (context?.channel.waitingBytes ?? 0) }
}

extension Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        handover.begin(context.channel, on: server.loop) { [self] in enableHandover() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard requests.closingLine == nil else { return }
        var bytes = unwrapInboundIn(data)
        reader.received(&bytes)
        // The next slice may be some time away, so reading pauses now.
        if reader.isFull { controlReading() }
        offer(isInput: true)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            reader.inputEnded()
            offer(isInput: true)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        // The channel has just closed the descriptor.
        socket = nil
        timers.line?.cancel()
        timers.output?.cancel()
        handover.drop()
        server.remove(self)
        let hasAgent = subscriptions.contains { $0.request.agents.contains(.payment) }
        for subscription in subscriptions { server.engine.subscriptions.unsubscribe(subscription) }
        subscriptions.removeAll()
        // The node of an agent that has left unsubscribes it first.
        if hasAgent, caller.isRemote { server.engine.questions.agentsWereCutOff() }
        for call in requests.takeCalls() { call.abandon() }
        server.countOutput(of: self)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The peer is gone. Its accepted requests stay valid.
        context.close(promise: nil)
    }

    /// Starts or stops reading from the socket. Unread bytes stay in the kernel.
    func setReading(_ isReading: Bool) {
        reader.isPaused = !isReading
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    private func controlReading() {
        // A connection that is handed over or closed reads no more.
        guard !server.isHolding, requests.closingLine == nil else { return }
        let mustPause = reader.isFull || !hasRoomForReplies || memory.isAwaited
        if mustPause != reader.isPaused { setReading(!mustPause) }
    }
}

extension Connection {
    /// Queues the received lines, which run in the next slice of this connection.
    func offer(isInput: Bool = false) {
        guard !isOffered else { return }
        isOffered = true
        server.admission.offer(self, isInput: isInput)
    }

    /// Runs the received lines until the slice is over, or until there are enough unsent replies.
    func runSlice(until end: NIODeadline) {
        isOffered = false
        // A stopped engine accepts nothing more: its log may be closed.
        guard !isClosing, server.engine.isRunning else { return }
        sliceEnd = end
        handover.willChange()
        if requests.heldBatch != nil, server.hasMemory(for: self) {
            server.dispatcher.continueBatch(of: self)
        }
        WaitingCall.answerPostponed(of: self)
        // The next process runs the lines that a held connection has received.
        if !server.isHolding || requests.closingLine != nil { runLines(until: end) }
        sliceEnd = nil
        server.countOutput(of: self)
        settle()
        closeIfDone()
    }

    private func runLines(until end: NIODeadline) {
        var isFirst = true
        reading: while mayHoldMore, hasRoomForReplies,
            reader.isExhausted || server.hasMemory(for: self)
        {
            // The first line runs without a look at the clock, so that each slice runs at least one line.
            guard isFirst || NIODeadline.now() < end else {
                offer()
                break
            }
            isFirst = false
            switch reader.next() {
            case .line(let line): server.dispatcher.run(line.readableBytesUInt8Span, of: self)
            case .tooLong:
                output.held.writeError(
                    Failures.limit(.lineTooLong, server.limits.requestLineBytes))
                endReply()
            case .skipped: break
            case .more: break reading
            }
        }
        reader.dropServed()
        controlReading()
        act(on: deadlines.looked(unfinished: lineOwed))
    }

    /// Whether the running turn may take another request of this connection.
    private var mayHoldMore: Bool {
        requests.heldRequests < server.limits.requestsInFlight
            && output.held.bytes.count < server.limits.outputBufferBytes
    }

    /// The number of the unfinished line that the peer must complete in time; nil for a subscriber.
    private var lineOwed: UInt64? {
        subscriptions.isEmpty && requests.closingLine == nil ? reader.unfinishedLine : nil
    }

    private func act(on action: PeerDeadlines.LineAction) {
        switch action {
        case .none: return
        case .cancel: timers.line?.cancel()
        case .start:
            timers.line?.cancel()
            let seconds = Int64(server.limits.incompleteLineSeconds)
            timers.line = server.loop.scheduleTask(in: .seconds(seconds)) { [self] in
                act(on: deadlines.lineTimedOut(isExhausted: reader.isExhausted))
            }
        case .answerTimeout:
            var line = JSONWriter()
            line.writeError(Failures.timeout(afterMs: server.limits.incompleteLineSeconds * 1000))
            line.endLine()
            finish(saying: line)
        }
    }
}

extension Connection {
    /// Holds a complete reply until the turn is committed.
    func endReply() {
        requests.endReply(&output.held)
        joinTurn()
    }

    func joinTurn() {
        server.countOutput(of: self)
        if output.joinTurn() { server.engine.turn.join(self) }
    }

    func flush() {
        guard let context, !output.outgoing.bytes.isEmpty, !isClosing else { return }
        handover.willChange()
        send(context)
        server.countOutput(of: self)
        settle()
    }

    /// Passes the outgoing bytes to the socket, and queues those that it does not take.
    private func send(_ context: ChannelHandlerContext) {
        let sent = output.isWritten ? socket?.send(output.outgoing.bytes) ?? 0 : 0
        let rest = output.sent(sent, limitBytes: server.limits.outputBufferBytes)
        if rest > 0 { server.unread.shareMemory(of: self) }
        if rest > 0, deadlines.handed(rest, waiting: waitingBytes - rest) { scheduleLook(context) }
        writeNextPiece()
    }

    /// Passes the next bytes to the channel, or closes a connection whose last byte was written.
    private func writeNextPiece() {
        guard let context else { return }
        if isClosing, output.isWritten { return context.close(promise: nil) }
        guard let piece = output.nextPiece(context.channel.allocator) else { return }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [self] in
            output.wrote()
            server.countOutput(of: self)
            writeNextPiece()
            continueWithRoom()
            settle()
        }
        context.writeAndFlush(wrapOutboundOut(piece), promise: written)
    }

    private func scheduleLook(_ context: ChannelHandlerContext) {
        let time = TimeAmount.seconds(Int64(server.limits.stallSeconds))
        timers.output = server.loop.scheduleTask(in: time / PeerDeadlines.looksAtOutput) { [self] in
            switch deadlines.lookAtOutput(waiting: waitingBytes) {
            case .stop: break
            case .lookAgain: scheduleLook(context)
            case .close:
                server.countStalledClose()
                context.close(promise: nil)
            }
        }
    }

    /// Lets the requests and events behind a blocking call continue, while the call waits.
    func release(_ call: WaitingCall) {
        guard requests.release(call) else { return }
        sendNotices()
        continueWithRoom()
        if !reader.isExhausted { offer() }
    }

    /// Resumes deliveries and requests that had no room for output.
    func continueWithRoom() {
        guard !isClosing, output.hasRoomAgain(limitBytes: server.limits.outputBufferBytes) else {
            return
        }
        // Requests run before events, which fill the room again. This code may run within one of their answers.
        if reader.isPaused { offer() }
        for subscription in subscriptions { server.engine.catchUp.resume(subscription) }
    }

    /// Answers the received requests, then sends a last line and closes the connection.
    func finish(saying line: JSONWriter) {
        guard !isClosing, requests.closingLine == nil else { return }
        requests.closingLine = line
        setReading(false)
        if !reader.isExhausted || requests.waitsForMemory { offer() }
        closeIfDone()
    }

    /// Closes the connection if all is answered, and a last line is set or the peer has ended its input.
    func closeIfDone() {
        guard !isClosing, !isOffered, sliceEnd == nil, !output.awaitsCommit, !requests.isHeldUp
        else { return }
        if let line = requests.closingLine {
            guard reader.isExhausted, requests.postponedCall == nil else { return }
            // Calls that wait for a person are cancelled. Other calls only read, and clients repeat them.
            if server.isLeaving {
                for call in requests.calls where call.waitsForPerson {
                    call.cancel(ErrorCode.draining.object())
                }
                guard !isClosing, !output.awaitsCommit else { return }
            }
            close(saying: line)
        } else if reader.hasEnded, reader.unreadBytes == 0, requests.calls.isEmpty,
            subscriptions.isEmpty
        {
            close(saying: JSONWriter())
        }
    }

    /// Writes a last line, and closes the connection after it was written.
    func close(saying line: JSONWriter) {
        guard let context, !isClosing else { return }
        handover.willChange()
        output.outgoing.raw(line.bytes)
        isClosing = true
        send(context)
    }

    /// Ends all subscriptions of a peer that may not observe any more. The notices follow pending replies.
    func endSubscriptions() {
        guard !subscriptions.isEmpty else { return }
        server.deliveries.end(subscriptions, because: .roleWithdrawn, into: &requests)
        subscriptions.removeAll()
        if !requests.isHeldUp { sendNotices() }
        if reader.hasEnded { offer() }
    }

    private func sendNotices() {
        output.outgoing.raw(requests.takeNotices().bytes)
        flush()
    }
}

extension Connection: Barrier {
    func turnIsSealed() {
        output.seal()
        requests.seal()
    }

    func turnIsCommitted() {
        let isLineFree = requests.committed(output.commit())
        if caller.isRemote { output.outgoing.committed(server.engine.durableHead) }
        flush()
        if isLineFree {
            sendNotices()
            continueWithRoom()
        }
        settle()
        if !reader.isExhausted { offer() }
        closeIfDone()
    }
}

extension Connection: DeliveryTarget {
    /// Whether the peer has room for more events; false while a call blocks the line, whose reply comes first.
    var hasRoom: Bool { hasRoomForReplies && !isFullOfEvents }

    var hasRoomForReplies: Bool {
        context != nil && !requests.isHeldUp
            && !output.isFull(limitBytes: server.limits.outputBufferBytes)
    }

    func deliver(_ delivery: Delivery, to subscription: Subscription) {
        server.deliveries.write(delivery, to: subscription, caller, into: &output.outgoing)
        guard case .ended = delivery else { return }
        subscriptions.removeAll { $0 === subscription }
        if reader.hasEnded { offer() }
    }

    func flushDeliveries() { flush() }

    func nameWasReleased() {
        handover.willChange()
        settle()
    }
}
