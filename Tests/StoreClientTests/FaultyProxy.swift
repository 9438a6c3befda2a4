import AsyncHTTPClient
import NIOCore
import NIOPosix
import PaymentTesting
import StoreTesting
import Synchronization
import Testing

/// A proxy that treats requests badly, by a seed: between the client and the server under test.
final class FaultyProxy: Sendable {
    /// What is done to one request.
    enum Fault: CaseIterable {
        /// Passed on, answered.
        case none
        /// Cut before the server heard of it.
        case dropRequest
        /// The server did it; nobody hears.
        case dropAnswer
        /// The server did it; half of the answer arrives.
        case truncate
        /// Passed on later than others.
        case delay
        /// The server hears it twice.
        case duplicate
        /// An error of the proxy's own, before the server heard of it.
        case error500, error503
        /// An error in place of the server's answer.
        case error503After
        /// A page that is none of the API.
        case page
        /// Bytes that are no HTTP.
        case garbage
    }

    private struct Plan: Sendable {
        var generator: SeededGenerator
        let percent: UInt64
        var counts: [Fault: Int] = [:]

        mutating func next() -> Fault {
            var fault = Fault.none
            if generator.next() % 100 < percent {
                fault = Fault.allCases[Int(generator.next() % UInt64(Fault.allCases.count))]
            }
            counts[fault, default: 0] += 1
            return fault
        }
    }

    private let task: Task<Void, any Error>
    private let client = HTTPClient(
        eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton))
    private let faults: Shared<Plan>
    let port: Int

    /// How often each fault was played.
    var counts: [Fault: Int] { faults.withLock { $0.counts } }

    /// Begins to listen in front of a server.
    ///
    /// - Parameters:
    ///   - server: The port of the server.
    ///   - seed: Decides about every request.
    ///   - percent: How many of a hundred requests something happens to.
    /// - Throws: It cannot listen.
    convenience init(server: Int, seed: UInt64, percent: UInt64) async throws {
        self.init(listener: try await Listener(), server: server, seed: seed, percent: percent)
    }

    private init(listener: Listener, server: Int, seed: UInt64, percent: UInt64) {
        let plan = Shared(Plan(generator: SeededGenerator(seed: seed), percent: percent))
        faults = plan
        port = listener.port
        task = Task { [client] in
            try await listener.run { try await Self.serve($0, to: server, by: client, plan) }
        }
    }

    /// Ends it if a test failed before ``stop()``.
    deinit {
        task.cancel()
        client.shutdown { _ in }
    }

    /// Ends it.
    func stop() async throws {
        task.cancel()
        _ = await task.result
        try await client.shutdown()
    }

    private static func serve(
        _ connection: Listener.Connection, to server: Int,
        by client: HTTPClient, _ plan: Shared<Plan>
    ) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var reader = RequestReader()
            for try await bytes in inbound {
                for request in reader.take(bytes) {
                    guard !request.path.hasSuffix("/feed") else {
                        return try await stream(request, to: server, by: client, into: outbound)
                    }
                    guard
                        let answer = try await answer(
                            request, to: server, by: client, fault: plan.withLock { $0.next() })
                    else { return }
                    try await outbound.write(ByteBuffer(bytes: answer.bytes))
                    if answer.isLast { return }
                }
            }
        }
    }

    private static func answer(
        _ request: RequestReader.Request, to server: Int, by client: HTTPClient, fault: Fault
    ) async throws -> (bytes: [UInt8], isLast: Bool)? {
        switch fault {
        case .dropRequest: return nil
        case .error500: return (page(500, "{\"oh\":\"no\"}"), false)
        case .error503: return (page(503, "<h1>Service Unavailable</h1>"), false)
        case .page: return (page(200, "<html><body>Welcome to the Wi-Fi</body></html>"), false)
        case .garbage: return (Array("\u{1}\u{2}no HTTP at all\r\n\r\n\u{0}".utf8), true)
        case .delay: try await Task.sleep(for: .milliseconds(30))
        case .none, .dropAnswer, .truncate, .duplicate, .error503After: break
        }
        let whole = try await forward(request, to: server, by: client)
        switch fault {
        case .dropAnswer: return nil
        case .truncate: return (Array(whole.prefix(whole.count - 7)), true)
        case .duplicate: return (try await forward(request, to: server, by: client), false)
        case .error503After: return (page(503, "{}"), false)
        default: return (whole, false)
        }
    }

    private static func forward(
        _ request: RequestReader.Request, to server: Int, by client: HTTPClient
    ) async throws -> [UInt8] {
        let response = try await client.execute(
            request.forwarded(to: server), timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 16 << 20)
        var head = "HTTP/1.1 \(response.status.code) X\r\n"
        for (name, value) in response.headers
        where name.lowercased() != "content-length" && name.lowercased() != "transfer-encoding" {
            head += "\(name): \(value)\r\n"
        }
        if response.status.code != 204 && response.status.code != 304 {
            head += "content-length: \(body.readableBytes)\r\n"
        }
        return Array((head + "\r\n").utf8) + Array(buffer: body)
    }

    private static func stream(
        _ request: RequestReader.Request, to server: Int, by client: HTTPClient,
        into outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        let response = try await client.execute(
            request.forwarded(to: server), timeout: .hours(1))
        try await outbound.write(
            ByteBuffer(
                string: "HTTP/1.1 \(response.status.code) X\r\n"
                    + "content-type: text/event-stream\r\nconnection: close\r\n\r\n"))
        for try await bytes in response.body { try await outbound.write(bytes) }
    }

    private static func page(_ status: Int, _ text: String) -> [UInt8] {
        Array("HTTP/1.1 \(status) X\r\ncontent-length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
    }
}

/// Finds whole requests in what a client sends: as much of HTTP as the client under test uses.
struct RequestReader {
    struct Request {
        var method = ""
        var path = ""
        var headers: [(String, String)] = []
        var body: [UInt8] = []

        func forwarded(to port: Int) -> HTTPClientRequest {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
            request.method = .init(rawValue: method)
            for (name, value) in headers
            where !["host", "content-length", "connection"].contains(name.lowercased()) {
                request.headers.add(name: name, value: value)
            }
            if !body.isEmpty || method == "PUT" {
                request.body = .bytes(ByteBuffer(bytes: body))
            }
            return request
        }
    }

    private var bytes: [UInt8] = []

    /// Takes bytes and gives the requests that they complete.
    mutating func take(_ buffer: ByteBuffer) -> [Request] {
        bytes += Array(buffer: buffer)
        var requests: [Request] = []
        while let request = next() { requests.append(request) }
        return requests
    }

    private mutating func next() -> Request? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let headLength = text[..<end.upperBound].utf8.count
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return nil }
        var request = Request(method: String(words[0]), path: String(words[1]))
        var length = 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = String(line[..<colon])
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            request.headers.append((name, String(value)))
            if name.lowercased() == "content-length" { length = Int(value) ?? 0 }
        }
        guard bytes.count >= headLength + length else { return nil }
        request.body = Array(bytes[headLength..<headLength + length])
        bytes.removeFirst(headLength + length)
        return request
    }
}
