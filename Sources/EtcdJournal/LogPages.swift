import PaymentCore

/// Reads the lines of a log in etcd, some keys at a time.
struct LogPages: Sendable {
    let client: EtcdClient
    let keys: ClusterKeys

    /// The most keys that are read at once. Each has at most a MiB.
    private static let keysAtOnce = 4
    /// The time that a member has for these keys.
    private static let patience = Duration.seconds(10)

    /// The entry with a line; the last one before it if there is none.
    func entry(around number: SequenceNumber) async throws(ClusterFailure) -> EtcdEntry? {
        // etcd reads the whole range for the last key, so the range grows only as far as it must.
        var reach: SequenceNumber = 4096
        while true {
            let low = number > reach ? number - reach : 0
            let range = EtcdRange(
                key: keys.lines(from: low), end: keys.lines(from: number + 1), limit: 1,
                isDescending: true)
            let found = try await client.entries(range, patience: Self.patience).first
            guard found == nil, low > 0 else { return found }
            reach = reach > number / 16 ? number : reach * 16
        }
    }

    /// Some keys with lines, from the first that begins with a number or behind it.
    func entries(
        from number: SequenceNumber
    ) async throws(ClusterFailure) -> [EtcdEntry] {
        try await client.entries(
            EtcdRange(key: keys.lines(from: number), end: keys.linesEnd, limit: Self.keysAtOnce),
            patience: Self.patience)
    }
}
