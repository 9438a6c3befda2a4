public import PaymentCore

/// The nodes of a cluster and the members of etcd, as they are now.
public struct ClusterState: Sendable {
    /// A node that has reported.
    public struct Node: Sendable, Equatable {
        /// The node.
        public var node: ClusterNode
        /// The sequence number of the next line of its copy.
        public var next: SequenceNumber
        /// Whether the node is up: its lease in etcd has not ended.
        public var isUp: Bool
    }

    /// The owner of the log; nil if there is none, or etcd does not answer.
    public var owner: ClusterOwner?
    /// The end of the log; nil if etcd does not answer.
    public var end: LogEnd?
    /// The nodes by name.
    public var nodes: [Node] = []
    /// The members of etcd, in the order of the configuration.
    public var members: [EtcdMember] = []
}
