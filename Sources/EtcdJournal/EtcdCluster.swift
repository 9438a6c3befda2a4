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

/// One node's part in a queue whose log is in etcd: it follows the log, becomes its owner when there is none,
/// and stays it as long as its lease holds.
public final class EtcdCluster: Sendable {
    let client: EtcdClient
    let keys: ClusterKeys
    let node: ClusterNode
    /// The bytes in etcd up to which all lines stay, so that a node without files can join.
    let keptBytes: Int64
    private let leaseSeconds: Int
    private let time: ClusterTime

    /// The time after which a follower looks for changes on its own.
    private static let longestSilence = Duration.seconds(5)

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
        self.node = node
        self.leaseSeconds = leaseSeconds
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

    /// Follows the log until this node is its owner.
    ///
    /// - Parameters:
    ///   - copy: The copy of the log, which gets all lines.
    ///   - meets: Called with the owner whenever it has changed; nil while there is none.
    /// - Returns: The right to append. The copy ends where the log does.
    /// - Throws: The copy does not belong to the log, or cannot take it. A cluster that does not answer is
    ///   asked again.
    public func follow(
        _ copy: any LogCopy, meets: @escaping @Sendable (ClusterOwner?) -> Void
    ) async throws -> (ownership: Ownership, headRevision: Int64) {
        let bell = Bell(time)
        let watching = Task(executorPreference: time.executor) { [client, keys] in
            await client.watch("\(keys.prefix)/") { bell.ring() }
        }
        defer { watching.cancel() }
        var known: ClusterOwner??
        while true {
            try Task.checkCancellation()
            do {
                try await catchUp(copy)
                let owner = try await owner()
                if known != .some(owner) {
                    known = owner
                    meets(owner)
                }
                if owner == nil, let owned = try await own(copy) { return owned }
            } catch ClusterFailure.failed {
                // Without answers this node does not know who the owner is.
                if known != .some(nil) {
                    known = .some(nil)
                    meets(nil)
                }
                try await time.sleep(.milliseconds(200))
                continue
            }
            await bell.wait(atMost: Self.longestSilence)
        }
    }

    /// Reads what the copy does not have yet.
    ///
    /// - Throws: A ``ClusterFailure``, or what the copy throws.
    public func catchUp(_ copy: any LogCopy) async throws {
        _ = try await end(ofCaughtUp: copy)
    }

