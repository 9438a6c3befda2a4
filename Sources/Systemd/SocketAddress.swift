internal import Glibc

/// The addresses of Unix sockets.
enum SocketAddress {
    /// The path of a bound Unix socket; `@name` in the abstract namespace; nil for other sockets.
    static func path(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        let nameOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let bytes = withUnsafeBytes(of: &address) { raw in
            Array(raw[nameOffset..<max(nameOffset, min(Int(length), raw.count))])
        }
        return path(name: bytes)
    }

    /// The path in the bytes of `sun_path`. An abstract name begins with a zero byte and has the
    /// given length; a path ends at its first zero byte.
    static func path(name bytes: [UInt8]) -> String? {
        guard let first = bytes.first else { return nil }
        guard first == 0 else {
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard bytes.count > 1 else { return nil }
        return "@" + String(decoding: bytes.dropFirst(), as: UTF8.self)
    }

    /// Calls a body with the address of a path or `@name`; returns -1 if the name is too long.
    static func withUnix(
        _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
        var address = sockaddr_un()
        guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let nameOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(nameOffset + bytes.count))
            }
        }
    }
}
