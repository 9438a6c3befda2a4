import JSONRPC
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// One peer: its lines, its replies, its subscriptions.
///
/// Requests are run in order, when it is the connection's turn. Their replies are held until the turn is
/// on stable storage; deliveries to subscriptions are durable already and leave at once. So a reply is never
/// seen before its sync, and never after an event that the call caused.
final class Connection: ChannelInboundHandler, SlicedWork {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let server: ServerCore
    let number: UInt64
    let peer: PeerCredentials
    /// The user that its work is charged to.
    var user: UInt32 { peer.uid }
    var roles: Set<Role> { didSet { heldRoles = RoleBits(roles) } }
    private(set) var heldRoles: RoleBits
    /// The name that the client gave with `hello`.
    var clientName: OpaqueText?
    var subscriptions: [Subscription] = []
    var calls: [WaitingCall] = []
    /// Whether a call holds up everything behind it, and how far it is.
    var line = LineState.free

    /// Replies that wait for a commit: those of the turn that is under way, then of the running one.
    var held = JSONWriter()
    /// The part of `held` that belongs to the turn that is under way, where the log answers later.
    private var sealed = SealedReplies()
    /// Whether a line is being run, whose reply is half in `held`.
    var isRunningLine = false
    /// Replies to calls that the running line has ended.
    var aside = JSONWriter()
    /// Notices that are sent when no call holds up the line any more.
    private var behindLine = JSONWriter()
    /// How many requests the replies in `held` belong to.
    var heldRequests = 0
    /// Bytes that may leave.
    var outgoing = JSONWriter()
    /// How it is kept over the end of the process, if it is.
    var keeping: Keeping?

    private(set) var context: ChannelHandlerContext?
    /// The short way to the peer, while there is a channel with a socket.
    var output: SocketOutput?
    /// How many writes the pipeline was given that are not over yet.
    private var queuedWrites = 0
    /// How many bytes they have in all. A write counts whole until its last byte has left.
    private var queuedBytes = 0
    private var splitter: LineSplitter
    var input = ByteBuffer()
    /// How many requests it has made.
    var requests: UInt64 = 0
    /// Whether it waits for its turn to run lines.
    private var isOffered = false
    /// When its running slice is over.
    private(set) var sliceEnd = NIODeadline.distantFuture
    private var inputHasEnded = false
    private var isReadingPaused = false
    private var hasJoinedTurn = false
    private(set) var isClosing = false
    /// The last message, sent once the running turn is durable.
    private(set) var lastWords: JSONWriter?
    private let stall: StallWatch
    private var lineTimer: Scheduled<Void>?

    init(server: ServerCore, number: UInt64, peer: PeerCredentials) {
        self.server = server
        self.number = number
        self.peer = peer
        roles = server.access.roles(of: peer)
        heldRoles = RoleBits(roles)
        splitter = LineSplitter(limitBytes: server.limits.requestLineBytes)
        stall = StallWatch(seconds: server.limits.stallSeconds)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        prepareKeeping(context)
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
            // Its turn may be some time away.
            if input.readableBytes > server.limits.requestLineBytes * 2 { controlReading() }
        }
        offer()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            inputHasEnded = true
            offer()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosing = true
        // The descriptor was closed just now.
        output = nil
        stall.end()
        lineTimer?.cancel()
        keeping?.end()
        if keeping?.isHandedOver == true {
            for call in calls { call.handOver() }
            return server.remove(self)
        }
        for subscription in subscriptions { server.engine.subscriptions.unsubscribe(subscription) }
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

    /// Has the lines that are there run when it is this connection's turn.
    func offer(afterLook: Bool = false) {
        guard !isOffered else { return }
        isOffered = true
        server.admission.offer(self, afterLook: afterLook)
    }

    /// Runs the lines that are there, until the slice is over, the turn holds enough replies of this
    /// connection, or the peer does not read them.
    func runSlice(until end: NIODeadline) {
        isOffered = false
        sliceEnd = end
        guard !isClosing else { return settle() }
        goOnWithBatch()
        guard lastWords == nil, !server.isHolding else { return settle() }
        keeping?.beginRunning()
        var hasEndedLine = false
        var isOwedMore = false
        var isFirst = true
        reading: while mayHoldMore, hasRoom {
            // At least one line, and no look at the clock before it.
            guard isFirst || NIODeadline.now() < end else {
                offer()
                break
            }
            isFirst = false
            // A second reference, so that a request may change the connection meanwhile.
            let buffer = input
            let bytes = buffer.readableBytesUInt8Span
            switch splitter.next(in: bytes, atEnd: inputHasEnded) {
            case .line(let range, let consumed):
                hasEndedLine = true
                input.moveReaderIndex(forwardBy: consumed)
                run(bytes.extracting(range))
            case .tooLong(let consumed):
                hasEndedLine = true
                input.moveReaderIndex(forwardBy: consumed)
                let error = Failures.limit(.lineTooLong, server.limits.requestLineBytes)
                held.writeError(error)
                endHeldLine()
            case .skip(let consumed):
                // A blank line, or a piece of one that is too long and goes on.
                if !splitter.isInsideLine(remaining: 0) { hasEndedLine = true }
                input.moveReaderIndex(forwardBy: consumed)
            case .needMore:
                isOwedMore = true
                break reading
            }
        }
        dropServedInput()
        controlReading()
        watchLine(isAnother: hasEndedLine, isOwedMore: isOwedMore)
        keeping?.endRunning()
        settle()
        closeIfDone()
    }

