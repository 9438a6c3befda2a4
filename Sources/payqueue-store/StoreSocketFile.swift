import FoundationEssentials
import Glibc
import Listening
import PaymentStorage

/// The file of the server's Unix socket.
///
/// The socket is bound at a temporary name, because the library removes whatever is at the path of its
/// socket when it stops. It then appears at its path with its mode.
struct StoreSocketFile: Sendable, Hashable {
    /// The first characters of temporary names.
    private static let prefix = ".pq"
    /// The number of random characters after them.
    private static let randomCount = 4
    /// The age in seconds from which a temporary name is stale. A start needs the name only briefly.
    private static let staleSeconds = 60
    /// The maximum length of the path of a socket in bytes.
    private static let longestPath = 107

    let path: String
    /// The path at which the socket is bound; no other start uses it.
    let temporaryPath: String

    init(_ path: String) {
        self.path = path
        let random = SessionTokenStore.freshToken().prefix(Self.randomCount)
        temporaryPath = "\(Self.directory(of: path))/\(Self.prefix)\(random)"
    }

    /// Whether a path and its temporary name are short enough for the system.
    static func fits(_ path: String) -> Bool {
        path.utf8.count <= longestPath
            && directory(of: path).utf8.count + 1 + prefix.utf8.count + randomCount <= longestPath
    }

    /// Checks that a server may listen here, without changes. root may check what another user will use.
    ///
    /// - Returns: The owner of the socket that is there already; nil if there is none.
    /// - Throws: There is no such directory, the path is not a socket of this user, or other users could
    ///   replace it.
    @discardableResult
    func examine() throws(StartFailure) -> uid_t? {
        let directory = Self.directory(of: path)
        guard access(directory, F_OK) == 0 else {
            let reason = String(cString: strerror(errno)).lowercased()
            throw .configuration("cannot listen on '\(path)': directory '\(directory)': \(reason)")
        }
        guard !OtherUsers.canReplaceEntries(of: directory) else {
            throw .configuration(
                "cannot listen on '\(path)': other users can write to directory '\(directory)' and "
                    + "could replace the socket; run chmod go-w '\(directory)', or listen in a "
                    + "subdirectory with mode 0755")
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .configuration("cannot listen on '\(path)': it is not a socket")
        }
        if geteuid() != 0 { try checkOwner(status.st_uid) }
        return status.st_uid
    }

    private func checkOwner(_ user: uid_t) throws(StartFailure) {
        guard user == geteuid() else {
            throw .configuration("cannot listen on '\(path)': it belongs to user \(user)")
        }
    }

    /// Checks that the server may listen here, and removes the files of servers that have ended.
    ///
    /// - Throws: A process listens on the socket; or as ``examine()``.
    func prepare() throws(StartFailure) {
        let owner = try examine()
        removeTemporaryFiles(in: Self.directory(of: path))
        guard let owner else { return }
        try checkOwner(owner)
        guard Self.isAbandoned(path) else {
            throw .inUse("cannot listen on '\(path)': another program listens there")
        }
        unlink(path)
    }

    /// Gives the bound socket its mode and its path.
    ///
    /// - Parameter mode: The mode.
    /// - Returns: The file, to be removed when the server stops.
    /// - Throws: The mode cannot be set, or the path is taken.
    func publish(mode: mode_t) throws(StartFailure) -> OwnSocketFile? {
        defer { unlink(temporaryPath) }
        // A link fails if another program has taken the path since the start looked.
        guard chmod(temporaryPath, mode) == 0, link(temporaryPath, path) == 0 else {
            guard errno != EEXIST else {
                throw .inUse("cannot listen on '\(path)': another program listens there")
            }
            let reason = String(cString: strerror(errno))
            throw .configuration("cannot listen on '\(path)': \(reason)")
        }
        return OwnSocketFile(path)
    }

    /// Removes the temporary names of starts that were killed.
    private func removeTemporaryFiles(in directory: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let length = Self.prefix.utf8.count + Self.randomCount
        for name in names where name.hasPrefix(Self.prefix) && name.utf8.count == length {
            let file = "\(directory)/\(name)"
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
                status.st_uid == geteuid(),
                time(nil) - status.st_mtim.tv_sec > Self.staleSeconds, Self.isAbandoned(file)
            else { continue }
            unlink(file)
        }
    }

    /// Whether a path is a socket without a listener. A listener that is too busy to accept counts as
    /// a listener.
    private static func isAbandoned(_ path: String) -> Bool {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: path.utf8.prefix(longestPath))
        }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return connected != 0 && errno == ECONNREFUSED
    }

    private static func directory(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parts.count == 1 ? "/" : parts.joined(separator: "/")
    }
}
