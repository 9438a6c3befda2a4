public import NIOCore
import PaymentCore
public import PaymentStorage

/// The copy of the log in the files of a node that follows.
public protocol LogCopy: Sendable {
    /// The end of the copy.
    func end() async throws -> LogEnd

    /// Verifies lines that follow the end, and puts them into the files.
    func take(_ bytes: [UInt8]) async throws
}

/// One node of a queue whose log is in etcd. It follows the log and becomes its owner when there is none. It
/// stays the owner as long as its lease holds.
public final class EtcdCluster: Sendable {
    let client: EtcdClient
    let keys: ClusterKeys
    let node: ClusterNode
    /// The bytes in etcd up to which all lines stay, so that a node without files can join.
    let keptBytes: Int64
    private let keeper: LeaseKeeper
    private let time: ClusterTime

    /// The longest time that a follower waits for a notification of changes; then it polls.
    private static let longestSilence = Duration.seconds(5)
    /// The same time while there is no owner.
    private static let shortestSilence = Duration.milliseconds(100)

    /// Creates a node's part.
    ///
    /// - Parameters:
    ///   - options: The members of etcd.
    ///   - prefix: The beginning of all keys of the queue.
    ///   - node: This node.
    ///   - leaseSeconds: The time after which another node takes the place of an owner that is silent.
    ///   - group: The threads for connections.
    ///   - keptBytes: The bytes in etcd up to which all lines stay.
    /// - Throws: A certificate cannot be used.
    public convenience init(
        _ options: EtcdOptions, prefix: String, node: ClusterNode, leaseSeconds: Int = 5,
        on group: any EventLoopGroup, keptBytes: Int64 = 256 << 20
    ) throws {
        self.init(
            options, prefix: prefix, node: node, leaseSeconds: leaseSeconds,
            over: try HTTPTransport(options, on: group), keptBytes: keptBytes,
            time: ClusterTime(executor: LoopExecutor(group.next())))
    }

    init(
        _ options: EtcdOptions, prefix: String, node: ClusterNode, leaseSeconds: Int,
        over transport: any EtcdTransport, keptBytes: Int64, time: ClusterTime = ClusterTime()
    ) {
        client = EtcdClient(options, over: transport, time: time)
        keys = ClusterKeys(prefix: prefix)
        keeper = LeaseKeeper(
            client, keys: keys, name: node.name, seconds: leaseSeconds, time: time)
        self.node = node
        self.keptBytes = keptBytes
        self.time = time
    }

    /// Closes all connections.
    public func close() async {
        await client.close()
    }

    // MARK: Joining

    /// The beginning of a copy for a node without files.
    ///
    /// - Returns: The beginning; nil if the cluster has no log yet.
    /// - Throws: etcd does not answer, or its keys are not those of a log.
    public func seed() async throws(ClusterFailure) -> StoreSeed? {
        try await client.seed(keys)
    }

    /// Puts the identity and the beginning of a log into a cluster that has none.
    ///
    /// - Parameters:
    ///   - format: The content of `format.json`.
    ///   - end: The end of the log in the files.
    ///   - firstLines: All lines of the log, if they are still few.
    /// - Returns: False if another node was faster.
    /// - Throws: etcd does not answer.
    public func found(
        format: [UInt8], end: LogEnd, firstLines: [UInt8]?
    ) async throws(ClusterFailure) -> Bool {
        var then: [EtcdTransaction.Operation] = [
            .put(keys.format, format), .put(keys.head, ClusterHead(end: end, term: 0).bytes),
        ]
        if let firstLines { then.append(.put(keys.lines(from: 1), firstLines)) }
        let answer = try await client.execute(
            EtcdTransaction(
                when: [.created(keys.head, 0)], then: then,
                otherwise: [.read(EtcdRange(key: keys.format))]))
        // An earlier attempt may have been executed.
        return answer.succeeded || answer.reads.first?.first?.value == format
    }

    // MARK: Following

