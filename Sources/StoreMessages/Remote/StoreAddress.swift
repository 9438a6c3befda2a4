import FoundationEssentials

/// The address of a store server: `http://…`, `https://…` or `http+unix://PATH`.
public struct StoreAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as configured; it contains no secrets.
    public let description: String
    /// The prefix of all URLs.
    package let base: String
    /// True if traffic can be read on the way: it uses neither TLS nor the loopback interface or a
    /// socket.
    public let isExposed: Bool

    /// Parses an address.
    ///
    /// - Returns: Nil for an invalid address, and for one with a path, user name, password, query or
    ///   fragment: a store is at the root of its server, and secrets do not belong on command lines.
    public init?(_ text: String) {
        guard text.utf8.count <= 1024, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.contains(where: { "?#@\\\"<>".contains($0) })
        else { return nil }
        description = text
        if text.hasPrefix("http+unix://") {
            let rest = text.dropFirst("http+unix://".count)
            guard let path = Self.decoded(rest), path.hasPrefix("/"),
                path.utf8.count <= 107, path.utf8.count > 1
            else { return nil }
            base = "http+unix://" + Self.encoded(path)
            isExposed = false
            return
        }
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
            let scheme = url.scheme, ["http", "https"].contains(scheme),
            (1...65535).contains(url.port ?? 80), ["", "/"].contains(url.path())
        else { return nil }
        base = text.hasSuffix("/") ? String(text.dropLast()) : text
        isExposed = scheme == "http" && !Self.isLoopback(host)
    }

    /// Whether the server listens on a Unix socket.
    package var isUnixSocket: Bool { base.hasPrefix("http+unix:") }

    /// The URL of a path of the API.
    package func url(_ path: String) -> String { base + path }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasPrefix("127.") || host == "::1" || host == "[::1]"
    }

    /// Decodes percent-encoding; nil if a percent sign is not followed by two hexadecimal digits,
    /// or the bytes are not UTF-8.
    package static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Percent-encodes all bytes but ASCII letters, digits, dots, dashes and underscores.
    package static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}
