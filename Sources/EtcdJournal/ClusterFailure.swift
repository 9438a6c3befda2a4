import PaymentStorage

/// The reason why a node cannot take part in a cluster.
public enum ClusterFailure: Error, Sendable, CustomStringConvertible {
    /// The files of this node do not belong to the cluster, or need what the cluster does not have any more.
    case unsuitable(String)
    /// The cluster did not answer, or its answers make no sense.
    case failed(String)

    /// A sentence without a full stop.
    public var description: String {
        switch self {
        case .unsuitable(let reason), .failed(let reason): reason
        }
    }
}

/// Requests that throw a ``ClusterFailure``.
extension EtcdClient {
    /// Reads keys.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - patience: The time that a member has to answer; nil for the usual one.
    /// - Returns: The entries.
    /// - Throws: etcd refused the request, or no member gave a valid answer in time.
    func entries(
        _ range: EtcdRange, patience: Duration? = nil
    ) async throws(ClusterFailure) -> [EtcdEntry] {
        do throws(EtcdFailure) {
            return try await read(range, patience: patience).entries
        } catch {
            throw .failed("\(error)")
        }
    }

    /// Executes a transaction that may be executed twice.
    func execute(_ transaction: EtcdTransaction) async throws(ClusterFailure) -> EtcdAnswer {
        do throws(EtcdFailure) {
            return try await transact(transaction)
        } catch {
            throw .failed("\(error)")
        }
    }

    /// The end of a log, and the revision at which it was changed last; nil without a log.
    func head(
        _ keys: ClusterKeys
    ) async throws(ClusterFailure) -> (head: ClusterHead, revision: Int64)? {
        guard let entry = try await entries(EtcdRange(key: keys.head)).first else { return nil }
        return (try Self.head(in: entry, keys), entry.changed)
    }

    /// The end of a log and its owner, read at one revision; nil without a log.
    func headAndOwner(_ keys: ClusterKeys) async throws(ClusterFailure) -> HeadAndOwner? {
        let answer = try await execute(
            EtcdTransaction(then: [
                .read(EtcdRange(key: keys.head)), .read(EtcdRange(key: keys.owner)),
            ]))
        guard answer.reads.count == 2 else { throw .failed("etcd answers something else") }
        guard let entry = answer.reads[0].first else { return nil }
        return HeadAndOwner(
            head: try Self.head(in: entry, keys), revision: entry.changed,
            owner: answer.reads[1].first.flatMap { ClusterOwner($0) })
    }

    private static func head(
        in entry: EtcdEntry?, _ keys: ClusterKeys
    ) throws(ClusterFailure) -> ClusterHead {
        guard let head = entry.flatMap({ ClusterHead($0.value) }) else {
            throw .unsuitable("the key '\(keys.head)' is not that of a log of payqueued")
        }
        return head
    }

    /// The beginning of a copy; nil without a log.
    func seed(_ keys: ClusterKeys) async throws(ClusterFailure) -> StoreSeed? {
        // A read alone may be stale, so the transaction also writes: it removes a key that does not exist,
        // which changes nothing.
        let answer = try await execute(
            EtcdTransaction(
                when: [.created(keys.head, 0)], then: [.removeKey(keys.head)],
                otherwise: [
                    .read(EtcdRange(key: keys.head)), .read(EtcdRange(key: keys.format)),
                    .read(EtcdRange(key: keys.lines(from: 1))),
                ]))
        guard !answer.succeeded else { return nil }
        guard answer.reads.count == 3 else { throw .failed("etcd answers something else") }
        _ = try Self.head(in: answer.reads[0].first, keys)
        guard let format = answer.reads[1].first else {
            throw .failed("the cluster has a log and no format")
        }
        return StoreSeed(format: format.value, firstLines: answer.reads[2].first?.value)
    }
}
