import FoundationEssentials

#if StoreClient
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
#endif

/// The response of a server.
struct WebPage {
    var status: UInt
    var body: [UInt8]
    /// The URL of the next page, from the header `Link` (RFC 8288).
    var next: String?

    /// Fetches a URL. Redirections are not followed, because a token is valid for one server only.
    static func fetch(
        _ address: String, headers: [(String, String)] = [], limit: Int, timeout: Duration
    ) async throws -> WebPage {
        #if StoreClient
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .disallow
            let client = HTTPClient(configuration: configuration)
            do {
                var request = HTTPClientRequest(url: address)
                for (name, value) in headers { request.headers.add(name: name, value: value) }
                let response = try await client.execute(request, timeout: TimeAmount(timeout))
                let body = try await response.body.collect(upTo: limit)
                try await client.shutdown()
                return WebPage(
                    status: response.status.code, body: Array(buffer: body),
                    next: next(of: response.headers["link"], from: address))
            } catch {
                try? await client.shutdown()
                throw CommandFailure(
                    .noConnection, "cannot fetch '\(address)': \(NetworkReason.phrase(error))",
                    advice: "check the address, and that the server runs")
            }
        #else
            throw CommandFailure(
                .usage, "cannot fetch '\(address)': this payqueuectl was built without HTTP",
                advice: "build it with 'make build'")
        #endif
    }

    /// The URL of the next page; nil if there is none. A page of another server is refused, because
    /// that server must not receive the token.
    private static func next(of links: [String], from address: String) -> String? {
        let targets = links.compactMap { link in
            link.wholeMatch(of: #/\s*<([^<>]*)>\s*;\s*rel="?next"?\s*/#).map { String($0.1) }
        }
        guard let target = targets.first, let base = URL(string: address),
            let next = URL(string: target, relativeTo: base)?.absoluteURL,
            (next.scheme, next.host(), next.port) == (base.scheme, base.host(), base.port)
        else { return nil }
        return next.absoluteString
    }
}

#if StoreClient
    /// The reason of a network failure, as text.
    enum NetworkReason {
        /// A phrase without a full stop.
        static func phrase(_ error: any Error) -> String {
            switch error {
            case let error as HTTPClientError: phrase(error)
            case let error as IOError: SystemWords.of(error.errnoCode)
            case is NIOTooManyBytesError: "the answer is too long"
            // Other causes, such as an untrusted certificate, have private error types.
            default: "the connection failed"
            }
        }

        private static func phrase(_ error: HTTPClientError) -> String {
            switch error {
            case .invalidURL, .emptyHost, .emptyScheme: "not a valid address"
            case .connectTimeout: "the server did not answer in time"
            case .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout:
                "the answer did not come in time"
            case .remoteConnectionClosed: "the server closed the connection"
            default: "the request failed"
            }
        }
    }
#endif
