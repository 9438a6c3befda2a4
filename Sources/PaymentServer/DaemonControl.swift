public import PaymentAPI
public import PaymentCore

/// The administrator's operations that concern more than the queue. The program that has the files
/// implements them.
public protocol DaemonControl: Sendable {
    /// Reads the configuration again, and applies the settings that can change while the daemon
    /// runs.
    ///
    /// - Returns: The settings that changed, by their configuration keys, in a fixed order.
    /// - Throws: Nothing changed.
    func reload() async throws(DaemonRefusal) -> [String]

    /// Creates a verified copy of the whole state. The queue continues to work meanwhile.
    ///
    /// - Throws: The copy failed.
    func backup() async throws(DaemonRefusal) -> BackupReceipt

    /// The nodes that share the queue.
    ///
    /// - Throws: `.noCluster`.
    func cluster() async throws(DaemonRefusal) -> ClusterMethod.Result

    /// Waits until this node has every record that the shared log had at the time of the call.
    ///
    /// - Returns: False if that is unknown, or takes longer than some seconds.
    func reachEnd() async -> Bool

    /// Checks whether this node can give the queue to another one.
    ///
    /// - Throws: There is no other node, or this one is not the owner.
    func checkHandOver() async throws(DaemonRefusal) -> HandOver.Result

    /// Gives the queue to another node: the daemon stops, and starts again. Called after the reply
    /// was written.
    func handOver()
}

/// A copy of the state.
public struct BackupReceipt: Sendable, Hashable {
    /// The directory of the copy.
    public var path: String
    /// The position up to which the copy has all records.
    public var sequence: SequenceNumber
    /// The size of the copy in bytes.
    public var bytes: Int

    /// Creates a receipt.
    public init(path: String, sequence: SequenceNumber, bytes: Int) {
        self.path = path
        self.sequence = sequence
        self.bytes = bytes
    }
}

/// The reason why the daemon refused an administrator's request.
public enum DaemonRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The configuration cannot be used. The values are the file, the place in it (a JSON Pointer,
    /// empty for the file itself), and the reason.
    case configuration(file: String, path: String, reason: String)
    /// The log is in local files only.
    case noCluster
    /// No other node can own the queue; the value is a sentence for users.
    case noOtherNode(String)
    /// The disk failed; the value is a sentence for users.
    case disk(String)
    /// Files of the state directory are damaged; the value is a sentence for users.
    case damaged(String)
    /// Something else failed; the value is a sentence for users.
    case failed(String)

    /// A sentence for users.
    public var description: String {
        switch self {
        case .configuration(_, _, let reason), .disk(let reason), .damaged(let reason),
            .failed(let reason), .noOtherNode(let reason):
            reason
        case .noCluster: "this daemon shares its queue with no other node"
        }
    }
}
