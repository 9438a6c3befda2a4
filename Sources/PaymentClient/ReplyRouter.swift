internal import JSONRPC
internal import NIOCore
internal import StrictJSON
internal import Synchronization

/// The cancellation flag of a call. A call and its cancellation reach the event loop in any order.
/// The flag is set first, so that a call that arrives later sees it.
final class CallCancellation: Sendable {
    private let isSet = Atomic<Bool>(false)

    var isCancelled: Bool { isSet.load(ordering: .acquiring) }

    func cancel() {
        isSet.store(true, ordering: .releasing)
    }
}

/// A call that waits for its reply.
struct PendingCall: Sendable {
    let id: Int
    let method: String
    let timeout: Duration?
    let cancellation: CallCancellation
    let continuation: CheckedContinuation<DaemonReply, any Error>
}

/// The router of one connection's messages. It passes replies to the pending calls and all other
/// messages to the notifications.
///
/// All its methods run on the event loop of its channel.
final class ReplyRouter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The longest line in bytes. The daemon pages results above 4 MiB, so a longer line is not its
    /// protocol.
    private static let lineLimitBytes = 16 * 1024 * 1024

    var notifications: ServerNotifications.Producer.Source?

    private let path: String
    private var splitter = LineSplitter(limitBytes: lineLimitBytes)
    private var unread = ByteBuffer()
    private var pending: [Int: (call: PendingCall, deadline: Scheduled<Void>?)] = [:]
    private var context: ChannelHandlerContext?
    /// The error that ended the connection; nil while it is open.
    private var end: (any Error)?
    private var endedByOwner = false
    private var isPaused = false
    private var readWasAsked = false

    init(path: String) {
        self.path = path
    }

    // MARK: Calls

    func send(_ call: PendingCall, line: [UInt8]) {
        if call.cancellation.isCancelled {
            call.continuation.resume(throwing: CancellationError())
            return
        }
        guard let context, end == nil else {
            call.continuation.resume(throwing: end ?? ConnectionFailure.closed(path))
            return
        }
        let deadline = call.timeout.map { timeout in
            context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(timeout)) {
                self.expire(call.id, after: timeout)
            }
        }
        pending[call.id] = (call, deadline)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: line)), promise: nil)
    }

    /// Cancels a pending call. ``send(_:line:)`` cancels one that has not arrived yet.
    func abandon(_ id: Int) {
        guard let entry = pending.removeValue(forKey: id) else { return }
        entry.deadline?.cancel()
        entry.call.continuation.resume(throwing: CancellationError())
    }

    func closedByOwner() {
        endedByOwner = true
    }

    private func expire(_ id: Int, after timeout: Duration) {
        guard let entry = pending.removeValue(forKey: id) else { return }
        entry.call.continuation.resume(
            throwing: ConnectionFailure.timedOut(entry.call.method, after: timeout))
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(ConnectionFailure.lost(path))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(ConnectionFailure.lost(path))
        self.context = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The close ends the pending calls with a failure.
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if isPaused {
            readWasAsked = true
        } else {
            context.read()
        }
    }

    func resumeReading() {
        isPaused = false
        guard readWasAsked, let context else { return }
        readWasAsked = false
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if unread.readableBytes == 0 {
            unread = bytes
        } else {
            unread.writeBuffer(&bytes)
        }
        readLines(context)
    }

    private func readLines(_ context: ChannelHandlerContext) {
        while end == nil {
            switch splitter.next(in: unread.readableBytesUInt8Span, atEnd: false) {
            case .line(let range, let consumed):
                let start = unread.readerIndex + range.lowerBound
                if let line = unread.getSlice(at: start, length: range.count) {
                    route(line)
                }
                unread.moveReaderIndex(forwardBy: consumed)
            case .skip(let consumed):
                unread.moveReaderIndex(forwardBy: consumed)
            case .tooLong:
                fail(.notUnderstood(path, "a line of more than \(Self.lineLimitBytes) bytes"))
            case .needMore:
                unread.discardReadBytes()
                return
            }
        }
    }

    // MARK: Lines

    private func route(_ line: ByteBuffer) {
        let message: JSONValue
        do {
            message = try JSONValue(parsing: line.readableBytesView)
        } catch {
            return fail(.notUnderstood(path, "a line that is not JSON (\(error.kind.rawValue))"))
        }
        if let method = message["method"]?.stringValue, message["id"] == nil {
            notify(method, message["params"] ?? .null, line)
        } else if let id = message["id"]?.intValue.flatMap(Int.init(exactly:)) {
            answer(id, message, line)
        } else if let error = message["error"] {
            refuseConnection(RPCError(error, method: "the connection"))
        } else {
            fail(.notUnderstood(path, "a line that is neither an answer nor a notification"))
        }
    }

    private func answer(_ id: Int, _ message: JSONValue, _ line: ByteBuffer) {
        // A call that timed out or was cancelled is no longer pending.
        guard let entry = pending.removeValue(forKey: id) else { return }
        entry.deadline?.cancel()
        entry.call.continuation.resume(
            returning: DaemonReply(method: entry.call.method, message: message, bytes: line))
    }

    private func notify(_ method: String, _ params: JSONValue, _ line: ByteBuffer) {
        let notification = ServerNotification(
            method: method, params: params, line: String(buffer: line))
        switch notifications?.yield(notification) {
        case .stopProducing: isPaused = true
        case .produceMore, .dropped, nil: break
        }
    }

    /// Ends the connection. An error without an id concerns the whole connection or an unknown
    /// call, so no reply is reliable any more.
    private func refuseConnection(_ error: RPCError) {
        finish(error)
        context?.close(promise: nil)
    }

    private func fail(_ failure: ConnectionFailure) {
        finish(failure)
        context?.close(promise: nil)
    }

    private func finish(_ error: any Error) {
        guard end == nil else { return }
        end = endedByOwner ? ConnectionFailure.closed(path) : error
        let waiting = pending.values.sorted { $0.call.id < $1.call.id }
        pending.removeAll()
        for entry in waiting {
            entry.deadline?.cancel()
            entry.call.continuation.resume(throwing: end ?? error)
        }
        if endedByOwner {
            notifications?.finish()
        } else {
            notifications?.finish(error)
        }
        notifications = nil
    }
}
