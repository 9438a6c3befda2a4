import Glibc
import PaymentClient

/// The file system's facts about a socket to which no connection was possible.
struct SocketFacts {
    enum Kind: Equatable {
        case socket
        case other
        case missing
    }

    var path: String
    var kind: Kind
    /// The reason why this user must not use the socket; nil if it is permitted.
    var denied: SocketAccess?
    /// The directory of the socket.
    var folder = ""
    var folderExists = true

    /// Collects the facts about a path.
    static func gather(_ path: String) -> SocketFacts {
        var facts = SocketFacts(path: path, kind: .missing)
        let slash = path.lastIndex(of: "/")
        facts.folder = slash.map { String(path[..<$0]) } ?? "."
        if facts.folder.isEmpty { facts.folder = "/" }
        facts.folderExists = access(facts.folder, F_OK) == 0
        var info = stat()
        guard stat(path, &info) == 0 else {
            guard errno == EACCES else { return facts }
            facts.kind = .socket
            facts.denied = SocketAccess.find(path)
            return facts
        }
        facts.kind = info.st_mode & S_IFMT == S_IFSOCK ? .socket : .other
        if access(path, W_OK) != 0 { facts.denied = SocketAccess.find(path) }
        return facts
    }
}

/// The reason why a socket does not answer, with a suggested command.
enum SocketDiagnosis {
    /// The finding for a socket to which no connection was possible.
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
        case .other:
            return Finding(
                .bad, "'\(facts.path)' is not a socket",
                advice: "name the daemon's socket with --socket")
        case .socket:
            if let denied = facts.denied { return forbidden(denied) }
            return Finding(
                .bad,
                "no daemon listens at '\(facts.path)'; one that has ended left the socket behind",
                advice: "start the daemon again, which replaces the socket; under systemd: 'sudo "
                    + "systemctl restart payqueued.socket payqueued.service'")
        }
    }

    /// The advice for a daemon that accepts connections and does not answer.
    static let adviceForSilence =
        "check it with 'systemctl status payqueued' and 'journalctl -u payqueued -n 20'; "
        + "if it hangs, 'sudo systemctl kill -s KILL payqueued' ends it and loses nothing"

    /// The finding for a daemon that accepts connections and does not answer within a number of
    /// seconds.
    static func silence(_ path: String, after seconds: String) -> Finding {
        Finding(
            .bad,
            "the daemon accepts connections at '\(path)' but does not answer within \(seconds) s",
            advice: adviceForSilence)
    }

    private static func forbidden(_ access: SocketAccess) -> Finding {
        let user = access.user.map { "'\($0)'" } ?? "this user"
        let mode = String(access.mode, radix: 8)
        let what = access.obstacle == .socket ? "use" : "pass the directory"
        return Finding(
            .bad,
            "\(user) may not \(what) '\(access.path)' (mode \(mode), owner \(access.owner), "
                + "group \(access.group))", advice: access.advice)
    }
}
