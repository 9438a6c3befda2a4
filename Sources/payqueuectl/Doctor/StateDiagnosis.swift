import FoundationEssentials
import PaymentStorage
import StrictJSON

/// The facts about a state directory that are available without a daemon.
struct StateFacts {
    var path: String
    /// The process that holds the lock.
    var holder: Int32?
    /// The content of the lock file; nil if it has none.
    var lock: JSONValue?
    /// The permission bits of the directory.
    var mode: UInt32 = 0o700
    var freeBytes: Int64 = .max
    var kind = DiskSpace.Kind.durable
    var hasStore = true

    /// Collects the facts about a directory; nil if it does not exist or is not accessible.
    static func gather(_ path: String) -> StateFacts? {
        var facts = StateFacts(path: path)
        guard FileManager.default.fileExists(atPath: path),
            let disk = try? SystemDisk(path: path, create: false),
            let status = try? disk.status(), let space = try? disk.space(),
            let names = try? disk.list()
        else { return nil }
        facts.mode = status.permissions
        facts.freeBytes = space.freeBytes
        facts.kind = space.kind
        facts.hasStore = names.contains("format.json")
        if let file = try? disk.open("lock", .read) {
            facts.holder = file.lockHolder()
            let text = FileManager.default.contents(atPath: "\(path)/lock") ?? Data()
            // Marks of the journal's progress follow the text.
            facts.lock = try? JSONValue(parsing: Array(text.prefix(1024)), limits: .trusted)
        }
        return facts
    }
}

/// The findings about a state directory.
enum StateDiagnosis {
    /// The free space in bytes below which new work may soon be refused.
    static let scarceBytes: Int64 = 256 << 20

    /// The findings.
    ///
    /// - Parameters:
    ///   - facts: The facts about the directory.
    ///   - socket: The socket of the diagnosed daemon.
    ///   - isAnswered: Whether a daemon answered there.
    /// - Returns: The findings, the most urgent first.
    static func findings(_ facts: StateFacts, socket: String, isAnswered: Bool) -> [Finding] {
        guard facts.hasStore else {
            return [Finding(.good, "'\(facts.path)' is empty; the first start fills it")]
        }
        return [lock(facts, socket, isAnswered), permissions(facts), disk(facts), room(facts)]
            .compactMap(\.self)
    }

    private static func lock(
        _ facts: StateFacts, _ socket: String, _ isAnswered: Bool
    ) -> Finding? {
        if let holder = facts.holder {
            guard !isAnswered else { return nil }
            let listens = facts.lock?["socket"]?.stringValue
            if let listens, listens != socket {
                return Finding(
                    .bad, "process \(holder) uses '\(facts.path)' and listens at '\(listens)'",
                    advice: "check that one: payqueuectl doctor --socket \(Shell.quoted(listens))")
            }
            return Finding(
                .bad, "process \(holder) uses '\(facts.path)' and does not answer",
                advice: "check its log with 'journalctl -u payqueued -n 20', or 'ps \(holder)'")
        }
        guard facts.lock != nil, facts.lock?["clean"] == nil, !isAnswered else { return nil }
        let pid = facts.lock?["pid"]?.intValue.map { "process \($0)" } ?? "the last daemon"
        return Finding(
            .notable, "\(pid) did not stop cleanly in '\(facts.path)'",
            advice: "start the daemon; nothing is lost")
    }

    private static func permissions(_ facts: StateFacts) -> Finding? {
        guard facts.mode & 0o022 != 0 else { return nil }
        return Finding(
            .bad, "'\(facts.path)' is writable by others, so the daemon does not start",
            advice: "fix that with 'chmod go-w \(Shell.quoted(facts.path))'")
    }

    private static func disk(_ facts: StateFacts) -> Finding? {
        switch facts.kind {
        case .durable, .copyOnWrite: nil
        case .volatile:
            Finding(
                .notable, "'\(facts.path)' is not on a disk and is lost at reboot",
                advice: "start payqueued with a --state-directory on a disk")
        case .network:
            Finding(
                .bad, "'\(facts.path)' is on NFS, where the daemon does not start",
                advice: "start payqueued with a --state-directory on a local disk")
        }
    }

    private static func room(_ facts: StateFacts) -> Finding? {
        let mebibytes = facts.freeBytes >> 20
        guard facts.freeBytes < scarceBytes else {
            return Finding(.good, "'\(facts.path)' has \(mebibytes) MiB free")
        }
        return Finding(
            .bad, "'\(facts.path)' has only \(mebibytes) MiB free; new purchases may be refused",
            advice:
                "see what uses the space with 'du -xh --max-depth=1 \(Shell.quoted(facts.path))'")
    }
}
