import NIOCore
import NIOPosix
import Testing

/// Accepts connections on the loopback interface.
///
/// A connection is wrapped in the task that serves it. One that is accepted while the listener ends is served by
/// none, and an `NIOAsyncChannel` that nobody finishes traps.
struct Listener {
    typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let port: Int
    private let channel: NIOAsyncChannel<any Channel, Never>

    init() async throws {
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Nothing is read before a connection is wrapped.
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0) { $0.eventLoop.makeSucceededFuture($0) }
        port = try #require(channel.channel.localAddress?.port)
    }

    /// Serves until the task is cancelled. However a connection ends, the client has to bear it.
    func run(_ serve: @escaping @Sendable (Connection) async throws -> Void) async throws {
        try await channel.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    group.addTask { try? await serve(Self.wrap(connection)) }
                }
            }
        }
    }

    private static func wrap(_ channel: any Channel) async throws -> Connection {
        try await channel.eventLoop.submit {
            let connection = try Connection(wrappingChannelSynchronously: channel)
            channel.setOption(.autoRead, value: true).whenFailure { _ in
                channel.close(promise: nil)
            }
            return connection
        }.get()
    }
}
