import Glibc
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentServer
import PaymentStorage
import StrictJSON
import Synchronization
import Systemd

#if StoreClient
    import EtcdJournal

    /// This node's part in a cluster whose log is in etcd: it follows the log, and owns it when no other node
    /// does.
    ///
    /// Proof: the log and its receiver are made and used on the engine's loop.
    final class ClusterMember: Sendable {
        private let cluster: EtcdCluster
        private let prefix: String
        private let name: String
        private let peers: ClusterPeers?
        private let log: Logger
        private let notifier: Notifier
        private let state = Mutex(State())

        private struct State {
            var log: NIOLoopBound<EtcdLog>?
            var follower: NIOLoopBound<Follower>?
            var owner: ClusterOwner?
            var right: Ownership?
            /// Follows until this node owns the log.
            var following: Task<Void, Never>?
            /// Keeps the lease, and cares for etcd's size.
            var work: [Task<Void, Never>] = []
            var isLeaving = false
        }

        /// The time that etcd has to answer a start.
        private static let patience = Duration.seconds(10)
        /// The time between two reports of how far the copy goes.
        private static let carePace = Duration.seconds(5)
        /// The most bytes of a log that are put into a new cluster at once.
        private static let importLimit = 1 << 20

        /// Creates the part of a node.
        ///
        /// - Returns: The part; nil if the log is in local files only.
        /// - Throws: A file with certificates or credentials cannot be used.
        init?(
            _ configuration: DaemonConfiguration, log: Logger, notifier: Notifier,
            group: any EventLoopGroup
        ) throws(ConfigurationProblem) {
            guard let address = configuration.clusterAddress else { return nil }
            var options = EtcdOptions(members: address.members)
            if let path = configuration.cluster.certificates.value {
                options.trustRoots = try ClusterFiles.read(path, .unchangeable)
            }
            if let path = configuration.cluster.credentials.value {
                try ClusterFiles.readCredentials(path, into: &options)
            }
            name = configuration.cluster.node.value ?? Self.hostName
            prefix = address.prefix
            self.log = log
            self.notifier = notifier
            peers = try ClusterPeers(configuration.cluster, log: log, group: group)
            do {
                cluster = try EtcdCluster(
                    options, prefix: address.prefix,
                    node: ClusterNode(
                        name: name, peer: configuration.cluster.peer.value,
                        version: Version.current),
                    leaseSeconds: configuration.cluster.leaseSeconds, on: group)
            } catch {
                throw ConfigurationProblem("cannot use the certificates for etcd: \(error)")
            }
        }

        // MARK: Start

        /// The beginning of a copy in an empty state directory. In a cluster without a log this node begins
        /// one, with an empty directory or with one that is to be imported.
        ///
        /// - Returns: The beginning; nil if the queue of the directory is to be imported.
        /// - Throws: etcd does not answer, or its keys are not of a queue; or the directory has a queue and the
        ///   cluster has none.
        func seed(for directory: StateDirectory, _ settings: LogSettings) async throws -> StoreSeed?
        {
            let seed: StoreSeed? = try await answered {
                if let seed = try await self.cluster.seed() { return seed }
                guard try !directory.hasQueue() else {
                    try self.requireImport(of: directory)
                    return nil
                }
                let made = StoreSeed.new(settings)
                _ = try await self.cluster.found(
                    format: made.seed.format,
                    end: LogEnd(next: made.end.next, chain: made.end.chain),
                    firstLines: made.seed.firstLines)
                // Another node may have been faster.
                return try await self.cluster.seed()
            }
            // Before anything else is in the directory: what begins as a copy is never without its mark.
            if seed != nil, try !directory.hasQueue() {
                try ClusterMembership(prefix: prefix).write(to: directory)
            }
            return seed
        }

        /// A cluster that has lost its log is not begun again by the first copy that starts: another copy may
        /// have more, and a prefix may have been misspelled.
        private func requireImport(of directory: StateDirectory) throws(StorageError) {
            let membership = try ClusterMembership(of: directory.disk)
            guard membership?.mayImport != true else { return }
            let reason =
                membership == nil
                ? "'\(directory.path)' has a queue, and the cluster at '\(prefix)' has none; move it there with"
                : "the cluster at '\(prefix)' has lost its log; begin it again with the copy that has the most by"
            throw .unsuitable(
                "\(reason) 'payqueuectl cluster import \(prefix) --state-directory \(directory.path)'"
            )
        }

        /// Makes the log of a copy. Called on the loop.
        func follow(_ copy: CopiedLog, on loop: any EventLoop) -> any RecordLog {
            let log = EtcdLog(copy: copy) { loop.execute($0) }
            state.withLock { $0.log = NIOLoopBound(log, eventLoop: loop) }
            return log
        }

        /// Connects the log with what follows it. Called on the loop.
        func attach(_ engine: PaymentEngine, _ store: DaemonStore, _ checkpointer: Checkpointer) {
            guard let bound = state.withLock({ $0.log }) else { return }
            let log = bound.value
            let follower = Follower(engine, store)
            log.follower = follower
            log.segmentEnds = { [weak checkpointer] chunk in
                log.copy.snapshotTicket(behind: chunk).flatMap {
                    checkpointer?.segmentEnds($0)
                }
            }
            checkpointer.endSegment = {
                log.endsSegment = true
                // Without it the segment would end with the next record, which a full disk may prevent.
                engine.takeTurn()
            }
            state.withLock { $0.follower = NIOLoopBound(follower, eventLoop: bound.eventLoop) }
        }

        /// Puts the log of this node into a cluster that has none, or reads what this node has missed.
        ///
        /// - Parameters:
        ///   - seed: What the cluster had at the start.
        ///   - state: The state directory, which belongs to the cluster from then on.
        /// - Throws: The files of this node do not belong to the cluster.
        func catchUp(from seed: StoreSeed?, in state: StateDirectory) async throws {
            let log = try boundLog
            let (mine, end) = try await log.eventLoop.submit {
                (try log.value.copy.seed(limit: Self.importLimit), log.value.end)
            }.get()
            if let seed {
                guard seed.store == mine.store else {
                    throw StorageError.unsuitable(
                        "the state directory has another queue than the cluster; move its files away, "
                            + "or use another prefix")
                }
            } else {
                let isMine = try await answered {
                    try await self.cluster.found(
                        format: mine.format, end: end, firstLines: mine.firstLines)
                }
                guard isMine else {
                    throw StorageError.unsuitable(
                        "another node has just put its queue into the cluster")
                }
            }
            let membership = ClusterMembership(prefix: prefix)
            if try ClusterMembership(of: state.disk) != membership {
                try membership.write(to: state)
            }
            try await answered {
                try await self.cluster.report(end)
                try await self.cluster.catchUp(Copy(log: log))
            }
        }

        /// Asks etcd until it answers.
        private func answered<Value: Sendable>(
            _ question: @Sendable () async throws -> Value
        ) async throws -> Value {
            let end = ContinuousClock.now + Self.patience
            while true {
                do {
                    return try await question()
                } catch let failure as ClusterFailure {
                    switch failure {
                    case .unsuitable(let reason): throw StorageError.unsuitable(reason)
                    case .failed(let reason):
                        guard ContinuousClock.now < end else {
                            throw StartFailure.system("cannot reach the cluster: \(reason)")
                        }
                    }
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }

        // MARK: Life

        /// Follows the log, and owns it when no other node does, until the node stops.
        ///
        /// - Parameters:
        ///   - engine: The engine.
        ///   - owns: Called on the loop when this node has become the owner; it starts the engine.
        func begin(_ engine: PaymentEngine, _ owns: @escaping @Sendable () -> Void) {
            let following = Task { [self] in
                do {
                    try await follow(engine, owns)
                } catch {
                    guard !isLeaving else { return }
                    leave(because: error)
                }
            }
            let caring = Task { [self] in await care() }
            state.withLock { state in
                state.following = following
                state.work.append(caring)
            }
        }

        private func follow(
            _ engine: PaymentEngine, _ owns: @escaping @Sendable () -> Void
        ) async throws {
            let bound = try boundLog
            let (right, revision) = try await cluster.follow(Copy(log: bound)) { owner in
                self.meet(owner)
            }
            let isOwner = try await bound.eventLoop.submit {
                guard !self.isLeaving, engine.isRunning else { return false }
                self.state.withLock { $0.right = right }
                self.cluster.own(bound.value, right, headRevision: revision)
                self.peers?.use(nil)
                owns()
                return true
            }.get()
            guard isOwner else { return await cluster.resign(right) }
            log.notice(
                "this node owns the queue", metadata: ["node": "\(name)", "term": "\(right.term)"])
            let holding = Task { [self] in
                await cluster.hold(right)
                guard !isLeaving else { return }
                bound.eventLoop.execute {
                    engine.fail(JournalFailure("the lease of the log's owner has ended"))
                }
            }
            state.withLock { $0.work.append(holding) }
        }

        /// The way to the owner; nil if the nodes do not reach each other.
        var dialer: (any OwnerDialer)? { peers }

        /// Takes the calls of other nodes.
        ///
        /// - Returns: The listening channel; nil if the nodes do not reach each other.
        func listen(
            for server: PaymentServer, _ group: any EventLoopGroup
        ) async throws -> (any Channel)? {
            try await peers?.listen(for: server, group)
        }

        /// Whether this node owns the queue for sure.
        var holdsTerm: Bool { state.withLock { $0.right }?.holds ?? false }

        private var isLeaving: Bool { state.withLock { $0.isLeaving } }

        /// Reports how far the copy goes, and as the owner removes what all copies have.
        private func care() async {
            var reported: LogEnd?
            while (try? await Task.sleep(for: Self.carePace)) != nil {
                guard let log = try? boundLog else { return }
                // What fails now is done the next time.
                do {
                    let end = try await Copy(log: log).end()
                    if end != reported {
                        try await cluster.report(end)
                        reported = end
                    }
                    if let right = state.withLock({ $0.right }) {
                        try await cluster.removeOldLines(right)
                    }
                } catch {
                    continue
                }
            }
        }

        /// Follows no longer, and owns nothing that it does not own already. A right that is being granted is
        /// given back. Called before the engine stops: from then on only the owner writes to the copy.
        func stopFollowing() async {
            let following = state.withLock { state in
                state.isLeaving = true
                return state.following
            }
            following?.cancel()
            await following?.value
        }

        /// Ends the right to append, because what is on its way does not come to an end.
        func giveUp() {
            log.warning("the log takes nothing more; what was not committed is not recorded")
            state.withLock { $0.right }?.end()
        }

        /// Ends the node's part. The engine has stopped: another node may be the owner now.
        func leave() async {
            await stopFollowing()
            let (work, right) = state.withLock { ($0.work, $0.right) }
            for task in work { task.cancel() }
            for task in work { await task.value }
            if let right { await cluster.resign(right) }
            await cluster.close()
        }

        /// One line about the node's part.
        var status: String {
            state.withLock { state in
                if state.right != nil { return "owner" }
                return state.owner.map { "follows \($0.node.name)" } ?? "no owner"
            }
        }

        private func meet(_ owner: ClusterOwner?) {
            state.withLock { $0.owner = owner }
            peers?.use(owner)
            if let owner {
                log.notice(
                    "follows the owner of the queue",
                    metadata: ["owner": "\(owner.node.name)", "term": "\(owner.term)"])
            } else {
                log.notice("no node is known to own the queue")
            }
        }

        /// Ends the process: the copy is not that of the cluster, or cannot be written.
        private func leave(because error: any Error) {
            let reason = "cannot follow the log: \(error)"
            log.critical("storage failed; stopping", metadata: ["reason": "\(reason)"])
            notifier.failing(errno: (error as? JournalFailure)?.errno ?? 0, status: reason)
            _exit(error is ClusterFailure ? 78 : 74)
        }

        private var boundLog: NIOLoopBound<EtcdLog> {
            get throws {
                guard let log = state.withLock({ $0.log }) else {
                    throw StorageError.unsuitable("the log of the cluster is not open")
                }
                return log
            }
        }

        /// The copy, from other threads.
        private struct Copy: LogCopy {
            let log: NIOLoopBound<EtcdLog>

            func end() async throws -> LogEnd {
                try await log.eventLoop.submit { log.value.end }.get()
            }

            func take(_ bytes: [UInt8]) async throws {
                try await log.eventLoop.submit { try log.value.follow(bytes) }.get()
            }
        }

        private static var hostName: String {
            var name = [CChar](repeating: 0, count: 256)
            guard gethostname(&name, name.count - 1) == 0 else { return "node" }
            return String(
                decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Passes what the owner has recorded to the queue and to the embedded store of this node.
    private final class Follower: LogReplay {
        private let engine: PaymentEngine
        private let store: DaemonStore

        init(_ engine: PaymentEngine, _ store: DaemonStore) {
            self.engine = engine
            self.store = store
        }

        func load(_ item: SnapshotItem) throws {
            throw PayloadFault("a log that is followed has no items of a checkpoint")
        }

        func didLoad(upTo position: SequenceNumber) {}

        func replay(_ record: Record) throws { try engine.follow(record) }

        func replay(store record: StoreRecord) throws {
            guard case .sandbox(let sandbox) = store else {
                throw UnexpectedStoreRecord(word: record.word)
            }
            try sandbox.replay(record)
        }
    }
#else
    /// A build without the client of etcd: the configuration refuses a cluster.
    final class ClusterMember: Sendable {
        init?(
            _ configuration: DaemonConfiguration, log: Logger, notifier: Notifier,
            group: any EventLoopGroup
        ) throws(ConfigurationProblem) { return nil }

        func seed(for directory: StateDirectory, _ settings: LogSettings) async throws -> StoreSeed?
        {
            nil
        }
        func follow(_ copy: CopiedLog, on loop: any EventLoop) -> any RecordLog { copy.journal }
        func attach(_ engine: PaymentEngine, _ store: DaemonStore, _ checkpointer: Checkpointer) {}
        func catchUp(from seed: StoreSeed?, in state: StateDirectory) async throws {}
        func begin(_ engine: PaymentEngine, _ owns: @escaping @Sendable () -> Void) {}
        var dialer: (any OwnerDialer)? { nil }
        func listen(
            for server: PaymentServer, _ group: any EventLoopGroup
        ) async throws -> (any Channel)? { nil }
        func stopFollowing() async {}
        func giveUp() {}
        func leave() async {}
        var holdsTerm: Bool { true }
        var status: String { "" }
    }
#endif
