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

/// The complete answer to a request.
struct StoreReply: Sendable {
    var status: Int
    var entityTag: String?
    var body: [UInt8]
}

/// The HTTP transport of the Store API. It does not interpret the messages.
final class StoreLink: Sendable {
    private let client: HTTPClient
    private let options: HTTPStoreOptions

    /// Creates a connection pool.
    ///
    /// - Throws: The file of trusted certificates cannot be read.
    init(_ options: HTTPStoreOptions, on group: any EventLoopGroup) throws {
        self.options = options
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(options.connectTimeout),
                read: .seconds(StoreAPI.feedSilenceSeconds)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        // The pool has one reusable connection for each order, each other call, each read-only call
        // and the feed.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            2 * options.ordersInFlight + HTTPStoreOptions.questionsInFlight + 1
        configuration.connectionPool.idleTimeout = .seconds(30)
        // A failed connection fails the call at once. The call decides whether to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.cipherSuiteValues = Self.suites
        if let bytes = options.trustRoots {
            tls.trustRoots = .certificates(try Self.certificates(in: bytes))
        }
        configuration.tlsConfiguration = tls
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// Closes the connections if ``close()`` was not called; the library traps without it in debug builds.
    deinit { client.shutdown { _ in } }

    /// The suites for TLS 1.2, with forward secrecy and authenticated encryption as in TLS 1.3.
    private static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    /// Reads the certificates of a PEM file.
    ///
    /// - Throws: The bytes hold no certificates.
    static func certificates(in bytes: [UInt8]) throws -> [NIOSSLCertificate] {
        try NIOSSLCertificate.fromPEMBytes(bytes)
    }

    /// Sends a request and reads the whole answer.
    ///
    /// - Throws: The answer did not arrive in time, ended early or is too long.
    func send(
        _ request: StoreRequest, token: String?, timeout: Duration
    ) async throws -> StoreReply {
        let request = made(request, token: token)
        let client = client
        // The HTTP client's deadline covers only the head of the answer. This deadline also covers
        // the body.
        return try await within(timeout, orThrow: HTTPClientError.deadlineExceeded) {
            let response = try await client.execute(request, deadline: .now() + TimeAmount(timeout))
            let body = try await response.body.collect(upTo: StoreAPI.answerLimitBytes)
            return StoreReply(
                status: Int(response.status.code), entityTag: response.headers.first(name: "etag"),
                body: Array(buffer: body))
        }
    }

    /// Reads and discards the rest of an answer that is not a stream.
    func drain(_ body: HTTPClientResponse.Body, timeout: Duration) async throws {
        _ = try await within(timeout, orThrow: HTTPClientError.deadlineExceeded) {
            try await body.collect(upTo: StoreAPI.requestLimitBytes)
        }
    }

    /// Opens a stream. It ends after a silence of `StoreAPI.feedSilenceSeconds` or after 24
    /// hours.
    func open(
        _ request: StoreRequest, token: String
    ) async throws -> (status: Int, body: HTTPClientResponse.Body) {
        let response = try await client.execute(
            made(request, token: token), deadline: .now() + .hours(24))
        return (Int(response.status.code), response.body)
    }

    /// Closes all connections.
    func close() async {
        // A failure is ignored, because nothing can be done about a pool that does not close.
        try? await client.shutdown()
    }

    private func made(_ request: StoreRequest, token: String?) -> HTTPClientRequest {
        var made = HTTPClientRequest(url: options.address.url(request.path))
        made.method = request.method
        made.headers.add(name: "accept", value: StoreAPI.json)
        // The client library sends no host over Unix sockets, which HTTP/1.1 does not permit.
        if options.address.isUnixSocket { made.headers.add(name: "host", value: "localhost") }
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