    /// Follows the log until this node is its owner. It renews the lease of the node meanwhile; ``hold(_:)`` does so
    /// from then on.
    ///
    /// - Parameters:
    ///   - copy: The copy of the log, which gets all lines.
    ///   - meets: Called with the owner whenever it has changed; nil while there is none.
    /// - Returns: The right to append. The copy ends where the log does.
    /// - Throws: The copy does not belong to the log, or cannot take it. A cluster that does not answer is
    ///   asked again.
    public func follow(
        _ copy: any LogCopy, meets: @escaping @Sendable (ClusterOwner?) -> Void
    ) async throws -> Ownership {
        let bell = Bell(time)
        let watching = Task(executorPreference: time.executor) { [client, keys] in
            await client.watch("\(keys.prefix)/") { bell.ring() }
        }
        let keeping = Task(executorPreference: time.executor) { [keeper] in await keeper.keep() }
        let result: Result<Ownership, any Error>
        do {
            result = .success(try await follow(copy, meets, bell))
        } catch {
            result = .failure(error)
        }
        watching.cancel()
        keeping.cancel()
        // Waits for the task to end, so that it requests no lease afterwards.
        await keeping.value
        return try result.get()
    }

    private func follow(
        _ copy: any LogCopy, _ meets: @Sendable (ClusterOwner?) -> Void, _ bell: Bell
    ) async throws -> Ownership {
        var known: ClusterOwner??
        while true {
            try Task.checkCancellation()
            do {
                let found = try await headAndOwner(ofCaughtUp: copy)
                if let right = right(in: found) { return right }
                if known != .some(found.owner) {
                    known = found.owner
                    meets(found.owner)
                }
                if found.owner == nil, let lease = keeper.lease, lease.isFresh {
                    if let right = try await own(found, lease) { return right }
                    // Another node was faster, the log has grown, or an answer was lost.
                    continue
                }
            } catch ClusterFailure.failed {
                // Without answers this node cannot tell which node is the owner.
                if known != .some(nil) {
                    known = .some(nil)
                    meets(nil)
                }
                try await time.sleep(.milliseconds(200))
                continue
            }
            // A log without an owner waits for the lease of this node.
            await bell.wait(
                atMost: known == .some(nil) ? Self.shortestSilence : Self.longestSilence)
        }
    }

    /// Reads what the copy does not have yet.
    ///
    /// - Throws: A ``ClusterFailure``, or what the copy throws.
    public func catchUp(_ copy: any LogCopy) async throws {
        _ = try await headAndOwner(ofCaughtUp: copy)
    }

    /// Reads what the copy does not have yet.
    ///
    /// - Returns: The end of the copy and of the log, and its owner.
    private func headAndOwner(ofCaughtUp copy: any LogCopy) async throws -> HeadAndOwner {
        while true {
            let end = try await copy.end()
            guard let found = try await client.headAndOwner(keys) else {
                throw ClusterFailure.unsuitable(
                    "the cluster has lost its log, and this node has one")
            }
            let head = found.head.end
            guard head.next >= end.next else {
                throw ClusterFailure.unsuitable(
                    "this node has lines up to \(end.next - 1), and the cluster only up to "
                        + "\(head.next - 1)")
            }
            guard head.next > end.next else {
                guard head.chain == end.chain else {
                    throw ClusterFailure.unsuitable(
                        "line \(end.next - 1) of this node is another than that of the cluster")
                }
                return found
            }
            try await takePages(copy, from: end)
        }
    }

    /// The lines in etcd.
    var pages: LogPages { LogPages(client: client, keys: keys) }

    /// Takes what is in etcd after the end of a copy, page by page.
    private func takePages(_ copy: any LogCopy, from end: LogEnd) async throws {
        var count = LogPages.firstCount
        var page = try await pages.entries(from: end.next, count: count)
        if page.first?.key != keys.lines(from: end.next) {
            return try await copy.take(restOfChunk(from: end))
        }
        while let last = page.last, let first = keys.first(ofLines: last.key) {
            let isLast = page.count < count
            let nextCount = LogPages.count(behind: page)
            // The next page is read while this one is taken.
            async let next = isLast ? [] : pages.entries(from: first + 1, count: nextCount)
            for entry in page { try await copy.take(entry.value) }
            (page, count) = (try await next, nextCount)
            // Lines between the two reads may just have been removed.
            guard let follows = page.first,
                keys.first(ofLines: follows.key) == (try await copy.end()).next
            else { return }
        }
    }

