import NIOCore
import NIOHTTP1
import NIOPosix
import PaymentClient
import Synchronization

/// Accepts browser connections on the loopback interface.
struct PageListener {
    typealias Client = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// The actual port.
    let port: Int

    /// The maximum number of connections. A browser uses six for a page, and one for the events of
    /// each tab.
    private static let connectionLimit = 64
    /// The maximum idle time of a connection.
    private static let patience = TimeAmount.seconds(60)

    private let channel: NIOAsyncChannel<any Channel, Never>

    /// Starts to listen.
    ///
    /// - Parameter port: The port; 0 selects a free one.
    /// - Returns: The listener.
    /// - Throws: ``CommandFailure`` if the port is not available.
    static func listen(on port: UInt16) async throws -> PageListener {
        do {
            let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                // Nothing is read before the handlers are installed.
                .childChannelOption(.autoRead, value: false)
                .bind(host: "127.0.0.1", port: Int(port)) {
                    $0.eventLoop.makeSucceededFuture($0)
                }
            return PageListener(port: channel.channel.localAddress?.port ?? 0, channel: channel)
        } catch let error as IOError {
            throw CommandFailure(
                .usage,
                "cannot listen on 127.0.0.1:\(port): \(SystemWords.of(error.errnoCode))",
                advice: "name another port, or none to take one that is free")
        }
    }

    /// Serves until the task is cancelled.
    func run(_ server: PageServer) async throws {
        let crowd = Crowd()
        try await channel.executeThenClose { clients in
            try await withThrowingDiscardingTaskGroup { group in
                for try await channel in clients {
                    let isTooMany = crowd.enter() > Self.connectionLimit
                    group.addTask {
                        defer { crowd.leave() }
                        // It is closed without a response, because sending one would take time.
                        guard !isTooMany else { return channel.close(promise: nil) }
                        // A browser may disconnect at any time.
                        try? await server.serve(Self.client(on: channel))
                    }
                }
            }
        }
    }

    /// Installs the handlers. That is delayed until a task serves the connection, because
    /// connections during shutdown are never served.
    private static func client(on channel: any Channel) async throws -> Client {
        try await channel.eventLoop.submit {
            let client = try wire(channel)
            channel.setOption(.autoRead, value: true).whenFailure { _ in
                channel.close(promise: nil)
            }
            return client
        }.get()
    }

    private static func wire(_ channel: any Channel) throws -> Client {
        let operations = channel.pipeline.syncOperations
        try operations.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withErrorHandling: true)
        try operations.addHandler(IdleStateHandler(allTimeout: patience))
        try operations.addHandler(IdleCloser())
        return try Client(wrappingChannelSynchronously: channel)
    }
}

/// Closes idle connections.
private final class IdleCloser: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// The number of connections.
private final class Crowd: Sendable {
    private let count = Atomic<Int>(0)

    /// Adds a connection; returns the new number.
    func enter() -> Int { count.add(1, ordering: .relaxed).newValue }

    /// Removes a connection.
    func leave() { count.subtract(1, ordering: .relaxed) }
}
