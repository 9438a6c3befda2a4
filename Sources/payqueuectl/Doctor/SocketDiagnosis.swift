import Glibc

/// What the file system says of a socket that could not be connected to.
struct SocketFacts {
    /// What stands at a path.
    enum Kind: Equatable {
        case socket
        case other
        case missing
        /// A directory on the way may not be entered, or the file not be looked at.
        case hidden
    }

    var path: String
    var kind: Kind
    /// The permission bits.
    var mode: UInt32 = 0
    /// The user and the group that own it, by name or number.
    var owner = ""
    var group = ""
    /// Whether this process is in that group.
    var isMember = false
    /// The directory that would hold it, and whether that is there.
    var folder = ""
    var folderExists = true
    /// Who asks.
    var user = ""
    /// Whether this user may write to the socket, which is what connecting takes.
    var mayWrite = false

    /// Looks at a path.
    static func gather(_ path: String) -> SocketFacts {
        var facts = SocketFacts(path: path, kind: .missing)
        let slash = path.lastIndex(of: "/")
        facts.folder = slash.map { String(path[..<$0]) } ?? "."
        if facts.folder.isEmpty { facts.folder = "/" }
        facts.folderExists = access(facts.folder, F_OK) == 0
        facts.user = userName(geteuid())
        var info = stat()
        guard stat(path, &info) == 0 else {
            facts.kind = errno == EACCES ? .hidden : .missing
            return facts
        }
        facts.kind = info.st_mode & S_IFMT == S_IFSOCK ? .socket : .other
        facts.mode = info.st_mode & 0o777
        facts.owner = userName(info.st_uid)
        facts.group =
            getgrgid(info.st_gid).map { String(cString: $0.pointee.gr_name) }
            ?? "\(info.st_gid)"
        facts.isMember = ownGroups().contains(info.st_gid)
        facts.mayWrite = access(path, W_OK) == 0
        return facts
    }

    private static func userName(_ id: uid_t) -> String {
        getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "\(id)"
    }

    private static func ownGroups() -> [gid_t] {
        let count = max(0, getgroups(0, nil))
        var groups = [gid_t](repeating: 0, count: Int(count))
        let got = getgroups(count, &groups)
        return groups.prefix(Int(max(0, got))) + [getegid()]
    }
}

/// Why a socket does not answer, and what to type.
enum SocketDiagnosis {
    /// The finding for a socket that could not be connected to.
    static func finding(_ facts: SocketFacts) -> Finding {
        let start = "payqueued --demo --socket \(Shell.quoted(facts.path))"
        switch facts.kind {
        case .missing where !facts.folderExists:
            return Finding(
                .bad, "there is no directory '\(facts.folder)', so no daemon can listen in it",
                advice: "start the service with 'sudo systemctl start payqueued.socket', or name "
                    + "the right socket with --socket")
        case .missing:
            return Finding(
                .bad, "there is no socket '\(facts.path)': no daemon has been started on it",
                advice: "start one with 'sudo systemctl start payqueued.socket' or '\(start)', or "
                    + "name the right socket with --socket")
        case .hidden:
            return Finding(
                .bad, "'\(facts.user)' may not enter the directory of '\(facts.path)'",
                advice: "see who may with 'ls -ld \(Shell.quoted(facts.folder))'")
        case .other:
            return Finding(
                .bad, "'\(facts.path)' is not a socket",
                advice: "name the daemon's socket with --socket")
        case .socket where !facts.mayWrite:
            return forbidden(facts)
        case .socket:
            return Finding(
                .bad, "nobody listens at '\(facts.path)': a daemon that is gone left it behind",
                advice: "start the daemon again, which replaces the file; under systemd: 'sudo "
                    + "systemctl restart payqueued.socket payqueued.service'")
        }
    }

    /// What to do about a daemon that accepts connections and answers nobody.
    static let adviceForSilence =
        "see what it does with 'systemctl status payqueued' and 'journalctl -u payqueued -n 20'; "
        + "if it hangs, 'sudo systemctl kill -s KILL payqueued' ends it and loses nothing"

    /// The finding for a daemon that accepts connections and does not answer within so many seconds.
    static func silence(_ path: String, after seconds: String) -> Finding {
        Finding(
            .bad,
            "the daemon accepts connections at '\(path)' but does not answer within \(seconds) s",
            advice: adviceForSilence)
    }

    private static func forbidden(_ facts: SocketFacts) -> Finding {
        let mode = String(facts.mode, radix: 8)
        let sentence =
            "'\(facts.user)' may not use '\(facts.path)' (mode \(mode), owner \(facts.owner), "
            + "group \(facts.group))"
        guard facts.mode & 0o020 != 0, !facts.isMember else {
            return Finding(
                .bad, sentence,
                advice: "ask \(facts.owner) to open it, with 'socketMode' and 'socketGroup' in the "
                    + "configuration or SocketMode= and SocketGroup= in payqueued.socket")
        }
        return Finding(
            .bad, sentence,
            advice: "join the group with 'sudo usermod -aG \(facts.group) \(facts.user)', then log "
                + "in again")
    }
}
