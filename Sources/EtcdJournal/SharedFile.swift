import Synchronization

/// A small file under one key, which the owner of a log leaves to the next one.
public final class SharedFile: Sendable {
    private struct State {
        /// The bytes that are not in etcd yet.
        var pending: [UInt8]?
        var isWriting = false
    }

    private let client: EtcdClient
    private let keys: ClusterKeys
    private let name: String
    private let time: ClusterTime
    private let state = Mutex(State())

    init(_ name: String, client: EtcdClient, keys: ClusterKeys, time: ClusterTime) {
        self.name = name
        self.time = time
        self.client = client
        self.keys = keys
    }

    /// Reads the file.
    ///
    /// - Returns: The bytes; nil if no owner has written it.
    /// - Throws: etcd does not answer.
    public func read() async throws(ClusterFailure) -> [UInt8]? {
        try await client.entries(EtcdRange(key: keys.shared(name))).first?.value
    }

    /// Replaces the file, and repeats that until etcd answers or the right has ended. Returns before that is done. A
    /// later call is never overtaken by an earlier one.
    public func write(_ bytes: [UInt8], _ right: Ownership) {
        let begins = state.withLock { state in
            state.pending = bytes
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard begins else { return }
        Task(executorPreference: time.executor) { [self] in
            while let bytes = next() {
                let transaction = EtcdTransaction(
                    when: [.created(keys.owner, Int64(right.term))],
                    then: [.put(keys.shared(name), bytes)])
                while right.holds, (try? await client.transact(transaction)) == nil {
                    try? await time.sleep(.milliseconds(100))
                }
            }
        }
    }

    /// Waits until all is written, for a time at most.
    public func flush(atMost limit: Duration) async {
        let end = time.now() + limit
        while state.withLock({ $0.isWriting }), time.now() < end {
            try? await time.sleep(.milliseconds(5))
        }
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            defer { state.pending = nil }
            state.isWriting = state.pending != nil
            return state.pending
        }
    }
}
