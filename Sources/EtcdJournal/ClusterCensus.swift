public import PaymentCore
import StrictJSON

/// The nodes of a cluster, as recorded in etcd: the end of each node's copy, and the nodes that are up.
public struct ClusterCensus: Sendable {
    let client: EtcdClient
    let keys: ClusterKeys
    /// This node.
    let node: ClusterNode

    /// A node, and the end of its copy.
    struct CopyOfNode: Equatable {
        var node: ClusterNode
        var next: SequenceNumber

        init?(_ entry: EtcdEntry) {
            guard let json = try? JSONValue(parsing: entry.value), let node = ClusterNode(json),
                let next = json["next"]?.intValue.flatMap({ SequenceNumber(exactly: $0) }), next > 0
            else { return nil }
            self.node = node
            self.next = next
        }
    }

    /// Writes to etcd how far the copy of this node goes on stable storage. From then on the later lines stay
    /// in etcd, unless it holds very much; see ``EtcdCluster/removeOldLines(_:)``. A node therefore reports
    /// before it reads.
    public func report(_ end: LogEnd) async throws(ClusterFailure) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("next")
        writer.integer(end.next)
        node.write(to: &writer)
        writer.endObject()
        _ = try await client.execute(
            EtcdTransaction(then: [.put(keys.node(node.name), writer.bytes)]))
    }

    /// The number of the last line of the log; nil if the cluster has none.
    ///
    /// - Throws: etcd does not answer.
    public func lastLine() async throws(ClusterFailure) -> SequenceNumber? {
        try await client.head(keys).map { $0.head.end.next - 1 }
    }

    /// The names of the nodes that are up.
    ///
    /// - Throws: etcd does not answer.
    public func up() async throws(ClusterFailure) -> Set<String> {
        Set(try await client.entries(keys.allUp).map { keys.name(ofUp: $0.key) })
    }

    /// The owner of the log now.
    func owner() async throws(ClusterFailure) -> ClusterOwner? {
        try await client.entries(EtcdRange(key: keys.owner)).first.flatMap { ClusterOwner($0) }
    }

    /// The members of etcd, in the order of the configuration.
    public func members() async -> [EtcdMember] { await client.members() }

    /// The state of the cluster.
    ///
    /// - Returns: The owner, the end of the log, and the nodes by name, as far as etcd answers; and its members.
    public func state() async -> ClusterState {
        async let members = client.members()
        var state = ClusterState()
        do throws(ClusterFailure) {
            let found = try await client.headAndOwner(keys)
            state.owner = found?.owner
            state.end = found?.head.end
            let up = try await up()
            state.nodes = try await copies().nodes.map {
                .init(node: $0.node, next: $0.next, isUp: up.contains($0.node.name))
            }
        } catch {
            // Ignored: the state of the members shows that etcd does not answer.
        }
        state.members = await members
        return state
    }

    /// The nodes that have reported, by name.
    ///
    /// - Returns: The nodes, and the revision of etcd's store when they were read.
    func copies() async throws(ClusterFailure) -> (nodes: [CopyOfNode], revision: Int64) {
        do throws(EtcdFailure) {
            let (entries, revision) = try await client.read(keys.nodes)
            return (entries.compactMap { CopyOfNode($0) }, revision)
        } catch {
            throw .failed("\(error)")
        }
    }
}
