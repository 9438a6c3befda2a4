#if StoreClient
    import EtcdJournal
    import Logging
    import NIOCore
    import PaymentCore
    import PaymentEngine
    import PaymentStorage

    /// The way of a node into its cluster, at each start: its files are those of the cluster, and have all that the
    /// cluster has.
    struct ClusterEntrance {
        let cluster: EtcdCluster
        let prefix: String
        let log: Logger

        /// The time that etcd has to answer a start.
        private static let patience = Duration.seconds(10)
        /// The most bytes of a log that are put into a new cluster at once.
        private static let importLimit = 1 << 20

        /// The beginning of a copy in an empty state directory. In a cluster without a log this node begins
        /// one, with an empty directory or with one that is to be imported.
        ///
        /// - Returns: The beginning; nil if the queue of the directory is to be imported.
        /// - Throws: etcd does not answer, or its keys are not of a queue; or the directory has a queue and the
        ///   cluster has none.
        func seed(for directory: StateDirectory, _ settings: LogSettings) async throws -> StoreSeed?
        {
            let seed: StoreSeed? = try await answered {
                if let seed = try await cluster.seed() { return seed }
                guard try !directory.hasQueue() else {
                    try requireImport(of: directory)
                    return nil
                }
                let made = StoreSeed.new(settings)
                _ = try await cluster.found(
                    format: made.seed.format,
                    end: LogEnd(next: made.end.next, chain: made.end.chain),
                    firstLines: made.seed.firstLines)
                // Another node may have been faster.
                return try await cluster.seed()
            }
            // Before anything else is in the directory: what begins as a copy is never without its mark.
            if seed != nil, try !directory.hasQueue() {
                try ClusterMembership(prefix: prefix).write(to: directory)
            }
            return seed
        }

        /// Refuses versions of etcd that lose data, and warns of those with a fault that costs time.
        func judgeMembers() async throws(ClusterFailure) {
            for member in await cluster.census.members() {
                guard let fault = member.fault, let version = member.version else { continue }
                switch fault {
                case .losesData:
                    throw .unsuitable(
                        "etcd \(version) at \(member.address) can lose what it has acknowledged; "
                            + "use 3.6.9 or later")
                case .readsOldData:
                    log.warning(
                        "this version of etcd can answer with old data after a pause; use 3.6.9 or later",
                        metadata: ["member": "\(member.address)", "version": "\(version)"])
                }
            }
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

        /// Puts the log of this node into a cluster that has none, or reads what this node has missed.
        ///
        /// - Parameters:
        ///   - log: The log of this node.
        ///   - seed: What the cluster had at the start.
        ///   - state: The state directory, which belongs to the cluster from then on.
        /// - Returns: The owner of the log then.
        /// - Throws: The files of this node do not belong to the cluster.
        func catchUp(
            _ log: NIOLoopBound<EtcdLog>, from seed: StoreSeed?, in state: StateDirectory
        ) async throws -> ClusterOwner? {
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
                    try await cluster.found(
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
            return try await answered {
                try await cluster.census.report(end)
                try await cluster.catchUp(BoundCopy(log: log))
                return try await cluster.endFormerRight()
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
    }

    /// The copy of a node, from other threads.
    struct BoundCopy: LogCopy {
        let log: NIOLoopBound<EtcdLog>
        /// The engine that shows what is taken to subscriptions.
        var engine: PaymentEngine?

        func end() async throws -> LogEnd {
            try await log.eventLoop.submit { log.value.end }.get()
        }

        /// Has the copy on stable storage again and again, also while etcd does not answer.
        ///
        /// - Returns: The failure of the disk that has ended it; nil if the task was cancelled.
        func keepSynced() async -> JournalFailure? {
            while (try? await Task.sleep(for: .seconds(5))) != nil {
                do {
                    _ = try await sync()
                } catch {
                    if let failure = error as? JournalFailure { return failure }
                }
            }
            return nil
        }

        /// Waits until the copy has everything that the log has now; false if it does not in some seconds, or etcd
        /// does not answer.
        func reachEnd(of cluster: EtcdCluster) async -> Bool {
            guard let last = try? await cluster.census.lastLine() else { return false }
            for _ in 0..<500 {
                guard let end = try? await end() else { return false }
                if end.next > last { return true }
                guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return false }
            }
            return false
        }

        /// Has the copy on stable storage; returns its end.
        func sync() async throws -> LogEnd {
            try await log.eventLoop.submit { try log.value.sync() }.get()
        }

        func take(_ bytes: [UInt8]) async throws {
            try await log.eventLoop.flatSubmit {
                let shown = log.eventLoop.makePromise(of: Void.self)
                do {
                    try log.value.follow(bytes)
                    if let engine { engine.whenShown { shown.succeed() } } else { shown.succeed() }
                } catch {
                    shown.fail(error)
                }
                return shown.futureResult
            }.get()
        }
    }
#endif