    /// Whether the running turn may take another request of this connection.
    private var mayHoldMore: Bool {
        heldRequests < server.limits.requestsInFlight
            && held.bytes.count < server.limits.outputBufferBytes
    }

    /// Gives the room of lines that were served back, also to a peer that never pauses at the end
    /// of a line.
    private func dropServedInput() {
        if input.readableBytes == 0 {
            input = ByteBuffer()
        } else if input.readerIndex > server.limits.requestLineBytes {
            input.discardReadBytes()
        }
    }

    func endHeldLine() {
        held.endLine()
        heldRequests += 1
        joinTurn()
    }

    func joinTurn() {
        guard !hasJoinedTurn else { return }
        hasJoinedTurn = true
        server.engine.turn.join(self)
    }

    // MARK: Output

    func flush() {
        guard let context, !outgoing.bytes.isEmpty, !isClosing else { return }
        keeping?.beginChange()
        // What the pipeline still holds was said earlier.
        let sent = queuedWrites == 0 ? output?.send(outgoing.bytes) ?? 0 : 0
        let rest =
            sent < outgoing.bytes.count
            ? context.channel.allocator.buffer(bytes: outgoing.bytes[sent...]) : nil
        outgoing.removeAll()
        if rest != nil || outgoing.bytes.capacity > server.limits.outputBufferBytes {
            // Whoever reads slowly is not kept an empty room beside the full one.
            outgoing = JSONWriter()
        }
        if let rest { queue(rest, context) }
        // A kept connection puts down what has not left, so only now.
        if keeping != nil { didHand(rest) }
    }

    /// Lets the pipeline write as the peer reads.
    private func queue(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        watchStall(context, handing: buffer)
        let count = buffer.readableBytes
        queuedWrites += 1
        queuedBytes += count
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in
            queuedWrites -= 1
            queuedBytes -= count
            goOnWithRoom()
        }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: written)
    }

    /// Goes on with what had no room, once half of it is free: refilling it for each byte that the
    /// peer takes would cost more than it brings.
    private func goOnWithRoom() {
        guard !isClosing, queuedBytes <= server.limits.outputBufferBytes / 2 else { return }
        for subscription in subscriptions { server.engine.catchUp.resume(subscription) }
        // Not within whatever made the room: it may be running a request.
        if isReadingPaused { offer() }
    }

    /// Closes in good order: what was asked is answered first, then comes the last line.
    func closeInOrder(saying line: JSONWriter) {
        guard !isClosing else { return }
        // What waits for somebody ends with this process, and its caller is told so. What only asks is
        // asked again by whoever finds its connection gone. A batch has neither.
        if !isHeldUp {
            for call in calls where call.waitsForSomebody {
                call.cancel(ErrorCode.draining.object())
            }
        }
        if awaitsCommit || isHeldUp { lastWords = line } else { close(saying: line) }
    }

    /// Writes a last line and closes when it is out.
    private func close(saying line: JSONWriter?) {
        guard let context, !isClosing else { return }
        keeping?.beginChange()
        if let line { outgoing.raw(line.bytes) }
        let buffer = context.channel.allocator.buffer(bytes: outgoing.bytes)
        outgoing.removeAll()
        isClosing = true
        watchStall(context, handing: buffer)
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: written)
    }

    /// Whether anything of it waits for a commit.
    var awaitsCommit: Bool { hasJoinedTurn || sealed.bytes != nil }

    /// A half-closed peer is served until nothing more can come for it.
    func closeIfDone() {
        guard inputHasEnded, !isClosing, input.readableBytes == 0, calls.isEmpty,
            subscriptions.isEmpty, held.bytes.isEmpty, !awaitsCommit, !isHeldUp
        else { return }
        close(saying: nil)
    }

    /// Holds other roles from now on. Who may not look is told nothing more, and who may not answer is
    /// nobody who was asked.
    func take(_ roles: Set<Role>) {
        self.roles = roles
        let agents = Set(
            AgentKind.allCases.filter { kind in
                roles.contains(.gate) && (kind != .login || roles.contains(.buy))
            })
        for subscription in subscriptions {
            server.engine.catchUp.allow(
                subscription, toAnswer: roles.contains(.gate), asAgents: agents)
        }
        guard !roles.contains(.observe), !subscriptions.isEmpty else { return }
        for subscription in subscriptions {
            server.engine.subscriptions.unsubscribe(subscription)
            // Behind the reply to the call that made it, which a batch may still be held up with.
            behindLine.ended(
                subscription: SubscriptionID(subscription.number), reason: .roleWithdrawn,
                last: subscription.previous)
        }
        subscriptions.removeAll()
        if !isHeldUp { sendBehindLine() }
    }

    private func sendBehindLine() {
        outgoing.raw(behindLine.bytes)
        behindLine = JSONWriter()
        flush()
    }

    // MARK: Limits

    /// How many bytes the connection holds, on their way in or out.
    var bufferedBytes: Int {
        let waiting = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        return input.readableBytes + held.bytes.count + outgoing.bytes.count + waiting
            + (heldBatch?.bytes ?? 0)
    }

    /// Whether it has as much to send as it may hold.
    var isFull: Bool {
        outgoing.bytes.count + queuedBytes >= server.limits.outputBufferBytes
    }

    /// Whether it is in the middle of a line that is too long.
    var isInsideLongLine: Bool { splitter.isInsideLine(remaining: 0) }

    /// How much room its input takes, bytes that were served included.
    var inputCapacityBytes: Int { input.capacity }

    private func controlReading() {
        // Whoever is held is let go of soon.
        guard !server.isHolding else { return }
        let mustPause = input.readableBytes > server.limits.requestLineBytes * 2 || !hasRoom
        guard mustPause != isReadingPaused, let context else { return }
        isReadingPaused = mustPause
        try? context.channel.syncOptions?.setOption(.autoRead, value: !mustPause)
    }

    /// An unfinished line has a time to end, unless its sender cannot send any more or stays for
    /// the events.
    ///
    /// - Parameters:
    ///   - isAnother: Whether the line that was watched has ended.
    ///   - isOwedMore: Whether nothing is left that could be run without more bytes.
    private func watchLine(isAnother: Bool, isOwedMore: Bool) {
        let isUnfinished =
            isOwedMore && splitter.isInsideLine(remaining: input.readableBytes) && !inputHasEnded
            && subscriptions.isEmpty
        if isAnother || !isUnfinished {
            lineTimer?.cancel()
            lineTimer = nil
        }
        guard isUnfinished, lineTimer == nil, let loop = context?.eventLoop.assumeIsolated() else {
            return
        }
        let patience = TimeAmount.seconds(Int64(server.limits.incompleteLineSeconds))
        lineTimer = loop.scheduleTask(in: patience) { [self] in
            lineTimer = nil
            var line = JSONWriter()
            line.writeError(Failures.timeout(afterMs: server.limits.incompleteLineSeconds * 1000))
            line.endLine()
            close(saying: line)
        }
    }

    private func watchStall(_ context: ChannelHandlerContext, handing buffer: ByteBuffer) {
        stall.watch(context.channel, handed: buffer.readableBytes) { [self] in
            server.countStalledClose()
            context.close(promise: nil)
        }
    }
}

