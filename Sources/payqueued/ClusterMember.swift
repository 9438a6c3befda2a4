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

    /// This node's part in a cluster whose log is in etcd. It follows the log, and owns the log when no other node
    /// does.
    ///
    /// Proof: the log and its receiver are created and used on the engine's loop.
    final class ClusterMember: Sendable {
        private let cluster: EtcdCluster
        private let prefix: String
        private let name: String
        private let peers: ClusterPeers?
        /// The file of the sessions at the store, shared by the nodes; nil for the embedded store.
        private let sessions: SharedFile?
        private let log: Logger
        private let notifier: Notifier
        private let state = Mutex(State())

        private struct State {
            var log: NIOLoopBound<EtcdLog>?
            var follower: NIOLoopBound<Follower>?
            var owner: ClusterOwner?
            var right: Ownership?
            /// The task that follows the log until this node owns it.
            var following: Task<Void, Never>?
            /// The tasks that renew the lease, sync the copy and limit the size of etcd.
            var work: [Task<Void, Never>] = []
            var isLeaving = false
            /// The epoch of the log, which identifies the queue at the store, and the incarnation of the owner. The
            /// incarnation is in the log, unlike the term. It therefore exceeds that of every earlier owner also
            /// after a move to another etcd.
            var queue: (epoch: String, incarnation: UInt64) = ("", 0)
        }

        /// The time between two reports of the position of the copy.
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
            let options = try ClusterFiles.options(configuration.cluster, address)
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

        /// Puts the log of this node into a cluster without a log, or reads the records that this node has missed.
        /// The owner is known before the first call of a client.
        func catchUp(from seed: StoreSeed?, in state: StateDirectory) async throws {
            meet(try await entrance.catchUp(try boundLog, from: seed, in: state))
            // If the lease cannot be requested now, it is requested again while the node follows.
            try? await cluster.appear()
        }

        /// Creates the log of a copy. Called on the loop.
        func follow(_ copy: CopiedLog, on loop: any EventLoop) -> any RecordLog {
            let log = EtcdLog(copy: copy) { loop.execute($0) }
            state.withLock { $0.log = NIOLoopBound(log, eventLoop: loop) }
            return log
        }

        /// Connects the log with its followers: engine, store and checkpointer. Called on the loop.
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
                // Without this turn, the segment would end only with the next record, which a full disk may prevent.
                engine.takeTurn()
            }
            state.withLock { $0.follower = NIOLoopBound(follower, eventLoop: bound.eventLoop) }
        }

        // MARK: Life

        /// Follows the log until the node stops, and owns it when no other node does.
        ///
        /// - Parameters:
        ///   - engine: The engine.
        ///   - owns: Called on the loop when this node has become the owner. It receives the sessions at
        ///     the store that the previous owner has left, and starts the engine.
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
            // In this case a stop has begun, which gives the lease back.
            guard isOwner else { return }
            log.notice(
                "this node owns the queue", metadata: ["node": "\(name)", "term": "\(right.term)"])
        }

        /// Renews the lease of a right, and ends the process when the lease has ended.
        private func hold(_ right: Ownership, _ engine: PaymentEngine, on loop: any EventLoop) {
            let holding = Task { [self] in
                await cluster.hold(right)
                guard !isLeaving else { return }
                // Renewals may still reach etcd and extend the lease, although no answer arrives.
                await endLease()
                loop.execute {
                    engine.fail(JournalFailure("the lease of the log's owner has ended"))
                }
            }
            state.withLock { $0.work.append(holding) }
        }

        /// The sessions at the store that the previous owner has left; nil if it has left none, or the right has
        /// ended.
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

        /// Gives back a lease that has ended at this node, and waits only briefly for the answer.
        private func endLease() async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [cluster] in await cluster.resign() }
                group.addTask { try? await Task.sleep(for: .milliseconds(200)) }
                await group.next()
                group.cancelAll()
            }
        }

        /// Connects to the owner of the queue; nil if the nodes cannot reach each other.
        var dialer: (any OwnerDialer)? { peers }

        /// Listens for the calls of other nodes.
        ///
        /// - Returns: The listening channel; nil if the nodes cannot reach each other.
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

        /// Stores the sessions at the store for the next owner.
        func share(_ sessions: [UInt8]) {
            guard let right = state.withLock({ $0.right }) else { return }
            self.sessions?.write(sessions, right)
        }

        private var isLeaving: Bool { state.withLock { $0.isLeaving } }

        /// Reports the position of the copy regularly. The owner also removes the lines that every copy has.
        private func care() async {
            var reported: LogEnd?
            do {
                try await entrance.judgeMembers()
            } catch {
                return leave(because: error)
            }
            repeat {
                guard let log = try? boundLog else { return }
                // A failed step is repeated the next time.
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

        /// Stops following, and does not become the owner any more: ``resign()`` gives back a right that is being
        /// granted. Called before the engine stops. From then on only the owner writes to the copy.
        func stopFollowing() async {
            let following = state.withLock { state in
                state.isLeaving = true
                return state.following
            }
            following?.cancel()
            await following?.value
        }

        /// Ends the right to append, because the pending commit does not complete.
        func giveUp() {
            log.warning("the log takes nothing more; what was not committed is not recorded")
            state.withLock { $0.right }?.end()
        }

        /// Gives the lease back after the engine has stopped. Another node may be the owner from now on.
        func resign() async {
            let right = state.withLock { state in
                defer { state.right = nil }
                return state.right
            }
            if right != nil { await sessions?.flush(atMost: .milliseconds(300)) }
            await cluster.resign()
        }

        /// Ends the node's part, after the engine has stopped.
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

        /// Waits until this node has every record that the log had at the time of the call. False if that takes
        /// longer than some seconds.
        func reachEnd() async -> Bool {
            guard let copy = try? BoundCopy(log: boundLog) else { return false }
            return await copy.reachEnd(of: cluster)
        }

        /// Checks whether this node can give the queue to another one.
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

        /// The node's role, as a part of the status line.
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

        /// Ends the process, because the copy does not belong to the cluster or cannot be written.
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

    /// Passes the owner's records to the queue and to the embedded store of this node.
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
    /// The type in a build without the client of etcd. The configuration of such a build refuses a cluster.
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
