/// `cluster`: show the nodes that share the queue.
public enum ClusterMethod: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The nodes that share the queue, and the members of etcd.
    public struct Result: WireResult, Hashable {
        /// The roles of a node.
        public enum Role: String, WireWord, Sendable {
            /// The node owns the queue.
            case owner
            /// Another node owns the queue, or none does.
            case follower
        }

        /// A node that shares the queue.
        public struct Node: Sendable, Hashable {
            /// The name.
            public var name: String
            /// Whether its lease in etcd lasts, which it renews while it runs.
            public var isUp: Bool
            /// The version of its program.
            public var version: String
            /// Where other nodes reach it.
            public var peer: String?
            /// The last line of the log in its files when it reported last.
            public var line: UInt64

            /// Creates a description.
            public init(name: String, isUp: Bool, version: String, peer: String?, line: UInt64) {
                self.name = name
                self.isUp = isUp
                self.version = version
                self.peer = peer
                self.line = line
            }
        }

        /// A member of etcd.
        public struct Member: Sendable, Hashable {
            /// The address of a member that answers.
            public var address: String
            /// The version; nil if it does not answer.
            public var version: String?
            /// Whether it is the leader of the members.
            public var isLeader: Bool
            /// The bytes in use in its files.
            public var bytes: Int64?

            /// Creates a description.
            public init(address: String, version: String?, isLeader: Bool, bytes: Int64?) {
                self.address = address
                self.version = version
                self.isLeader = isLeader
                self.bytes = bytes
            }
        }

        /// The name of the node that answers.
        public var node: String
        /// Its role.
        public var role: Role
        /// The node that owns the queue; nil if none is known to.
        public var owner: String?
        /// The term of the owner.
        public var term: UInt64?
        /// The beginning of all keys of the queue in etcd.
        public var prefix: String
        /// The last line of the log in etcd; nil if etcd does not answer.
        public var line: UInt64?
        /// The nodes by name; empty if etcd does not answer.
        public var nodes: [Node]
        /// The members of etcd in the order of the configuration.
        public var members: [Member]

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("node", \.node, .text, "The name of the node that answers."),
            .required("role", \.role, .word, "Whether that node owns the queue."),
            .optional("owner", \.owner, .text, "The node that owns the queue, if one is known to."),
            .optional(
                "term", \.term, .count,
                "The term of the owner, greater than that of every owner before."),
            .required("prefix", \.prefix, .text, "The beginning of all keys of the queue in etcd."),
            .optional("line", \.line, .count, "The last line of the log, if etcd answers."),
            .required("nodes", \.nodes, .list(of: nodeForm), "The nodes by name, if etcd answers."),
            .required(
                "members", \.members, .list(of: memberForm),
                "The members of etcd, in the order of the configuration."),
        ])

        /// Creates a result.
        public init(
            node: String, role: Role, owner: String?, term: UInt64?, prefix: String, line: UInt64?,
            nodes: [Node], members: [Member]
        ) {
            self.node = node
            self.role = role
            self.owner = owner
            self.term = term
            self.prefix = prefix
            self.line = line
            self.nodes = nodes
            self.members = members
        }
    }

    private static let nodeForm = ResultForm<Result.Node>.object([
        .required("node", \.name, .text, "The name."),
        .required(
            "up", \.isUp, .flag, "Whether its lease in etcd lasts, which it renews while it runs."),
        .required("version", \.version, .text, "The version of its program."),
        .optional("peer", \.peer, .text, "Host and port where other nodes reach it."),
        .required(
            "line", \.line, .count, "The last line of the log in its files when it reported last."),
    ])

    private static let memberForm = ResultForm<Result.Member>.object([
        .required("address", \.address, .text, "Host and port."),
        .required("up", { $0.version != nil }, .flag, "Whether it answers."),
        .optional("version", \.version, .text, "The version of etcd, if it answers."),
        .required("leader", \.isLeader, .flag, "Whether it is the leader of the members."),
        .optional("bytes", \.bytes, .count, "The bytes in use in its files."),
    ])

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "cluster",
        summary: "Show the nodes that share the queue",
        description: """
            Asks etcd for the owner and the nodes, and each member of etcd for its state. Nodes report \
            every five seconds. A daemon with its log in local files only refuses the call with error -32600.
            """,
        errors: [.tooManyInFlight, .shareExceeded, .cancelled],
        role: .observe,
        waits: true,
        example: Result(
            node: "east", role: .follower, owner: "west", term: 812, prefix: "payqueued",
            line: 4711,
            nodes: [
                .init(name: "east", isUp: true, version: "1.0.0", peer: "east:7400", line: 4711),
                .init(name: "west", isUp: true, version: "1.0.0", peer: "west:7400", line: 4711),
            ],
            members: [
                .init(address: "etcd-1:2379", version: "3.6.9", isLeader: true, bytes: 409_600)
            ])
    )
}