/// The replies of a turn that was handed to a log which answers later.
private struct SealedReplies {
    /// How many bytes they have; nil if no turn is under way.
    var bytes: Int?
    /// How many requests they belong to.
    var requests = 0
    /// Whether the answer of the call that held up the line is among them.
    var endsLine = false
}

extension Connection: TurnParticipant {
    func turnIsSealed() {
        sealed.bytes = held.bytes.count
        sealed.requests = heldRequests
        if case .answered = line { sealed.endsLine = true }
        hasJoinedTurn = false
    }

    func turnIsDurable() {
        let wasHeldUp = isHeldUp
        releaseReplies()
        if let lastWords, !isHeldUp, !awaitsCommit { return close(saying: lastWords) }
        flush()
        if wasHeldUp, !isHeldUp {
            sendBehindLine()
            goOnWithRoom()
        }
        settle()
        if input.readableBytes > 0 { offer(afterLook: true) }
        closeIfDone()
    }
}

extension Connection {
    /// Lets go of the replies that are committed: those that were sealed, otherwise all.
    private func releaseReplies() {
        if let count = sealed.bytes, count < held.bytes.count || hasJoinedTurn {
            outgoing.bytes += held.bytes[..<count]
            held.bytes.removeSubrange(..<count)
            heldRequests -= sealed.requests
            if sealed.endsLine { line = .free }
        } else {
            if outgoing.bytes.isEmpty {
                swap(&outgoing, &held)
            } else {
                outgoing.raw(held.bytes)
            }
            held.removeAll()
            hasJoinedTurn = false
            heldRequests = 0
            if case .answered = line { line = .free }
        }
        sealed = SealedReplies()
    }
}

extension Connection: SubscriptionSink {
    /// Bytes that the pipeline still holds count too, so that a peer that reads nothing never makes
    /// the daemon hold more than the limit and the last message that was begun below it.
    ///
    /// There is none either while a call holds up the line: what it causes is told behind its reply.
    var hasRoom: Bool {
        context != nil && !isHeldUp && !isFull
    }

    func deliver(_ delivery: Delivery, to subscription: Subscription) {
        server.deliveries.write(delivery, to: subscription, into: &outgoing)
        if case .ended = delivery { subscriptions.removeAll { $0 === subscription } }
    }

    func flushDeliveries() {
        flush()
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
