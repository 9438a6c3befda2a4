import NIOCore
import NIOHTTP1
import NIOPosix
import PaymentClient
import Synchronization

/// Accepts browsers on the loopback.
struct PageListener {
    typealias Client = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// The port that was taken.
    let port: Int

    /// Most connections at once: a browser takes six for a page, and one for the events of each tab.
    private static let connectionLimit = 64
    /// How long a connection may be without a byte in either direction.
    private static let patience = TimeAmount.seconds(60)

    private let channel: NIOAsyncChannel<any Channel, Never>

    /// Listens.
    ///
    /// - Parameter port: The port; 0 is any that is free.
    /// - Returns: The listener.
    /// - Throws: ``CommandFailure`` if the port cannot be had.
    static func listen(on port: UInt16) async throws -> PageListener {
        do {
            let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                // Nothing is read before the handlers are there.
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
                        // Closed without an answer, which it would have to wait for.
                        guard !isTooMany else { return channel.close(promise: nil) }
                        // A browser may go away at any moment.
                        try? await server.serve(Self.client(on: channel))
                    }
                }
            }
        }
    }

    /// The handlers are added here and not when a connection is accepted: a client that is not served,
    /// because the server is ending, must not be made.
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

/// Closes a connection on which nothing moves.
private final class IdleCloser: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// How many connections there are.
private final class Crowd: Sendable {
    private let count = Atomic<Int>(0)

    /// One more; returns how many there are with it.
    func enter() -> Int { count.add(1, ordering: .relaxed).newValue }

    /// One less.
    func leave() { count.subtract(1, ordering: .relaxed) }
}
