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
    import StoreClient

    /// This node's part in a cluster whose log is in etcd: it follows the log, and owns it when no other node
    /// does.
    ///
    /// Proof: the log and its receiver are made and used on the engine's loop.
    final class ClusterMember: Sendable {
        private let cluster: EtcdCluster
        private let prefix: String
        private let name: String
        private let peers: ClusterPeers?
        /// The sessions at the store; nil for the embedded one.
        private let sessions: SharedFile?
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
            /// The epoch of the log, by which the store knows the queue, and the number of the owner's start. Unlike the
            /// term, that number is in the log: it stays greater than that of every owner before in another etcd, too.
            var queue: (epoch: String, incarnation: UInt64) = ("", 0)
        }

        /// The time between two reports of how far the copy goes.
        private static let carePace = Duration.seconds(5)

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
            name = configuration.cluster.node.value ?? ClusterFiles.hostName
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
            sessions =
                configuration.storeAddress == nil ? nil : cluster.sharedFile("store-sessions")
        }

        // MARK: Start

        private var entrance: ClusterEntrance {
            ClusterEntrance(cluster: cluster, prefix: prefix, log: log)
        }

        /// The beginning of a copy in an empty state directory; see ``ClusterEntrance/seed(for:_:)``.
        func seed(for directory: StateDirectory, _ settings: LogSettings) async throws -> StoreSeed?
        {
            try await entrance.seed(for: directory, settings)
        }

        /// Puts the log of this node into a cluster that has none, or reads what this node has missed. The owner is
        /// known before the first call of a client.
        func catchUp(from seed: StoreSeed?, in state: StateDirectory) async throws {
            meet(try await entrance.catchUp(try boundLog, from: seed, in: state))
            // The lease is requested again when the node follows, if that fails now.
            try? await cluster.appear()
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

        // MARK: Life

        /// Follows the log, and owns it when no other node does, until the node stops.
        ///
        /// - Parameters:
        ///   - engine: The engine.
        ///   - owns: Called on the loop when this node has become the owner, with the sessions at the store that the
        ///     owner before has left; it starts the engine.
        func begin(_ engine: PaymentEngine, _ owns: @escaping @Sendable ([UInt8]?) -> Void) {
            let following = Task { [self] in
                do {
                    try await follow(engine, owns)
                } catch {
                    guard !isLeaving else { return }
                    leave(because: error)
                }
            }
            let caring = Task { [self] in await care() }
            let syncing = Task { [self] in
                guard let failure = try? await BoundCopy(log: boundLog).keepSynced() else { return }
                leave(because: failure)
            }
            state.withLock { state in
                state.following = following
                state.work += [caring, syncing]
            }
        }

        private func follow(
            _ engine: PaymentEngine, _ owns: @escaping @Sendable ([UInt8]?) -> Void
        ) async throws {
            let bound = try boundLog
            let right = try await cluster.follow(BoundCopy(log: bound, engine: engine)) { owner in
                self.meet(owner)
            }
            hold(right, engine, on: bound.eventLoop)
            let kept = await keptSessions(right)
            let isOwner = try await bound.eventLoop.submit {
                guard !self.isLeaving, engine.isRunning else { return false }
                self.state.withLock { $0.right = right }
                self.cluster.own(bound.value, right)
                self.peers?.use(nil)
                owns(kept)
                self.state.withLock { $0.queue = (bound.value.epoch, engine.queue.incarnation) }
                return true
            }.get()
            // A stop gives the lease back; this task is cancelled then.
            guard isOwner else { return }
            log.notice(
                "this node owns the queue", metadata: ["node": "\(name)", "term": "\(right.term)"])
        }

        /// Keeps the lease of a right, and ends the process when it has ended.
        private func hold(_ right: Ownership, _ engine: PaymentEngine, on loop: any EventLoop) {
            let holding = Task { [self] in
                await cluster.hold(right)
                guard !isLeaving else { return }
                // Renewals may reach etcd and keep the lease alive although no answer comes.
                await endLease()
                loop.execute {
                    engine.fail(JournalFailure("the lease of the log's owner has ended"))
                }
            }
            state.withLock { $0.work.append(holding) }
        }

        /// The sessions at the store that the owner before has left; nil if it has left none, or the right has ended.
        private func keptSessions(_ right: Ownership) async -> [UInt8]? {
            guard let sessions else { return nil }
            while right.holds, !isLeaving {
                do {
                    return try await sessions.read()
                } catch {
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            return nil
        }

        /// Gives a lease back that has ended here, and waits little for the answer.
        private func endLease() async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [cluster] in await cluster.resign() }
                group.addTask { try? await Task.sleep(for: .milliseconds(200)) }
                await group.next()
                group.cancelAll()
            }
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

        /// The right to send orders.
        var orderRight: OrderRight {
            let (right, queue) = state.withLock { ($0.right, $0.queue) }
            guard let right, right.holds, queue.incarnation > 0 else { return .lost }
            return .owner(queue: queue.epoch, term: queue.incarnation)
        }

        /// Leaves the sessions at the store to the next owner.
        func share(_ sessions: [UInt8]) {
            guard let right = state.withLock({ $0.right }) else { return }
            self.sessions?.write(sessions, right)
        }

        private var isLeaving: Bool { state.withLock { $0.isLeaving } }

        /// Reports how far the copy goes, and as the owner removes what all copies have.
        private func care() async {
            var reported: LogEnd?
            do {
                try await entrance.judgeMembers()
            } catch {
                return leave(because: error)
            }
            repeat {
                guard let log = try? boundLog else { return }
                // What fails now is done the next time.
                do {
                    let end = try await BoundCopy(log: log).sync()
                    if end != reported {
                        try await cluster.census.report(end)
                        reported = end
                    }
                    if let right = state.withLock({ $0.right }) {
                        try await cluster.removeOldLines(right)
                    }
                } catch {
                    continue
                }
            } while (try? await Task.sleep(for: Self.carePace)) != nil
        }

        /// Follows no longer, and owns nothing that it does not own already: ``resign()`` gives back what is
        /// being granted. Called before the engine stops: from then on only the owner writes to the copy.
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

        /// Gives the lease back. The engine has stopped: another node may be the owner from now on.
        func resign() async {
            let right = state.withLock { state in
                defer { state.right = nil }
                return state.right
            }
            if right != nil { await sessions?.flush(atMost: .milliseconds(300)) }
            await cluster.resign()
        }

        /// Ends the node's part. The engine has stopped.
        func leave() async {
            await stopFollowing()
            await resign()
            let work = state.withLock { $0.work }
            for task in work { task.cancel() }
            for task in work { await task.value }
            await cluster.close()
        }

        // MARK: Calls

        /// The state of the cluster, as clients see it.
        func report() async -> ClusterMethod.Result {
            let found = await cluster.census.state()
            return ClusterMethod.Result(
                node: name, role: state.withLock { $0.right } == nil ? .follower : .owner,
                owner: found.owner?.node.name, term: found.owner?.term, prefix: prefix,
                line: found.end.map { $0.next - 1 },
                nodes: found.nodes.map {
                    .init(
                        name: $0.node.name, isUp: $0.isUp, version: $0.node.version,
                        peer: $0.node.peer, line: $0.next - 1)
                },
                members: found.members.map {
                    .init(
                        address: $0.address, version: $0.version, isLeader: $0.isLeader,
                        bytes: $0.bytes)
                })
        }

        /// Waits until this node has everything that the log had at the call; false if it does not soon.
        func reachEnd() async -> Bool {
            guard let copy = try? BoundCopy(log: boundLog) else { return false }
            return await copy.reachEnd(of: cluster)
        }

        /// Looks whether this node can give the queue to another one.
        ///
        /// - Returns: This node and its term.
        func checkHandOver() async throws(DaemonRefusal) -> HandOver.Result {
            guard let right = state.withLock({ $0.right }) else {
                throw .noOtherNode("This node does not own the queue any more")
            }
            let up: Set<String>
            do throws(ClusterFailure) {
                up = try await cluster.census.up()
            } catch {
                throw .noOtherNode("etcd does not say which nodes are up: \(error)")
            }
            guard up.contains(where: { $0 != name }) else {
                throw .noOtherNode("No other node is up to own the queue")
            }
            return HandOver.Result(node: name, term: right.term)
        }

        /// One line about the node's part.
        var status: String {
            state.withLock { state in
                if state.right != nil { return "owner" }
                return state.owner.map { "follows \($0.node.name)" } ?? "no owner"
            }
        }

        private func meet(_ owner: ClusterOwner?) {
            let isNews = state.withLock { state in
                defer { state.owner = owner }
                return state.owner != owner
            }
            guard isNews else { return }
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
            let reason = "cannot keep the copy of the log: \(error)"
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
        func begin(_ engine: PaymentEngine, _ owns: @escaping @Sendable ([UInt8]?) -> Void) {}
        var dialer: (any OwnerDialer)? { nil }
        func listen(
            for server: PaymentServer, _ group: any EventLoopGroup
        ) async throws -> (any Channel)? { nil }
        func stopFollowing() async {}
        func giveUp() {}
        func resign() async {}
        func leave() async {}
        func report() async -> ClusterMethod.Result { preconditionFailure("no cluster") }
        func reachEnd() async -> Bool { false }
        func checkHandOver() async throws(DaemonRefusal) -> HandOver.Result { throw .noCluster }
        func share(_ sessions: [UInt8]) {}
        var status: String { "" }
    }
#endif
