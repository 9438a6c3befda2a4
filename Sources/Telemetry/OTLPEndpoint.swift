/// The address of a collector that accepts OTLP over plain HTTP.
public struct OTLPEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// The host, without brackets.
    public let host: String
    /// The port; 80 if the address has none.
    public let port: Int
    /// The path for posting spans.
    public let path: String

    /// Parses the address of a collector, such as `http://localhost:4318`. The path `/v1/traces` is
    /// appended, as for OTEL_EXPORTER_OTLP_ENDPOINT.
    ///
    /// - Returns: Nil for an invalid address, a scheme other than `http`, and an address with a
    ///   user, a query or a fragment.
    public init?(_ text: String) {
        let scheme = "http://"
        guard text.hasPrefix(scheme), text.utf8.count <= 1024,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.contains(where: { "?#@\\\"<>".contains($0) })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        var base = rest.dropFirst(authority.count)
        while base.last == "/" { base.removeLast() }
        guard let (host, port) = Self.split(authority), !host.isEmpty else { return nil }
        self.host = host
        self.port = port
        path = base + "/v1/traces"
    }

    /// The URL for posting spans.
    public var description: String { "http://\(authority)\(path)" }

    /// The value of the `Host` header.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    private static func split(_ authority: Substring) -> (host: String, port: Int)? {
        var host = authority
        var digits: Substring?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<end].dropFirst()
            let tail = authority[end...].dropFirst()
            guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
            digits = tail.isEmpty ? nil : tail.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            digits = authority[colon...].dropFirst()
        }
        guard let digits else { return (String(host), 80) }
        guard let port = Int(digits), (1...65535).contains(port), digits.first != "+" else {
            return nil
        }
        return (String(host), port)
    }
}
