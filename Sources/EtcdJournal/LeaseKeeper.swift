import Synchronization

/// Keeps one lease of this node in etcd. By the lease the node counts as up, and by it the node owns the log.
///
/// A node that follows already has a lease, so that it can become the owner with one transaction.
final class LeaseKeeper: Sendable {
    private let client: EtcdClient
    private let keys: ClusterKeys
    private let name: String
    private let seconds: Int
    private let time: ClusterTime
    private let current = Mutex<NodeLease?>(nil)

    /// Creates a keeper without a lease.
    ///
    /// - Parameters:
    ///   - client: The members of etcd.
    ///   - keys: The keys of the queue.
    ///   - name: The name of this node.
    ///   - seconds: The time after which etcd ends a lease that is not renewed.
    ///   - time: The clock.
    init(
        _ client: EtcdClient, keys: ClusterKeys, name: String, seconds: Int, time: ClusterTime
    ) {
        self.client = client
        self.keys = keys
        self.name = name
        self.seconds = seconds
        self.time = time
    }

    /// The lease; nil while none holds.
    var lease: NodeLease? { current.withLock { $0.flatMap { $0.holds ? $0 : nil } } }

    /// Requests a lease, and marks the node as up with it. A former lease is revoked first: it may still be
    /// alive in etcd, and own the log there.
    ///
    /// - Throws: etcd does not answer.
    func request() async throws(ClusterFailure) {
        if let former = current.withLock({ $0 }) { try? await client.revoke(former.id) }
        let requested = time.now()
        do throws(EtcdFailure) {
            let id = try await client.grant(seconds: seconds)
            do throws(EtcdFailure) {
                _ = try await client.transact(
                    EtcdTransaction(then: [.put(keys.up(name, id), [], lease: id)]))
            } catch {
                try? await client.revoke(id)
                throw error
            }
            let lease = NodeLease(
                id: id, span: .milliseconds(800 * seconds), granted: requested, time: time)
            current.withLock { $0 = lease }
        } catch {
            throw .failed("\(error)")
        }
    }

    /// Renews the lease, and requests another one when it has ended, until the task is cancelled.
    func keep() async {
        while !Task.isCancelled {
            if let lease {
                await renew(lease)
            } else if (try? await requestToTheEnd()) == nil {
                try? await time.sleep(.milliseconds(200))
            }
        }
    }

    /// Requests a lease. The request is completed even if the task is cancelled meanwhile, so that the lease
    /// can be given back.
    private func requestToTheEnd() async throws {
        try await Task(executorPreference: time.executor) { try await self.request() }.value
    }

    /// Renews a lease until it ends or the task is cancelled. Without answers from etcd the lease ends at its
    /// time.
    func hold(_ lease: NodeLease) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.renew(lease) }
            group.addTask { await lease.untilTimeIsOver() }
            await group.next()
            group.cancelAll()
        }
    }

    private func renew(_ lease: NodeLease) async {
        let pause = Duration.milliseconds(1000 * seconds / 3)
        while lease.holds, !Task.isCancelled {
            let requested = time.now()
            do throws(EtcdFailure) {
                guard try await client.keepAlive(lease.id) > 0 else { return lease.end() }
                lease.renewed(requested: requested)
                await lease.wait(pause)
            } catch {
                if error.isNotFound { return lease.end() }
                await lease.wait(.milliseconds(100))
            }
        }
    }

    /// Revokes the lease. The node no longer counts as up, and another node can own the log at once.
    func giveBack() async {
        let lease = current.withLock { current in
            defer { current = nil }
            return current
        }
        guard let lease else { return }
        lease.end()
        try? await client.revoke(lease.id)
    }
}