    /// Reads what the copy does not have yet.
    ///
    /// - Returns: The end of the copy and of the log, and the revision at which the head was changed last.
    private func end(
        ofCaughtUp copy: any LogCopy
    ) async throws -> (end: LogEnd, revision: Int64) {
        while true {
            let end = try await copy.end()
            guard let (known, revision) = try await client.head(keys) else {
                throw ClusterFailure.unsuitable(
                    "the cluster has lost its log, and this node has one")
            }
            let head = known.end
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
                return (end, revision)
            }
            try await takePages(copy, from: end)
        }
    }

    /// The lines in etcd.
    var pages: LogPages { LogPages(client: client, keys: keys) }

    /// Takes what is in etcd behind the end of a copy, page by page.
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

    /// The lines behind the end of a copy that ends within a chunk, because a crash has torn it.
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

    /// The owner of the log now.
    public func owner() async throws(ClusterFailure) -> ClusterOwner? {
        try await census.owner()
    }

    // MARK: Owning

    /// Tries to become the owner. The attempt comes to its end also when the task is cancelled, so that a right
    /// is used or given back.
    ///
    /// - Returns: The right and the revision of the head; nil if another node was faster.
    private func own(
        _ copy: any LogCopy
    ) async throws -> (ownership: Ownership, headRevision: Int64)? {
        try await Task(executorPreference: time.executor) {
            () async throws -> (ownership: Ownership, headRevision: Int64)? in
            guard let right = try await self.campaign() else { return nil }
            do {
                if let revision = try await self.takeOver(copy, right) { return (right, revision) }
            } catch {
                await self.resign(right)
                throw error
            }
            await self.resign(right)
            return nil
        }.value
    }

    /// Requests a lease, and puts it into the key of the owner.
    ///
    /// - Returns: The right, which must be made certain by ``takeOver(_:_:)``; nil if another node was faster.
    private func campaign() async throws(ClusterFailure) -> Ownership? {
        let requested = time.now()
        let lease: Int64
        do throws(EtcdFailure) {
            lease = try await client.grant(seconds: leaseSeconds)
        } catch {
            throw .failed("\(error)")
        }
        let value = ClusterOwner.value(node, lease: lease)
        let answer = try await client.execute(
            EtcdTransaction(
                when: [.created(keys.owner, 0)], then: [.put(keys.owner, value, lease: lease)],
                otherwise: [.read(EtcdRange(key: keys.owner))]))
        let term: Int64
        if answer.succeeded {
            term = answer.revision
        } else if let found = answer.reads.first?.first, found.value == value {
            term = found.created
        } else {
            try? await client.revoke(lease)
            return nil
        }
        return Ownership(
            term: UInt64(term), lease: lease, span: .milliseconds(800 * leaseSeconds),
            granted: requested, time: time)
    }

    /// Makes the right certain: reads the rest of the log, and writes the term into its head. From then on no
    /// append of an earlier owner can succeed.
    ///
    /// - Returns: The revision of the head; nil if the right was lost meanwhile.
    private func takeOver(
        _ copy: any LogCopy, _ right: Ownership
    ) async throws -> Int64? {
        let renewing = Task(executorPreference: time.executor) {
            await self.renew(right)
        }
        defer { renewing.cancel() }
        while right.holds {
            let (end, revision) = try await end(ofCaughtUp: copy)
            let next = ClusterHead(end: end, term: right.term)
            let answer = try await client.execute(
                EtcdTransaction(
                    when: [
                        .created(keys.owner, Int64(right.term)),
                        .changed(keys.head, revision),
                    ],
                    then: [.put(keys.head, next.bytes)],
                    otherwise: [
                        .read(EtcdRange(key: keys.owner)), .read(EtcdRange(key: keys.head)),
                    ]))
            if answer.succeeded { return answer.revision }
            // An earlier attempt may have been executed.
            if answer.reads.count == 2, let found = answer.reads[1].first,
                found.value == next.bytes
            {
                return found.changed
            }
            let owner = answer.reads.first?.first
            guard let owner, UInt64(owner.created) == right.term else { return nil }
        }
        return nil
    }

    /// Renews a right until it ends, which it does at its time whether or not etcd answers, or the task is
    /// cancelled.
    public func hold(_ right: Ownership) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.renew(right) }
            group.addTask { await right.untilTimeIsOver() }
            await group.next()
            group.cancelAll()
        }
    }

    private func renew(_ right: Ownership) async {
        let pause = Duration.milliseconds(1000 * leaseSeconds / 3)
        while right.holds {
            let requested = time.now()
            do throws(EtcdFailure) {
                guard try await client.keepAlive(right.lease) > 0 else { return right.end() }
                right.renewed(requested: requested)
                guard (try? await time.sleep(pause)) != nil else { return }
            } catch {
                if error.isNotFound { return right.end() }
                guard (try? await time.sleep(.milliseconds(100))) != nil else { return }
            }
        }
    }

    /// Gives the right back, so that another node can become the owner at once.
    public func resign(_ right: Ownership) async {
        right.end()
        await revokeLease(of: right)
    }

    /// Ends the right of a former process of this node. It had the same files, and runs no more.
    ///
    /// - Returns: The owner of the log, if it is another node.
    /// - Throws: etcd does not answer.
    public func endFormerRight() async throws(ClusterFailure) -> ClusterOwner? {
        guard let owner = try await owner() else { return nil }
        guard owner.node.name == node.name, owner.node.peer == node.peer else { return owner }
        try? await client.revoke(owner.lease)
        return nil
    }

    func revokeLease(of right: Ownership) async {
        try? await client.revoke(right.lease)
    }

    /// Makes a log that of the owner. Called on the loop that uses the log.
    ///
    /// - Parameters:
    ///   - log: A log that has followed up to the end.
    ///   - right: The right to append.
    ///   - headRevision: The revision from ``follow(_:meets:)``.
    public func own(_ log: EtcdLog, _ right: Ownership, headRevision: Int64) {
        log.own(
            right,
            LogAppender(client: client, keys: keys, ownership: right, headRevision: headRevision))
    }
}
