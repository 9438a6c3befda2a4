import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Going on with a connection in another process (see ``Keeping``).
extension Connection {
    /// Puts down where the connection stands, if nothing of it is under way.
    func settle() {
        guard let keeping, keeping.wantsToSettle, isQuiet else { return }
        _ = keeping.settle(keptState)
    }

    /// Whether it is kept.
    var isKept: Bool { keeping?.memory != nil }

    /// Prepares the channel for being kept.
    func prepareKeeping(_ context: ChannelHandlerContext) {
        guard let keeping else { return }
        let bound = NIOLoopBound(keeping, eventLoop: context.eventLoop)
        try? context.channel.syncOptions?.setOption(
            .recvAllocator, value: MarkingAllocator(bound))
        guard keeping.memory == nil else { return }
        keeping.begin(on: server.loop) { [self] in beKept() }
    }

    /// Has the connection kept from now on, if that is wanted here.
    ///
    /// - Returns: Whether it is kept.
    @discardableResult
    func beKept() -> Bool {
        guard let keeping, let context, !isClosing else { return false }
        let isKept = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { keeping.begin(descriptor: $0) }
        settle()
        return isKept == true
    }

    /// Notes what became of bytes that were handed to the channel.
    func didHand(_ buffer: ByteBuffer?) {
        guard let keeping else { return }
        keeping.hand(buffer, waiting: waitingBytes)
        guard !keeping.handed.isEmpty else { return settle() }
        guard !keeping.isWatched, let context, !isClosing else { return }
        keeping.isWatched = true
        // Behind all that waits; whatever comes later has its own turn.
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.assumeIsolated().whenComplete { [self] _ in
            keeping.isWatched = false
            didHand(nil)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: taken)
    }

    /// Lets go of the connection here, because it goes on in the process that comes next.
    ///
    /// - Returns: False if it cannot.
    func handOver() -> Bool {
        guard let keeping, let context, !isClosing, heldBatch == nil else { return false }
        keeping.beginChange()
        keeping.hand(nil, waiting: waitingBytes)
        var state = keptState
        state.unsent = keeping.unsent
        guard keeping.settle(state, isFinal: true) else { return false }
        keeping.isHandedOver = true
        context.close(promise: nil)
        return true
    }

    /// Goes on where the connection stood in the process before.
    func goOn(from state: KeptState) {
        requests = state.requests
        clientName = state.client
        if !state.unsent.isEmpty || !state.calls.isEmpty || !state.input.isEmpty {
            keeping?.beginChange()
        }
        outgoing.raw(state.unsent)
        for case .interrupted(let id) in state.calls where !id.isEmpty {
            outgoing.writeError(Self.interruption, idBytes: id.span)
            outgoing.endLine()
        }
        flush()
        for var place in state.subscriptions {
            // The roles may have changed between the two processes.
            if !roles.contains(.gate) { place.request.mayAnswer = false }
            subscriptions.append(server.engine.catchUp.resume(place, sink: self))
        }
        take(roles)
        input.writeBytes(pendingInput(of: state))
        setReading(true)
        offer()
    }

    /// It cannot go on after all.
    func giveUp() {
        keeping?.end()
        server.remove(self)
    }

    /// Lets bytes in, or not.
    func setReading(_ isReading: Bool) {
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    /// The answer to a call that was waiting when the process ended.
    static var interruption: ErrorObject {
        ErrorCode.internalError.object(
            kind: "restarted",
            message: "The daemon was restarted while the call was waiting; repeat the call")
    }

    /// The lines of calls that are asked again, then what was read and not run.
    private func pendingInput(of state: KeptState) -> [UInt8] {
        var bytes: [UInt8] = []
        for case .again(let line) in state.calls {
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        if state.isDropping {
            // Its beginning is gone; anything else that is too long is refused in the same way.
            bytes += [UInt8](
                repeating: UInt8(ascii: "-"), count: server.limits.requestLineBytes + 2)
        }
        return bytes + state.input
    }

    /// Whether no reply, no event and no request is on its way.
    private var isQuiet: Bool {
        !isClosing && lastWords == nil && !awaitsCommit && held.bytes.isEmpty
            && outgoing.bytes.isEmpty && heldBatch == nil
    }

    private var keptState: KeptState {
        var state = KeptState(epoch: server.engine.log.epoch, number: number)
        state.requests = requests
        state.isDropping = isInsideLongLine
        state.client = clientName
        state.subscriptions = subscriptions.map(\.place)
        state.calls = calls.map { call in
            call.line.map { .again(line: $0) } ?? .interrupted(id: call.idBytes ?? [])
        }
        if input.readableBytes > 0 { state.input = Array(input.readableBytesView) }
        return state
    }

    private var waitingBytes: Int {
        (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
