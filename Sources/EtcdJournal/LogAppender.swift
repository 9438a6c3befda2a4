import PaymentCore
import PaymentStorage

/// Appends chunks to the log in etcd, one after the other.
///
/// Each append is a transaction that compares the create revision of the owner's key and the change revision of
/// the head. It is therefore executed once or not at all, even if several nodes regard themselves as the owner.
/// It may be sent again when its outcome is unknown.
actor LogAppender {
    private let client: EtcdClient
    private let keys: ClusterKeys
    private let ownership: Ownership
    /// The revision at which the head was changed last.
    private var headRevision: Int64

    private static let ended = JournalFailure(
        "the lease of the log's owner has ended before an append was answered")
    /// The pause before a transaction is sent again.
    private static let pause = Duration.milliseconds(20)

    init(
        client: EtcdClient, keys: ClusterKeys, ownership: Ownership, headRevision: Int64
    ) {
        self.client = client
        self.keys = keys
        self.ownership = ownership
        self.headRevision = headRevision
    }

    /// Appends a chunk.
    ///
    /// - Returns: The outcome, which is certain: after a failure nothing more may be appended by this owner.
    func append(_ chunk: LogChunk) async -> CommitResult {
        for part in chunk.parts(upTo: client.bytesPerTransaction) {
            switch await append(part) {
            case .committed: continue
            case .fenced(let term) where part.first > chunk.first:
                return .failed(
                    JournalFailure("another owner, of term \(term), has come within a batch"))
            case let other: return other
            }
        }
        return .committed
    }

    private func append(_ part: LogChunk.Part) async -> CommitResult {
        let head = ClusterHead(
            end: LogEnd(next: part.next, chain: part.chain), term: ownership.term)
        let key = keys.lines(from: part.first)
        let transaction = EtcdTransaction(
            when: [
                .created(keys.owner, Int64(ownership.term)), .changed(keys.head, headRevision),
            ],
            then: [.put(key, part.bytes), .put(keys.head, head.bytes)],
            otherwise: [
                .read(EtcdRange(key: keys.owner)), .read(EtcdRange(key: keys.head)),
                .read(EtcdRange(key: key)),
            ])
        while ownership.holds {
            do throws(EtcdFailure) {
                let answer = try await client.transact(transaction)
                if answer.succeeded {
                    headRevision = answer.revision
                    return .committed
                }
                return refused(answer, part, head)
            } catch {
                switch error {
                case .unreachable, .refused(8, _), .refused(14, _), .refused(4, _): break
                case .refused:
                    return .failed(JournalFailure("cannot append to the log: \(error)"))
                }
                try? await ownership.lease.time.sleep(Self.pause)
            }
        }
        return .failed(Self.ended)
    }

    /// Finds the outcome of an append whose comparisons did not hold. An earlier attempt was executed, or there
    /// is another owner, or both.
    private func refused(
        _ answer: EtcdAnswer, _ part: LogChunk.Part, _ head: ClusterHead
    ) -> CommitResult {
        guard answer.reads.count == 3, let found = answer.reads[1].first,
            let foundHead = ClusterHead(found.value)
        else {
            return .failed(JournalFailure("etcd answers something else than was asked"))
        }
        let lines = answer.reads[2].first
        let isThere = lines?.value == part.bytes
        let owner = answer.reads[0].first.map { UInt64($0.created) }
        if owner != ownership.term { ownership.end() }
        if isThere, foundHead == head, found.changed == lines?.changed {
            headRevision = found.changed
            return .committed
        }
        ownership.end()
        // The lines are in the log, so the next owner has them as well.
        if isThere { return .committed }
        guard lines != nil || foundHead.end.next <= part.first else {
            return .failed(
                JournalFailure("the lines that would show an append are gone from etcd"))
        }
        // There may be no owner now, and an earlier owner may have written the head.
        let term = owner ?? foundHead.term
        return term > ownership.term ? .fenced(by: term) : .failed(Self.ended)
    }
}
