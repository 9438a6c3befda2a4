import Glibc
import Hummingbird
import NIOCore
import NIOPosix
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
            guard path.hasPrefix("/"), path.utf8.count <= 107 else { return nil }
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

    /// Removes the stale socket of an ended server.
    ///
    /// - Throws: A process listens on the socket, or the path is not a socket.
    func clear(on group: any EventLoopGroup) async throws {
        guard case .unix(let path) = self else { return }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw StartFailure.configuration("cannot listen on '\(path)': it is not a socket")
        }
        if let channel = try? await ClientBootstrap(group: group)
            .connect(unixDomainSocketPath: path).get()
        {
            try? await channel.close()
            throw StartFailure.inUse("cannot listen on '\(path)': another program listens there")
        }
        unlink(path)
    }

    /// Sets the mode of a Unix socket.
    ///
    /// - Throws: The mode cannot be set.
    func protect(mode: mode_t) throws(StartFailure) {
        guard case .unix(let path) = self else { return }
        guard chmod(path, mode) == 0 else {
            let reason = String(cString: strerror(errno))
            throw .configuration("cannot set the mode of '\(path)': \(reason)")
        }
    }

    /// The failure to listen on this address.
    func problem(_ error: IOError) -> StartFailure {
        let reason = String(cString: strerror(error.errnoCode)).lowercased()
        return error.errnoCode == EADDRINUSE
            ? .inUse("cannot listen on '\(self)': another program listens there")
            : .configuration("cannot listen on '\(self)': \(reason)")
    }

    var bindAddress: BindAddress {
        switch self {
        case .host(let host, let port): .hostname(host, port: port)
        case .unix(let path): .unixDomainSocket(path: path)
        }
    }
}
