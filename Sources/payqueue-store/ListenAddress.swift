import Glibc
import Hummingbird
import NIOCore
import PaymentStorage

/// The listening address of the server: `ADDR:PORT`, `[ADDR6]:PORT` or `unix:PATH`.
enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    case host(String, port: Int)
    case unix(String)

    static let standard = ListenAddress.host("127.0.0.1", port: 8480)

    /// Reads an address; nil if it is not valid.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), StoreSocketFile.fits(path) else { return nil }
            self = .unix(path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65535).contains(port)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        self = .host(host, port: port)
    }

    var description: String {
        switch self {
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Whether only processes of this machine can connect.
    var isLocal: Bool {
        switch self {
        case .host(let host, _): host == "::1" || host == "localhost" || host.hasPrefix("127.")
        case .unix: true
        }
    }

    /// The failure to listen on this address.
    func problem(_ error: IOError) -> StartFailure {
        let reason = String(cString: strerror(error.errnoCode)).lowercased()
        return error.errnoCode == EADDRINUSE
            ? .inUse("cannot listen on '\(self)': another program listens there")
            : .configuration("cannot listen on '\(self)': \(reason)")
    }

    /// The address in messages, given that of the listening channel, which has the actual port.
    func servedAddress(_ local: SocketAddress?) -> String {
        guard case .host = self, let local, let host = local.ipAddress, let port = local.port else {
            return description
        }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The file of the socket, with a new temporary name; nil for a host.
    var socketFile: StoreSocketFile? {
        if case .unix(let path) = self { StoreSocketFile(path) } else { nil }
    }

    /// The address that the library binds.
    func bindAddress(_ file: StoreSocketFile?) -> BindAddress {
        switch self {
        case .host(let host, let port): .hostname(host, port: port)
        case .unix(let path): .unixDomainSocket(path: file?.temporaryPath ?? path)
        }
    }
}
