import PaymentCore

/// Reads the lines of a log in etcd, some keys at a time.
struct LogPages: Sendable {
    let client: EtcdClient
    let keys: ClusterKeys

    /// The keys of a first page; not more, because each may have a MiB.
    static let firstCount = 4
    /// The most keys of a page.
    private static let mostCount = 32
    /// About how many bytes a page has, if its keys are small.
    private static let pageBytes = 1 << 20
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

    /// The first `count` keys with lines, from the one that begins with a number or the next after it.
    func entries(
        from number: SequenceNumber, count: Int
    ) async throws(ClusterFailure) -> [EtcdEntry] {
        try await client.entries(
            EtcdRange(key: keys.lines(from: number), end: keys.linesEnd, limit: count),
            patience: Self.patience)
    }

    /// The number of keys for the page after another one.
    static func count(behind page: [EtcdEntry]) -> Int {
        let bytes = page.reduce(0) { $0 + $1.value.count }
        return min(max(page.count * pageBytes / max(bytes, 1), firstCount), mostCount)
    }
}
