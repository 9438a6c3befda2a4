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

    func exchange(
        _ request: EtcdRequest, patience: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        let (client, request) = (client, http(request))
        return try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            group.addTask {
                let response = try await client.execute(
                    request, deadline: .now() + TimeAmount(patience))
                let body = try await response.body.collect(upTo: Self.answerLimit)
                return (Int(response.status.code), Array(buffer: body))
            }
            group.addTask {
                try await Task.sleep(for: patience)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() else { throw CancellationError() }
            return reply
        }
    }

    func watch(_ request: EtcdRequest, _ ring: @Sendable () -> Void) async throws {
        let response = try await client.execute(http(request), deadline: .now() + .hours(24))
        guard response.status == .ok else {
            throw EtcdFailure.refused(code: Int(response.status.code), request.path)
        }
        for try await _ in response.body { ring() }
    }

    func close() async {
        try? await client.shutdown()
    }

    private func http(_ request: EtcdRequest) -> HTTPClientRequest {
        var http = HTTPClientRequest(url: addresses[request.member] + request.path)
        http.method = .POST
        http.headers.add(name: "content-type", value: "application/json")
        if let token = request.token {
            http.headers.add(name: "authorization", value: token)
        }
        http.body = .bytes(ByteBuffer(bytes: request.body))
        return http
    }
}
