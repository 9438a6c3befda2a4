internal import Glibc
package import Logging
package import NIOCore

/// Limits the connections of a listener, and pauses it while the process or the machine lacks
/// descriptors or memory.
///
/// A connection beyond the limit is answered and closed.
///
/// A failed `accept` leaves the waiting connection in place, so the listener stays readable and its
/// loop would call `accept` again at once, on a whole processor. This handler stops reading for a
/// moment instead. It keeps one descriptor in reserve: with it, one waiting connection per failure
/// is accepted, answered and closed, so that a client receives an answer instead of silence.
///
/// It must be the first handler of the listening channel.
package final class AcceptPause: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel

    /// The reason to close a connection that was just accepted.
    package enum Reason: Sendable, Hashable {
        /// As many connections are open as there may be.
        case limit
        /// The process or the machine lacks something, in the words of the system.
        case shortage(String)
    }

    /// The time without accepting after a failure.
    package static let pause = TimeAmount.milliseconds(100)
    /// The minimum time between two warnings.
    package static let reportInterval = TimeAmount.seconds(5)
    private static let passing: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private let limit: Int
    private let farewell: (Reason) -> [UInt8]
    private let log: Logger
    private var openCount = 0
    private var reserve: CInt = -1
    private var resumption: Scheduled<Void>?
    private var unreported = 0
    private var nextReport = NIODeadline.distantPast

    /// Creates the handler of one listener.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of open connections.
    ///   - farewell: Returns the bytes that a client receives before its connection is closed; none
    ///     if the protocol does not permit any, such as TLS.
    ///   - log: The log for warnings.
    package init(
        limit: Int = .max, farewell: @escaping (Reason) -> [UInt8], log: Logger
    ) {
        self.limit = limit
        self.farewell = farewell
        self.log = log
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        openReserve()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        resumption?.cancel()
        closeReserve()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        guard openCount < limit else {
            return channel.turnAway(farewell(.limit))
        }
        openCount += 1
        channel.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { [self] _ in
            openCount -= 1
        }
        context.fireChannelRead(data)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, Self.passing.contains(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        turnOneAway(context, for: .shortage(Self.text(of: failure).lowercased()))
        report(failure, now: context.eventLoop.now)
        pause(context)
    }

    private func pause(_ context: ChannelHandlerContext) {
        guard resumption == nil else { return }
        let channel = context.channel
        // Both options are set synchronously on the loop of the channel.
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        resumption = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [self] in
            resumption = nil
            if reserve < 0 { openReserve() }
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }

    private func report(_ failure: IOError, now: NIODeadline) {
        unreported += 1
        guard now >= nextReport else { return }
        log.warning(
            "cannot accept connections; clients are turned away until descriptors are free",
            metadata: [
                "reason": "\(Self.text(of: failure))",
                "failures": "\(unreported)",
            ])
        unreported = 0
        nextReport = now + Self.reportInterval
    }

    private static func text(of failure: IOError) -> String {
        String(cString: strerror(failure.errnoCode))
    }

    /// Accepts and closes one waiting connection in place of the reserve.
    private func turnOneAway(_ context: ChannelHandlerContext, for reason: Reason) {
        guard let listener = context.channel.descriptor, reserve >= 0 else { return }
        closeReserve()
        defer { openReserve() }
        let visitor = accept(listener, nil, nil)
        guard visitor >= 0 else { return }
        answer(farewell(reason), on: visitor)
        close(visitor)
    }

    private func openReserve() {
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    private func closeReserve() {
        if reserve >= 0 { close(reserve) }
        reserve = -1
    }
}

@available(*, unavailable)
extension AcceptPause: Sendable {}

/// Sends the farewell on a socket that is closed next, without waiting.
private func answer(_ farewell: [UInt8], on socket: CInt) {
    let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    _ = farewell.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
    shutdown(socket, Int32(SHUT_WR))
    // TCP discards the answer at the client if received bytes are still unread at the close.
    var discarded = [UInt8](repeating: 0, count: 16 * 1024)
    _ = recv(socket, &discarded, discarded.count, flags)
}

extension Channel {
    /// Sends a farewell without waiting and closes the channel, which has just been accepted and has
    /// written nothing. Both happen later on its loop, because it can be closed only after it is
    /// registered. May be called from any thread.
    package func turnAway(_ farewell: [UInt8]) {
        eventLoop.execute {
            if let descriptor = self.descriptor { answer(farewell, on: descriptor) }
            self.close(promise: nil)
        }
    }

    /// The descriptor of its socket; nil if it has none. Must be called on its loop.
    package var descriptor: NIOBSDSocket.Handle? {
        try? pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
    }
}
