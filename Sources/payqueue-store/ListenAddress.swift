import Glibc
import Hummingbird
import Listening
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
        let directory = Self.directory(of: path)
        guard !OtherUsers.canReplaceEntries(of: directory) else {
            throw StartFailure.configuration(
                "cannot listen on '\(path)': other users can write to directory '\(directory)' and "
                    + "could replace the socket; run chmod go-w '\(directory)', or listen in a "
                    + "subdirectory with mode 0755")
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw StartFailure.configuration("cannot listen on '\(path)': it is not a socket")
        }
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw StartFailure.configuration(
                "cannot listen on '\(path)': it belongs to user \(status.st_uid)")
        }
        if let channel = try? await ClientBootstrap(group: group)
            .connect(unixDomainSocketPath: path).get()
        {
            try? await channel.close()
            throw StartFailure.inUse("cannot listen on '\(path)': another program listens there")
        }
        unlink(path)
    }

    /// Gives a Unix socket its mode and its path.
    ///
    /// The socket is bound at another name, because the library removes whatever is at the path of
    /// its socket when it stops. It appears at its path with its mode.
    ///
    /// - Returns: The file, to be removed when the server stops; nil for a host.
    /// - Throws: The mode cannot be set, or the path is taken.
    func publish(mode: mode_t) throws(StartFailure) -> OwnSocketFile? {
        guard case .unix(let path) = self else { return nil }
        let bound = Self.boundPath(of: path)
        defer { unlink(bound) }
        // A link fails if another program has taken the path since the start looked.
        guard chmod(bound, mode) == 0, link(bound, path) == 0 else {
            guard errno != EEXIST else {
                throw .inUse("cannot listen on '\(path)': another program listens there")
            }
            let reason = String(cString: strerror(errno))
            throw .configuration("cannot listen on '\(path)': \(reason)")
        }
        return OwnSocketFile(path)
    }

    private static func directory(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parts.count == 1 ? "/" : parts.joined(separator: "/")
    }

    /// The path at which a socket is bound; at most as long as the longest path of a socket.
    private static func boundPath(of path: String) -> String {
        "\(directory(of: path))/.\(getpid())"
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
        if case .host = self, let local { return "\(local)" }
        return description
    }

    var bindAddress: BindAddress {
        switch self {
        case .host(let host, let port): .hostname(host, port: port)
        case .unix(let path): .unixDomainSocket(path: Self.boundPath(of: path))
        }
    }
}
