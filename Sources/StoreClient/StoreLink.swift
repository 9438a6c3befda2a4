import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import StoreMessages

/// One request of the Store API.
struct StoreRequest: Sendable {
    var method: HTTPMethod
    var path: String
    var body: [UInt8]?
    var headers: [(String, String)] = []

    init(_ method: HTTPMethod, _ path: String, body: [UInt8]? = nil) {
        self.method = method
        self.path = path
        self.body = body
    }
}

/// The whole answer.
struct StoreReply: Sendable {
    var status: Int
    var entityTag: String?
    var body: [UInt8]
}

/// Sends requests and reads answers; knows nothing of what they mean.
struct StoreLink: Sendable {
    private let client: HTTPClient
    private let options: HTTPStoreOptions

    /// Opens a pool of connections.
    ///
    /// - Throws: The file of trusted certificates cannot be used.
    init(_ options: HTTPStoreOptions, on group: any EventLoopGroup) throws {
        self.options = options
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(options.connectTimeout),
                read: .seconds(StoreAPI.feedSilenceSeconds)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        // Every order, every other call, what is asked only to know, and the feed, each on a connection
        // that is used again.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            2 * options.ordersInFlight + HTTPStoreOptions.questionsInFlight + 1
        configuration.connectionPool.idleTimeout = .seconds(30)
        // A connection that cannot be made is a failure of the call at once, which decides what next.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let path = options.trustRoots {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(try Self.certificates(in: path))
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// The certificates of a file.
    ///
    /// - Throws: It cannot be read, or holds something else.
    static func certificates(in path: String) throws -> [NIOSSLCertificate] {
        try NIOSSLCertificate.fromPEMFile(path)
    }

    /// Sends a request and reads the whole answer.
    ///
    /// - Throws: Nothing came, or not all of it, or too much.
    func send(
        _ request: StoreRequest, token: String?, timeout: Duration
    ) async throws -> StoreReply {
        let request = made(request, token: token)
        let client = client
        // The client's own deadline holds until the head of the answer only: a body that comes byte by
        // byte would never end.
        return try await within(timeout, orThrow: HTTPClientError.deadlineExceeded) {
            let response = try await client.execute(request, deadline: .now() + TimeAmount(timeout))
            let body = try await response.body.collect(upTo: StoreAPI.answerLimitBytes)
            return StoreReply(
                status: Int(response.status.code), entityTag: response.headers.first(name: "etag"),
                body: Array(buffer: body))
        }
    }

    /// Reads what is left of an answer that is no stream.
    func drain(_ body: HTTPClientResponse.Body, timeout: Duration) async throws {
        _ = try await within(timeout, orThrow: HTTPClientError.deadlineExceeded) {
            try await body.collect(upTo: StoreAPI.requestLimitBytes)
        }
    }

    /// Opens a stream. Its silence ends it, and the end of a day.
    func open(
        _ request: StoreRequest, token: String
    ) async throws -> (status: Int, body: HTTPClientResponse.Body) {
        let response = try await client.execute(
            made(request, token: token), deadline: .now() + .hours(24))
        return (Int(response.status.code), response.body)
    }

    /// Closes every connection.
    func close() async {
        // A pool that does not close cannot be helped.
        try? await client.shutdown()
    }

    private func made(_ request: StoreRequest, token: String?) -> HTTPClientRequest {
        var made = HTTPClientRequest(url: options.address.url(request.path))
        made.method = request.method
        made.headers.add(name: "accept", value: StoreAPI.json)
        for (name, value) in request.headers {
            made.headers.replaceOrAdd(name: name, value: value)
        }
        if let token { made.headers.add(name: "authorization", value: "Bearer \(token)") }
        if let body = request.body {
            made.headers.add(name: "content-type", value: StoreAPI.json)
            made.body = .bytes(ByteBuffer(bytes: body))
        }
        return made
    }
}
