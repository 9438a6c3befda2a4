internal import NIOCore
internal import NIOPosix
public import StrictJSON
internal import Synchronization

/// One connection to a payment queue daemon over its Unix socket.
///
/// Calls may be made from several tasks at once; each gets its own answer. A client that wants to
/// be safe against lost answers gives `add` and `restore` a fresh `key` and repeats the call with
/// the same key until it is answered.
public final class PaymentConnection: Sendable {
    /// The notifications of this connection, for one reader.
    public let notifications: ServerNotifications

    let path: String
    private let channel: any Channel
    private let router: NIOLoopBound<ReplyRouter>
    private let lastID = Atomic<Int>(0)

    private init(
        path: String, channel: any Channel, router: NIOLoopBound<ReplyRouter>,
        notifications: ServerNotifications
    ) {
        self.path = path
        self.channel = channel
        self.router = router
        self.notifications = notifications
    }

    deinit {
        channel.close(promise: nil)
    }

    /// Connects to the daemon.
    ///
    /// - Parameters:
    ///   - path: The daemon's socket.
    ///   - timeout: How long to try.
    /// - Returns: The connection. It is closed by ``close()`` or when nobody holds it any more.
    /// - Throws: ``ConnectionFailure``.
    public static func connect(
        to path: String, timeout: Duration = .seconds(5)
    ) async throws -> PaymentConnection {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(TimeAmount(timeout))
        do {
            return try await bootstrap.connect(unixDomainSocketPath: path) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try wire(channel, path: path)
                }
            }
        } catch {
            throw failure(of: error, path: path)
        }
    }

    /// Connects, hands the connection over, and closes it in any case.
    ///
    /// - Parameters:
    ///   - path: The daemon's socket.
    ///   - timeout: How long to try to connect.
    ///   - body: What to do with the connection.
    /// - Returns: What the body returned.
    /// - Throws: ``ConnectionFailure``, or what the body threw.
    public static func withConnection<Result>(
        to path: String, timeout: Duration = .seconds(5),
        _ body: (PaymentConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await connect(to: path, timeout: timeout)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Calls a method and waits for its answer.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - params: Its parameters, an object or an array; nil for none.
    ///   - timeout: How long to wait; nil for ever. When it runs out the call may still be carried
    ///     out by the daemon.
    /// - Returns: The `result` of the answer.
    /// - Throws: ``RPCError`` if the daemon said no, ``ConnectionFailure`` if no answer came,
    ///   `CancellationError` if the task was cancelled.
    public func call(
        _ method: String, _ params: JSONValue? = nil, timeout: Duration? = .seconds(30)
    ) async throws -> JSONValue {
        let answer = try await reply(to: method, params, timeout: timeout)
        if let error = answer.error { throw error }
        return answer.result
    }

    /// Calls a method and waits for its answer, whatever that says.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - params: Its parameters, an object or an array; nil for none.
    ///   - timeout: How long to wait; nil for ever. When it runs out the call may still be carried
    ///     out by the daemon.
    /// - Returns: The answer as it came, also if the daemon said no.
    /// - Throws: ``ConnectionFailure`` if no answer came, ``RPCError`` if the daemon refused the
    ///   connection as a whole, `CancellationError` if the task was cancelled.
    public func reply(
        to method: String, _ params: JSONValue? = nil, timeout: Duration? = .seconds(30)
    ) async throws -> DaemonReply {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let line = Self.requestLine(id: id, method: method, params: params)
        let cancellation = CallCancellation()
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                let call = PendingCall(
                    id: id, method: method, timeout: timeout, cancellation: cancellation,
                    continuation: continuation)
                router.eventLoop.execute { [router] in router.value.send(call, line: line) }
            }
        } onCancel: {
            cancellation.cancel()
            router.eventLoop.execute { [router] in router.value.abandon(id) }
        }
    }

    /// Tells the daemon who calls, for `observers`, for the records that calls cause and for its log.
    ///
    /// Nothing depends on the name: a daemon that refuses it is heard of by the next call.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - timeout: How long to wait.
    /// - Throws: As ``reply(to:_:timeout:)``.
    public func introduce(as name: String, timeout: Duration? = .seconds(30)) async throws {
        _ = try await reply(
            to: "hello", ["client": ["name": .string(name)]], timeout: timeout)
    }

    /// Ends the connection. Calls under way fail; a second call changes nothing.
    public func close() async {
        router.eventLoop.execute { [router] in router.value.closedByOwner() }
        // The channel reports a failed close only when it was closed already.
        try? await channel.close()
    }

    private static func requestLine(id: Int, method: String, params: JSONValue?) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.raw(#"{"jsonrpc":"2.0","id":"#)
        writer.integer(id)
        writer.raw(#","method":"#)
        writer.string(method)
        if let params {
            writer.raw(#","params":"#)
            writer.value(params)
        }
        writer.raw("}\n")
        return writer.bytes
    }
}

extension PaymentConnection {
    /// Puts the router and the notifications on a new channel; runs on its event loop.
    private static func wire(_ channel: any Channel, path: String) throws -> PaymentConnection {
        let router = ReplyRouter(path: path)
        let bound = NIOLoopBound(router, eventLoop: channel.eventLoop)
        let made = ServerNotifications.Producer.makeSequence(
            backPressureStrategy: .init(lowWatermark: 64, highWatermark: 256),
            finishOnDeinit: true, delegate: ReadingDemand(bound))
        router.notifications = made.source
        try channel.pipeline.syncOperations.addHandler(router)
        return PaymentConnection(
            path: path, channel: channel, router: bound,
            notifications: ServerNotifications(producer: made.sequence))
    }

    /// Translates what NIO throws into a sentence.
    private static func failure(of error: any Error, path: String) -> any Error {
        switch error {
        case let error as IOError:
            SystemReason.failure(error.errnoCode, path: path)
        case SocketAddressError.unixDomainSocketPathTooLong:
            .pathTooLong(path) as ConnectionFailure
        case ChannelError.connectTimeout:
            .unreachable(
                path,
                because: """
                    the daemon did not accept the connection in time
                    """) as ConnectionFailure
        case is CancellationError:
            error
        default:
            .unreachable(path, because: "\(error)") as ConnectionFailure
        }
    }
}
