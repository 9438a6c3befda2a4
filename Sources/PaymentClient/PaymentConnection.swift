internal import NIOCore
internal import NIOPosix
public import StrictJSON
internal import Synchronization

/// One connection to a payment queue daemon over its Unix socket.
///
/// Several tasks may call it concurrently; each receives its own reply. To survive lost replies,
/// give `add` and `restore` a fresh `key`, and repeat the call with the same key until it is
/// answered.
public final class PaymentConnection: Sendable {
    /// The notifications of this connection; only one reader may iterate them.
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
    ///   - path: The path of the daemon's socket.
    ///   - timeout: The longest time to connect.
    /// - Returns: The connection. ``close()`` or the release of the last reference closes it.
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

    /// Connects, passes the connection to a body, and always closes it afterwards.
    ///
    /// - Parameters:
    ///   - path: The path of the daemon's socket.
    ///   - timeout: The longest time to connect.
    ///   - body: The use of the connection.
    /// - Returns: The result of the body.
    /// - Throws: ``ConnectionFailure``, or the error of the body.
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

    /// Calls a method and waits for its result.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - params: The parameters, an object or an array; nil for none.
    ///   - timeout: The longest time to wait; nil for no limit. The daemon may still execute the
    ///     call after it.
    /// - Returns: The `result` of the reply.
    /// - Throws: ``RPCError`` if the daemon refused the call, ``ConnectionFailure`` if no reply
    ///   arrived, `CancellationError` if the task was cancelled.
    public func call(
        _ method: String, _ params: JSONValue? = nil, timeout: Duration? = .seconds(30)
    ) async throws -> JSONValue {
        let answer = try await reply(to: method, params, timeout: timeout)
        if let error = answer.error { throw error }
        return answer.result
    }

    /// Calls a method and waits for its reply, whether a result or an error.
    ///
    /// - Parameters:
    ///   - method: The name of the method.
    ///   - params: The parameters, an object or an array; nil for none.
    ///   - timeout: The longest time to wait; nil for no limit. The daemon may still execute the
    ///     call after it.
    /// - Returns: The reply, also if the daemon refused the call.
    /// - Throws: ``ConnectionFailure`` if no reply arrived, ``RPCError`` if the daemon refused the
    ///   whole connection, `CancellationError` if the task was cancelled.
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

    /// Sends the name of this client, for `observers`, the records of its calls and the log.
    ///
    /// The name is informative only. If the daemon refuses the connection, the next call reports
    /// it.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - timeout: The longest time to wait.
    /// - Throws: The errors of ``reply(to:_:timeout:)``.
    public func introduce(as name: String, timeout: Duration? = .seconds(30)) async throws {
        _ = try await reply(
            to: "hello", ["client": ["name": .string(name)]], timeout: timeout)
    }

    /// Closes the connection. Pending calls fail; repeated closing has no effect.
    public func close() async {
        router.eventLoop.execute { [router] in router.value.closedByOwner() }
        // A failed close means that the channel was closed already.
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
    /// Installs the router and the notifications on a new channel; runs on its event loop.
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

    /// The failure for an error of NIO.
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
