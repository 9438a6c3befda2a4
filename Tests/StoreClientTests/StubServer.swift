import NIOCore
import NIOPosix
import StoreTesting
import Testing

/// A server that does with each request what a test says, and writes down when it came.
final class StubServer: Sendable {
    /// What is done with a request.
    enum Deed: Sendable {
        /// A status and a body.
        case answer(Int, String)
        /// An answer in order, but for blanks in front of it that come one by one, so many times.
        case drip(Int, every: Duration, String)
        /// Nothing; the connection ends.
        case hangUp
    }

    /// A request that came.
    struct Visit: Sendable {
        var method: String
        var path: String
        var time: ContinuousClock.Instant
    }

    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    let port: Int
    private let task: Task<Void, any Error>
    private let noted: Shared<[Visit]>

    /// Begins to listen.
    ///
    /// - Parameter deed: What is done with a request; it may wait.
    /// - Throws: It cannot listen.
    init(_ deed: @escaping @Sendable (Visit) async -> Deed) async throws {
        let noted = Shared<[Visit]>([])
        self.noted = noted
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Connection(wrappingChannelSynchronously: channel)
                }
            }
        port = try #require(listener.channel.localAddress?.port)
        task = Task {
            try await listener.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { group in
                    for try await connection in connections {
                        group.addTask {
                            // However a connection ends, the client has to bear it.
                            try? await Self.serve(connection, noted, deed)
                        }
                    }
                }
            }
        }
    }

    /// What came so far.
    var visits: [Visit] { noted.withLock { $0 } }

    /// Ends it.
    func stop() async {
        task.cancel()
        _ = await task.result
    }

    private static func serve(
        _ connection: Connection, _ noted: Shared<[Visit]>,
        _ deed: @Sendable (Visit) async -> Deed
    ) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var reader = RequestReader()
            for try await bytes in inbound {
                for request in reader.take(bytes) {
                    let visit = Visit(method: request.method, path: request.path, time: .now)
                    noted.withLock { $0.append(visit) }
                    switch await deed(visit) {
                    case .answer(let status, let body):
                        try await outbound.write(head(status, body.utf8.count))
                        try await outbound.write(ByteBuffer(string: body))
                    case .drip(let count, let pause, let body):
                        try await outbound.write(head(200, count + body.utf8.count))
                        for _ in 0..<count {
                            try await outbound.write(ByteBuffer(string: " "))
                            try await Task.sleep(for: pause)
                        }
                        try await outbound.write(ByteBuffer(string: body))
                    case .hangUp: return
                    }
                }
            }
        }
    }

    private static func head(_ status: Int, _ count: Int) -> ByteBuffer {
        ByteBuffer(
            string: "HTTP/1.1 \(status) X\r\ncontent-type: application/json\r\n"
                + "content-length: \(count)\r\n\r\n")
    }
}
