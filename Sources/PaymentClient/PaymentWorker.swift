internal import StrictJSON

/// A worker that passes each settled transaction to a handler, and then finishes it.
///
/// The worker survives restarts of the daemon. It reads nothing while a handler runs; the daemon's
/// log holds the rest. After a failure or a restart a transaction is passed again, so handlers must
/// be idempotent.
///
/// ```swift
/// try await PaymentWorker(client: PaymentQueueClient()).run { transaction in
///     guard transaction.mayUnlock else { return }  // the worker finishes it
///     try await unlock(transaction.product)
/// }
/// ```
public struct PaymentWorker: Sendable {
    /// A problem that the worker recovered from, for a log.
    public enum Trouble: Sendable {
        /// The handler threw. The transaction will be passed again.
        case handlerFailed(ObservedTransaction, any Error)
        /// The goods are delivered, but `finish` failed. The worker will retry it.
        case notFinished(String, any Error)
        /// The connection broke. The worker reconnects.
        case lost(ConnectionFailure)
        /// The cursor is no longer in the log. The worker restarts with the unfinished
        /// transactions.
        case restarted(RPCError)
        /// The unfinished transactions could not be listed. The next round retries.
        case notListed(any Error)
    }

    private let client: PaymentQueueClient
    private let products: [String]?
    private let states: [ObservedTransaction.State]
    private let retryEvery: Duration
    private let report: @Sendable (Trouble) -> Void

    /// Creates a worker.
    ///
    /// - Parameters:
    ///   - client: The client of its calls. The subscription has a connection of its own.
    ///   - products: The identifiers of the products to handle; nil for all.
    ///   - states: The states to handle.
    ///   - retryEvery: The interval of retries for unfinished transactions, clamped to 5 to 300 s.
    ///   - report: Receives each problem that the worker recovered from.
    public init(
        client: PaymentQueueClient, products: [String]? = nil,
        states: [ObservedTransaction.State] = [.purchased, .restored, .failed],
        retryEvery: Duration = .seconds(180),
        report: @escaping @Sendable (Trouble) -> Void = { _ in }
    ) {
        self.client = client
        self.products = products
        self.states = states
        self.retryEvery = min(.seconds(300), max(.seconds(5), retryEvery))
        self.report = report
    }

    /// Runs until the task is cancelled.
    ///
    /// - Parameters:
    ///   - onNotification: Receives each notification before the worker acts on it.
    ///   - handler: Delivers the goods. If it throws, the transaction stays unfinished.
    /// - Throws: ``ConnectionFailure`` if the first connection fails, ``RPCError`` if the daemon
    ///   refuses the subscription, `CancellationError`.
    public func run(
        onNotification: (ServerNotification) async -> Void = { _ in },
        handler: (ObservedTransaction) async throws -> Void
    ) async throws {
        // The daemon's heartbeat drives the rounds. No timer is needed while the daemon is away,
        // because a new connection starts with the unfinished transactions.
        var steps = ResumingNotifications(
            path: client.path, parameters: parameters, longestPause: .seconds(5),
            client: client.name
        ).makeAsyncIterator()
        var state = WorkState(
            inbox: WorkerInbox(states: Set(states)), nextRound: ContinuousClock.now + retryEvery)
        while let step = try await steps.next() {
            switch step {
            case .opened: state.inbox.opened()
            case .notification(let notification, _):
                await onNotification(notification)
                state.inbox.take(notification)
            case .restarted(let error): report(.restarted(error))
            case .lost(let failure): report(.lost(failure))
            }
            if state.nextRound <= ContinuousClock.now { try await lookAgain(&state) }
            while let transaction = state.inbox.next() {
                try await deliver(transaction, &state, handler)
            }
        }
    }

    private struct WorkState {
        var inbox: WorkerInbox
        var nextRound: ContinuousClock.Instant
        /// The transactions that were handled, but not yet finished at the daemon.
        var unconfirmed: Set<String> = []
    }

    private func deliver(
        _ transaction: ObservedTransaction, _ state: inout WorkState,
        _ handler: (ObservedTransaction) async throws -> Void
    ) async throws {
        let id = transaction.id
        // The handler must not run again if only `finish` failed.
        if !state.unconfirmed.contains(id) {
            do {
                try await handler(transaction)
            } catch let cancelled as CancellationError {
                throw cancelled
            } catch {
                state.inbox.putOff(id)
                return report(.handlerFailed(transaction, error))
            }
        }
        state.unconfirmed.insert(id)
        do {
            let disposition = try await client.finish(id)
            state.unconfirmed.remove(id)
            if disposition == "ignoredInFlight" {
                state.inbox.settle(id)
            } else {
                state.inbox.done(id)
            }
        } catch let cancelled as CancellationError {
            throw cancelled
        } catch {
            state.inbox.putOff(id)
            report(.notFinished(id, error))
        }
    }

    private func lookAgain(_ state: inout WorkState) async throws {
        state.nextRound = ContinuousClock.now + retryEvery
        do {
            let unfinished = try await client.transactions(states: states)
            state.inbox.newRound(
                unfinished.filter { products?.contains($0.product) ?? true })
        } catch let cancelled as CancellationError {
            throw cancelled
        } catch {
            report(.notListed(error))
        }
    }

    private var parameters: [JSONMember] {
        let seconds = retryEvery.components.seconds
        var members = [JSONMember(name: "heartbeat", value: .integer(seconds))]
        if let products {
            members.append(
                JSONMember(name: "products", value: .array(products.map(JSONValue.string))))
        }
        return members
    }
}
