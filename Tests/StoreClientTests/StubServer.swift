import NIOCore
import StoreTesting

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
        let listener = try await Listener()
        port = listener.port
        task = Task {
            try await listener.run { try await Self.serve($0, noted, deed) }
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
        _ connection: Listener.Connection, _ noted: Shared<[Visit]>,
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
