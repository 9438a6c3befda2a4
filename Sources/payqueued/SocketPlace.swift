import FoundationEssentials
import Glibc
import PaymentServer
import PaymentStorage

/// The path of a listening socket, with checks whether the daemon may use it.
struct SocketPlace {
    /// The maximum length of a Unix socket path in bytes, without its terminating zero.
    static let longestPathBytes = 107

    let path: String
    /// Whether the start creates the directory of the socket.
    private let isMade: Bool
    /// The permissions of the socket file.
    private let mode: UInt16
    /// The name of its group; nil for the daemon's own.
    private let group: String?

    /// The path from the configuration or the environment, or that of a demo.
    ///
    /// - Throws: There is no path, or it is too long.
    init(
        _ setting: Setting<String?>, temporary: String?, mode: UInt16, group: String?
    ) throws(ConfigurationProblem) {
        self.mode = mode
        self.group = group
        if let path = setting.value {
            guard !path.isEmpty else {
                throw ConfigurationProblem(
                    "cannot use '' as 'socket' [\(setting.source)]: it is empty")
            }
            self.path = path
            if case .environment(DefaultPlaces.userRuntime) = setting.source {
                isMade = true
            } else {
                isMade = false
            }
        } else if let temporary {
            path = "\(temporary)/payqueued.sock"
            isMade = true
        } else {
            throw ConfigurationProblem(
                "no path for the socket: pass --socket PATH (neither $RUNTIME_DIRECTORY nor "
                    + "$XDG_RUNTIME_DIR is set)")
        }
        guard path.utf8.count <= Self.longestPathBytes else {
            throw ConfigurationProblem(
                "socket path '\(path)' has \(path.utf8.count) bytes: "
                    + "the system allows \(Self.longestPathBytes)")
        }
    }

    /// Reports the problems that a start would find, without changes.
    func examine() throws {
        if !isMade || access(directory, F_OK) == 0 || access(Self.parent(of: directory), W_OK) != 0
        {
            try checkDirectory()
        }
        _ = try holdsSocket()
        _ = try groupIdentifier()
    }

    /// Creates the directory if necessary, and checks that it can hold the socket.
    func prepare() throws {
        if isMade { mkdir(directory, 0o700) }
        try checkDirectory()
        _ = try groupIdentifier()
    }

    /// Checks whether a daemon may listen here, without changes.
    ///
    /// - Throws: Another program listens there, or the path is not a socket of this user.
    func checkIsFree() throws(StartFailure) {
        guard try holdsSocket() else { return }
        var holder: String?
        for look in 0..<Self.looksAtSilence {
            switch whoListens() {
            case .nobody:
                return
            case .program(let name):
                holder = name
                if look >= Self.looksAtHolder {
                    throw .inUse("cannot listen on '\(path)': \(name) listens there")
                }
            case .silence:
                break
            }
            usleep(10_000)
        }
        throw .inUse(
            "cannot listen on '\(path)': it is in use by \(holder ?? "a program"), which does not "
                + "answer")
    }

    /// The number of checks, 10 ms apart, while a killed daemon's socket still listens. The socket
    /// may outlast its lock.
    private static let looksAtHolder = 20
    /// The number of checks, 10 ms apart, while a listener with a full backlog accepts no
    /// connection. A busy listener accepts again soon; a suspended one never does.
    private static let looksAtSilence = 200

    /// Removes the socket of a killed daemon, and nothing else.
    ///
    /// - Throws: The errors of ``checkIsFree()``.
    func clear() throws(StartFailure) {
        try checkIsFree()
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .configuration("cannot remove the stale socket '\(path)': \(reason())")
        }
    }

    /// Gives the socket file the configured mode and group.
    func protect() throws(StartFailure) {
        if let identifier = try groupIdentifier() {
            guard chown(path, uid_t.max, identifier) == 0 else {
                throw .configuration(
                    "cannot give '\(path)' to group '\(group ?? "")': \(reason())")
            }
        }
        guard chmod(path, mode_t(mode)) == 0 else {
            throw .configuration("cannot set the mode of '\(path)': \(reason())")
        }
    }

    private func groupIdentifier() throws(StartFailure) -> gid_t? {
        try Self.identifier(of: group)
    }

    /// The id of a group, which must exist; nil for none.
    static func identifier(of group: String?) throws(StartFailure) -> gid_t? {
        guard let group else { return nil }
        guard let entry = getgrnam(group) else {
            throw .configuration("socketGroup '\(group)' does not exist here")
        }
        return entry.pointee.gr_gid
    }

    /// Whether the path is a socket that may be examined and removed.
    ///
    /// - Throws: Something else is there, or it is another user's.
    private func holdsSocket() throws(StartFailure) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .configuration("cannot listen on '\(path)': it exists and is not a socket")
        }
        guard status.st_uid == geteuid() else {
            throw .configuration(
                "cannot listen on '\(path)': it belongs to user \(status.st_uid)")
        }
        return true
    }

    private var directory: String { Self.parent(of: path) }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func checkDirectory() throws(ConfigurationProblem) {
        var status = stat()
        guard stat(directory, &status) == 0 else {
            throw ConfigurationProblem(
                "cannot listen on '\(path)': directory '\(directory)': \(reason())")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw ConfigurationProblem(
                "cannot listen on '\(path)': '\(directory)' is not a directory")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw ConfigurationProblem(
                "cannot listen on '\(path)': directory '\(directory)' belongs to user "
                    + "\(status.st_uid), who could replace the socket; listen in a subdirectory that "
                    + "belongs to user \(geteuid())")
        }
        guard !OtherUsers.canReplaceEntries(of: directory) else {
            throw ConfigurationProblem(
                "cannot listen on '\(path)': other users can write to directory '\(directory)' and "
                    + "could replace the socket; run chmod go-w '\(directory)', or listen in a "
                    + "subdirectory with mode 0755")
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw ConfigurationProblem(
                "cannot listen on '\(path)': directory '\(directory)': \(reason())")
        }
    }

    /// The listener on the path.
    private enum Listening {
        case nobody
        /// A listening program, with its name and process id.
        case program(String)
        /// A listener with a full backlog, which accepts no connections at the moment.
        case silence
    }

    /// Tries to connect, without waiting.
    private func whoListens() -> Listening {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return .nobody }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            for (index, byte) in path.utf8.enumerated() where index < room.count - 1 {
                room[index] = byte
            }
        }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { return errno == EAGAIN ? .silence : .nobody }
        let pid = PeerCredentials(descriptor: descriptor)?.pid ?? 0
        let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
        let program = name?.split(whereSeparator: \.isNewline).first ?? "another process"
        return .program("\(program) (pid \(pid))")
    }

    private func reason() -> String {
        String(cString: strerror(errno))
    }
}
