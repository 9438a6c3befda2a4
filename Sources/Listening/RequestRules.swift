package import NIOHTTP1

/// The refusal of a request that does not conform to HTTP/1.1 or exceeds a limit.
package struct RequestRefusal: Error, Sendable, Equatable {
    /// The HTTP status of the response.
    package var status: Int
    /// A sentence for users, in lower case and without a full stop.
    package var sentence: String

    package init(_ status: Int, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    /// The refusal for an error of the HTTP parser.
    package init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow:
            self.init(
                431, "the request line or the headers are too large")
        case .invalidMethod: self.init(501, "unknown method")
        case .invalidVersion: self.init(505, "only versions 1.0 and 1.1 of HTTP are supported")
        case .invalidURL: self.init(400, "the request target is not valid")
        case .invalidChunkSize: self.init(400, "the body has an invalid chunk")
        case .invalidContentLength, .unexpectedContentLength:
            self.init(400, "the content length is not valid")
        case .invalidHeaderToken: self.init(400, "a header is not valid")
        case .invalidEOFState, .closedConnection:
            self.init(400, "the request ends early")
        default: self.init(400, "the request is not valid HTTP")
        }
    }
}

/// The rules for request heads: RFC 9110 and RFC 9112, without the leniency that lets two parties
/// understand the same request differently.
package struct RequestRules: Sendable {
    /// The maximum length of a body in bytes.
    package var bodyLimit: Int
    /// Whether requests arrive over TLS.
    package var isSecure: Bool

    package init(bodyLimit: Int, isSecure: Bool) {
        self.bodyLimit = bodyLimit
        self.isSecure = isSecure
    }

    /// Checks a head and reduces its target to origin form, so that later readers see one form.
    ///
    /// - Parameters:
    ///   - head: The head of a request.
    ///   - isOfThisMachine: Whether the client is a process of this machine, which need not name a
    ///     host.
    /// - Throws: The reason to refuse the request and to close its connection.
    package func check(
        _ head: inout HTTPRequestHead, isOfThisMachine: Bool
    ) throws(RequestRefusal) {
        guard head.version == .http1_1 || head.version == .http1_0 else {
            throw RequestRefusal(505, "only versions 1.0 and 1.1 of HTTP are supported")
        }
        // The parser refuses unregistered methods; the routes answer 405 to the others.
        guard head.method != .CONNECT else {
            throw RequestRefusal(501, "this server is not a proxy")
        }
        let host = try Self.host(of: head, mayBeEmpty: isOfThisMachine)
        try reduceTarget(of: &head, host: host)
        try checkFraming(of: head)
        if head.headers.contains(name: "upgrade") {
            // The parser reads nothing after a request to switch protocols, which is not granted.
            head.headers.replaceOrAdd(name: "connection", value: "close")
        }
    }

    /// The host of the `Host` header; nil if it is empty or, before HTTP/1.1, missing.
    private static func host(
        of head: HTTPRequestHead, mayBeEmpty: Bool
    ) throws(RequestRefusal) -> Authority? {
        let hosts = head.headers["host"]
        guard hosts.count <= 1 else {
            throw RequestRefusal(400, "there is more than one Host header")
        }
        guard let text = hosts.first else {
            guard head.version == .http1_0 else {
                throw RequestRefusal(400, "the Host header is missing")
            }
            return nil
        }
        guard !text.isEmpty else {
            guard mayBeEmpty else { throw RequestRefusal(400, "the Host header is empty") }
            return nil
        }
        guard let host = Authority(text) else {
            throw RequestRefusal(400, "the Host header is not a host with a port")
        }
        return host
    }

    private func reduceTarget(
        of head: inout HTTPRequestHead, host: Authority?
    ) throws(RequestRefusal) {
        let target = head.uri
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw RequestRefusal(400, "the request target is not valid")
        }
        if target.hasPrefix("/") || (target == "*" && head.method == .OPTIONS) { return }
        let scheme = isSecure ? "https://" : "http://"
        guard target.prefix(scheme.count).lowercased() == scheme else {
            throw RequestRefusal(400, "the request target is not a path")
        }
        let rest = target.dropFirst(scheme.count)
        let named = rest.prefix { $0 != "/" && $0 != "?" }
        let port: UInt16 = isSecure ? 443 : 80
        guard let authority = Authority(named) else {
            throw RequestRefusal(400, "the request target does not name a host with a port")
        }
        if head.headers.contains(name: "host") {
            guard host?.isSame(as: authority, standardPort: port) ?? false else {
                throw RequestRefusal(
                    400, "the request target and the Host header name different hosts")
            }
        } else {
            head.headers.add(name: "host", value: String(named))
        }
        let path = rest.dropFirst(named.count)
        if path.isEmpty, head.method == .OPTIONS {
            head.uri = "*"
        } else {
            head.uri = path.hasPrefix("/") ? String(path) : "/" + path
        }
    }

    private func checkFraming(of head: HTTPRequestHead) throws(RequestRefusal) {
        let lengths = head.headers["content-length"]
        let codings = head.headers[canonicalForm: "transfer-encoding"]
        if !codings.isEmpty {
            guard codings.allSatisfy({ $0.lowercased() == "chunked" }) else {
                throw RequestRefusal(501, "the only known transfer coding is chunked")
            }
            guard codings.count == 1, lengths.isEmpty, head.version == .http1_1 else {
                throw RequestRefusal(400, "the length of the body is ambiguous")
            }
        }
        guard let text = lengths.first else { return }
        guard lengths.count == 1, !text.isEmpty,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw RequestRefusal(400, "the content length is not valid") }
        guard let length = Int(text), length <= bodyLimit else { throw tooLarge }
    }

    /// The refusal of a body beyond the limit.
    var tooLarge: RequestRefusal {
        RequestRefusal(413, "the body is longer than \(bodyLimit) bytes")
    }
}
