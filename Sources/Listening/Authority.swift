internal import Glibc

/// The authority of a request: a host and an optional port, without user information.
///
/// The grammar is that of RFC 9110, sections 4.2 and 7.2, with the host in ASCII and not empty.
package struct Authority: Sendable, Hashable {
    /// The host in lower case; an IPv6 address is in brackets.
    package let host: String
    /// The port, if one is given.
    package let port: UInt16?

    /// Reads an authority; nil if it is not valid.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
                Self.isAddress(bytes[1..<bracket])
            else { return nil }
            hostEnd = bracket + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard hostEnd > 0, hostEnd <= 255, Self.isName(bytes[..<hostEnd]) else { return nil }
        }
        host = String(decoding: bytes[..<hostEnd], as: UTF8.self).lowercased()
        let rest = bytes[hostEnd...]
        guard let colon = rest.first else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard colon == UInt8(ascii: ":"), digits.allSatisfy(Self.isDigit) else { return nil }
        guard !digits.isEmpty else {
            port = nil
            return
        }
        guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
        port = number
    }

    /// Whether the host is a name or an address of the loopback interface.
    package var isLoopback: Bool {
        host == "localhost" || host == "[::1]" || host == "127.0.0.1"
    }

    /// Whether both mean the same server, given the standard port of the scheme.
    package func isSame(as other: Authority, standardPort: UInt16) -> Bool {
        host == other.host && (port ?? standardPort) == (other.port ?? standardPort)
    }

    private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= 45, !bytes.contains(0) else { return false }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
    }

    /// Whether bytes are a registered name or an IPv4 address.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { byte in
            isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~".utf8.contains(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
