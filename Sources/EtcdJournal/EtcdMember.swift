import StrictJSON

/// The state of a member of etcd.
public struct EtcdMember: Sendable, Equatable {
    /// Host and port.
    public var address: String
    /// The version; nil if it does not answer.
    public var version: String?
    /// Whether it is the leader.
    public var isLeader = false
    /// The bytes in use in its files.
    public var bytes: Int64?

    init(address: String, _ status: JSONValue?) {
        self.address = address
        guard let status, let version = status["version"]?.stringValue else { return }
        self.version = version
        // The numbers have 64 bits without a sign.
        let leader = status["leader"]?.stringValue
        isLeader = leader != nil && leader == status["header"]?["member_id"]?.stringValue
        bytes = status.revision("dbSizeInUse")
    }

    /// A known fault of the member's version.
    public enum Fault: Sendable, Equatable {
        /// It can lose what it has acknowledged.
        case losesData
        /// It can answer reads with older data after a pause. The client detects that and uses another member.
        case readsOldData
    }

    /// The known fault of the version; nil if there is none, or the member does not answer.
    ///
    /// Before 3.4.21, a member without others could lose an acknowledged write in a crash. Reads after a pause
    /// could be stale up to 3.4.41 and 3.6.8.
    public var fault: Fault? {
        let parts = (version ?? "").prefix { $0 != "-" }.split(separator: ".").map { Int($0) }
        guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2]
        else {
            return nil
        }
        switch (major, minor, patch) {
        case (..<3, _, _), (3, ..<4, _), (3, 4, ..<21): return .losesData
        case (3, 4, ..<42), (3, 6, ..<9): return .readsOldData
        default: return nil
        }
    }
}
