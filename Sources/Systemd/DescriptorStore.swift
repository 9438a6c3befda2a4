internal import CSystemd
internal import Glibc

/// The service manager's store of file descriptors, which outlives this process. Stored descriptors
/// are passed to the next start, by name.
public struct DescriptorStore: Sendable {
    /// The number of descriptors that the manager stores for this service; nil before systemd 254.
    /// Descriptors beyond it are silently dropped.
    public let capacity: Int?
    /// True if a service manager exists.
    public let isReachable: Bool

    /// Reads the manager's offer from the environment.
    public init() {
        isReachable = Environment.value("NOTIFY_SOCKET") != nil
        capacity = Environment.value("FDSTORE").flatMap(Int.init)
    }

    /// Stores descriptors under a name. They also stay open in this process.
    ///
    /// The manager drops a connection on its own when the peer closes it.
    ///
    /// - Parameters:
    ///   - descriptors: The descriptors, at most 16.
    ///   - name: The name, of letters, digits and dashes.
    ///   - patience: The longest wait for space in the manager's socket.
    /// - Returns: The outcome of the message. It does not show whether the manager stored the
    ///   descriptors.
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

    /// Asks the manager to close all descriptors of a name.
    ///
    /// - Parameters:
    ///   - name: The name of the descriptors.
    ///   - patience: The longest wait for space in the manager's socket.
    /// - Returns: The outcome of the message.
    @discardableResult
    public func remove(name: String, patience: Duration) -> NotifyOutcome {
        guard isReachable else { return .noManager }
        guard ManagerSocket.hasRoom(within: patience) else { return .failed(errno: EAGAIN) }
        return Notifier.outcome(sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)"))
    }
}
