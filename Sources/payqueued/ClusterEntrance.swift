#if StoreClient
    import EtcdJournal
    import Logging
    import NIOCore
    import PaymentCore
    import PaymentEngine
    import PaymentStorage

    /// Brings a node into its cluster at each start: afterwards its files belong to the cluster and have
    /// every record of the cluster's log.
    struct ClusterEntrance {
        let cluster: EtcdCluster
        let prefix: String
        let log: Logger

        /// The maximum time in which etcd must answer at a start.
        private static let patience = Duration.seconds(10)
        /// The maximum number of bytes of a log that are put into a new cluster at once.
        private static let importLimit = 1 << 20

        /// The beginning of a copy for an empty state directory. If the cluster has no log, this node
        /// begins one: with an empty directory, or with a directory whose queue is to be imported.
        ///
        /// - Returns: The beginning; nil if the queue of the directory is to be imported.
        /// - Throws: etcd does not answer, or its keys do not belong to a queue; or the directory has a
        ///   queue that must not be imported, and the cluster has none.
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
                // Another node may have created the log first, so the seed is read again.
                return try await cluster.seed()
            }
            // The mark is written before any other file, so that a copy never exists without its mark.
            if seed != nil, try !directory.hasQueue() {
                try ClusterMembership(prefix: prefix).write(to: directory)
            }
            return seed
        }

        /// Refuses versions of etcd that lose data, and warns of versions that can answer with old data.
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

        /// Refuses to fill an empty cluster with the queue of the directory, unless the directory is
        /// marked for that. If a cluster has lost its log, another copy may have more records, and a
        /// prefix may be misspelled.
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

        /// Puts the log of this node into a cluster without a log, or reads the records that this node
        /// has missed.
        ///
        /// - Parameters:
        ///   - log: The log of this node.
        ///   - seed: The beginning of the cluster's log at the start; nil if it had none.
        ///   - state: The state directory, which belongs to the cluster from then on.
        /// - Returns: The owner of the log afterwards; nil if there is none.
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
                do {
                    try await cluster.catchUp(BoundCopy(log: log))
                } catch let fault as ChunkFault {
                    throw StorageError.unsuitable(
                        "the state directory has other records than the cluster: \(fault); move its "
                            + "files away, or restore a newer backup of etcd")
                }
                return try await cluster.endFormerRight()
            }
        }

        /// Repeats a request to etcd until etcd answers or the time is over.
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

    /// The copy of a node, for use on other threads.
    struct BoundCopy: LogCopy {
        let log: NIOLoopBound<EtcdLog>
        /// The engine that shows new records to its subscriptions.
        var engine: PaymentEngine?

        func end() async throws -> LogEnd {
            try await log.eventLoop.submit { log.value.end }.get()
        }

        /// Syncs the copy to stable storage repeatedly, also while etcd does not answer.
        ///
        /// - Returns: The failure of the disk that ended the syncs; nil if the task was cancelled.
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

        /// Waits until the copy has every record that the log has now. False if that takes longer than
        /// some seconds, or etcd does not answer.
        func reachEnd(of cluster: EtcdCluster) async -> Bool {
            guard let last = try? await cluster.census.lastLine() else { return false }
            for _ in 0..<500 {
                guard let end = try? await end() else { return false }
                if end.next > last { return true }
                guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return false }
            }
            return false
        }

        /// Syncs the copy to stable storage, and returns its end.
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
