import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

/// Connections to the members over HTTP, encrypted or not.
final class HTTPTransport: EtcdTransport {
    private let client: HTTPClient
    /// The address of each member.
    private let addresses: [String]

    /// The most bytes of an answer: some chunks of a log.
    private static let answerLimit = 64 << 20

    init(_ options: EtcdOptions, on group: any EventLoopGroup) throws {
        let scheme = options.trustRoots == nil ? "http" : "https"
        addresses = options.members.map { "\(scheme)://\($0)/v3/" }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(options.patience)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let roots = options.trustRoots {
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(roots))
        }
        if let identity = options.identity {
            tls.certificateChain = try NIOSSLCertificate.fromPEMBytes(identity.certificate)
                .map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: identity.key, format: .pem))
        }
        configuration.tlsConfiguration = tls
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    /// Closes the connections if ``close()`` was not called; the library traps without it in debug builds.
    deinit { client.shutdown { _ in } }

    func exchange(
        _ request: EtcdRequest, patience: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        let http = try HTTPClient.Request(
            url: addresses[request.member] + request.path, method: .POST, headers: headers(request),
            body: .bytes(request.body))
        // A delegate needs fewer thread switches than reading the body as a sequence. All clients wait for
        // etcd's answer to a change.
        let answer = ResponseAccumulator(request: http, maxBodySize: Self.answerLimit)
        let work = client.execute(
            request: http, delegate: answer, deadline: .now() + TimeAmount(patience))
        return try await withTaskCancellationHandler {
            let response = try await work.get()
            return (Int(response.status.code), response.body.map { Array(buffer: $0) } ?? [])
        } onCancel: {
            work.cancel()
        }
    }

    func watch(_ request: EtcdRequest, _ ring: @Sendable () -> Void) async throws {
        var http = HTTPClientRequest(url: addresses[request.member] + request.path)
        http.method = .POST
        http.headers = headers(request)
        http.body = .bytes(ByteBuffer(bytes: request.body))
        let response = try await client.execute(http, deadline: .now() + .hours(24))
        guard response.status == .ok else {
            throw EtcdFailure.refused(code: Int(response.status.code), request.path)
        }
        for try await _ in response.body { ring() }
    }

    func close() async {
        try? await client.shutdown()
    }

    private func headers(_ request: EtcdRequest) -> HTTPHeaders {
        var headers: HTTPHeaders = ["content-type": "application/json"]
        if let token = request.token { headers.add(name: "authorization", value: token) }
        return headers
    }
}