    /// The lines after the end of a copy that ends within a chunk, because a crash has torn it.
    private func restOfChunk(from end: LogEnd) async throws -> [UInt8] {
        guard let last = try await pages.entry(around: end.next),
            let first = keys.first(ofLines: last.key),
            let rest = LogChunk.lines(last.value, first: first, from: end.next), !rest.isEmpty
        else {
            throw ClusterFailure.unsuitable(
                "the cluster does not have line \(end.next) any more, which follows the files of this "
                    + "node; copy the state directory of another node that is stopped")
        }
        return rest
    }

    /// A file that owners share.
    public func sharedFile(_ name: String) -> SharedFile {
        SharedFile(name, client: client, keys: keys, time: time)
    }

    /// The nodes of the cluster.
    public var census: ClusterCensus { ClusterCensus(client: client, keys: keys, node: node) }

    // MARK: Owning

    /// The right of this node, if an attempt whose answer was lost has made it the owner.
    private func right(in found: HeadAndOwner) -> Ownership? {
        guard let lease = keeper.lease, let owner = found.owner, owner.lease == lease.id else {
            return nil
        }
        return Ownership(term: owner.term, headRevision: found.revision, lease: lease)
    }

    /// Tries to become the owner of a log without one. The transaction requires that the head has not changed
    /// since it was read, so the copy has all lines. Later appends of an earlier owner are refused, because
    /// they compare the key of the owner.
    ///
    /// - Returns: The right; nil if the log has an owner, or has changed, or the lease has ended.
    private func own(
        _ found: HeadAndOwner, _ lease: NodeLease
    ) async throws(ClusterFailure) -> Ownership? {
        let answer: EtcdAnswer
        do throws(EtcdFailure) {
            answer = try await client.transact(
                EtcdTransaction(
                    when: [.created(keys.owner, 0), .changed(keys.head, found.revision)],
                    then: [
                        .put(
                            keys.owner, ClusterOwner.value(node, lease: lease.id), lease: lease.id)
                    ]))
        } catch {
            // etcd has ended the lease before its time.
            if error.isNotFound { lease.end() }
            throw .failed("\(error)")
        }
        guard answer.succeeded, lease.holds, let term = UInt64(exactly: answer.revision) else {
            return nil
        }
        return Ownership(term: term, headRevision: found.revision, lease: lease)
    }

    /// Requests the lease of this node, which marks the node as up. A node that follows repeats this if it
    /// fails.
    ///
    /// - Throws: etcd does not answer.
    public func appear() async throws(ClusterFailure) {
        try await keeper.request()
    }

    /// Renews the lease of a right until the lease ends or the task is cancelled. Without answers from etcd the
    /// lease ends at its time.
    public func hold(_ right: Ownership) async {
        await keeper.hold(right.lease)
    }

    /// Revokes the lease of this node. The node no longer counts as up. If it owned the log, another node can
    /// become the owner at once.
    public func resign() async {
        await keeper.giveBack()
    }

    /// Ends the right of a former process of this node. That process had the same files and no longer runs.
    ///
    /// - Returns: The owner of the log, if it is another node.
    /// - Throws: etcd does not answer.
    public func endFormerRight() async throws(ClusterFailure) -> ClusterOwner? {
        guard let owner = try await census.owner() else { return nil }
        guard owner.node.name == node.name, owner.node.peer == node.peer else { return owner }
        try? await client.revoke(owner.lease)
        return nil
    }

    /// Makes a log that of the owner. Called on the loop that uses the log.
    ///
    /// - Parameters:
    ///   - log: A log that has followed up to the end.
    ///   - right: The right to append, which ``follow(_:meets:)`` has just returned.
    public func own(_ log: EtcdLog, _ right: Ownership) {
        log.own(
            right,
            LogAppender(
                client: client, keys: keys, ownership: right, headRevision: right.headRevision))
    }
}
