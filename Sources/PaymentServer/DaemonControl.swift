public import PaymentAPI
public import PaymentCore

/// The administrator's operations on more than the queue, wired by the program that has the files.
public protocol DaemonControl: Sendable {
    /// Reads the configuration again and puts into force what can change while the daemon runs.
    ///
    /// - Returns: The settings that changed, by their configuration keys, in a fixed order.
    /// - Throws: Nothing changed.
    func reload() async throws(DaemonRefusal) -> [String]

    /// Makes a verified copy of the whole state. The queue works on meanwhile.
    ///
    /// - Throws: There is no copy.
    func backup() async throws(DaemonRefusal) -> BackupReceipt

    /// The nodes that share the queue.
    ///
    /// - Throws: `.noCluster`.
    func cluster() async throws(DaemonRefusal) -> ClusterMethod.Result

    /// Waits until this node has everything that the log of the nodes had at the call.
    ///
    /// - Returns: False if that is not known, or takes some seconds.
    func reachEnd() async -> Bool

    /// Looks whether this node can give the queue to another one.
    ///
    /// - Throws: There is no other node, or this one is not the owner.
    func checkHandOver() async throws(DaemonRefusal) -> HandOver.Result

    /// Gives the queue to another node: the daemon stops, and starts again. Called when the reply is written.
    func handOver()
}

/// A copy of the state.
public struct BackupReceipt: Sendable, Hashable {
    /// Its directory.
    public var path: String
    /// The position as of which it is true.
    public var sequence: SequenceNumber
    /// Its size.
    public var bytes: Int

    /// Names a copy.
    public init(path: String, sequence: SequenceNumber, bytes: Int) {
        self.path = path
        self.sequence = sequence
        self.bytes = bytes
    }
}

/// The reason for which the daemon refused an administrator's request.
public enum DaemonRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The configuration cannot be used: the file, the place in it (a JSON Pointer, empty for the
    /// file itself), and the reason.
    case configuration(file: String, path: String, reason: String)
    /// The log is in local files only.
    case noCluster
    /// No other node can own the queue; a sentence for people.
    case noOtherNode(String)
    /// The disk refused it.
    case disk(String)
    /// Something else failed; a sentence for people.
    case failed(String)

    /// A sentence for people.
    public var description: String {
        switch self {
        case .configuration(_, _, let reason), .disk(let reason), .failed(let reason),
            .noOtherNode(let reason):
            reason
        case .noCluster: "this daemon shares its queue with no other node"
        }
    }
}
