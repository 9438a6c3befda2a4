/// The limit on etcd's size: the owner removes the lines that the nodes have.
extension EtcdCluster {
    /// The bytes in etcd above which lines are no longer kept for a minority of nodes that is far behind. It is
    /// half of etcd's default limit.
    private static let mostBytes: Int64 = 1 << 30
    /// The revisions that etcd keeps, for watchers that are late.
    private static let keptRevisions: Int64 = 10_000

    /// Removes the lines from etcd that every node has, if etcd holds more than
    /// ``keptBytes``. Above ``mostBytes`` it removes the lines that a majority has. A node that is further
    /// behind then needs the files of another node. Called by the owner.
    public func removeOldLines(_ right: Ownership) async throws(ClusterFailure) {
        let state: (bytes: Int64, revision: Int64)
        do throws(EtcdFailure) {
            state = try await client.size()
        } catch {
            throw .failed("\(error)")
        }
        let oldest = state.revision - Self.keptRevisions
        if oldest > 0 { try? await client.compact(upTo: oldest) }
        guard state.bytes > keptBytes else { return }
        let (nodes, revision) = try await census.copies()
        let ends = nodes.map(\.next).sorted(by: >)
        guard let least = ends.last else { return }
        let bound = state.bytes > Self.mostBytes ? ends[ends.count / 2] : least
        // The chunk of the line before the bound stays: a copy may end within it.
        guard bound > 0, let key = try await pages.entry(around: bound - 1)?.key else { return }
        _ = try await client.execute(
            EtcdTransaction(
                when: [
                    .created(keys.owner, Int64(right.term)),
                    // A node may have joined, or reported another end, since then.
                    .unchanged(from: keys.nodes.key, to: keys.nodesEnd, since: revision),
                ],
                then: [.remove(from: keys.lines(from: 0), to: key)]))
    }
}
