import Foundation
import Glibc
import PaymentStorage

/// Where the daemon listens, and whether it may.
struct SocketPlace {
    /// The longest path that fits the address of a Unix socket with its closing zero.
    static let longestPathBytes = 107

    let path: String

    /// The place that the configuration or the environment names.
    ///
    /// - Throws: There is none, or it cannot be used.
    init(
        _ setting: Setting<String?>, environment: [String: String], temporary: String?
    ) throws(ConfigurationProblem) {
        if let path = setting.value {
            self.path = path
        } else if let directory = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
            path = "\(directory)/payqueued.sock"
        } else if let directory = environment["XDG_RUNTIME_DIR"], !directory.isEmpty {
            let own = "\(directory)/payqueued"
            mkdir(own, 0o700)
            path = "\(own)/payqueued.sock"
        } else if let temporary {
            path = "\(temporary)/payqueued.sock"
        } else {
            throw ConfigurationProblem(
                "no place for the socket: give --socket PATH (neither $RUNTIME_DIRECTORY nor "
                    + "$XDG_RUNTIME_DIR is set)")
        }
        try check()
    }

    /// Looks whether a daemon may listen here, and changes nothing.
    ///
    /// - Throws: Another program listens there, or something is there that is no socket of ours.
    func checkIsFree() throws(StartFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .configuration("cannot listen on '\(path)': it exists and is not a socket")
        }
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            throw .configuration(
                "cannot listen on '\(path)': it belongs to user \(status.st_uid)")
        }
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

    /// A daemon that is just being killed has its sockets for a moment longer than its lock.
    private static let looksAtHolder = 20
    /// One that is busy lets nobody in for a moment; one that stands still never does.
    private static let looksAtSilence = 200

    /// Removes what a daemon that was killed left behind, and nothing else.
    ///
    /// - Throws: As ``checkIsFree()`` does.
    func clear() throws(StartFailure) {
        try checkIsFree()
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .configuration("cannot remove the stale socket '\(path)': \(reason())")
        }
    }

    /// Gives the socket file the mode and group that the configuration names.
    func protect(mode: UInt16, group: String?) throws(StartFailure) {
        if let group {
            guard let entry = getgrnam(group) else {
                throw .configuration("socketGroup '\(group)' does not exist here")
            }
            guard chown(path, uid_t.max, entry.pointee.gr_gid) == 0 else {
                throw .configuration("cannot give '\(path)' to group '\(group)': \(reason())")
            }
        }
        guard chmod(path, mode_t(mode)) == 0 else {
            throw .configuration("cannot set the mode of '\(path)': \(reason())")
        }
    }

    private func check() throws(ConfigurationProblem) {
        guard path.utf8.count <= Self.longestPathBytes else {
            throw ConfigurationProblem(
                "socket path '\(path)' has \(path.utf8.count) bytes: "
                    + "the system allows \(Self.longestPathBytes)")
        }
        let parent = (path as NSString).deletingLastPathComponent
        let directory = parent.isEmpty ? "." : parent
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
                    + "\(status.st_uid), who could replace the socket")
        }
    }

    /// Who listens on the path.
    private enum Listening {
        case nobody
        /// Its name and process.
        case program(String)
        /// Somebody has so many connections waiting that no more are let in.
        case silence
    }

    /// Tries to connect, and waits for nobody.
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
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
        let name = try? String(contentsOfFile: "/proc/\(credentials.pid)/comm", encoding: .utf8)
        let program = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "another process"
        return .program("\(program) (pid \(credentials.pid))")
    }

    private func reason() -> String {
        String(cString: strerror(errno))
    }
}
