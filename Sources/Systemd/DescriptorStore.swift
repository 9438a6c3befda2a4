internal import CSystemd
internal import Glibc

/// The service manager's store of descriptors, which outlives this process: what lies in it comes
/// back with the next start, by name.
public struct DescriptorStore: Sendable {
    /// How many descriptors the manager keeps for this service; nil if it does not say, as managers
    /// before systemd 254. What is sent beyond that is dropped without a word.
    public let capacity: Int?
    /// Whether a manager is there at all.
    public let isReachable: Bool

    /// Reads what the manager offers to this process.
    public init() {
        isReachable = Environment.value("NOTIFY_SOCKET") != nil
        capacity = Environment.value("FDSTORE").flatMap(Int.init)
    }

    /// Hands descriptors to the manager, all under one name. They stay open here.
    ///
    /// One that the other side hangs up is dropped by the manager itself.
    ///
    /// - Parameters:
    ///   - descriptors: At most 16.
    ///   - name: Letters, digits and dashes.
    ///   - patience: How long to wait for a manager that reads nothing.
    /// - Returns: What became of the message; not whether the manager had room for descriptors.
    @discardableResult
    public func keep(
        _ descriptors: [Int32], name: String, patience: Duration
    ) -> NotifyOutcome {
        guard isReachable else { return .noManager }
        guard ManagerSocket.hasRoom(within: patience) else { return .failed(errno: EAGAIN) }
        let result = sd_pid_notify_with_fds(
            0, 0, "FDSTORE=1\nFDNAME=\(name)", descriptors, UInt32(descriptors.count))
        return Notifier.outcome(result)
    }

    /// Has the manager close everything that it keeps under a name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - patience: How long to wait for a manager that reads nothing.
    /// - Returns: What became of the message.
    @discardableResult
    public func remove(name: String, patience: Duration) -> NotifyOutcome {
        guard isReachable else { return .noManager }
        guard ManagerSocket.hasRoom(within: patience) else { return .failed(errno: EAGAIN) }
        return Notifier.outcome(sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)"))
    }
}
